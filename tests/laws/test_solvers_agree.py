"""Primal, dual, triangle and SVD are one model; all equal brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMRegressor
from tests.oracles import relative_gap, ridge
from tests.problems import problems, ridges

SOLVERS = ["gram", "qr", "dual", "svd"]


@pytest.mark.parametrize("solver", SOLVERS)
@given(
    problem=problems(rows=(10, 90)),
    alpha=ridges(),
    n_hidden=st.integers(1, 60),
    hidden=st.sampled_from(
        ["sigmoid", "tanh", "relu", "sine", "fourier", "rbf", "multiquadric", "hardlim", "linear"]
    ),
    intercept=st.booleans(),
    link=st.booleans(),
)
def test_every_solver_equals_brute_force(solver, problem, alpha, n_hidden, hidden, intercept, link):
    """Coefficients and intercept of each solver are those of stacked least squares, n < L included."""
    model = ELMRegressor(
        n_hidden,
        hidden=hidden,
        alpha=alpha,
        solver=solver,
        fit_intercept=intercept,
        direct_link=link,
        random_state=1,
    )
    model = problem.fit(model).model_
    coef, constant = ridge(model.features(problem.X), problem.y, alpha, problem.weight, intercept)
    assert relative_gap(model.coef, coef) < 1e-8
    assert relative_gap(model.intercept, constant) < 1e-8


@pytest.mark.parametrize("solver", SOLVERS)
@given(problem=problems(rows=(20, 80)), sizes=st.sets(st.integers(1, 40), min_size=2, max_size=4))
def test_the_chosen_model_is_a_fit_of_its_own(solver, problem, sizes):
    """Coefficients at the chosen ridge and size are those of a fit with only these."""
    chosen = problem.fit(ELMRegressor(sorted(sizes), alpha=[0.1, 1.0, 10.0], solver=solver, random_state=3))
    alone = problem.fit(ELMRegressor(chosen.n_hidden_, alpha=chosen.alpha_, solver=solver, random_state=3))
    assert relative_gap(chosen.coef_, alone.coef_) < 1e-9
    assert chosen.selection_.best_n_hidden == chosen.n_hidden_
    assert chosen.selection_.best_alpha == chosen.alpha_


@pytest.mark.parametrize("solver", ["qr", "svd"])
@pytest.mark.parametrize("alpha", [1e-10, 1e-6])
def test_small_ridges_do_not_square_the_condition(solver, alpha):
    """Where HᵀH would lose 1e-3, triangle and SVD keep fitted values to 1e-8."""
    from tests.problems import make_problem

    problem = make_problem(5, 400, 3, 1, False)
    model = problem.fit(ELMRegressor(60, hidden="sigmoid", alpha=alpha, solver=solver, random_state=0)).model_
    H = model.features(problem.X)
    coef, constant = ridge(H, problem.y, alpha)
    assert relative_gap(H @ model.coef + model.intercept, H @ coef + constant) < 1e-8


def nearly_singular():
    """Rows whose 100 Gaussian nodes have a singular value between L·eps and n·eps of the largest."""
    X = np.random.default_rng(0).uniform(-1, 1, (5000, 2))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] ** 2


@pytest.mark.parametrize("solver", ["qr", "dual", "precondition"])
def test_ridge_zero_keeps_the_same_directions(solver):
    """What counts as zero depends on the rows of the table, not on those of a triangle or a sketch."""
    X, y = nearly_singular()
    options = {"hidden": "rbf", "alpha": 0.0, "random_state": 0}
    exact, other = (ELMRegressor(100, solver=s, **options).fit(X, y) for s in ("svd", solver))
    H = exact.transform(X)
    values = np.linalg.svd(H - H.mean(axis=0), compute_uv=False)
    assert 100 < values[-1] / values[0] / np.finfo(float).eps < 5000
    assert exact.rank_ == other.rank_ == 99
    assert np.abs(other.predict(X) - exact.predict(X)).max() < 1e-6


@pytest.mark.parametrize("selection", ["loo", "gcv"])
def test_ridge_zero_is_scored_with_the_directions_of_the_solution(selection):
    """By a triangle as by the rows."""
    X, y = nearly_singular()
    options = {"hidden": "rbf", "alpha": [0.0, 1.0], "selection": selection, "random_state": 0}
    scores = [ELMRegressor(100, solver=s, **options).fit(X, y).selection_.scores for s in ("svd", "qr")]
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-6)
