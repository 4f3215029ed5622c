"""Leave-one-out by PRESS equals n refits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMClassifier, ELMRegressor
from tests.oracles import loo_scores
from tests.problems import problems, ridges


@pytest.mark.parametrize("solver", ["gram", "qr", "dual", "svd"])
@given(
    problem=problems(rows=(8, 40)),
    low=ridges(-2, 1),
    intercept=st.booleans(),
    sizes=st.sampled_from([[9], [2, 5, 9]]),
)
def test_loo_equals_n_refits(solver, problem, low, intercept, sizes):
    """Each row left out entirely, its error weighted: equal to 1e-8 for every ridge and size, n < L too."""
    alphas = [low, 10 * low, 100 * low]
    shared = {"solver": solver, "fit_intercept": intercept, "random_state": problem.seed}
    found = problem.fit(ELMRegressor(sizes, alpha=alphas, selection="loo", **shared)).selection_
    H = problem.fit(ELMRegressor(sizes[-1], alpha=1.0, **shared)).model_.features(problem.X)
    expected = loo_scores(H, problem.y, alphas, sizes, problem.weight, intercept)
    np.testing.assert_allclose(found.target_scores, expected, rtol=1e-8)


@pytest.mark.parametrize("solver", ["gram", "dual"])
def test_loo_errors_are_standard_errors_over_rows(solver):
    """The standard error is that of the mean of n squared leave-one-out errors."""
    from tests.oracles import held_out_squares
    from tests.problems import make_problem

    problem = make_problem(2, 40, 3, 1, False)
    found = problem.fit(ELMRegressor(6, alpha=[0.1, 1.0], selection="loo", solver=solver, random_state=0))
    H = problem.fit(ELMRegressor(6, alpha=1.0, random_state=0)).model_.features(problem.X)
    rows = np.arange(40)
    squares = np.array(
        [[held_out_squares(H, problem.y, a, rows != i, rows == i)[0, 0] for a in (0.1, 1.0)] for i in rows]
    )
    np.testing.assert_allclose(found.selection_.scores[0], squares.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(found.selection_.errors[0], squares.std(axis=0) / np.sqrt(40), rtol=1e-8)


@given(problem=problems(rows=(12, 40), targets=(1, 1)))
def test_loo_of_class_codes_equals_n_refits(problem):
    """A classifier's leave-one-out scores are those of refits to ±1 codes."""
    labels = np.where(problem.y > np.median(problem.y), "up", "down")
    model = ELMClassifier(6, alpha=[0.1, 1.0], selection="loo", random_state=problem.seed)
    found = model.fit(problem.X, labels, problem.weight).selection_.target_scores
    H = problem.fit(ELMRegressor(6, alpha=1.0, random_state=problem.seed)).model_.features(problem.X)
    expected = loo_scores(H, np.where(labels == "up", 1.0, -1.0), [0.1, 1.0], [6], problem.weight)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_loo_of_integer_rows_equals_that_of_floats():
    """RidgeCV's leave-one-out was once wrong for integer X."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-9, 9, (60, 3)), rng.normal(size=60)
    model = ELMRegressor(8, alpha=[0.1, 1.0], selection="loo", random_state=0)
    scores = model.fit(X, y).selection_.scores
    np.testing.assert_array_equal(scores, model.fit(X.astype(float), y).selection_.scores)
