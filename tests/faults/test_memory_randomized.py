"""The randomized and iterative solvers keep to their plans: measured ≤ planned ≤ given."""

import os
import re

import numpy as np
import pytest

from samara import BudgetError, ELMRegressor
from samara.costs import Shape, peak_bytes
from samara.engines import Threads
from samara.estimators.settings import make_settings
from samara.linalg import ErrorStop
from samara.solvers import FastSvd, Lsqr, Precondition, Rsvd
from samara.sources import ArraySource
from tests.faults.apart import measured
from tests.faults.checks import refused

EXACT = ["gram", "qr", "dual", "svd"]  # what a low-rank solver may turn to
LOW_RANK = ["rsvd", "fast_svd", "fast_svd_gradient", "sketch"]
NEW = [*LOW_RANK, "lsqr", "precondition"]
X = np.random.default_rng(0).normal(size=(3000, 5))
Y = X[:, 0]


def case(solver, rows, memory, options=None, columns=20, slow=False, **parameters):
    """One fit under a budget; one for each solver, the others slow."""
    made = {"rows": rows, "columns": columns, **(options or {})}
    made["parameters"] = {"memory": memory, "solver": solver, **parameters}
    name = ", ".join([solver, *(f"{k}={v}" for k, v in parameters.items()), *map(str, options or ())])
    return pytest.param(made, id=name, marks=[pytest.mark.slow] if slow else [])


CASES = [
    case("rsvd", 40_000, "35MB", n_hidden=600, alpha=1.0, rank=40),
    case("rsvd", 20_000, "60MB", slow=True, columns=3, n_hidden=500, hidden="rbf"),
    case("rsvd", 20_000, "40MB", slow=True, n_hidden=400, rank=30, selection="loo"),
    case("rsvd", 400, "130MB", n_hidden=3000),
    case("fast_svd", 20_000, "40MB", slow=True, n_hidden=800, alpha=1.0, rank=40),
    case("fast_svd", 20_000, "75MB", n_hidden=1500, alpha=1.0, rank=20),
    case("fast_svd", 20_000, "160MB", slow=True, n_hidden=1000, alpha=1.0),
    case("fast_svd", 20_000, "220MB", slow=True, n_hidden=800, alpha=1e-12),
    case("fast_svd", 400, "300MB", slow=True, n_hidden=3000, alpha=1.0),
    case("fast_svd", 20_000, "90MB", n_hidden=250, alpha=1.0),
    case("fast_svd_gradient", 20_000, "90MB", slow=True, n_hidden=250, hidden="fourier"),
    case("sketch", 20_000, "60MB", {"classes": 10}, n_hidden=300, rank=40),
    case("lsqr", 20_000, "30MB", slow=True, n_hidden=500, alpha=1e3),
    case("lsqr", 20_000, "60MB", {"classes": 10}, n_hidden=100, alpha=[1e3, 1e4]),
    case("precondition", 20_000, "60MB", slow=True, n_hidden=300, alpha=1e-6),
    case("precondition", 20_000, "40MB", {"classes": 10}, n_hidden=60, alpha=[1e-6, 1e2]),
    case("auto", 10_000, "60MB", n_hidden=3000, alpha=1e4),
]


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK),
    reason="needs Linux's /proc/self/clear_refs to reset the peak",
)
@pytest.mark.parametrize("order", CASES)
def test_the_peak_stays_below_budget_and_plan(order):
    """Measured in a process of its own: resident memory at its highest, less what the input took."""
    found = measured("one_fit", order)
    asked = order["parameters"]["solver"]
    ran = re.match(r"solver (\w+),", found["plan"])[1]
    turned = asked in LOW_RANK and "rank" not in order["parameters"] and ran in EXACT
    assert turned or ran == ("lsqr" if asked == "auto" else asked)
    assert found["exact"]
    assert found["measured"] <= found["planned"] <= found["budget"], found["plan"]


@pytest.mark.parametrize("solver", NEW)
def test_an_impossible_budget_is_refused_before_a_row_is_read(monkeypatch, solver):
    """A BudgetError that says what is needed, what was given and what to do."""

    def fail(*ignored, **options):
        raise AssertionError("a row was read")

    monkeypatch.setattr(Threads, "summarize", fail)
    monkeypatch.setattr(ArraySource, "parts", fail)
    text = refused(ELMRegressor(2000, solver=solver, memory="20MB"), BudgetError, "memory allows 20 MB", X, Y)
    assert f"2,000 nodes by {solver}" in text
    assert re.search(r"at most [\d,]+ nodes|Give more memory", text)


