"""Randomized and iterative solvers: cutting, weights, order and seed."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from samara import ELMRegressor
from samara.engines import Threads
from samara.linalg import ErrorStop
from samara.solvers import FastSvd, Lsqr, Precondition, Rsvd, Sketch
from tests.oracles import relative_gap
from tests.problems import engines, problems, ridges

WHOLE = Threads(workers=1, block_rows=10_000)
FEW = settings(max_examples=max(4, settings().max_examples // 3))
# Probes see H less the mean of the first rows: another order of them may stop a column earlier or later.
EARLY = (FastSvd(ErrorStop(5.0)), "auto")
# Full accuracy: directions far above rounding, ridges that carry what is left.
SOLVERS = [
    (Rsvd(), 1.0),
    (Sketch(), 1.0),
    (FastSvd(ErrorStop(1e-9)), "auto"),
    (Rsvd(), 8),
    (Sketch(), 8),
    EARLY,
    (Lsqr(1e-12), "auto"),
    (Precondition(), "auto"),
]
# What a sum in another order changes: the rounding of HᵀHΩ, seen through directions that it hardly holds;
# and for `precondition` the sketch, whose signs go by block: to its tolerance.
TOLERANCE = {"rsvd": 1e-9, "sketch": 1e-9, "fast_svd": 1e-9, "lsqr": 1e-9, "precondition": 1e-8}


def fitted(problem, model):
    """Fitted values in sizes of the targets."""
    H = problem.fit(model).model_.features(problem.X)
    size = np.abs(problem.y.reshape(len(H), -1)).max(axis=0)
    return (H @ model.model_.coef + model.model_.intercept) / size


@pytest.mark.parametrize(("solver", "rank"), SOLVERS, ids=str)
@FEW
@given(problem=problems(rows=(300, 1400)), engine=engines(), alpha=ridges(0, 2), intercept=st.booleans())
def test_cutting_keeps_fitted_values(solver, rank, problem, engine, alpha, intercept):
    """Any workers and any block: the fitted values of one block."""
    model = ELMRegressor(
        16, alpha=alpha, solver=solver, rank=rank, fit_intercept=intercept, random_state=problem.seed
    )
    whole = fitted(problem, model.set_params(engine=WHOLE))
    cut = fitted(problem, model.set_params(engine=engine))
    assert np.abs(cut - whole).max() < TOLERANCE[solver.name]


@pytest.mark.parametrize("solver", ["rsvd", "sketch", "lsqr", "precondition"])
@FEW
@given(problem=problems(rows=(300, 900)), engine=engines())
def test_cutting_keeps_the_scores(solver, problem, engine):
    """Nor do scores and choice depend on the cut."""
    rank = 0.5 if solver in ("rsvd", "sketch") else "auto"
    model = ELMRegressor(
        16, alpha=[1.0, 10.0, 100.0], solver=solver, rank=rank, random_state=problem.seed, engine=WHOLE
    )
    whole = problem.fit(model).selection_
    cut = problem.fit(model.set_params(engine=engine)).selection_
    np.testing.assert_allclose(cut.target_scores, whole.target_scores, rtol=1e-6)


@pytest.mark.parametrize(("solver", "rank"), SOLVERS, ids=str)
@FEW
@given(problem=problems(rows=(100, 400), weighted=False), alpha=ridges(0, 2), intercept=st.booleans())
def test_a_weight_of_two_is_the_row_twice(solver, rank, problem, alpha, intercept):
    """Whole weights are rows repeated; 0 leaves a row out."""
    counts = np.random.default_rng(problem.seed).integers(0, 4, len(problem.X))
    counts[:10] = 2
    repeated = np.repeat(np.arange(len(counts)), counts)
    model = ELMRegressor(
        5,
        alpha=alpha,
        solver=solver,
        rank=min(rank, 5) if isinstance(rank, int) else rank,
        fit_intercept=intercept,
        random_state=problem.seed,
    )
    weighted = model.fit(problem.X, problem.y, counts).model_
    twice = model.fit(problem.X[repeated], problem.y[repeated]).model_
    H = weighted.features(problem.X)
    gap = relative_gap(H @ weighted.coef + weighted.intercept, H @ twice.coef + twice.intercept)
    assert gap < TOLERANCE[solver.name]


@pytest.mark.parametrize("solver", ["rsvd", "sketch", "lsqr", "precondition"])
@FEW
@given(problem=problems(rows=(150, 300), weighted=False))
def test_weights_count_rows_in_the_scores(solver, problem):
    """The same for the scores: copies of a row are held out together."""
    counts = np.random.default_rng(problem.seed).integers(0, 4, len(problem.X))
    counts[:10] = 2
    repeated = np.repeat(np.arange(len(counts)), counts)
    rank = 4 if solver in ("rsvd", "sketch") else "auto"
    model = ELMRegressor(6, alpha=[1.0, 10.0], solver=solver, rank=rank, random_state=problem.seed)
    weighted = model.fit(problem.X, problem.y, counts).selection_.target_scores
    twice = model.fit(problem.X[repeated], problem.y[repeated]).selection_.target_scores
    np.testing.assert_allclose(weighted, twice, rtol=1e-6)


@pytest.mark.parametrize(
    "solver", ["rsvd", "fast_svd", "fast_svd_gradient", "sketch", "lsqr", "precondition"]
)
@FEW
@given(problem=problems(rows=(300, 900)), engine=engines(), dtype=st.sampled_from(["float32", "float64"]))
def test_same_seed_and_plan_give_the_same_bits(solver, problem, engine, dtype):
    """Coefficients and scores of two fits are equal bit for bit, threads or not."""
    model = ELMRegressor(
        12, alpha=[1.0, 10.0], solver=solver, dtype=dtype, engine=engine, random_state=problem.seed
    )
    first = problem.fit(model)
    coef, scores, error = first.coef_.copy(), first.selection_.scores.copy(), first.approximation_error_
    again = problem.fit(model)
    assert coef.tobytes() == again.coef_.tobytes()
    assert scores.tobytes() == again.selection_.scores.tobytes()
    assert error == again.approximation_error_


def test_another_seed_gives_other_directions():
    """The seed of Ω is that of the fit, and is not the nodes': the same directions of other nodes differ."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    errors = {
        ELMRegressor(60, hidden="linear", alpha=1.0, solver="rsvd", rank=1, random_state=seed)
        .fit(X, X[:, 0])
        .approximation_error_
        for seed in range(3)
    }
    assert len(errors) == 3


