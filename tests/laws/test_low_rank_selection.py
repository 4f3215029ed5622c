"""Scores of nested ranks and of iterative solvers equal refitting; leave-one-out, GCV and L-curve too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMClassifier, ELMRegressor
from samara.linalg import ErrorStop
from samara.selection import KFold
from samara.solvers import FastSvd, Rsvd, Sketch
from tests.oracles import centred_rows, gcv_score, kfold_scores, lcurve_curvature, loo_scores
from tests.problems import make_problem, problems, ridges
from tests.tasks import directions_of


def variance(problem, intercept):
    """What a model without inputs would score: the unit the tolerance is in."""
    _, Y, _, _ = centred_rows(np.zeros((len(problem.X), 1)), problem.y, problem.weight, intercept)
    return np.sum(Y**2, axis=0) / (len(problem.X) if problem.weight is None else problem.weight.sum())


def projected(problem, model):
    """The rows along the directions of a fitted model."""
    return model.model_.features(problem.X) @ directions_of(problem, model)


@pytest.mark.parametrize("solver", [Rsvd(), Rsvd(power=1), FastSvd(ErrorStop(1.0))], ids=str)
@given(
    problem=problems(rows=(40, 120)),
    low=ridges(-2, 1),
    intercept=st.booleans(),
    n_folds=st.integers(2, 6),
    link=st.booleans(),
)
def test_kfold_of_nested_ranks_equals_refitting(solver, problem, low, intercept, n_folds, link):
    """Every fold, rank and ridge: a refit on the leading coordinates, to 1e-9."""
    alphas = [low, 3 * low, 30 * low]
    model = ELMRegressor(
        120,
        hidden="rbf",
        alpha=alphas,
        solver=solver,
        selection=KFold(n_folds),
        fit_intercept=intercept,
        direct_link=link,
        random_state=problem.seed,
    )
    found = problem.fit(model).selection_
    if found.ranks is None:
        return
    expected = kfold_scores(
        projected(problem, model),
        problem.y,
        problem.folds(n_folds),
        alphas,
        found.ranks,
        problem.weight,
        intercept,
    )
    gap = np.abs(found.target_scores - expected) / variance(problem, intercept)
    assert gap.max() < 1e-9
    assert (found.n_hidden == 120).all()
    assert found.best_n_hidden == model.n_hidden_ == 120


def test_nested_ranks_are_tried():
    """The oracle above is met with several ranks, not with a detour through the whole space."""
    problem = make_problem(3, 100, 2, 1, False)
    for solver in ("rsvd", "fast_svd", "fast_svd_gradient", "sketch"):
        model = problem.fit(ELMRegressor(120, hidden="rbf", alpha=[0.1, 1.0], solver=solver, random_state=0))
        assert len(model.selection_.ranks) > 4
        assert model.selection_.scores.shape == (len(model.selection_.ranks), 2)


@given(
    problem=problems(rows=(40, 120)),
    low=ridges(-2, 1),
    rank=st.one_of(st.integers(1, 12), st.floats(0.05, 1)),
    intercept=st.booleans(),
)
def test_a_given_rank_is_the_only_one_scored(problem, low, rank, intercept):
    """An int or a share: one row of scores, that of refits at this rank."""
    alphas = [low, 10 * low]
    model = ELMRegressor(
        30, alpha=alphas, solver="rsvd", rank=rank, fit_intercept=intercept, random_state=problem.seed
    )
    found = problem.fit(model).selection_
    expected_rank = rank if isinstance(rank, int) else max(1, round(30 * rank))
    assert found.ranks.tolist() == [expected_rank]
    expected = kfold_scores(
        projected(problem, model),
        problem.y,
        problem.folds(),
        alphas,
        [expected_rank],
        problem.weight,
        intercept,
    )
    gap = np.abs(found.target_scores - expected) / variance(problem, intercept)
    assert gap.max() < 1e-9


def woodbury_scores(problem, H, Q, folds, alphas, ranks, intercept):
    """Held-out squared errors (S, A, t) of Men and Wang's formula with the moments of each training set."""
    w = np.ones(len(H)) if problem.weight is None else problem.weight
    Y = problem.y.reshape(len(H), -1)
    scores = np.zeros((len(ranks), len(alphas), Y.shape[1]))
    for fold in np.unique(folds):
        train, test = folds != fold, folds == fold
        A, B, mu, nu = centred_rows(H[train], Y[train], w[train], intercept)
        M, r = A.T @ A, A.T @ B
        for s, rank in enumerate(ranks):
            K = Q[:, :rank]
            for a, alpha in enumerate(alphas):
                within = np.linalg.solve(K.T @ M @ K + alpha * np.eye(rank), K.T @ r)
                coef = K @ within + (r - K @ (K.T @ r)) / alpha
                scores[s, a] += w[test] @ (Y[test] - H[test] @ coef - nu + mu @ coef) ** 2
    return scores / w.sum()


