"""A weight of 2 is the row twice; a weight of 0 is no row at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMClassifier, ELMRegressor
from tests.oracles import relative_gap
from tests.problems import problems, ridges

SOLVERS = ["gram", "qr", "dual", "svd"]
LAYERS = ["sigmoid", "relu", "rbf", "linear"]


def _counted(problem):
    """Whole weights 0 to 3, at least ten of them positive, and the row numbers they stand for."""
    counts = np.random.default_rng(problem.seed).integers(0, 4, len(problem.X))
    counts[:10] = np.maximum(counts[:10], 1)
    return counts, np.repeat(np.arange(len(counts)), counts)


@pytest.mark.parametrize("solver", SOLVERS)
@given(
    problem=problems(weighted=False), alpha=ridges(), hidden=st.sampled_from(LAYERS), intercept=st.booleans()
)
def test_weights_count_rows_at_a_fixed_ridge(solver, problem, alpha, hidden, intercept):
    """Whole weights give the coefficients of the rows repeated (0: left out)."""
    counts, repeated = _counted(problem)
    model = ELMRegressor(
        12, hidden=hidden, alpha=alpha, solver=solver, fit_intercept=intercept, random_state=problem.seed
    )
    weighted = model.fit(problem.X, problem.y, counts).model_
    twice = model.fit(problem.X[repeated], problem.y[repeated]).model_
    assert relative_gap(weighted.coef, twice.coef) < 1e-9
    assert relative_gap(weighted.intercept, twice.intercept) < 1e-9


@pytest.mark.parametrize("solver", ["auto", "gram", "qr", "dual"])
@given(problem=problems(weighted=False), sizes=st.sampled_from([12, [3, 6, 12]]))
def test_weights_count_rows_when_the_ridge_is_chosen(solver, problem, sizes):
    """Scores, ridge and size by K-fold are those of the rows repeated: copies share a fold."""
    counts, repeated = _counted(problem)
    model = ELMRegressor(sizes, solver=solver, selection="kfold", random_state=problem.seed)
    weighted = model.fit(problem.X, problem.y, counts)
    scores, alpha, size = weighted.selection_.target_scores, weighted.alpha_, weighted.n_hidden_
    twice = model.fit(problem.X[repeated], problem.y[repeated])
    np.testing.assert_allclose(scores, twice.selection_.target_scores, rtol=1e-7)
    assert size == twice.n_hidden_
    assert alpha == pytest.approx(twice.alpha_, rel=1e-9)


@given(problem=problems(weighted=False), alpha=ridges())
def test_gcv_counts_rows(problem, alpha):
    """GCV counts a weight of 2 as two rows."""
    counts, repeated = _counted(problem)
    model = ELMRegressor(8, alpha=[alpha, 2 * alpha], selection="gcv", random_state=problem.seed)
    weighted = model.fit(problem.X, problem.y, counts).selection_.target_scores
    twice = model.fit(problem.X[repeated], problem.y[repeated]).selection_.target_scores
    np.testing.assert_allclose(weighted, twice, rtol=1e-8)


@pytest.mark.parametrize("selection", ["kfold", "loo", "gcv", "lcurve"])
@given(problem=problems(weighted=True))
def test_a_weight_of_zero_is_no_row(selection, problem):
    """Rows of weight 0 change neither scores nor coefficients, whatever they hold."""
    alive = np.random.default_rng(problem.seed).random(len(problem.X)) < 0.7
    alive[:10] = True
    alphas = 0.1 if selection is None else [0.1, 1.0]
    model = ELMRegressor(8, alpha=alphas, selection=selection, random_state=problem.seed)
    X = np.where(alive[:, None], problem.X, 1e6)
    with_dead = model.fit(X, problem.y, np.where(alive, problem.weight, 0.0))
    scores, coef = with_dead.selection_.target_scores, with_dead.coef_
    without = problem.rows(alive).fit(model)
    np.testing.assert_allclose(scores, without.selection_.target_scores, rtol=1e-8)
    assert relative_gap(coef, without.coef_) < 1e-9


@given(problem=problems(rows=(40, 120), targets=(1, 1), weighted=False), bins=st.integers(2, 4))
def test_a_class_of_weight_zero_is_unknown(problem, bins):
    """A classifier whose rows of one class all weigh 0 has never seen that class."""
    labels = np.digitize(problem.y, np.quantile(problem.y, np.linspace(0, 1, bins + 2)[1:-1]))
    weight = (labels != 1).astype(float)
    model = ELMClassifier(8, alpha=1.0, random_state=0)
    weighted = model.fit(problem.X, labels, weight)
    coef, classes = weighted.coef_, weighted.classes_
    without = model.fit(problem.X[labels != 1], labels[labels != 1])
    assert classes.tolist() == without.classes_.tolist()
    assert relative_gap(coef, without.coef_) < 1e-9


@given(problem=problems(weighted=True), factor=st.sampled_from([1e-6, 1e6]))
def test_scaling_all_weights_scales_the_ridge(problem, factor):
    """c·w with ridge c·α is w with ridge α."""
    model = ELMRegressor(8, alpha=0.5, random_state=0)
    plain = problem.fit(model).coef_
    scaled = model.set_params(alpha=0.5 * factor).fit(problem.X, problem.y, problem.weight * factor).coef_
    assert relative_gap(scaled, plain) < 1e-9
