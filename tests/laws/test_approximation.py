"""What low-rank solvers say of their approximation is true, and they take the columns of their algorithm."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMRegressor
from samara.linalg import ErrorStop, GradientStop, RidgeStop
from samara.solvers import FastSvd, Rsvd, Sketch
from samara.solvers.subspace import gram_probe_norms, probe_norms, subspace_by_stop
from tests.oracles_lowrank import construct_q, construct_qg
from tests.problems import make_problem, problems
from tests.tasks import dense_of, directions_of, task_of


def omegas(task):
    """The columns of Ω, one at a time."""
    rng = task.rng()
    while True:
        yield rng.standard_normal(task.n_columns)


def true_error(A, V):
    """‖A − AVVᵀ‖_F / ‖A‖_F."""
    return np.linalg.norm(A - A @ V @ V.T) / np.linalg.norm(A)


@pytest.mark.parametrize(
    "solver", [Rsvd(), Rsvd(2, 1), Sketch(), FastSvd(), FastSvd(GradientStop())], ids=str
)
@given(
    problem=problems(rows=(40, 200)),
    rank=st.one_of(st.integers(1, 30), st.floats(0.02, 1)),
    hidden=st.sampled_from(["sigmoid", "relu", "rbf", "multiquadric", "linear"]),
    intercept=st.booleans(),
)
def test_the_error_reported_is_the_error(solver, problem, rank, hidden, intercept):
    """Of centred, weighted H, to 1e-6 of ‖H‖ (a difference of squares keeps no more)."""
    model = ELMRegressor(
        40,
        hidden=hidden,
        alpha=1.0,
        solver=solver,
        rank=rank,
        fit_intercept=intercept,
        random_state=problem.seed,
    )
    problem.fit(model)
    V = directions_of(problem, model)
    V = V[:, : model.rank_]  # `sketch` keeps a few more, for what Q leaves of HᵀT
    expected = true_error(dense_of(problem, model).A, V)
    assert abs(model.approximation_error_ - expected) < 1e-6


@given(problem=problems(rows=(60, 200)))
def test_the_error_is_that_of_the_rank_chosen(problem):
    """Nested ranks: the error of the directions in use, not of all that were found."""
    model = ELMRegressor(120, hidden="rbf", alpha=[0.1, 1.0, 10.0], solver="rsvd", random_state=problem.seed)
    problem.fit(model)
    if model.selection_.ranks is None:
        assert model.approximation_error_ == 0
        return
    V = directions_of(problem, model)[:, : model.rank_]
    assert abs(model.approximation_error_ - true_error(dense_of(problem, model).A, V)) < 1e-6


@pytest.mark.parametrize("solver", ["gram", "qr", "svd", "dual", "lsqr", "precondition"])
def test_exact_solvers_leave_nothing_out(solver):
    """Their error is 0."""
    problem = make_problem(1, 100, 2, 1, False)
    assert problem.fit(ELMRegressor(5, solver=solver, random_state=0)).approximation_error_ == 0


@given(problem=problems(rows=(60, 200)), rank=st.integers(1, 20))
def test_power_iterations_come_near_the_best(problem, rank):
    """With three of them the error is within 5 % of the SVD's, and no less than it."""
    model = ELMRegressor(60, alpha=1.0, solver=Rsvd(power=3), rank=rank, random_state=problem.seed)
    problem.fit(model)
    s = np.linalg.svd(dense_of(problem, model).A, compute_uv=False)
    best = np.sqrt(np.sum(s[rank:] ** 2) / np.sum(s**2))
    assert best - 1e-7 <= model.approximation_error_ < 1.05 * best + 1e-7


STOPS = [
    ErrorStop(0.1),
    ErrorStop(1.0, 5),
    ErrorStop(20.0, 10),
    GradientStop(),
    GradientStop(1e-3, 5, 0.1),
    GradientStop(1e-9, 10, 1.0),
]


@pytest.mark.parametrize("stop", STOPS, ids=str)
@pytest.mark.parametrize("n_hidden", [30, 70, 72, 90, 250])
@given(
    problem=problems(rows=(150, 300)),
    hidden=st.sampled_from(["sigmoid", "rbf", "relu"]),
    intercept=st.booleans(),
)
def test_fast_svd_takes_the_columns_of_the_algorithm(stop, n_hidden, problem, hidden, intercept):
    """Column by column on the same H and Ω: the same count, whatever the width of the passes."""
    model = ELMRegressor(
        n_hidden,
        hidden=hidden,
        alpha=1.0,
        solver=FastSvd(stop),
        fit_intercept=intercept,
        random_state=problem.seed,
    )
    problem.fit(model)
    H = dense_of(problem, model).shifted
    task, most = task_of(problem, model), min(H.shape)
    if isinstance(stop, ErrorStop):
        Q, _ = construct_q(H, stop.epsilon, stop.r, omegas(task), most)
    else:
        Q, _ = construct_qg(H, stop.epsilon, stop.r, stop.tau, omegas(task), most)
    assert abs(model.rank_ - max(1, Q.shape[1])) <= (Q.shape[1] == most)


