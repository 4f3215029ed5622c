"""`exact` is kernel ridge regression: scikit-learn's, the primal one, and that of the rows in any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge

from samara import ConditionWarning, KernelELMClassifier, KernelELMRegressor
from tests.oracles import relative_gap, ridge
from tests.oracles_kernel import DEFINITE, GAMMA, kernel_matrix, kernel_ridge, quadratic_features
from tests.problems import make_problem, problems, ridges

FIXED = {"gamma": GAMMA, "solver": "exact"}


@pytest.mark.parametrize("kernel", DEFINITE)
@given(problem=problems(rows=(5, 90)), alpha=ridges())
def test_exact_equals_scikit_learn(kernel, problem, alpha):
    """Without an intercept the predictions are KernelRidge's to 1e-8, weights or none."""
    ours = problem.fit(KernelELMRegressor(kernel, alpha=alpha, fit_intercept=False, **FIXED))
    theirs = problem.fit(KernelRidge(kernel=kernel, gamma=GAMMA, alpha=alpha))
    new = problem.X[::-1] + 0.1
    assert relative_gap(ours.predict(new), theirs.predict(new)) < 1e-8


@pytest.mark.parametrize("seed", [0, 1, 3, 7])
@pytest.mark.parametrize("alphas", [[0.5], [0.5, 1.0]])
def test_an_indefinite_kernel_is_solved_all_the_same(seed, alphas):
    """The sigmoid, with eigenvalues below −α: warned of, and the same system solved."""
    problem, shared = make_problem(seed, 60, 3, 1, seed % 2 == 1), {"gamma": 0.05, "coef0": 0.5}
    model = KernelELMRegressor("sigmoid", alpha=alphas, solver="exact", fit_intercept=False, **shared)
    with pytest.warns(ConditionWarning, match="not positive definite"):
        made = problem.fit(model).predict(problem.X)
    K = kernel_matrix(problem.X, name="sigmoid", **shared)
    c, _ = kernel_ridge(K, problem.y, model.alpha_, problem.weight, intercept=False)
    assert relative_gap(made, (K @ c)[:, 0]) < 1e-8


@pytest.mark.parametrize("kernel", DEFINITE)
@given(problem=problems(rows=(5, 90)), alpha=ridges())
def test_an_intercept_is_not_penalised(kernel, problem, alpha):
    """With an intercept: the saddle point of the whole problem, solved at once."""
    model = problem.fit(KernelELMRegressor(kernel, alpha=alpha, **FIXED))
    K = kernel_matrix(problem.X, name=kernel)
    c, b = kernel_ridge(K, problem.y, alpha, problem.weight)
    new = problem.X[::-1] + 0.1
    expected = kernel_matrix(new, problem.X, name=kernel) @ c + b
    assert relative_gap(model.predict(new).reshape(len(new), -1), expected) < 1e-8


@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
@given(problem=problems(rows=(8, 90)), alpha=ridges(), intercept=st.booleans())
def test_exact_equals_primal_ridge_on_an_explicit_map(kernel, problem, alpha, intercept):
    """Linear and quadratic kernels: least squares on their features, 1e-8."""
    model = KernelELMRegressor(kernel, degree=2, alpha=alpha, fit_intercept=intercept, **FIXED)
    phi = quadratic_features if kernel == "polynomial" else np.asarray
    coef, constant = ridge(phi(problem.X), problem.y, alpha, problem.weight, intercept)
    new = problem.X[::-1] + 0.1
    made = problem.fit(model).predict(new).reshape(len(new), -1)
    assert relative_gap(made, phi(new) @ coef + constant) < 1e-8


@pytest.mark.parametrize("kernel", DEFINITE)
@given(problem=problems(rows=(10, 80)), alphas=st.sampled_from([[0.3], [0.03, 0.3, 3.0]]))
def test_the_order_of_rows_changes_nothing(kernel, problem, alphas):
    """Shuffled rows: the same scores, ridge and predictions."""
    model = KernelELMRegressor(kernel, alpha=alphas, **FIXED)
    mixed = problem.rows(np.random.default_rng(problem.seed).permutation(len(problem.X)))
    straight = problem.fit(model).predict(problem.X)
    alpha = model.alpha_
    assert relative_gap(mixed.fit(model).predict(problem.X), straight) < 1e-9
    assert model.alpha_ == alpha


@pytest.mark.parametrize("kernel", DEFINITE)
@given(problem=problems(rows=(10, 80), targets=(2, 3)), alphas=st.sampled_from([[0.3], [0.03, 0.3, 3.0]]))
def test_targets_one_by_one(kernel, problem, alphas):
    """Several targets with a ridge each are as many models of one target."""
    model = KernelELMRegressor(kernel, alpha=alphas, alpha_per_target=True, **FIXED)
    together, chosen = (
        problem.fit(model).predict(problem.X),
        np.broadcast_to(model.alpha_, problem.y.shape[1]),
    )
    for j in range(problem.y.shape[1]):
        model.fit(problem.X, problem.y[:, j], problem.weight)
        assert chosen[j] == model.alpha_
        assert relative_gap(together[:, j], model.predict(problem.X)) < 1e-9


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_whole_path_equals_one_ridge_at_a_time(kernel):
    """The band and the Cholesky factor: the same models."""
    problem = make_problem(5, 150, 4, 2, True)
    chosen = problem.fit(KernelELMRegressor(kernel, alpha=[1e-3, 1e-2, 0.1, 1, 10], **FIXED))
    alone = problem.fit(KernelELMRegressor(kernel, alpha=chosen.alpha_, **FIXED))
    assert relative_gap(chosen.predict(problem.X), alone.predict(problem.X)) < 1e-9


@given(problem=problems(rows=(20, 80), targets=(1, 1)), alpha=ridges())
def test_a_classifier_is_a_regression_on_codes(problem, alpha):
    """±1 codes of two classes, one column a class of three."""
    for count in (2, 3):
        labels = np.digitize(problem.y, np.quantile(problem.y, np.arange(1, count) / count))
        model = KernelELMClassifier(alpha=alpha, **FIXED).fit(problem.X, labels, problem.weight)
        codes = 2.0 * (labels[:, None] == np.arange(count)) - 1
        codes = codes[:, 1:] if count == 2 else codes
        c, b = kernel_ridge(kernel_matrix(problem.X), codes, alpha, problem.weight)
        scores = model.decision_function(problem.X).reshape(len(labels), -1)
        assert relative_gap(scores, kernel_matrix(problem.X) @ c + b) < 1e-8
