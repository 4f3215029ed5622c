"""`ssvd` is the stochastic SVD of αI + K (Bi et al.), cut at k directions, for every ridge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import KernelELMClassifier, KernelELMRegressor
from samara.maps import Gramian, Kernel
from samara.solvers.kernel import KernelSketch, KernelTask, Ssvd
from tests.oracles import relative_gap
from tests.oracles_kernel import DEFINITE, GAMMA, centred_matrix, held_out_scores, kernel_matrix
from tests.problems import make_problem, problems, ridges


def dense_ssvd(K, Y, alpha, rank, solver, G):
    """W = VΣ⁻¹UᵀT with everything written out."""
    Q = np.linalg.qr(K @ G)[0]
    for _ in range(solver.power):
        Q = np.linalg.qr(K @ Q)[0]
    U, s, Vt = np.linalg.svd(Q.T @ (K + alpha * np.eye(len(K))), full_matrices=False)
    return Vt[:rank].T @ (((Q @ U[:, :rank]).T @ Y) / s[:rank, None])


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "sigmoid"])
@given(
    problem=problems(rows=(30, 90)),
    alpha=ridges(-2, 1),
    intercept=st.booleans(),
    solver=st.builds(Ssvd, power=st.integers(0, 2), oversampling=st.integers(0, 12)),
)
@pytest.mark.filterwarnings("ignore:The kernel is not positive definite")
def test_tiles_give_the_stochastic_svd(kernel, problem, alpha, intercept, solver):
    """Sketch, power steps, projection, small SVD, product: as with the whole matrix, to 1e-7."""
    n, rank = len(problem.X), 6
    Y = problem.y.reshape(n, -1)
    gramian = Gramian(Kernel(kernel, GAMMA), problem.X, np.dtype(float))
    task = KernelTask(gramian, Y, problem.weight, fit_intercept=intercept, alphas=(alpha,), rank=rank)
    K = centred_matrix(kernel_matrix(problem.X, name=kernel), problem.weight, intercept)
    G = task.rng().standard_normal((n, min(n - intercept, rank + solver.oversampling)))
    if intercept:
        G -= np.outer(task.constant, task.constant @ G)
    expected = task.roots[:, None] * dense_ssvd(K, task.Y, alpha, rank, solver, G)
    assert relative_gap(solver(task).solve(alpha).coef, expected) < 1e-7


@pytest.mark.parametrize("kernel", DEFINITE)
@given(problem=problems(rows=(15, 80)), alpha=ridges(-1, 1), intercept=st.booleans())
def test_all_directions_are_exact(kernel, problem, alpha, intercept):
    """rank = n: 1e-8 of the exact predictions."""
    shared = {"gamma": GAMMA, "alpha": alpha, "fit_intercept": intercept, "random_state": 0}
    exact, ssvd = (
        problem.fit(KernelELMRegressor(kernel, solver=solver, rank=rank, **shared)).predict(problem.X + 0.1)
        for solver, rank in (("exact", "auto"), ("ssvd", 1.0))
    )
    assert np.max(np.abs(ssvd - exact) / np.std(problem.y, axis=0)) < 1e-8


@given(problem=problems(rows=(15, 60)))
def test_no_ridge_is_the_pseudo_inverse(problem):
    """alpha=0 of all directions: every row is met."""
    model = KernelELMRegressor("laplacian", alpha=0.0, solver="ssvd", rank=1.0, random_state=0)
    np.testing.assert_allclose(problem.fit(model).predict(problem.X), problem.y, rtol=1e-6, atol=1e-6)


@given(problem=problems(rows=(30, 80)), alphas=st.sampled_from([(0.1, 1.0), (0.01, 0.5, 3.0)]))
def test_one_factor_serves_every_ridge(problem, alphas):
    """The model of a ridge among several is the model of that ridge alone, to the bit."""
    shared = {"gamma": GAMMA, "solver": "ssvd", "rank": 9, "random_state": 0}
    several = problem.fit(KernelELMRegressor(alpha=list(alphas), **shared))
    alone = problem.fit(KernelELMRegressor(alpha=several.alpha_, **shared))
    np.testing.assert_array_equal(several.dual_coef_, alone.dual_coef_)


@given(problem=problems(rows=(30, 90)), power=st.integers(0, 2), rank=st.integers(3, 12))
def test_sketch_and_ssvd_see_the_same_directions(problem, power, rank):
    """As many of them, and a matrix as near; the models differ by what lies beyond the directions."""
    shared = {"gamma": GAMMA, "alpha": [0.1, 1.0], "rank": rank, "random_state": 0}
    sketch, ssvd = (
        problem.fit(KernelELMRegressor(solver=solver, **shared))
        for solver in (KernelSketch(power=power, projected=True), Ssvd(power=power))
    )
    assert ssvd.rank_ == sketch.rank_
    assert ssvd.fnorm_ <= 1.5 * sketch.fnorm_


@given(problem=problems(rows=(30, 60), targets=(1, 1)), rank=st.integers(3, 12), intercept=st.booleans())
def test_ridges_are_scored_by_what_is_seen_along_the_directions(problem, rank, intercept):
    """Leave-one-out of Q(QᵀKQ)Qᵀ, by refits; 1e-7."""
    gramian = Gramian(Kernel("rbf", GAMMA), problem.X, np.dtype(float))
    task = KernelTask(gramian, problem.y.reshape(-1, 1), fit_intercept=intercept, alphas=(0.5,), rank=rank)
    made = Ssvd()(task)
    seen, n = made.found.projected(), len(problem.X)
    K = (seen.U * seen.values) @ seen.U.T
    expected = held_out_scores(K, problem.y, np.arange(n), [0.5], None, intercept)
    np.testing.assert_allclose(np.mean(made.left_out(0.5, []) ** 2, axis=0), expected[0], rtol=1e-7)


@given(problem=problems(rows=(40, 120)), alpha=ridges(-2, 1), intercept=st.booleans())
def test_sketch_and_ssvd_agree_where_nothing_lies_beyond(problem, alpha, intercept):
    """A matrix of rank d: both are exact."""
    shared = {"alpha": alpha, "fit_intercept": intercept, "random_state": 0}
    sketch, ssvd = (
        problem.fit(KernelELMRegressor("linear", solver=solver, **shared)) for solver in ("sketch", "ssvd")
    )
    assert relative_gap(ssvd.predict(problem.X), sketch.predict(problem.X)) < 1e-8


def test_nothing_beyond_the_directions_is_in_the_model():
    """The inverse is cut: coefficients lie in k directions, those of `sketch` in all."""
    problem = make_problem(3, 150, 3, 12, False)
    found = {}
    for solver in ("sketch", "ssvd"):
        model = problem.fit(KernelELMRegressor(gamma=GAMMA, alpha=0.1, solver=solver, rank=8, random_state=0))
        found[solver] = int(np.linalg.matrix_rank(model.dual_coef_, tol=1e-9 * abs(model.dual_coef_).max()))
    assert found == {"sketch": 12, "ssvd": 8}


def test_more_power_comes_nearer_to_the_best_directions():
    """The error falls towards that of the k largest eigenvalues, which none is below."""
    problem = make_problem(4, 200, 5, 1, False)
    K = centred_matrix(kernel_matrix(problem.X, name="laplacian"))
    best = np.sqrt(np.sum(np.sort(np.linalg.eigvalsh(K))[:-20] ** 2))
    shared = {"gamma": GAMMA, "alpha": 1.0, "rank": 20, "random_state": 0}
    left = [
        problem.fit(
            KernelELMRegressor("laplacian", solver=Ssvd(power, 10, exact_error=True), **shared)
        ).fnorm_
        for power in (0, 1, 20)
    ]
    assert left[0] > left[1] > left[2] >= best * (1 - 1e-9)
    assert left[2] < 1.001 * best


def test_classes_and_single_precision():
    """Codes of three classes; float32 tiles change the outputs by rounding alone."""
    problem = make_problem(10, 400, 3, 1, False)
    labels = np.digitize(problem.y, np.quantile(problem.y, [0.3, 0.6]))
    shared = {"gamma": GAMMA, "alpha": [0.1, 1.0], "random_state": 0}
    exact = KernelELMClassifier(solver="exact", **shared).fit(problem.X, labels)
    double, single = (
        KernelELMClassifier(solver="ssvd", rank=100, dtype=dtype, **shared).fit(problem.X, labels)
        for dtype in ("float64", "float32")
    )
    assert double.alpha_ == exact.alpha_
    assert np.mean(double.predict(problem.X) == exact.predict(problem.X)) > 0.98
    gap = double.decision_function(problem.X) - single.decision_function(problem.X)
    assert np.abs(gap).max() < 1e-2
    assert double.decision_function(problem.X).dtype != single.decision_function(problem.X).dtype