@pytest.mark.parametrize(("solver", "rank"), [case for case in SOLVERS if case != EARLY], ids=str)
@FEW
@given(problem=problems(rows=(300, 700)), alpha=ridges(0, 2))
def test_shuffling_rows_keeps_fitted_values(solver, rank, problem, alpha):
    """The order of the rows is only another order of summation."""
    order = np.random.default_rng(problem.seed).permutation(len(problem.X))
    model = ELMRegressor(16, alpha=alpha, solver=solver, rank=rank, random_state=problem.seed)
    straight = fitted(problem, model)
    shuffled = fitted(problem.rows(order), model)
    assert np.abs(straight[order] - shuffled).max() < TOLERANCE[solver.name]


@pytest.mark.parametrize(("solver", "rank"), SOLVERS, ids=str)
@FEW
@given(problem=problems(rows=(100, 300), targets=(1, 1)), link=st.booleans())
def test_sparse_equals_dense(solver, rank, problem, link):
    """Sparse rows give the fitted values of dense ones."""
    X = np.where(np.random.default_rng(problem.seed).random(problem.X.shape) < 0.4, problem.X, 0.0)
    rank = min(rank, 5) if isinstance(rank, int) else rank
    model = ELMRegressor(5, alpha=1.0, solver=solver, rank=rank, direct_link=link, random_state=problem.seed)
    dense = model.fit(X, problem.y, problem.weight).predict(X)
    sparse = model.fit(sp.csr_matrix(X), problem.y, problem.weight).predict(sp.csr_matrix(X))
    assert relative_gap(sparse, dense) < TOLERANCE[solver.name]
