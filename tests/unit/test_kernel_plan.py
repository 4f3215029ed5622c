"""Plans of kernel models: which solver, how much memory, and what is refused."""

import re

import numpy as np
import pytest

from samara import BudgetError, KernelELMRegressor
from samara.engines import Threads
from samara.kernel_plan import KernelShape, make_kernel_plan, peak_bytes, spare_bytes
from samara.maps import Gramian, Kernel
from samara.plans import Budget
from samara.solvers.kernel import KernelTask, Pcg
from samara.sources import ArraySource
from tests.faults.checks import refused

SOLVERS = ["exact", "sketch", "ssvd", "pcg", "divide"]
X = np.random.default_rng(0).normal(size=(3000, 5))


def chosen(memory=None, **shape):
    """The solver that `auto` picks."""
    given = KernelShape(**{"n_inputs": 5, "n_targets": 1} | shape)
    return make_kernel_plan(given, "auto", Budget(memory, 2), "").solver


@pytest.mark.parametrize(
    ("shape", "solver"),
    [
        ({"n_rows": 1000}, "exact"),
        ({"n_rows": 5000, "n_alphas": 10}, "exact"),
        ({"n_rows": 10_000}, "exact"),
        ({"n_rows": 50_000}, "pcg"),
        ({"n_rows": 50_000, "n_alphas": 10}, "nystroem"),
        ({"n_rows": 50_000, "definite": False}, "nystroem"),
        ({"n_rows": 1_000_000}, "nystroem"),
        ({"n_rows": 1000, "rank": 100}, "nystroem"),
        ({"n_rows": 1_000_000, "max_rank": 5}, "exact"),
        ({"n_rows": 5000, "memory": 60_000_000}, "pcg"),
        ({"n_rows": 5000, "n_alphas": 10, "memory": 60_000_000}, "nystroem"),
    ],
    ids=str,
)
def test_auto_goes_by_rows_ridges_and_memory(shape, solver):
    """Few rows exactly, one ridge by pcg, several by centres; a small budget as if there were many rows."""
    if solver == "pcg" and "memory" in shape:
        shape = {**shape, "memory": peak_bytes(KernelShape(5000, 5, 1), "pcg", 2)}
    assert chosen(**shape) == solver


@pytest.mark.parametrize("solver", SOLVERS)
def test_more_of_anything_takes_more_memory(solver):
    """Rows, targets, inputs, ridges, workers."""
    base = KernelShape(2000, 5, 1)
    least = peak_bytes(base, solver, 1)
    for more in ({"n_rows": 3000}, {"n_targets": 4}, {"n_inputs": 50}, {"n_alphas": 10}):
        assert (
            peak_bytes(KernelShape(**{"n_rows": 2000, "n_inputs": 5, "n_targets": 1} | more), solver, 1)
            > least
        )
    assert peak_bytes(base, solver, 4) > least


def test_kept_tiles_fill_the_budget_and_no_more():
    """pcg keeps what is left of the memory, at most half the matrix."""
    shape = KernelShape(20_000, 5, 1, rank=100)
    needed = peak_bytes(shape, "pcg", 2)
    assert spare_bytes(shape, Budget(needed, 2)) == 0
    assert spare_bytes(shape, Budget(needed + 1000, 2)) == 1000
    assert spare_bytes(shape, Budget(10**12, 2)) <= 8 * 20_000 * 11_100
    assert make_kernel_plan(shape, "pcg", Budget(needed + 1000, 2), "").peak_bytes == needed + 1000


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_impossible_budget_is_refused_before_a_row_is_read(monkeypatch, solver):
    """A BudgetError that says what is needed, what was given and what to do."""

    def fail(*ignored, **options):
        raise AssertionError("a row was read")

    monkeypatch.setattr(Threads, "summarize", fail)
    monkeypatch.setattr(ArraySource, "parts", fail)
    text = refused(
        KernelELMRegressor(solver=solver, memory="20MB"), BudgetError, "memory allows 20 MB", X, X[:, 0]
    )
    assert f"3,000 rows by {solver} need" in text
    assert "Use " in text


def test_the_rank_advised_fits():
    """A sketch that is too wide is told how wide it may be."""
    model = KernelELMRegressor(solver="sketch", rank=2000, memory="250MB", engine=Threads(2))
    text = refused(model, BudgetError, "rank of at most", X, X[:, 0])
    rank = int(re.search(r"at most ([\d,]+)", text)[1].replace(",", ""))
    shape = KernelShape(3000, 5, 1, n_alphas=10, rank=rank)
    assert 0.8 * 250e6 < peak_bytes(shape, "sketch", 2) <= 250e6


def test_a_plan_says_why():
    """The first reason names the solver and the rows."""
    model = KernelELMRegressor().fit(X[:100], X[:100, 0])
    assert model.plan_.reasons[0].startswith("solver exact: 100 rows")


def rank_of(alpha, kernel="rbf", spare=0, n=1500):
    """Columns of the preconditioner that pcg chooses."""
    gramian = Gramian(Kernel(kernel, 0.3), X[:n], np.dtype(float))
    return Pcg()(KernelTask(gramian, X[:n, :1], alphas=(alpha,), spare=spare)).rank


def test_the_preconditioner_grows_with_what_it_saves():
    """A large ridge needs hardly any, a small one more; cached tiles make steps cheap and it small."""
    assert rank_of(1000.0) <= rank_of(0.01)
    assert rank_of(0.01, spare=10**9) <= rank_of(0.01)
    assert rank_of(0.01, kernel="linear") <= 5