@given(problem=problems(rows=(60, 200)), exponent=st.floats(-3, 3))
def test_the_watched_values_are_those_of_the_algorithm(problem, exponent):
    """The largest of the next r probes after every column, from the triangle of a stream."""
    model = ELMRegressor(60, hidden="rbf", alpha=1.0, solver="rsvd", random_state=problem.seed)
    problem.fit(model)
    task, H = task_of(problem, model), dense_of(problem, model).shifted
    stop = ErrorStop(10.0**exponent, 7)
    found = subspace_by_stop(task, stop, most=task.n_columns)
    Q, watched = construct_q(H, stop.epsilon, stop.r, omegas(task), min(H.shape))
    if found is not None and len(found.history) == len(watched):
        np.testing.assert_allclose(found.history, watched, rtol=1e-6, atol=1e-12 * watched[0])
    assert found is not None
    assert abs(found.rank - max(1, Q.shape[1])) <= (Q.shape[1] == min(H.shape))


@given(seed=st.integers(0, 10**6), rows=st.integers(1, 40), columns=st.integers(3, 30), r=st.integers(1, 3))
def test_probe_norms_are_those_of_projected_columns(seed, rows, columns, r):
    """After j columns are projected out, written out."""
    Y = np.random.default_rng(seed).normal(size=(rows, columns))
    found = probe_norms(np.linalg.qr(Y, mode="r"), r)
    assert len(found) == columns - r + 1
    for j, value in enumerate(found):
        Q = np.linalg.qr(Y[:, :j])[0]
        left = Y[:, j : j + r] - Q @ (Q.T @ Y[:, j : j + r])
        assert value == pytest.approx(np.linalg.norm(left, axis=0).max(), abs=1e-10)


@given(problem=problems(rows=(60, 200)), exponent=st.floats(-2, 3))
def test_what_a_ridge_stop_leaves_is_below_the_ridge(problem, exponent):
    """Of the Gram matrix is left at most a tenth of α: the probes are ten, each allowed a hundredth."""
    alpha = 10.0**exponent
    model = ELMRegressor(120, hidden="rbf", alpha=1.0, solver=FastSvd(RidgeStop(alpha)), random_state=0)
    problem.fit(model)
    if model.plan_.solver != "fast_svd":  # more directions than are worth drawing: all of them
        assert model.plan_.solver in ("gram", "dual")
        return
    A = dense_of(problem, model).A
    V = directions_of(problem, model)
    left = A - A @ V @ V.T
    assert np.linalg.norm(left.T @ left) < 0.1 * alpha


@given(seed=st.integers(0, 10**6), columns=st.integers(4, 20), r=st.integers(1, 3))
def test_gram_probes_are_those_of_the_residual_gram(seed, columns, r):
    """‖Hᵀ(I − QQᵀ)Hω‖ after each column, written out."""
    rng = np.random.default_rng(seed)
    H, omega = rng.normal(size=(40, 25)), rng.normal(size=(25, columns))
    R = np.linalg.qr(H @ omega, mode="r")
    for j, value in enumerate(gram_probe_norms(R, H.T @ H @ omega, r)):
        Q = np.linalg.qr(H @ omega[:, :j])[0]
        left = H.T @ (H @ omega[:, j : j + r] - Q @ (Q.T @ H @ omega[:, j : j + r]))
        assert value == pytest.approx(np.linalg.norm(left, axis=0).max(), rel=1e-8)


@pytest.mark.parametrize("solver", ["rsvd", "sketch"])
def test_a_space_needed_as_a_whole_is_said_so(solver):
    """Slowly falling singular values and a small ridge: every direction, and the plan says so."""
    problem = make_problem(3, 400, 5, 1, False)
    model = problem.fit(ELMRegressor(100, hidden="fourier", alpha=1e-3, solver=solver, random_state=0))
    assert model.rank_ == 100
    assert model.plan_.solver == "gram"
    assert str(model.plan_).startswith("solver gram, selection none, 3 passes")
    assert f"solver {solver}: as asked" in model.plan_.reasons[0]
    assert f"by {solver} what is left lies above the ridge" in model.plan_.reasons[-1]


@pytest.mark.parametrize("solver", ["rsvd", "sketch"])
@pytest.mark.parametrize("alpha", [1e-3, 0.0, [1e-3, 1.0]])
def test_the_whole_of_fewer_rows_than_columns_is_the_smaller_system(solver, alpha):
    """n < L: `dual`, or `svd` for a ridge that HHᵀ does not carry; the model is that of the exact solver."""
    if alpha == 0.0 and solver == "sketch":
        return
    problem = make_problem(3, 90, 5, 1, False)
    model = ELMRegressor(300, hidden="fourier", alpha=alpha, solver=solver, random_state=0)
    found = problem.fit(model)
    expected = "svd" if alpha == 0.0 else "dual"
    assert found.plan_.solver == expected
    assert found.plan_.reasons[-1].startswith(f"solver {expected} in the end")
    scores = found.predict(problem.X)
    exact = problem.fit(model.set_params(solver=expected)).predict(problem.X)
    np.testing.assert_array_equal(scores, exact)


def test_what_is_worth_drawing_goes_by_the_smaller_dimension():
    """300 rows: an eighth and a fourth of those, not of 4,000 nodes."""
    problem = make_problem(3, 400, 2, 1, False)
    task = task_of(problem, ELMRegressor(4000, hidden="fourier", alpha=1e-3, random_state=0))
    drawn = []
    engine = SimpleNamespace(
        block_rows=task.engine.block_rows,
        summarize=lambda source, make, name: (
            drawn.append(make().products.shape[1]) or task.engine.summarize(source, make, name)
        ),
    )
    assert subspace_by_stop(replace(task, engine=engine), RidgeStop(1e-9)) is None
    assert max(drawn) <= 100 + 10 + 1  # a fourth, the probes and the constant