@given(
    problem=problems(rows=(40, 120)),
    low=ridges(0, 2),
    intercept=st.booleans(),
    n_folds=st.integers(2, 6),
    rank=st.sampled_from(["auto", 3, 20]),
)
def test_kfold_of_sketches_equals_refitting(problem, low, intercept, n_folds, rank):
    """Woodbury's formula on every training set, with the Q of all rows."""
    alphas = [low, 10 * low]
    model = ELMRegressor(
        60,
        hidden="rbf",
        alpha=alphas,
        solver=Sketch(4),
        rank=rank,
        selection=KFold(n_folds),
        fit_intercept=intercept,
        random_state=problem.seed,
    )
    found = problem.fit(model).selection_
    if found.ranks is None:
        return
    Q = directions_of(problem, model)
    H = model.model_.features(problem.X)
    expected = woodbury_scores(problem, H, Q, problem.folds(n_folds), alphas, found.ranks, intercept)
    # A rank too small for the ridge blows up, as it should: then to a share of the score.
    gap = np.abs(found.target_scores - expected) / np.maximum(expected, variance(problem, intercept))
    assert gap.max() < 1e-8


@pytest.mark.parametrize("solver", ["lsqr", "precondition"])
@given(
    problem=problems(rows=(170, 400)),
    low=ridges(-2, 1),
    intercept=st.booleans(),
    n_folds=st.integers(2, 6),
    link=st.booleans(),
)
def test_kfold_of_iterative_solvers_equals_refitting(solver, problem, low, intercept, n_folds, link):
    """Scores of every ridge are those of refits on the other folds, to 1e-6."""
    alphas = [low, 3 * low, 30 * low]
    model = ELMRegressor(
        5,
        alpha=alphas,
        solver=solver,
        selection=KFold(n_folds),
        fit_intercept=intercept,
        direct_link=link,
        random_state=problem.seed,
    )
    found = problem.fit(model).selection_
    H = model.model_.features(problem.X)
    expected = kfold_scores(
        H, problem.y, problem.folds(n_folds), alphas, [H.shape[1]], problem.weight, intercept
    )
    gap = np.abs(found.target_scores - expected) / variance(problem, intercept)
    assert gap.max() < 1e-6
    assert found.ranks is None
    assert found.n_folds == len(np.unique(problem.folds(n_folds)))


@pytest.mark.parametrize("solver", ["lsqr", "precondition", "sketch", "rsvd"])
@given(seed=st.integers(0, 10**6), rows=st.integers(4, 12))
def test_folds_without_rows_are_not_counted(solver, seed, rows):
    """So few rows that folds are empty: scores, errors and choice are those of the exact solver."""
    problem = make_problem(seed, rows, 2, 2, True)
    model = ELMRegressor(6, alpha=[0.1, 10.0], solver=solver, selection=KFold(9), random_state=0)
    if solver in ("sketch", "rsvd"):
        model.set_params(rank=min(6, rows))
    found = problem.fit(model).selection_
    exact = problem.fit(model.set_params(solver="gram", rank="auto")).selection_
    assert found.n_folds == exact.n_folds
    if solver != "rsvd" or rows > 6:
        np.testing.assert_allclose(found.scores, exact.scores, rtol=1e-5)
        np.testing.assert_allclose(found.errors, exact.errors, rtol=1e-4)


@pytest.mark.parametrize("solver", ["lsqr", "precondition"])
def test_a_class_of_one_fold(solver):
    """A training set whose target is constant, because a rare class lies in one fold, is like any other."""
    problem = make_problem(3, 300, 2, 1, False)
    folds = problem.folds()
    labels = np.where(problem.y > np.median(problem.y), 1, 0)
    labels[np.flatnonzero(folds == 2)[:4]] = 2
    model = ELMClassifier(8, alpha=[0.1, 1.0], solver=solver, random_state=0).fit(problem.X, labels)
    scores = model.selection_.target_scores
    exact = model.set_params(solver="qr").fit(problem.X, labels).selection_.target_scores
    np.testing.assert_allclose(scores, exact, rtol=1e-6)


