"""`submodels` is the average of models that have some of the nodes each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from samara import ELMRegressor
from samara.engines import Threads
from samara.maps import chosen
from samara.solvers import Submodels
from tests.oracles import relative_gap, ridge
from tests.problems import engines, make_problem, problems, ridges


def apart(problem, model, alpha, count):
    """Coefficients and intercept of models of the same nodes, fitted one by one and averaged."""
    H, coefs, constants = model.model_.features(problem.X), [], []
    for group in np.split(np.arange(H.shape[1]), edges(H.shape[1], count)[1:-1]):
        coef, constant = ridge(H[:, group], problem.y, alpha, problem.weight, model.fit_intercept)
        coefs.append(coef / count)
        constants.append(constant / count)
    return np.concatenate(coefs), np.sum(constants, axis=0)


def edges(n_hidden, count):
    """Where groups as equal as can be begin and end."""
    return np.linspace(0, n_hidden, count + 1).round().astype(int)


@given(
    problem=problems(rows=(10, 150)),
    alpha=ridges(-1, 2),
    n_hidden=st.integers(5, 40),
    count=st.integers(1, 5),
    intercept=st.booleans(),
    engine=engines(80),
)
def test_the_average_of_models_fitted_apart(problem, alpha, n_hidden, count, intercept, engine):
    """By brute force: weights, several targets, fewer rows than nodes."""
    model = ELMRegressor(
        n_hidden, alpha=alpha, solver=Submodels(count), fit_intercept=intercept, engine=engine, random_state=1
    )
    problem.fit(model)
    coef, constant = apart(problem, model, alpha, count)
    H = model.model_.features(problem.X)
    found = H @ model.model_.coef + model.model_.intercept
    assert relative_gap(found, H @ coef + constant) < 1e-9


def test_elms_with_these_nodes():
    """The same from the estimators themselves."""
    problem = make_problem(3, 400, 3, 2, weighted=True)
    model = problem.fit(ELMRegressor(30, alpha=0.5, solver=Submodels(3), random_state=0))
    scaling, nodes = model.model_.maps
    alone = [
        problem.fit(ELMRegressor(hidden=chosen(nodes, np.arange(lo, lo + 10)), scale=scaling, alpha=0.5))
        for lo in (0, 10, 20)
    ]
    mean = np.mean([one.predict(problem.X) for one in alone], axis=0)
    assert relative_gap(model.predict(problem.X), mean) < 1e-9
    assert model.rank_ == 30
    assert model.plan_.group == 10
    one = problem.fit(ELMRegressor(30, alpha=0.5, solver=Submodels(1), random_state=0))
    whole = problem.fit(ELMRegressor(30, alpha=0.5, solver="gram", random_state=0))
    assert relative_gap(one.predict(problem.X), whole.predict(problem.X)) < 1e-9


def test_the_average_is_what_is_scored():
    """K-fold of the averaged model, refitted for every fold and ridge; one more pass."""
    problem = make_problem(4, 300, 3, 2, weighted=True)
    alphas = [0.1, 10.0, 1000.0]
    model = problem.fit(ELMRegressor(24, alpha=alphas, solver=Submodels(3), random_state=0))
    folds, squares = problem.folds(), np.zeros((3, 2))
    H = model.model_.features(problem.X)
    for k, alpha in enumerate(alphas):
        for fold in range(5):
            train = problem.rows(np.flatnonzero(folds != fold))
            coef, constant = apart(train, model, alpha, 3)
            off = problem.y - H @ coef - constant
            squares[k] += problem.weight[folds == fold] @ off[folds == fold] ** 2
    expected = squares / problem.weight.sum()
    np.testing.assert_allclose(model.selection_.target_scores[0], expected, rtol=1e-9)
    assert model.plan_.passes == 3


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_cluster_gives_what_threads_give(cluster, dtype):
    """Each process has the moments of its own groups."""
    problem = make_problem(7, 700, 4, 1, weighted=True)
    model = ELMRegressor(40, solver=Submodels(4), dtype=dtype, random_state=0)
    here = problem.fit(clone(model).set_params(engine=Threads(2)))
    there = problem.fit(clone(model).set_params(engine=cluster))
    tolerance = 1e-9 if dtype == "float64" else 1e-3
    np.testing.assert_allclose(there.alpha_, here.alpha_, rtol=tolerance)
    assert relative_gap(there.predict(problem.X), here.predict(problem.X)) < tolerance
