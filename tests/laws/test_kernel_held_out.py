"""Leave-one-out and K-fold scores of kernel models are those of refits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import KernelELMClassifier, KernelELMRegressor
from samara.maps import Gramian, Kernel
from samara.selection import KFold
from samara.solvers.kernel import Divide, KernelSketch, KernelTask, Pcg
from samara.solvers.kernel.spectral import Spectral
from tests.oracles_kernel import (
    DEFINITE,
    GAMMA,
    centred_matrix,
    held_out_scores,
    kernel_matrix,
    kernel_ridge,
)
from tests.problems import make_problem, problems, ridges


def scores_of(problem, alphas, **parameters):
    """The scores (A, t) of some ridges."""
    model = KernelELMRegressor(gamma=GAMMA, alpha=alphas, random_state=0, **parameters)
    return problem.fit(model).selection_.target_scores[0]


def copied(problem, times):
    """The same rows, the first ones twice."""
    n = len(problem.X)
    return problem.rows(np.concatenate([np.arange(n), np.arange(times)]))


@pytest.mark.parametrize("kernel", DEFINITE)
@given(problem=problems(rows=(8, 35)), low=ridges(-2, 1), intercept=st.booleans())
def test_loo_equals_n_refits(kernel, problem, low, intercept):
    """Every row left out entirely, its error weighted, 1e-8."""
    alphas = [low, 10 * low, 100 * low]
    found = scores_of(problem, alphas, kernel=kernel, solver="exact", fit_intercept=intercept)
    K = kernel_matrix(problem.X, name=kernel)
    expected = held_out_scores(K, problem.y, np.arange(len(K)), alphas, problem.weight, intercept)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@given(problem=problems(rows=(12, 35)), low=ridges(-1, 1), intercept=st.booleans())
def test_copies_are_held_out_together(kernel, problem, low, intercept):
    """A copy of a row never stays behind to predict it; 1e-8."""
    problem, alphas = copied(problem, 4), [low, 10 * low]
    found = scores_of(problem, alphas, kernel=kernel, solver="exact", fit_intercept=intercept)
    labels = np.unique(problem.X, axis=0, return_inverse=True)[1].ravel()
    K = kernel_matrix(problem.X, name=kernel)
    expected = held_out_scores(K, problem.y, labels, alphas, problem.weight, intercept)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear"])
@given(problem=problems(rows=(25, 70)), low=ridges(-1, 1), n_folds=st.integers(2, 6))
def test_kfold_equals_refits(kernel, problem, low, n_folds):
    """Folds by content, as for every other model; 1e-8."""
    alphas, folds = [low, 10 * low], problem.folds(n_folds)
    found = scores_of(problem, alphas, kernel=kernel, solver="exact", selection=KFold(n_folds))
    K = kernel_matrix(problem.X, name=kernel)
    expected = held_out_scores(K, problem.y, folds, alphas, problem.weight)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("selection", "solver"), [("loo", "sketch"), ("kfold", "sketch"), ("kfold", "ssvd"), ("loo", "pcg")]
)
@given(problem=problems(rows=(20, 50)), low=ridges(0, 1), intercept=st.booleans())
def test_full_rank_scores_equal_refits(selection, solver, problem, low, intercept):
    """A sketch of all directions, and pcg's preconditioner of all pivots, score as `exact` does."""
    alphas = [low, 10 * low]
    shared = {"kernel": "laplacian", "rank": 1.0, "selection": selection, "fit_intercept": intercept}
    found = scores_of(problem, alphas, solver=solver, **shared)
    labels = problem.folds() if selection == "kfold" else np.arange(len(problem.X))
    K = kernel_matrix(problem.X, name="laplacian")
    expected = held_out_scores(K, problem.y, labels, alphas, problem.weight, intercept)
    np.testing.assert_allclose(found, expected, rtol=1e-6 if solver == "pcg" else 1e-8)


def test_one_part_scores_as_exact():
    """`divide` with one part."""
    problem = make_problem(3, 60, 3, 2, True)
    one, exact = (scores_of(problem, [0.1, 1.0], solver=solver) for solver in (Divide(1), "exact"))
    np.testing.assert_allclose(one, exact, rtol=1e-10)


def test_parts_score_each_row_by_the_others():
    """`divide`: the mean of the models that have not seen the row."""
    problem = make_problem(3, 60, 3, 1, False)
    model = problem.fit(KernelELMRegressor(gamma=GAMMA, alpha=[0.1, 1.0], solver=Divide(3), random_state=0))
    assert model.selection_.scores.shape == (1, 2)
    exact = scores_of(problem, [0.1, 1.0], solver="exact")[:, 0]
    assert (model.selection_.scores[0] > exact).all()


