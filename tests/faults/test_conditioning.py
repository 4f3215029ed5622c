"""Singular and nearly singular H: the minimum-norm solution, or the accurate one with a warning."""

import warnings

import numpy as np
import pytest

from samara import ConditionWarning, ELMClassifier, ELMRegressor
from tests.oracles import centred_rows, loo_scores, relative_gap, ridge
from tests.problems import make_problem

PROBLEM = make_problem(1, 120, 3, 2, True)


def _deficient(rows):
    """Inputs of rank 3 in six columns."""
    X = PROBLEM.X[:rows]
    return np.hstack([X, X[:, :2], X.sum(axis=1, keepdims=True)])


@pytest.mark.parametrize("solver", ["auto", "qr", "svd", "dual"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(("rows", "n_hidden"), [(120, 15), (20, 40)])
def test_ridge_zero_is_the_pseudo_inverse(solver, intercept, weighted, rows, n_hidden):
    """α = 0 gives pinv(H)·y, of full column rank or of full row rank."""
    weight = PROBLEM.weight[:rows] if weighted else None
    model = ELMRegressor(n_hidden, alpha=0, solver=solver, fit_intercept=intercept, random_state=0)
    model = model.fit(PROBLEM.X[:rows], PROBLEM.y[:rows], weight)
    A, B, mu, nu = centred_rows(model.transform(PROBLEM.X[:rows]), PROBLEM.y[:rows], weight, intercept)
    coef = np.linalg.pinv(A, rcond=1e-13) @ B
    assert relative_gap(model.coef_.T, coef) < 1e-6
    assert relative_gap(model.intercept_, nu - mu @ coef) < 1e-6


@pytest.mark.parametrize("solver", ["auto", "qr", "svd", "dual"])
@pytest.mark.parametrize("rows", [120, 5])
@pytest.mark.parametrize("n_hidden", [6, 30])
def test_ridge_zero_of_a_rank_deficient_h(solver, rows, n_hidden):
    """Linear nodes of duplicate columns: the minimum-norm solution, and the rank is said."""
    X, y = _deficient(rows), PROBLEM.y[:rows]
    model = ELMRegressor(n_hidden, hidden="linear", alpha=0, solver=solver, random_state=0).fit(X, y)
    A, B, _, _ = centred_rows(model.transform(X), y)
    coef = np.linalg.pinv(A, rcond=1e-12) @ B
    assert relative_gap(model.coef_.T, coef) < 1e-9
    assert model.rank_ == 3
    assert model.condition_ > 1e12


def test_gram_with_ridge_zero_warns_and_still_is_right():
    """The Gram with α = 0 on a singular H: a warning with the condition, and another solver's answer."""
    X = _deficient(120)
    model = ELMRegressor(8, hidden="linear", alpha=0, solver="gram", random_state=0)
    with pytest.warns(ConditionWarning, match="condition number of H is about"):
        model.fit(X, PROBLEM.y)
    A, B, _, _ = centred_rows(model.transform(X), PROBLEM.y)
    assert relative_gap(model.coef_.T, np.linalg.pinv(A, rcond=1e-12) @ B) < 1e-9
    assert model.plan_.solver == "qr"
    assert any("ill-conditioned" in reason for reason in model.plan_.reasons)


@pytest.mark.parametrize("alpha", [1e-12, 1e-14])
@pytest.mark.parametrize("estimator", [ELMRegressor, ELMClassifier])
def test_gram_with_a_tiny_ridge_warns_once_and_is_accurate(estimator, alpha):
    """A nearly singular H: one warning that estimates its condition; fitted values right to 1e-6."""
    problem = make_problem(2, 400, 2, 1, False)
    y = problem.y if estimator is ELMRegressor else (problem.y > problem.y.mean()).astype(int)
    model = estimator(80, alpha=alpha, solver="gram", random_state=0)
    with pytest.warns(ConditionWarning) as caught:
        model.fit(problem.X, y)
    assert len(caught) == 1
    estimate = float(str(caught[0].message).split("about ")[1].split(":")[0])
    H = model.transform(problem.X)
    truth = np.linalg.cond(H - H.mean(axis=0))
    assert truth / 1000 < estimate < 1000 * truth
    target = y if estimator is ELMRegressor else 2.0 * y - 1
    coef, constant = ridge(H, target, alpha)
    assert relative_gap(model.model_.coef.T @ H.T + model.intercept_, (H @ coef + constant).T) < 1e-6


def test_auto_does_not_warn():
    """The solver chosen for a tiny ridge is one that carries it: no warning, and the reason is told."""
    problem = make_problem(2, 400, 2, 1, False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = problem.fit(ELMRegressor(80, alpha=1e-12, random_state=0))
    assert model.plan_.solver == "qr"
    assert "1.0e-12" in model.plan_.reasons[0]


@pytest.mark.parametrize("solver", ["auto", "gram", "qr", "svd", "dual"])
@pytest.mark.parametrize("selection", ["kfold", "loo", "gcv", "lcurve"])
@pytest.mark.parametrize("hidden", ["linear", "hardlim"])
def test_choosing_a_ridge_on_a_singular_h(solver, selection, hidden):
    """The grid of ``alpha="auto"`` never needs a fallback, singular or not."""
    model = ELMRegressor(30, hidden=hidden, solver=solver, selection=selection, random_state=0)
    model.fit(_deficient(120), PROBLEM.y[:, 0])
    assert model.score(_deficient(120), PROBLEM.y[:, 0]) > 0
    assert np.isfinite(model.selection_.scores).any()


@pytest.mark.parametrize("selection", ["kfold", "loo", "gcv"])
@pytest.mark.parametrize("solver", ["auto", "gram", "qr", "svd", "dual"])
@pytest.mark.filterwarnings("ignore::samara.ConditionWarning")
def test_a_list_of_ridges_may_hold_zero(selection, solver):
    """Zero among the candidates is scored like the others and never breaks the fit."""
    X, y = _deficient(120), PROBLEM.y
    for rows in (120, 12):
        model = ELMRegressor(
            20, hidden="linear", alpha=[0, 1.0, 10.0], selection=selection, solver=solver, random_state=0
        )
        model.fit(X[:rows], y[:rows])
        assert np.isfinite(model.predict(X)).all()
        assert model.alpha_ in (0.0, 1.0, 10.0)


@pytest.mark.parametrize("solver", ["gram", "qr", "svd", "dual"])
@pytest.mark.parametrize(("rows", "n_hidden"), [(150, 40), (30, 40)])
def test_leave_one_out_at_tiny_ridges(solver, rows, n_hidden):
    """Ridges below the rounding of HᵀH: within a hundredth of n refits, or a warning."""
    problem = make_problem(2, rows, 1, 1, False)
    alphas = [1e-13, 1e-11, 1e-4]
    H = problem.fit(ELMRegressor(n_hidden, alpha=1.0, random_state=0)).transform(problem.X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = problem.fit(
            ELMRegressor(n_hidden, alpha=alphas, selection="loo", solver=solver, random_state=0)
        )
    if not any(issubclass(warning.category, ConditionWarning) for warning in caught):
        exact = loo_scores(H, problem.y, alphas, [n_hidden])[0, :, 0]
        np.testing.assert_allclose(model.selection_.scores[0], exact, rtol=1e-2)


@pytest.mark.parametrize("solver", ["gram", "qr", "dual"])
def test_single_precision_is_close_to_double(solver):
    """float32 hidden rows give predictions to about 1e-3, the default grid included."""
    problem = make_problem(3, 600, 3, 1, False)
    double = problem.fit(ELMRegressor(40, alpha=1.0, solver=solver, random_state=0)).predict(problem.X)
    single = problem.fit(ELMRegressor(40, alpha=1.0, solver=solver, dtype="float32", random_state=0))
    assert single.predict(problem.X).dtype == np.float32
    assert relative_gap(single.predict(problem.X), double) < 1e-3
    chosen = problem.fit(ELMRegressor(40, solver=solver, dtype="float32", random_state=0))
    assert chosen.score(problem.X, problem.y) > 0.5


def test_rank_and_condition_are_those_of_h():
    """Full rank says so; the condition estimate is within a factor of 100 of the truth."""
    model = ELMRegressor(15, alpha=1e-3, random_state=0).fit(PROBLEM.X, PROBLEM.y)
    H = model.transform(PROBLEM.X)
    values = np.linalg.svd(H - H.mean(axis=0), compute_uv=False) ** 2 + 1e-3
    truth = np.sqrt(values[0] / values[-1])
    assert model.rank_ == 15
    assert truth / 100 < model.condition_ < 100 * truth