@pytest.mark.parametrize("solver", NEW)
def test_the_advice_is_good(solver):
    """The number of nodes advised is one that fits."""
    text = refused(ELMRegressor(1500, solver=solver, memory="22MB"), BudgetError, "at most", X, Y)
    fits = int(re.search(r"at most ([\d,]+) nodes", text)[1].replace(",", ""))
    model = ELMRegressor(fits, alpha=100.0, solver=solver, memory="22MB", random_state=0).fit(X, Y)
    assert model.plan_.peak_bytes <= 22e6


@pytest.mark.parametrize("solver", NEW)
def test_a_budget_changes_the_plan_not_the_model(solver):
    """Smaller blocks and fewer workers, the same predictions to the solver's accuracy."""
    rank = 30 if solver in LOW_RANK else "auto"
    model = ELMRegressor(100, alpha=10.0, solver=solver, rank=rank, random_state=0)
    roomy = model.fit(X, Y)
    cells, expected = roomy.plan_.block_rows * roomy.plan_.workers, roomy.predict(X)
    tight = model.set_params(memory=int(roomy.plan_.peak_bytes - 1)).fit(X, Y)
    assert tight.plan_.block_rows * tight.plan_.workers < cells
    np.testing.assert_allclose(tight.predict(X), expected, atol=1e-6 * np.abs(Y).max())


@pytest.mark.parametrize(("alpha", "memory"), [(100.0, "45MB"), ([1e3, 1e4], "110MB")])
def test_a_gram_that_does_not_fit_gives_way_to_lsqr(alpha, memory):
    """``solver="auto"``: chosen, told why, inside the budget, and accurate."""
    model = ELMRegressor(2000, alpha=alpha, memory=memory, random_state=0).fit(X, Y)
    assert model.plan_.solver == "lsqr"
    assert "Gram matrix of 2,000 nodes is too large" in model.plan_.reasons[0]
    assert model.plan_.peak_bytes <= model.plan_.memory
    exact = ELMRegressor(2000, alpha=model.alpha_, solver="gram", random_state=0).fit(X, Y).predict(X)
    np.testing.assert_allclose(model.predict(X), exact, atol=1e-5 * np.abs(Y).max())


def test_auto_keeps_to_the_gram_where_it_fits():
    """A little more memory than the Gram needs."""
    needed = peak_bytes(Shape(3000, 5, 1, 500), "gram", 128, 1)
    assert ELMRegressor(500, alpha=1.0, memory=needed + 1000).fit(X, Y).plan_.solver == "gram"


@pytest.mark.parametrize(
    ("usual", "larger"),
    [
        (Rsvd(), Rsvd(200)),
        (FastSvd(ErrorStop(0.1, 10)), FastSvd(ErrorStop(0.1, 200))),
        (Lsqr(1e-8, 50), Lsqr(1e-8, 400)),
        (Precondition(8), Precondition(40)),
    ],
    ids=str,
)
def test_plans_know_the_settings_of_solvers(usual, larger):
    """More random vectors, steps or sketch rows take more memory, and the plan says so."""
    rank = 20 if usual.name in ("rsvd", "fast_svd") else "auto"
    rows = np.tile(X, (2, 1)), np.tile(Y, 2)[:, None]
    peaks = []
    for solver in (usual, larger):
        settings = make_settings(ELMRegressor(450, alpha=1e4, solver=solver, rank=rank, random_state=0), None)
        peaks.append(settings.plan(ArraySource(*rows), settings.first_sizes()).peak_bytes)
    assert peaks[1] > 1.02 * peaks[0]


def test_few_likely_steps_lower_the_prediction_not_the_room():
    """`lsqr` plans for all the steps it may take; once the first rows are seen it predicts those it will."""
    likely, unsure = (
        ELMRegressor(450, alpha=alpha, solver="lsqr", random_state=0).fit(X, Y) for alpha in (1e4, 1e-3)
    )
    assert likely.plan_.peak_bytes < unsure.plan_.peak_bytes
    assert likely.plan_.block_rows == unsure.plan_.block_rows
    assert likely.plan_.passes < unsure.plan_.passes