@given(problem=problems(rows=(15, 40), targets=(1, 1)))
def test_loo_of_class_codes_equals_n_refits(problem):
    """A classifier's scores are those of its ±1 codes."""
    labels = problem.y > np.median(problem.y)
    model = KernelELMClassifier(gamma=GAMMA, alpha=[0.1, 1.0], solver="exact")
    found = model.fit(problem.X, labels, problem.weight).selection_.target_scores[0]
    K, codes = kernel_matrix(problem.X), 2.0 * labels - 1
    expected = held_out_scores(K, codes, np.arange(len(K)), [0.1, 1.0], problem.weight)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_standard_errors_are_those_over_rows():
    """The standard error of the mean of n squared leave-one-out errors."""
    problem = make_problem(2, 40, 3, 1, False)
    model = problem.fit(KernelELMRegressor(gamma=GAMMA, alpha=[0.1, 1.0], solver="exact"))
    K, rows, each = kernel_matrix(problem.X), np.arange(40), []
    for i in rows:
        keep = rows != i
        c, b = kernel_ridge(K[np.ix_(keep, keep)], problem.y[keep], 0.1)
        each.append(float((problem.y[i] - K[i, keep] @ c - b)[0] ** 2))
    np.testing.assert_allclose(model.selection_.scores[0, 0], np.mean(each), rtol=1e-9)
    np.testing.assert_allclose(model.selection_.errors[0, 0], np.std(each) / np.sqrt(40), rtol=1e-8)


@pytest.mark.parametrize("solver", [KernelSketch(), KernelSketch(projected=True), Pcg()], ids=repr)
@given(problem=problems(rows=(30, 60), targets=(1, 2)), rank=st.integers(3, 12), intercept=st.booleans())
def test_what_lies_beyond_the_directions_counts(solver, problem, rank, intercept):
    """sketch and pcg score ridges by UΛUᵀ and τ in all other directions, groups held out together; 1e-7."""
    n, alphas = len(problem.X), (0.05, 1.0)
    Y = problem.y.reshape(n, -1)
    gramian = Gramian(Kernel("laplacian", GAMMA), problem.X, np.dtype(float))
    made = solver(KernelTask(gramian, Y, fit_intercept=intercept, alphas=alphas, rank=rank))
    factor = made if isinstance(made, Spectral) else made._approximate
    P = centred_matrix(np.eye(n), None, intercept)
    K = (factor.U * factor.values) @ factor.U.T + factor.beyond * (P - factor.U @ factor.U.T)
    assert factor.beyond > 0
    for labels in (np.arange(n), np.maximum(np.arange(n), 4)):
        groups = [np.arange(5)] if labels[0] else []
        expected = held_out_scores(K, Y, labels, alphas, None, intercept)
        found = [np.mean(made.left_out(alpha, groups) ** 2, axis=0) for alpha in alphas]
        np.testing.assert_allclose(found, expected, rtol=1e-7)


@given(problem=problems(rows=(60, 150), targets=(1, 1)), rank=st.integers(5, 30), intercept=st.booleans())
def test_nystroems_form_is_nearer(problem, rank, intercept):
    """KQ(QᵀKQ)⁻¹QᵀK leaves less of K than Q(QᵀKQ)Qᵀ, of the same products."""
    shared = {"alpha": 1.0, "rank": rank, "fit_intercept": intercept, "random_state": 0, "gamma": GAMMA}
    left = [
        problem.fit(
            KernelELMRegressor(
                "laplacian", solver=KernelSketch(exact_error=True, projected=projected), **shared
            )
        ).fnorm_
        for projected in (False, True)
    ]
    assert left[0] <= left[1] * (1 + 1e-9)


def test_a_sketch_scores_its_own_model():
    """Below full rank leave-one-out is that of the approximation, near the exact one where it is good."""
    problem = make_problem(4, 120, 2, 1, False)
    few = scores_of(problem, [1.0, 10.0], solver=KernelSketch(), rank=80)
    np.testing.assert_allclose(few, scores_of(problem, [1.0, 10.0], solver="exact"), rtol=1e-3)


@pytest.mark.parametrize("beyond", [0.0, 0.02, 3.0])
@pytest.mark.parametrize("rank", [0, 5, 19, 20])
@given(problem=problems(rows=(20, 20), targets=(1, 1)), intercept=st.booleans())
def test_the_condition_is_that_of_the_matrix_solved_with(beyond, rank, problem, intercept):
    """Of K̃ + αI, with τ in the directions beyond, the constant one set aside; 1e-9."""
    n, alpha, rank = 20, 0.1, min(rank, 20 - intercept)
    gramian = Gramian(Kernel("laplacian", GAMMA), problem.X, np.dtype(float))
    task = KernelTask(gramian, problem.y.reshape(n, -1), fit_intercept=intercept)
    P = centred_matrix(np.eye(n), None, intercept)
    U = np.linalg.qr(P @ np.random.default_rng(0).normal(size=(n, rank)))[0]
    values = np.linspace(1.0, 5.0, rank)
    found = Spectral(task, U, values, np.zeros(n), beyond=beyond).condition(alpha)
    K = (U * values) @ U.T + beyond * (P - U @ U.T)
    sizes = np.linalg.eigvalsh(K + alpha * P)[int(intercept) :]
    assert found == pytest.approx(sizes.max() / sizes.min(), rel=1e-9)
