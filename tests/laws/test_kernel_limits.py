"""Every approximate kernel solver tends to `exact`, and says how far from it it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import KernelELMRegressor
from samara.kernel_settings import Nystroem
from samara.solvers.kernel import Divide, KernelSketch, Pcg, Ssvd, directions, matrix
from tests.oracles_kernel import DEFINITE, GAMMA, centred_matrix, kernel_matrix
from tests.problems import make_problem, problems, ridges

APPROXIMATE = ["sketch", "ssvd", "nystroem", Nystroem("kmeans"), Nystroem("pivoted")]
definite = st.sampled_from(DEFINITE)


def predictions(problem, solver, kernel="rbf", **parameters):
    """Of the rows themselves and of new ones."""
    model = KernelELMRegressor(kernel, solver=solver, **{"gamma": GAMMA, "random_state": 0} | parameters)
    return problem.fit(model).predict(np.vstack([problem.X, problem.X[::-1] + 0.1]))


def gap(problem, solver, kernel="rbf", alpha=1.0, intercept=True, **parameters):
    """Largest difference from `exact`, relative to the spread of the targets."""
    shared = {"alpha": alpha, "fit_intercept": intercept}
    exact = predictions(problem, "exact", kernel, **shared)
    made = predictions(problem, solver, kernel, **shared, **parameters)
    return np.max(np.abs(made - exact) / np.std(problem.y, axis=0))


@pytest.mark.parametrize("solver", APPROXIMATE, ids=str)
@given(problem=problems(rows=(15, 80)), kernel=definite, alpha=ridges(-1, 1), intercept=st.booleans())
def test_all_directions_or_centres_are_exact(solver, kernel, problem, alpha, intercept):
    """rank = n: 1e-6 of the exact predictions, weights and intercept or not."""
    assert gap(problem, solver, kernel, alpha, intercept, rank=1.0) < 1e-6


@given(problem=problems(rows=(15, 80)), kernel=definite, alpha=ridges(-1, 1), intercept=st.booleans())
def test_pcg_reaches_its_tolerance(kernel, problem, alpha, intercept):
    """The tighter the tolerance, the nearer to exact; the residual reported is the true one or above."""
    assert gap(problem, Pcg(1e-11), kernel, alpha, intercept) < 1e-7


@given(problem=problems(rows=(15, 80)), kernel=definite, alpha=ridges(-1, 1), intercept=st.booleans())
def test_one_part_is_exact(kernel, problem, alpha, intercept):
    """`divide` with one part."""
    assert gap(problem, Divide(1), kernel, alpha, intercept) < 1e-9


@pytest.mark.parametrize("solver", APPROXIMATE, ids=str)
def test_errors_fall_with_the_rank(solver):
    """Four times the directions or centres, a tenth of the error or less."""
    problem = make_problem(11, 300, 3, 1, True)
    gaps = [gap(problem, solver, alpha=0.1, rank=rank) for rank in (20, 80, 300)]
    assert gaps[0] > 10 * gaps[2]
    assert gaps[0] > gaps[1] > gaps[2]


def test_errors_fall_with_the_tolerance():
    """pcg: a hundredth of the tolerance, a tenth of the error or less."""
    problem = make_problem(11, 300, 3, 1, True)
    gaps = [gap(problem, Pcg(tol), alpha=0.1, rank=10) for tol in (1e-2, 1e-4, 1e-8)]
    assert gaps[0] > 10 * gaps[1] > 100 * gaps[2]


def test_parts_are_near_exact():
    """Three parts of 200 rows each: within a fifth of the targets' spread of all rows' model, on average."""
    problem = make_problem(12, 600, 2, 1, False)
    exact, parts = (predictions(problem, solver, alpha=1.0) for solver in ("exact", Divide(3)))
    assert np.sqrt(np.mean((parts - exact) ** 2)) < 0.2 * np.std(exact)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("make", "rank"), [(KernelSketch, 5), (KernelSketch, 50), (Ssvd, 20), (Ssvd, 50)])
@given(problem=problems(rows=(60, 150), targets=(1, 1)))
def test_the_frobenius_error_is_reported(make, rank, intercept, problem):
    """fnorm_: exactly on request, and estimated within a factor of 2."""
    shared = {"gamma": GAMMA, "alpha": 1.0, "rank": rank, "fit_intercept": intercept, "random_state": 0}
    exact = problem.fit(KernelELMRegressor("laplacian", solver=make(exact_error=True), **shared))
    guess = problem.fit(KernelELMRegressor("laplacian", solver=make(), **shared))
    K = centred_matrix(kernel_matrix(problem.X, name="laplacian"), problem.weight, intercept)
    best = np.sqrt(np.sum(np.sort(np.abs(np.linalg.eigvalsh(K)))[:-rank] ** 2))
    assert exact.fnorm_ >= best * (1 - 1e-9)
    assert exact.fnorm_ < 4 * best
    assert 0.5 < guess.fnorm_ / exact.fnorm_ < 2


@pytest.mark.parametrize("make", [KernelSketch, Ssvd])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_exact_frobenius_error_is_brute_force(monkeypatch, intercept, make):
    """‖K − ABᵀ‖_F of the very factors that solve, by tiles of 16 rows."""
    kept, original = [], directions.Directions.error
    monkeypatch.setattr(matrix, "TILE", 16)
    monkeypatch.setattr(directions.Directions, "error", lambda *a: kept.append(a) or original(*a))
    problem = make_problem(2, 130, 3, 1, True)
    solver = make(exact_error=True)
    model = KernelELMRegressor(
        gamma=GAMMA, alpha=1.0, solver=solver, rank=12, fit_intercept=intercept, random_state=0
    )
    problem.fit(model)
    K = centred_matrix(kernel_matrix(problem.X), problem.weight, intercept)
    _, A, B, _ = kept[0]
    brute = np.linalg.norm(K - A @ B.T)
    np.testing.assert_allclose(model.fnorm_, brute, rtol=1e-8)
    np.testing.assert_allclose(model.approximation_error_, brute / np.linalg.norm(K), rtol=0.05)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial"])
@given(problem=problems(rows=(100, 250), targets=(1, 1)), alpha=ridges(-2, 1))
def test_a_rank_found_is_good_enough(kernel, problem, alpha):
    """rank="auto": what is left of the matrix along a random direction is 1 % of the ridge."""
    shared = {"gamma": GAMMA, "alpha": alpha, "random_state": 0}
    model = problem.fit(KernelELMRegressor(kernel, solver=KernelSketch(exact_error=True), **shared))
    n = len(problem.X)
    assert model.fnorm_ <= 0.01 * alpha * np.sqrt(n) or model.rank_ >= n - 1
    assert gap(problem, "sketch", kernel, alpha) < 0.1


@pytest.mark.parametrize("solver", ["sketch", "ssvd", "exact", "pcg"])
@given(problem=problems(rows=(30, 120), targets=(1, 2)), alpha=ridges(), intercept=st.booleans())
def test_the_rank_of_a_linear_kernel_is_seen(solver, problem, alpha, intercept):
    """rank ≤ d, used by whoever can, and nothing is lost (Men and Wang, Table 4: error 1e-6)."""
    model = KernelELMRegressor("linear", alpha=alpha, solver=solver, fit_intercept=intercept, random_state=0)
    problem.fit(model)
    K = centred_matrix(problem.X @ problem.X.T, problem.weight, intercept)
    assert model.rank_ <= problem.X.shape[1]
    assert model.fnorm_ < 1e-6 * np.linalg.norm(K)
    assert gap(problem, solver, "linear", alpha, intercept) < 1e-3


def test_more_passes_sharpen_a_sketch():
    """KernelSketch(power=2) leaves less of a matrix whose spectrum falls slowly."""
    problem = make_problem(4, 200, 5, 1, False)
    left = []
    for power in (0, 2):
        solver = KernelSketch(power=power, exact_error=True)
        model = KernelELMRegressor("laplacian", alpha=1.0, solver=solver, rank=20, random_state=0)
        left.append(problem.fit(model).fnorm_)
    assert left[1] < left[0]


def test_the_share_of_the_trace_that_centres_miss():
    """approximation_error_ of `nystroem`: between 0 and 1, falling, and 0 with all rows."""
    problem = make_problem(4, 200, 3, 1, False)
    model = KernelELMRegressor(gamma=GAMMA, alpha=1.0, solver="nystroem", random_state=0)
    missed = [problem.fit(model.set_params(rank=rank)).approximation_error_ for rank in (5, 50, 200)]
    assert 1 > missed[0] > missed[1] > missed[2]
    assert missed[2] < 1e-9
