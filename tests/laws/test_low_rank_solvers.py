"""`rsvd` and `fast_svd` are ridge regression along their directions, `sketch` is Men and Wang's formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMClassifier, ELMRegressor
from samara.linalg import ErrorStop, GradientStop, RidgeStop
from samara.solvers import FastSvd, Rsvd, Sketch
from tests.oracles import relative_gap, ridge
from tests.problems import make_problem, problems, ridges
from tests.tasks import dense_of, directions_of, task_of

LOW_RANK = ["rsvd", "fast_svd", "fast_svd_gradient", "sketch"]


def along(problem, model, V, alpha):
    """Coefficients and intercepts of ridge regression on HV, back in the columns of H."""
    H = model.model_.features(problem.X)
    c, constant = ridge(H @ V, problem.y, alpha, problem.weight, model.fit_intercept)
    return V @ c, constant


def assert_fits_like(problem, model, coef, constant, tol):
    """Fitted values agree, in sizes of the targets."""
    H = model.model_.features(problem.X)
    found = H @ model.model_.coef + model.model_.intercept
    size = np.abs(problem.y.reshape(len(H), -1)).max(axis=0)
    assert (np.abs(found - H @ coef - constant) / size).max() < tol


@pytest.mark.parametrize("solver", LOW_RANK)
@given(
    problem=problems(rows=(30, 150)),
    alpha=ridges(-2, 2),
    n_hidden=st.integers(1, 25),
    hidden=st.sampled_from(["sigmoid", "relu", "fourier", "rbf", "linear"]),
    intercept=st.booleans(),
    link=st.booleans(),
)
def test_the_full_rank_is_the_exact_solution(solver, problem, alpha, n_hidden, hidden, intercept, link):
    """With as many directions as columns nothing is left out."""
    options = {"hidden": hidden, "fit_intercept": intercept, "direct_link": link, "random_state": 1}
    model = ELMRegressor(n_hidden, alpha=alpha, solver=solver, rank=1.0, **options)
    if solver.startswith("fast"):  # its rank is a bound: what counts is that the stop is never met
        stop = ErrorStop(1e-12) if solver == "fast_svd" else GradientStop(1e-12, tau=0.0)
        model.set_params(solver=FastSvd(stop), rank="auto")
    if n_hidden + link * problem.X.shape[1] > len(problem.X):
        model.set_params(rank=len(problem.X))
    problem.fit(model)
    H = model.model_.features(problem.X)
    assert_fits_like(problem, model, *ridge(H, problem.y, alpha, problem.weight, intercept), 1e-8)
    assert model.approximation_error_ < 1e-6


@pytest.mark.parametrize("solver", [Rsvd(), Rsvd(3), Rsvd(5, 2), Rsvd(0, 1)], ids=str)
@given(
    problem=problems(rows=(40, 150)),
    alpha=ridges(-3, 2),
    rank=st.integers(1, 20),
    intercept=st.booleans(),
    link=st.booleans(),
)
def test_rsvd_is_ridge_along_its_directions(solver, problem, alpha, rank, intercept, link):
    """β = V argmin ‖HVc − T‖² + α‖c‖², V orthonormal and of the rank asked for."""
    model = ELMRegressor(
        30,
        alpha=alpha,
        solver=solver,
        rank=rank,
        fit_intercept=intercept,
        direct_link=link,
        random_state=problem.seed,
    )
    problem.fit(model)
    V = directions_of(problem, model)
    assert V.shape == (30 + link * problem.X.shape[1], rank)
    assert np.abs(V.T @ V - np.eye(rank)).max() < 1e-12
    assert model.rank_ == rank
    coef, constant = along(problem, model, V, alpha)
    assert relative_gap(model.model_.coef, coef) < 1e-8
    assert relative_gap(model.model_.intercept, constant) < 1e-8


@pytest.mark.parametrize("power", [0, 1, 2])
@given(problem=problems(rows=(60, 150)), rank=st.integers(1, 8), intercept=st.booleans())
def test_the_directions_are_those_of_the_dense_algorithm(power, problem, rank, intercept):
    """Rayleigh–Ritz of (HᵀH)^(1+power)Ω, written out: the same part of H is kept."""
    model = ELMRegressor(
        30, alpha=1.0, solver=Rsvd(4, power), rank=rank, fit_intercept=intercept, random_state=problem.seed
    )
    problem.fit(model)
    V, A = directions_of(problem, model), dense_of(problem, model).A
    omega = task_of(problem, model).rng().standard_normal((rank + 4, 30)).T
    Q = np.linalg.qr(A.T @ (A @ omega))[0]
    for _ in range(power):
        Q = np.linalg.qr(A.T @ (A @ Q))[0]
    W = Q @ np.linalg.svd(A @ Q, full_matrices=False)[2][:rank].T
    # Directions of nearly equal singular values may turn into each other: compare what is kept in all.
    kept, expected = np.linalg.norm(A @ V), np.linalg.norm(A @ W)
    assert kept == pytest.approx(expected, rel=1e-8)
    assert relative_gap(np.linalg.norm(A @ V, axis=0), np.linalg.norm(A @ W, axis=0)) < 1e-6


@pytest.mark.parametrize(
    "stop", [ErrorStop(2.0), ErrorStop(30.0), GradientStop(0.1, 5, 0.3), RidgeStop(1.0)], ids=str
)
@given(problem=problems(rows=(60, 150)), alpha=ridges(-2, 2), intercept=st.booleans())
def test_fast_svd_is_ridge_along_its_directions(stop, problem, alpha, intercept):
    """The same for the directions at which a stop was met."""
    model = ELMRegressor(
        40,
        hidden="rbf",
        alpha=alpha,
        solver=FastSvd(stop),
        fit_intercept=intercept,
        random_state=problem.seed,
    )
    problem.fit(model)
    V = directions_of(problem, model)
    assert model.rank_ == V.shape[1]
    coef, constant = along(problem, model, V, alpha)
    assert_fits_like(problem, model, coef, constant, 1e-8)


@pytest.mark.parametrize("solver", ["fast_svd", "fast_svd_gradient"])
@given(problem=problems(rows=(60, 150)), most=st.integers(1, 40))
def test_the_rank_of_fast_svd_is_a_bound(solver, problem, most):
    """At most as many directions as given; where the stop takes fewer, the given number changes nothing."""
    model = ELMRegressor(40, hidden="rbf", alpha=0.1, solver=solver, random_state=problem.seed)
    free = problem.fit(model).rank_
    coef = model.coef_
    bounded = problem.fit(model.set_params(rank=most))
    assert bounded.rank_ == min(free, most)
    if most >= free:
        assert relative_gap(bounded.coef_, coef) < 1e-9


def woodbury(A, B, Q, alpha):
    """Men and Wang's Algorithm 3 to the letter, with M = AᵀA and r = AᵀB."""
    M, r = A.T @ A, A.T @ B
    inside = Q.T @ M @ Q + alpha * np.eye(Q.shape[1])
    return Q @ np.linalg.solve(inside, Q.T @ r) + (r - Q @ (Q.T @ r)) / alpha


