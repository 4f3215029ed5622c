"""GCV is its textbook formula; the L-curve's curvature is that of the curve, and its maximum the corner."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMRegressor
from tests.oracles import gcv_score, lcurve_curvature
from tests.problems import problems, ridges


def _features(problem, n_hidden, **options):
    return problem.fit(
        ELMRegressor(n_hidden, alpha=1.0, random_state=problem.seed, **options)
    ).model_.features(problem.X)


@pytest.mark.parametrize("solver", ["gram", "qr", "dual"])
@given(
    problem=problems(rows=(25, 70), targets=(1, 1), weighted=False),
    low=ridges(-2, 1),
    intercept=st.booleans(),
)
def test_gcv_is_its_formula_from_the_hat_matrix(solver, problem, low, intercept):
    """‖(I − S)y‖²/n / (tr(I − S)/n)² with the n×n matrix S written out, for every ridge and size."""
    alphas, sizes = [low, 10 * low, 100 * low], [4, 9]
    shared = {"solver": solver, "fit_intercept": intercept}
    model = ELMRegressor(sizes, alpha=alphas, selection="gcv", random_state=problem.seed, **shared)
    found = problem.fit(model).selection_.scores
    H = _features(problem, sizes[-1], **shared)
    expected = [[gcv_score(H[:, :size], problem.y, alpha, intercept) for alpha in alphas] for size in sizes]
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("solver", ["gram", "qr", "dual"])
@given(problem=problems(rows=(25, 70)), low=ridges(-2, 0), intercept=st.booleans())
def test_curvature_is_that_of_the_curve(solver, problem, low, intercept):
    """Hansen's formula equals finite differences of (log ‖Hβ − y‖, log ‖β‖), target by target."""
    alphas = low * np.array([1.0, 10.0, 100.0, 1000.0])
    shared = {"solver": solver, "fit_intercept": intercept}
    model = ELMRegressor(6, alpha=alphas, selection="lcurve", random_state=problem.seed, **shared)
    found = -problem.fit(model).selection_.target_scores[0]
    H, Y = _features(problem, 6, **shared), problem.y.reshape(len(problem.y), -1)
    expected = np.array(
        [
            [lcurve_curvature(H, column, alpha, problem.weight, intercept) for column in Y.T]
            for alpha in alphas
        ]
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@given(problem=problems(rows=(40, 70), targets=(1, 1), weighted=False))
def test_the_corner_is_the_largest_curvature(problem):
    """The ridge chosen is the one where the curve, drawn by brute force, bends most."""
    alphas = np.geomspace(1e-3, 1e3, 13)
    model = problem.fit(ELMRegressor(8, alpha=alphas, selection="lcurve", random_state=problem.seed))
    H = _features(problem, 8)
    bends = [lcurve_curvature(H, problem.y, alpha) for alpha in alphas]
    assert model.alpha_ == alphas[int(np.argmax(bends))]
