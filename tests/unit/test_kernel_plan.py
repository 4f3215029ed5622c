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

SOLVERS = ["exact", "sketch", "ssvd", "pcg", "divide", "leaves"]
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


@pytest.mark.parametrize("solver", ["sketch", "ssvd"])
def test_the_rank_advised_fits(solver):
    """A sketch that is too wide is told how wide it may be."""
    model = KernelELMRegressor(solver=solver, rank=2000, memory="250MB", engine=Threads(2))
    text = refused(model, BudgetError, "rank of at most", X, X[:, 0])
    rank = int(re.search(r"at most ([\d,]+)", text)[1].replace(",", ""))
    shape = KernelShape(3000, 5, 1, n_alphas=10, rank=rank)
    assert 0.8 * 250e6 < peak_bytes(shape, solver, 2) <= 250e6


def test_a_plan_says_why():
    """The first reason names the solver and the rows."""
    model = KernelELMRegressor().fit(X[:100], X[:100, 0])
    assert model.plan_.reasons[0].startswith("solver exact: 100 rows")


@pytest.mark.parametrize(
    ("solver", "given", "expected"),
    [
        ("sketch", {}, (2, 2)),
        ("ssvd", {}, (3, 3)),
        ("ssvd", {"power": 0}, (2, 2)),
        ("sketch", {"power": 3}, (5, 5)),
        ("ssvd", {"rank": "auto", "n_rows": 256}, (3, 9)),
    ],
)
def test_passes_of_directions(solver, given, expected):
    """Two products and one for each power step; again for each doubling of a rank that is looked for."""
    shape = KernelShape(**{"n_rows": 1000, "n_inputs": 5, "n_targets": 1, "rank": 50} | given)
    plan = make_kernel_plan(shape, solver, Budget(None, 2), "")
    assert (plan.passes, plan.most_passes) == expected


@pytest.mark.parametrize("solver", ["sketch", "ssvd", "pcg"])
def test_a_cluster_is_told_what_it_holds(solver):
    """Rows, a tile and sums; no tiles are kept here."""
    shape = KernelShape(100_000, 10, 1, rank=90, away=True)
    plan = make_kernel_plan(shape, solver, Budget(None, 2), "")
    columns = 2 if solver == "pcg" else 110
    assert "the rows, 8 MB, go to each once" in plan.reasons[-1]
    assert f"{8 * 100_000 * columns / 1e6:.3g} MB each way" in plan.reasons[-1].replace(".0 MB", " MB")
    assert spare_bytes(shape, Budget(None, 2)) == 0


def test_nothing_chooses_ssvd():
    """Centres or conjugate gradients are the better buy."""
    for n_rows in (100, 20_000, 10**6):
        for n_alphas in (1, 10):
            assert chosen(n_rows=n_rows, n_alphas=n_alphas) != "ssvd"


def rank_of(alpha, kernel="rbf", spare=0, n=1500):
    """Columns of the preconditioner that pcg chooses."""
    gramian = Gramian(Kernel(kernel, 0.3), X[:n], np.dtype(float))
    return Pcg()(KernelTask(gramian, X[:n, :1], alphas=(alpha,), spare=spare)).rank


def test_the_preconditioner_grows_with_what_it_saves():
    """A large ridge needs hardly any, a small one more; cached tiles make steps cheap and it small."""
    assert rank_of(1000.0) <= rank_of(0.01)
    assert rank_of(0.01, spare=10**9) <= rank_of(0.01)
    assert rank_of(0.01, kernel="linear") <= 5