@given(
    problem=problems(rows=(40, 150)),
    alpha=ridges(-1, 3),
    rank=st.integers(1, 20),
    oversampling=st.integers(0, 10),
    power=st.integers(0, 2),
    intercept=st.booleans(),
)
def test_sketch_is_men_and_wangs_formula(problem, alpha, rank, oversampling, power, intercept):
    """β = Q(QᵀMQ + αI)⁻¹Qᵀr + (I − QQᵀ)r/α, Q the leading directions of a basis of M^(1+power)Ω."""
    solver = Sketch(oversampling, power)
    model = ELMRegressor(
        30, alpha=alpha, solver=solver, rank=rank, fit_intercept=intercept, random_state=problem.seed
    )
    problem.fit(model)
    dense = dense_of(problem, model)
    k = min(30, rank + oversampling)
    assert model.rank_ == rank
    Q = directions_of(problem, model)[:, :rank]
    assert relative_gap(model.model_.coef, woodbury(dense.A, dense.B, Q, alpha)) < 1e-8
    omega = task_of(problem, model).rng().standard_normal((k, 30)).T
    literal = omega
    for _ in range(1 + power):
        literal = np.linalg.qr(dense.A.T @ (dense.A @ literal))[0]
    kept = np.linalg.norm(np.linalg.svd(dense.A @ literal, compute_uv=False)[:rank])
    assert np.linalg.norm(dense.A @ Q) == pytest.approx(kept, rel=1e-8)


