"""`tiles` is `gram` however the Gram matrix is cut, and whoever holds the tiles."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from samara import ConditionWarning, ConvergenceWarning, ELMClassifier, ELMRegressor
from samara.engines import DaskEngine, Threads
from samara.selection import KFold
from samara.solvers import Tiles
from tests.oracles import kfold_scores, relative_gap
from tests.problems import engines, make_problem, problems, ridges
from tests.tasks import task_of


def fitted_gap(problem, one, other):
    """Largest difference of predictions, in sizes of the targets."""
    a, b = (model.predict(problem.X).reshape(len(problem.X), -1) for model in (one, other))
    return (np.abs(a - b).max(axis=0) / np.abs(b).max(axis=0)).max()


@given(
    problem=problems(rows=(10, 150)),
    alpha=ridges(-3, 2),
    n_hidden=st.integers(1, 60),
    nodes=st.integers(1, 70),
    hidden=st.sampled_from(["sigmoid", "sine", "relu", "rbf"]),
    intercept=st.booleans(),
    engine=engines(80),
)
def test_tiles_of_any_size_are_the_gram(problem, alpha, n_hidden, nodes, hidden, intercept, engine):
    """Fewer rows than nodes included; a tile of one node, and one of all; weights and several targets."""
    options = {"hidden": hidden, "alpha": alpha, "fit_intercept": intercept, "random_state": 1}
    tiles = problem.fit(ELMRegressor(n_hidden, solver=Tiles(nodes), engine=engine, **options))
    exact = problem.fit(ELMRegressor(n_hidden, solver="svd", **options))
    assert fitted_gap(problem, tiles, exact) < 1e-8


@pytest.mark.parametrize("rows", [40, 700])
@pytest.mark.parametrize("link", [False, True])
def test_coefficients_are_those_of_gram(rows, link):
    """Not only what is predicted; inputs beside the nodes are columns like others."""
    problem = make_problem(3, rows, 3, 2, weighted=True)
    model = ELMRegressor(50, alpha=1.0, direct_link=link, random_state=0)
    exact = problem.fit(clone(model).set_params(solver="gram"))
    for nodes in (7, 25, 53, 500):
        found = problem.fit(clone(model).set_params(solver=Tiles(nodes, tol=1e-13)))
        assert relative_gap(found.model_.coef, exact.model_.coef) < 1e-8
        assert relative_gap(found.model_.intercept, exact.model_.intercept) < 1e-8


@given(problem=problems(rows=(60, 150)), nodes=st.integers(3, 25), intercept=st.booleans())
def test_kfold_scores_are_exact_and_need_no_further_pass(problem, nodes, intercept):
    """One refit for every fold and ridge gives the same scores."""
    alphas = [1e-2, 1.0, 100.0]
    model = ELMRegressor(20, alpha=alphas, solver=Tiles(nodes), fit_intercept=intercept, random_state=0)
    problem.fit(model)
    # Nodes do not depend on the ridge: those of the fit, before any choice.
    H = model.model_.features(problem.X)
    expected = kfold_scores(H, problem.y, problem.folds(), alphas, [20], problem.weight, intercept)
    np.testing.assert_allclose(model.selection_.target_scores, expected, rtol=1e-7)
    assert model.plan_.passes == 2


@pytest.mark.parametrize("rows", [60, 900])
def test_the_same_ridge_is_chosen(rows):
    """With a grid of its own, per target or not."""
    problem = make_problem(6, rows, 4, 2, weighted=True)
    for own in (False, True):
        model = ELMRegressor(30, solver="gram", alpha_per_target=own, selection=KFold(3), random_state=0)
        exact = problem.fit(clone(model))
        found = problem.fit(model.set_params(solver=Tiles(8)))
        np.testing.assert_allclose(found.alpha_, exact.alpha_, rtol=1e-9)
        np.testing.assert_allclose(found.selection_.target_scores, exact.selection_.target_scores, rtol=1e-5)
        assert fitted_gap(problem, found, exact) < 1e-7


def test_single_precision_and_sparse_rows():
    """To the rounding of float32; and CSR rows through the same nodes."""
    problem = make_problem(11, 900, 5, 1, weighted=False)
    single = {"alpha": 1.0, "dtype": "float32", "random_state": 0}
    exact = problem.fit(ELMRegressor(30, solver="gram", **single))
    assert fitted_gap(problem, problem.fit(ELMRegressor(30, solver=Tiles(11), **single)), exact) < 1e-4
    X = sp.csr_matrix(np.where(np.abs(problem.X) > 1.5, problem.X, 0.0))
    model = ELMRegressor(30, alpha=1.0, random_state=0)
    whole = clone(model).set_params(solver="gram").fit(X, problem.y)
    tiles = model.set_params(solver=Tiles(11)).fit(X, problem.y)
    assert relative_gap(tiles.model_.coef, whole.model_.coef) < 1e-8


def test_all_ridges_of_one_run():
    """Each is as good as a run of its own."""
    problem = make_problem(4, 300, 3, 2, weighted=True)
    alphas = [1e-2, 1.0, 1e3]
    task = task_of(problem, ELMRegressor(40, alpha=alphas, solver=Tiles(9), random_state=0))
    solutions = Tiles(9)(task).solutions(0, alphas)
    for k, alpha in enumerate(alphas):
        alone = problem.fit(ELMRegressor(40, alpha=alpha, solver="svd", random_state=0)).model_
        coef, intercept = task.layout.restore(solutions[:, k])
        H = alone.features(problem.X)
        assert relative_gap(H @ coef + intercept, H @ alone.coef + alone.intercept) < 1e-8


@pytest.mark.parametrize("value", [0.0, -3.7, 1e12])
def test_constant_targets_and_nodes(value):
    """A constant target is predicted as it is; nodes that occur twice are no trouble."""
    problem = make_problem(5, 80, 2, 1, weighted=True)
    X = np.column_stack([problem.X, problem.X[:, 0], np.ones(80)])
    both = np.column_stack([np.full(80, value), problem.y])
    model = ELMRegressor(12, hidden="linear", alpha=0.1, solver=Tiles(5), random_state=0)
    found = model.fit(X, both, problem.weight).predict(X)
    np.testing.assert_allclose(found[:, 0], value, rtol=1e-9, atol=1e-9)
    exact = clone(model).set_params(solver="svd").fit(X, problem.y, problem.weight).predict(X)
    np.testing.assert_allclose(found[:, 1], exact, rtol=1e-7, atol=1e-7)


def test_what_is_left_is_said():
    """Steps and residual stand in the plan; cut short it warns, with a bound that holds."""
    problem = make_problem(2, 400, 2, 1, weighted=False)
    model = ELMRegressor(60, alpha=1e-4, solver=Tiles(20), random_state=0)
    assert "3 groups of nodes" in problem.fit(clone(model)).plan_.reasons[-1]
    exact = problem.fit(clone(model).set_params(solver="svd")).predict(problem.X)
    with pytest.warns(ConvergenceWarning, match="tiles took 8 steps and left") as caught:
        short = problem.fit(clone(model).set_params(solver=Tiles(20, max_iter=8)))
    assert short.rank_ == 8
    bound = float(str(caught[0].message).split("up to ")[1].split(" of")[0])
    off = np.linalg.norm(short.predict(problem.X) - exact) / np.linalg.norm(problem.y - problem.y.mean())
    assert off < 1.05 * bound
    with pytest.warns(ConditionWarning, match="below the rounding of HᵀH"):
        problem.fit(clone(model).set_params(alpha=1e-16, solver=Tiles(20, tol=1e-3)))


def test_a_cluster_gives_what_threads_give(cluster):
    """Arrays, weights, several targets, K-fold: the tiles are with two processes."""
    problem = make_problem(7, 700, 4, 2, weighted=True)
    model = ELMRegressor(40, alpha=[0.1, 1.0, 10.0], solver=Tiles(12), random_state=0)
    here = problem.fit(clone(model).set_params(engine=Threads(2)))
    there = problem.fit(clone(model).set_params(engine=DaskEngine(cluster)))
    assert there.alpha_ == here.alpha_
    assert there.plan_.passes == 2
    np.testing.assert_allclose(there.selection_.target_scores, here.selection_.target_scores, rtol=1e-9)
    assert relative_gap(there.model_.coef, here.model_.coef) < 1e-9


def test_classes_of_a_dask_frame(cluster):
    """Partitions are made on the workers; every tile goes through all of them."""
    frames = pytest.importorskip("dask.dataframe")
    import pandas as pd

    problem = make_problem(8, 600, 3, 1, weighted=False)
    table = pd.DataFrame(problem.X, columns=["a", "b", "c"])
    labels = pd.Series((problem.y > np.median(problem.y)).astype(int), name="label")
    model = ELMClassifier(30, alpha=1.0, solver=Tiles(10), random_state=0)
    here = clone(model).fit(table, labels)
    X, y = frames.from_pandas(table, npartitions=3), frames.from_pandas(labels, npartitions=3)
    there = model.set_params(engine=cluster).fit(X, y)
    assert relative_gap(there.model_.coef, here.model_.coef) < 1e-8
