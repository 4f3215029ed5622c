"""How the kernel matrix is cut, and by how many workers, changes nothing; a weight of 2 is the row twice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import KernelELMRegressor
from samara.engines import Threads
from samara.kernel_settings import Nystroem
from samara.solvers.kernel import Divide, KernelSketch, Pcg, Ssvd, divide, matrix
from tests.oracles import relative_gap
from tests.oracles_kernel import GAMMA
from tests.problems import engines, make_problem, problems, ridges

WHOLE = Threads(workers=1, block_rows=10_000)
SOLVERS = [
    "exact",
    KernelSketch(exact_error=True),
    Ssvd(exact_error=True),
    "nystroem",
    Nystroem("pivoted"),
    Pcg(1e-11),
    Divide(3),
]
BY_PIVOTS = [Pcg(1e-11)]  # which rows are pivots goes by row number, and a choice of ridges by the pivots
BY_CONTENT = ["exact", "nystroem", Nystroem("pivoted"), Pcg(1e-11), Divide(3)]


def made(problem, solver, alphas=(1.0,), **parameters):
    """Predictions on new rows, and the scores of the ridges."""
    ranked = getattr(solver, "name", solver) in ("sketch", "ssvd", "nystroem", "pcg")
    rank = parameters.pop("rank", 15) if ranked else "auto"
    given = {"gamma": GAMMA, "random_state": 0, "rank": rank} | parameters
    model = problem.fit(KernelELMRegressor(alpha=list(alphas), solver=solver, **given))
    chosen = model.selection_
    return model.predict(problem.X + 0.1), None if chosen is None else chosen.target_scores


@pytest.fixture
def small_tiles(monkeypatch):
    """Cuts that make several tiles of a few rows."""

    def cut(tile, strip):
        monkeypatch.setattr(matrix, "TILE", tile)
        for module in (matrix, divide):
            monkeypatch.setattr(module, "STRIP", strip)

    return cut


@pytest.mark.parametrize("alphas", [(1.0,), (0.1, 1.0)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("solver", SOLVERS, ids=str)
def test_tiles_and_strips_change_nothing(small_tiles, solver, weighted, alphas):
    """Tiles of 1024 rows, or of 31, or of 7: the same predictions and scores to 1e-9."""
    problem = make_problem(9, 97, 3, 2, weighted)
    whole, scores = made(problem, solver, alphas, engine=WHOLE)
    for tile, strip, workers in [(31, 16, 1), (7, 20, 2), (64, 5, 3)]:
        small_tiles(tile, strip)
        cut, cut_scores = made(problem, solver, alphas, engine=Threads(workers, 11))
        assert relative_gap(cut, whole) < 1e-9
        if scores is not None:
            np.testing.assert_allclose(cut_scores, scores, rtol=1e-9)


@pytest.mark.parametrize("columns", [1, 5, 30])
@pytest.mark.parametrize("room", [0, 3, 1000])
def test_products_by_tiles_made_and_kept(small_tiles, columns, room):
    """KP is KP, whatever is kept of K, few columns or many, twice in a row."""
    from samara.maps import Gramian, Kernel
    from samara.solvers.kernel.task import KernelTask

    small_tiles(16, 16)
    X, P = np.random.default_rng(0).normal(size=(97, 3)), np.random.default_rng(1).normal(size=(97, columns))
    task = KernelTask(
        Gramian(Kernel("rbf", GAMMA), X, np.dtype(float)),
        np.zeros((97, 1)),
        np.linspace(1, 2, 97),
        fit_intercept=False,
        workers=2,
        spare=room * 8 * 256,
    )
    K = task.matrix.tile(slice(None), slice(None))
    products = matrix.Products(task)
    for _ in range(2):
        np.testing.assert_allclose(products(P), K @ P, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("solver", SOLVERS, ids=str)
@given(problem=problems(rows=(20, 150)), engine=engines(60), alpha=ridges(-1, 1))
def test_blocks_and_workers_change_nothing(solver, problem, engine, alpha):
    """Any workers, any block: the same predictions to 1e-9."""
    whole, _ = made(problem, solver, [alpha], engine=WHOLE)
    cut, _ = made(problem, solver, [alpha], engine=engine)
    assert relative_gap(cut, whole) < 1e-9


@pytest.mark.parametrize("solver", SOLVERS, ids=str)
def test_the_same_seed_gives_the_same_bits(solver):
    """And another seed another sketch, other centres or parts."""
    problem = make_problem(7, 300, 3, 1, False)
    alphas, engine = (0.1, 1.0), Threads(2)
    first, again, other = (
        made(problem, solver, alphas, engine=engine, random_state=seed)[0] for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert solver == "exact" or not np.array_equal(first, other)


@pytest.mark.parametrize("solver", BY_CONTENT, ids=str)
@given(problem=problems(rows=(20, 60), weighted=False), alphas=st.sampled_from([(0.5,), (0.1, 1.0)]))
def test_a_weight_of_two_is_the_row_twice(solver, problem, alphas):
    """Predictions and scores: centres, parts and rows held out are drawn by content."""
    alphas = alphas[: 1 if solver in BY_PIVOTS else None]
    n = len(problem.X)
    twice = np.arange(n) % 3 == 0
    copies = problem.rows(np.concatenate([np.arange(n), np.flatnonzero(twice)]))
    model = KernelELMRegressor(gamma=GAMMA, alpha=list(alphas), solver=solver, random_state=0)
    weighted = model.fit(problem.X, problem.y, 1.0 + twice).predict(problem.X)
    scores = model.selection_
    np.testing.assert_allclose(copies.fit(model).predict(problem.X), weighted, atol=1e-7 * np.std(problem.y))
    if scores is not None:
        np.testing.assert_allclose(model.selection_.target_scores, scores.target_scores, rtol=1e-7)


@pytest.mark.parametrize("solver", ["sketch", "ssvd"])
@given(problem=problems(rows=(20, 60), weighted=False), alphas=st.sampled_from([(0.5,), (0.1, 1.0)]))
def test_a_weight_of_two_is_the_row_twice_in_a_full_sketch(solver, problem, alphas):
    """A sketch is drawn for rows, not for their content: the law holds at full rank."""
    n = len(problem.X)
    twice = np.arange(n) % 3 == 0
    copies = problem.rows(np.concatenate([np.arange(n), np.flatnonzero(twice)]))
    model = KernelELMRegressor("laplacian", gamma=GAMMA, alpha=list(alphas), solver=solver, rank=1.0)
    weighted = model.fit(problem.X, problem.y, 1.0 + twice).predict(problem.X)
    np.testing.assert_allclose(copies.fit(model).predict(problem.X), weighted, atol=1e-7 * np.std(problem.y))


@pytest.mark.parametrize("solver", [*BY_CONTENT, Nystroem("kmeans")], ids=str)
@given(problem=problems(rows=(20, 80)))
def test_a_weight_of_zero_leaves_the_row_out(solver, problem):
    """As if it were not there."""
    n = len(problem.X)
    weight = np.where(np.arange(n) % 4 == 0, 0.0, 1.0 if problem.weight is None else problem.weight)
    model = KernelELMRegressor(gamma=GAMMA, alpha=[0.1, 1.0], solver=solver, random_state=0)
    zero = model.fit(problem.X, problem.y, weight).predict(problem.X)
    keep = weight > 0
    left = model.fit(problem.X[keep], problem.y[keep], weight[keep]).predict(problem.X)
    assert relative_gap(zero, left) < 1e-7


@pytest.mark.parametrize("solver", BY_CONTENT, ids=str)
@given(problem=problems(rows=(20, 80)), alphas=st.sampled_from([(0.5,), (0.1, 1.0)]))
def test_the_order_of_rows_changes_nothing(solver, problem, alphas):
    """Centres, parts and folds go by content, pivots to the same solution of a ridge."""
    alphas = alphas[: 1 if solver in BY_PIVOTS else None]
    mixed = problem.rows(np.random.default_rng(problem.seed).permutation(len(problem.X)))
    model = KernelELMRegressor(gamma=GAMMA, alpha=list(alphas), solver=solver, random_state=0)
    straight = problem.fit(model).predict(problem.X)
    assert relative_gap(mixed.fit(model).predict(problem.X), straight) < 1e-6


@given(problem=problems(rows=(30, 200), targets=(1, 1)), engine=engines(60))
def test_prediction_in_blocks(problem, engine):
    """A fitted model predicts the same whatever the block at prediction."""
    model = problem.fit(KernelELMRegressor(gamma=GAMMA, alpha=1.0, engine=WHOLE))
    expected = model.predict(problem.X + 0.1)
    np.testing.assert_allclose(
        model.set_params(engine=engine).predict(problem.X + 0.1), expected, rtol=1e-11, atol=1e-11
    )