@given(problem=problems(rows=(40, 150)), low=ridges(-1, 2), rank=st.integers(1, 12), intercept=st.booleans())
def test_the_chosen_sketch_is_men_and_wangs_formula(problem, low, rank, intercept):
    """The same after K-fold: the model is that of all rows, not of what the training sets have in common."""
    model = ELMRegressor(
        30,
        alpha=[low, 10 * low],
        solver=Sketch(2),
        rank=rank,
        fit_intercept=intercept,
        random_state=problem.seed,
    )
    problem.fit(model)
    dense = dense_of(problem, model)
    Q = directions_of(problem, model)[:, :rank]
    assert relative_gap(model.model_.coef, woodbury(dense.A, dense.B, Q, model.alpha_)) < 1e-8


@pytest.mark.parametrize("solver", LOW_RANK)
@given(problem=problems(rows=(60, 150)), low=ridges(-1, 1))
def test_the_chosen_rank_is_a_fit_of_its_own(solver, problem, low):
    """The coefficients chosen are ridge regression along the first of the directions."""
    model = ELMRegressor(60, hidden="rbf", alpha=[low, 30 * low], solver=solver, random_state=problem.seed)
    problem.fit(model)
    ranks = model.selection_.ranks
    if ranks is None:  # every direction was needed
        assert model.rank_ == 60
        return
    assert model.selection_.best_rank == model.rank_
    assert list(ranks) == sorted(set(ranks))
    V = directions_of(problem, model)[:, : model.rank_]
    if solver == "sketch":
        dense = dense_of(problem, model)
        expected = woodbury(dense.A, dense.B, V, model.alpha_)
    else:
        expected, _ = along(problem, model, V, model.alpha_)
    assert relative_gap(model.model_.coef, expected) < 1e-7


@pytest.mark.parametrize("solver", ["rsvd", "sketch"])
@given(problem=problems(rows=(60, 150)), alpha=ridges(-1, 2))
def test_a_rank_found_from_the_ridge_is_enough_for_it(solver, problem, alpha):
    """``rank="auto"``: what is left out is lost in the ridge, fitted values are those of all of H to 1 %."""
    model = problem.fit(
        ELMRegressor(120, hidden="rbf", alpha=alpha, solver=solver, random_state=problem.seed)
    )
    H = model.model_.features(problem.X)
    assert_fits_like(problem, model, *ridge(H, problem.y, alpha, problem.weight), 1e-2)


@pytest.mark.parametrize("solver", ["rsvd", "sketch"])
@given(problem=problems(rows=(60, 150), targets=(1, 1)), bins=st.integers(2, 4))
def test_classifiers(solver, problem, bins):
    """At full rank, class scores are those of the exact solver."""
    labels = np.digitize(problem.y, np.quantile(problem.y, np.linspace(0, 1, bins + 1)[1:-1]))
    model = ELMClassifier(12, alpha=0.1, solver=solver, rank=12, random_state=problem.seed)
    found = model.fit(problem.X, labels, problem.weight).model_.coef
    exact = model.set_params(solver="qr", rank="auto").fit(problem.X, labels, problem.weight).model_.coef
    assert relative_gap(found, exact) < 1e-8


def test_a_ridge_too_small_for_a_gram_is_carried():
    """α = 1e-10 along 25 directions of a nearly singular H: the triangle of the coordinates is used."""
    problem = make_problem(7, 600, 1, 1, False)
    model = problem.fit(ELMRegressor(60, hidden="rbf", alpha=1e-10, solver="rsvd", rank=25, random_state=0))
    coef, constant = along(problem, model, directions_of(problem, model), 1e-10)
    assert_fits_like(problem, model, coef, constant, 1e-8)


@pytest.mark.parametrize("solver", LOW_RANK)
@pytest.mark.filterwarnings("ignore::samara.ConditionWarning")
def test_the_fallback_is_a_model_of_all_nodes(solver):
    """Where the first rows hide the size of H, the Gram gives way to a triangle of H, not of a few nodes."""
    problem = make_problem(7, 1500, 1, 1, False)
    order = np.argsort(np.abs(problem.X[:, 0] - problem.X[:, 0].mean()))
    problem = problem.rows(order)
    for alpha in (1e-13, 1e-12, 1e-11):
        model = ELMRegressor(
            60, hidden="rbf", alpha=[alpha, 2 * alpha], solver=solver, rank=40, random_state=0
        )
        problem.fit(model)
        assert model.n_hidden_ == 60
        assert model.transform(problem.X).shape == (1500, 60)
        H = model.transform(problem.X)
        coef, constant = ridge(H, problem.y, model.alpha_)
        if model.plan_.solver == "qr":
            assert_fits_like(problem, model, coef, constant, 1e-3)
