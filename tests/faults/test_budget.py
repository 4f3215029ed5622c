"""A budget that can't be kept is refused before any row is read, saying what would fit."""

import re

import numpy as np
import pytest

from samara import BudgetError, ELMClassifier, ELMRegressor, SamaraError
from samara.costs import SMALLEST_BLOCK, Shape, peak_bytes
from samara.engines import Threads
from samara.plans import Budget, make_plan
from samara.sources import ArraySource
from tests.faults.checks import refused

X = np.random.default_rng(0).normal(size=(3000, 5))
Y = X[:, 0]


@pytest.fixture
def unreadable(monkeypatch):
    """Any pass over the rows is an error."""

    def fail(*ignored, **options):
        raise AssertionError("a row was read")

    monkeypatch.setattr(Threads, "summarize", fail)
    monkeypatch.setattr(ArraySource, "parts", fail)


@pytest.mark.parametrize("solver", ["auto", "gram", "qr", "svd", "dual"])
@pytest.mark.parametrize("estimator", [ELMRegressor, ELMClassifier])
def test_an_impossible_budget_is_refused_before_a_row_is_read(unreadable, estimator, solver):
    """A BudgetError that says what is needed, what was given and what to do."""
    y = Y if estimator is ELMRegressor else Y > 0
    text = refused(estimator(2000, solver=solver, memory="20MB"), BudgetError, "memory allows 20 MB", X, y)
    assert "2,000 nodes" in text
    assert re.search(r"at most [\d,]+ nodes|Give more memory", text)


def test_a_grid_of_sizes_is_refused_by_its_largest(unreadable):
    """The largest size decides."""
    refused(ELMRegressor([10, 5000], memory="50MB"), BudgetError, "5,000 nodes", X, Y)


def test_the_advice_is_good():
    """The number of nodes advised fits, and the fit keeps its plan inside the budget."""
    text = refused(ELMRegressor(3000, memory="40MB"), BudgetError, "at most", X, Y)
    fits = int(re.search(r"at most ([\d,]+) nodes", text)[1].replace(",", ""))
    model = ELMRegressor(fits, alpha="auto", memory="40MB").fit(X, Y)
    assert model.plan_.peak_bytes <= 40e6


def test_an_auto_size_stops_at_the_budget():
    """``n_hidden="auto"`` grows only as far as the memory allows."""
    model = ELMRegressor("auto", hidden="sine", memory="60MB", random_state=0)
    model.fit(X[:, :2], np.sin(9 * X[:, 0]) * np.cos(7 * X[:, 1]))
    assert model.plan_.peak_bytes <= 60e6


def test_a_budget_changes_the_plan_not_the_model():
    """Smaller blocks and fewer workers, the same coefficients."""
    roomy = ELMRegressor(200, alpha=1.0, random_state=0).fit(X, Y)
    memory = roomy.plan_.peak_bytes - 1
    tight = ELMRegressor(200, alpha=1.0, memory=memory, random_state=0).fit(X, Y)
    assert tight.plan_.peak_bytes <= memory
    assert tight.plan_.block_rows * tight.plan_.workers < roomy.plan_.block_rows * roomy.plan_.workers
    np.testing.assert_allclose(tight.coef_, roomy.coef_, atol=1e-9 * np.abs(roomy.coef_).max())


def test_budget_errors_are_ours():
    """They are ValueErrors and SamaraErrors."""
    assert issubclass(BudgetError, ValueError)
    assert issubclass(BudgetError, SamaraError)


@pytest.mark.filterwarnings("ignore::samara.ConditionWarning")
def test_a_fallback_keeps_to_the_budget():
    """Where the Gram gives way to a triangle, the plan is the triangle's and inside the budget."""
    rows = np.hstack([X, X])
    model = ELMRegressor(300, hidden="linear", alpha=0, solver="gram", memory="30MB", random_state=0)
    model.fit(rows, Y)
    assert model.plan_.solver == "qr"
    shape = Shape(n_rows=3000, n_inputs=10, n_targets=1, n_hidden=300)
    triangle = make_plan(shape, "qr", Budget(None, model.plan_.workers, model.plan_.block_rows), "")
    assert 0.9 * triangle.peak_bytes <= model.plan_.peak_bytes <= 30e6


@pytest.mark.filterwarnings("ignore::samara.ConditionWarning")
def test_a_fallback_that_does_not_fit_is_refused():
    """Memory for the Gram but not for a triangle: a BudgetError, not a fit beyond the budget."""
    rows = np.hstack([X, X])
    shape = Shape(n_rows=3000, n_inputs=10, n_targets=1, n_hidden=300)
    gram, triangle = (peak_bytes(shape, solver, SMALLEST_BLOCK, 1) for solver in ("gram", "qr"))
    memory = (gram + triangle) // 2
    model = ELMRegressor(300, hidden="linear", alpha=0, solver="gram", memory=memory, random_state=0)
    refused(model, BudgetError, "nodes by qr need", rows, Y)