@pytest.mark.parametrize("solver", [Rsvd(), FastSvd(ErrorStop(3.0))], ids=str)
@given(problem=problems(rows=(25, 40)), low=ridges(-2, 1), intercept=st.booleans(), rank=st.integers(1, 12))
def test_loo_equals_n_refits_on_the_coordinates(solver, problem, low, intercept, rank):
    """Each row left out, the directions kept: to 1e-8 for every ridge."""
    alphas = [low, 10 * low, 100 * low]
    model = ELMRegressor(
        20,
        alpha=alphas,
        solver=solver,
        rank=rank,
        selection="loo",
        fit_intercept=intercept,
        random_state=problem.seed,
    )
    found = problem.fit(model).selection_
    Z = projected(problem, model)
    assert found.ranks.tolist() == [Z.shape[1]]
    expected = loo_scores(Z, problem.y, alphas, [Z.shape[1]], problem.weight, intercept)
    np.testing.assert_allclose(found.target_scores, expected, rtol=1e-8)


@pytest.mark.parametrize("solver", [Rsvd(), FastSvd(ErrorStop(3.0))], ids=str)
@given(
    problem=problems(rows=(30, 70), targets=(1, 1), weighted=False),
    low=ridges(-2, 1),
    intercept=st.booleans(),
    rank=st.sampled_from([4, 0.2, "auto"]),
)
def test_gcv_is_its_formula_on_the_coordinates(solver, problem, low, intercept, rank):
    """From the n×n hat matrix written out."""
    alphas = [low, 10 * low, 100 * low]
    model = ELMRegressor(
        100,
        hidden="rbf",
        alpha=alphas,
        solver=solver,
        rank=rank,
        selection="gcv",
        fit_intercept=intercept,
        random_state=problem.seed,
    )
    found = problem.fit(model).selection_
    if found.ranks is None:
        return
    Z = projected(problem, model)
    expected = [[gcv_score(Z, problem.y, alpha, intercept) for alpha in alphas]]
    np.testing.assert_allclose(found.scores, expected, rtol=1e-6)


@pytest.mark.parametrize("solver", [Rsvd(), FastSvd(ErrorStop(3.0))], ids=str)
@given(problem=problems(rows=(30, 70)), low=ridges(-2, 0), intercept=st.booleans(), rank=st.integers(2, 8))
def test_the_curvature_is_that_of_the_curve_on_the_coordinates(solver, problem, low, intercept, rank):
    """Finite differences of (log ‖HVc − y‖, log ‖c‖), target by target."""
    alphas = low * np.array([1.0, 10.0, 100.0, 1000.0])
    model = ELMRegressor(
        20,
        alpha=alphas,
        solver=solver,
        rank=rank,
        selection="lcurve",
        fit_intercept=intercept,
        random_state=problem.seed,
    )
    found = -problem.fit(model).selection_.target_scores[0]
    Z, Y = projected(problem, model), problem.y.reshape(len(problem.y), -1)
    expected = np.array(
        [
            [lcurve_curvature(Z, column, alpha, problem.weight, intercept) for column in Y.T]
            for alpha in alphas
        ]
    )
    # Differences of a curve that hardly moves, at a ridge far below the few eigenvalues, keep three digits.
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("solver", ["rsvd", "fast_svd", "sketch", "lsqr", "precondition"])
@given(problem=problems(rows=(170, 300), targets=(2, 3)), low=ridges(-1, 1))
def test_a_ridge_for_each_target(solver, problem, low):
    """Each target gets the ridge of its lowest score, and the coefficients of that ridge."""
    alphas = [low, 10 * low, 100 * low]
    rank = 6 if solver in ("rsvd", "sketch") else "auto"
    options = {"solver": solver, "rank": rank, "random_state": problem.seed}
    model = problem.fit(ELMRegressor(8, alpha=alphas, alpha_per_target=True, **options))
    chosen, scores = model.alpha_, model.selection_.target_scores
    row = 0 if model.selection_.ranks is None else list(model.selection_.ranks).index(model.rank_)
    np.testing.assert_array_equal(chosen, np.array(alphas)[scores[row].argmin(axis=0)])
    coef = model.model_.coef
    for target, alpha in enumerate(chosen):
        alone = problem.fit(ELMRegressor(8, alpha=float(alpha), **options))
        if alone.rank_ == model.rank_ or solver == "lsqr":
            size = np.abs(coef[:, target]).max()
            np.testing.assert_allclose(alone.model_.coef[:, target], coef[:, target], atol=1e-5 * size)
