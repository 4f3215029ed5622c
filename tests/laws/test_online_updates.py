"""The three updates are one model: moments, triangle, and Woodbury's formula in both forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from samara import ELMRegressor, InputError
from samara.solvers.sequential import Inverse, Woodbury
from samara.sources import ArraySource
from samara.summaries import Layout
from tests.oracles import ridge
from tests.problems import make_problem, problems, ridges
from tests.streams import batches, cuts, gap, streamed

PROBLEM = make_problem(31, 150, 3, 2, weighted=True)
X, Y, W = PROBLEM.X, PROBLEM.y, PROBLEM.weight
PIECES = batches(150, [0.3, 0.4, 0.45, 0.8])
RULES = [Woodbury(form, resync) for form in ("incremental", "direct") for resync in (None, 1, 7, 10**9)]


@pytest.mark.parametrize("update", ["qr", "woodbury", *RULES], ids=str)
@given(problem=problems(rows=(3, 150)), shares=cuts(), alpha=ridges(), intercept=st.booleans())
def test_any_batches_give_one_fit(update, problem, shares, alpha, intercept):
    """With weights, several targets, more or fewer rows than nodes, an intercept or none."""
    model = ELMRegressor(12, alpha=alpha, scale=None, fit_intercept=intercept, random_state=problem.seed)
    pieces = batches(len(problem.y), shares)
    learned = streamed(model.set_params(update=update), problem.X, problem.y, pieces, problem.weight)
    assert gap(learned, problem.fit(clone(model)), problem.X) < 1e-7


@pytest.mark.parametrize("per_target", [False, True])
def test_the_triangle_chooses_as_a_fit(per_target):
    """Ridge and size from the triangles of the folds."""
    model = ELMRegressor([4, 12], scale=None, alpha_per_target=per_target, update="qr", random_state=0)
    learned, whole = streamed(model, X, Y, PIECES, W), clone(model).fit(X, Y, W)
    np.testing.assert_allclose(learned.alpha_, whole.alpha_, rtol=1e-9)
    assert learned.n_hidden_ == whole.n_hidden_
    assert gap(learned, whole, X) < 1e-7


@pytest.mark.parametrize("alpha", ["auto", [0.01, 0.1, 1.0, 10.0]], ids=str)
def test_woodbury_takes_the_press_choice_of_the_first_batch(alpha):
    """Schindler's Algorithm 2: leave-one-out on the initial chunk, then that ridge to the end."""
    model = ELMRegressor(12, alpha=alpha, scale=None, update="woodbury", random_state=0)
    first = PIECES[0]
    chosen = ELMRegressor(12, alpha=alpha, scale=None, selection="loo", random_state=0)
    chosen.fit(X[first], Y[first], W[first])
    learned = streamed(model, X, Y, PIECES, W)
    assert learned.alpha_ == chosen.alpha_
    assert learned.selection_.method == "loo"
    whole = ELMRegressor(12, alpha=float(chosen.alpha_), scale=None, random_state=0).fit(X, Y, W)
    assert gap(learned, whole, X) < 1e-7


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_inverse_is_that_of_the_moments(rule, intercept):
    """K⁻¹ and β after every chunk; a poisoned inverse is made anew."""
    layout = Layout(np.full(3, 0.5), np.zeros(2), np.ones(2), np.dtype("float64"))
    kept = Inverse(rule, layout, 0.3, intercept, 16)
    for piece in PIECES:
        kept.learn(ArraySource(X[piece], Y[piece], W[piece]))
        K = kept.gram + np.diag(kept._ridge())
        np.testing.assert_allclose(kept.inverse @ K, np.eye(len(K)), atol=1e-8)
        coef, constant = ridge(X[: piece.stop] - 0.5, Y[: piece.stop], 0.3, W[: piece.stop], intercept)
        np.testing.assert_allclose(kept.solution(None), np.vstack([constant, coef]), atol=1e-7)
    kept.inverse -= 2 * kept.inverse
    kept.learn(ArraySource(X, Y, W))
    K = kept.gram + np.diag(kept._ridge())
    np.testing.assert_allclose(kept.beta, np.linalg.solve(K, kept.cross), rtol=1e-6, atol=1e-9)


def test_an_inverse_without_a_ridge_is_refused():
    """It would have no footing."""
    layout = Layout(np.zeros(3), np.zeros(1), np.ones(1), np.dtype("float64"))
    with pytest.raises(InputError, match="needs a ridge above 0"):
        Inverse(Woodbury(), layout, 0.0, True, 16)
