"""`leaves`: an exact kernel model within each leaf of a tree."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import samara
from samara import AutoELMRegressor, KernelELMClassifier, KernelELMRegressor
from samara.errors import BudgetError, InputError
from samara.gradients import input_gradients
from samara.maps import Gramian, Kernel, LeafRows, grown
from samara.solvers.kernel import Exact, KernelTask, Leaves, groups_of
from tests.onnx_runs import run_rows

RNG = np.random.default_rng(3)
X = RNG.normal(size=(230, 3))
Y = np.stack([np.sin(2 * X[:, 0]) + X[:, 1], X[:, 1] * X[:, 2]], axis=1) + 0.1 * RNG.normal(size=(230, 2))
NEW = RNG.normal(size=(60, 3))
GAMMA = 0.4


def model(rows=40, **more):
    settings = {"kernel": "laplace", "gamma": GAMMA, "alpha": 0.1, "scale": None, "random_state": 0, **more}
    return KernelELMRegressor(solver=Leaves(rows), **settings)


@pytest.mark.parametrize("kernel", ["laplace", "laplacian", "rbf", "linear", "polynomial"])
def test_each_leaf_is_an_exact_model_of_its_rows(kernel):
    fitted = model(kernel=kernel).fit(X, Y)
    features = fitted.model_.maps[-1]
    assert isinstance(features, LeafRows)
    assert features.tree.n_leaves == 8
    leaf, of_new, made = features.tree(X), features.tree(NEW), fitted.predict(NEW)
    for number in range(8):
        alone = KernelELMRegressor(solver="exact", kernel=kernel, gamma=GAMMA, alpha=0.1, scale=None)
        alone.fit(X[leaf == number], Y[leaf == number])
        mine = of_new == number
        if mine.any():
            np.testing.assert_allclose(made[mine], alone.predict(NEW[mine]), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("alpha", [0.1, "auto", [0.01, 0.1, 1.0]])
def test_one_leaf_is_the_exact_model(alpha):
    ours = model(rows=500, alpha=alpha).fit(X, Y)
    exact = KernelELMRegressor(solver="exact", kernel="laplace", gamma=GAMMA, alpha=alpha, scale=None).fit(
        X, Y
    )
    assert ours.alpha_ == pytest.approx(exact.alpha_)
    np.testing.assert_allclose(ours.predict(NEW), exact.predict(NEW), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.dual_coef_[:-1], exact.dual_coef_, rtol=1e-6, atol=1e-9)
    if ours.selection_ is not None:
        np.testing.assert_allclose(ours.selection_.scores, exact.selection_.scores, rtol=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_left_out_by_refitting_their_leaf(weighted):
    """Of a row and its copies, the other rows of the leaf alone."""
    rows = np.vstack([X, X[:5], X[:2]])
    targets = np.vstack([Y, Y[:5] + 1, Y[:2] - 1])
    weights = RNG.uniform(0.5, 2, len(rows)) if weighted else None
    keys = np.r_[np.arange(230), np.arange(5), np.arange(2)].astype(np.uint64)
    kernel = Kernel("laplace", GAMMA)
    task = KernelTask(Gramian(kernel, rows, np.dtype(float)), targets, weights, keys, alphas=(0.05, 0.3))
    factor = Leaves(60)(task)
    groups = groups_of(keys)
    found = factor.left_out(0.3, groups)
    leaf = factor.tree(rows)
    for i in (0, 1, 4, 17, 100, 229):
        others = np.flatnonzero((leaf == leaf[i]) & (keys != keys[i]))
        part = KernelTask(
            Gramian(kernel, rows[others], np.dtype(float)),
            targets[others],
            None if weights is None else weights[others],
            alphas=(0.3,),
        )
        solution = Exact()(part).solve(0.3)
        K = np.exp(-GAMMA * np.linalg.norm(rows[i] - rows[others], axis=1))
        error = targets[i] - (K @ solution.coef + solution.intercept)
        np.testing.assert_allclose(found[i], task.roots[i] * error, rtol=1e-7, atol=1e-9)


def test_leaves_have_no_more_rows_than_asked_and_are_even():
    for n, most in [(230, 40), (230, 230), (231, 115), (1000, 60), (7, 2)]:
        rows = RNG.normal(size=(n, 4))
        tree = grown(rows, most)
        counts = np.bincount(tree(rows), minlength=tree.n_leaves)
        assert counts.max() <= most
        assert counts.min() >= counts.max() // 2 - 1
        assert counts.max() > most // 2 or tree.n_leaves == 1


def test_columns_of_few_values_are_cut_where_they_can_be():
    rows = RNG.integers(0, 3, (400, 4)).astype(float)
    tree = grown(rows, 100)
    counts = np.bincount(tree(rows), minlength=tree.n_leaves)
    assert counts.max() <= 100
    assert counts.min() > 0
    assert counts.sum() == 400


def test_rows_of_which_most_are_equal():
    """What can be cut is cut; copies of one row stay in one leaf."""
    rows = np.vstack([np.zeros((150, 2)), RNG.normal(size=(250, 2))])
    leaf = grown(rows, 100)(rows)
    assert len(set(leaf[:150])) == 1
    assert np.bincount(leaf)[np.arange(leaf.max() + 1) != leaf[0]].max() <= 100
    for path, number in zip(grown(rows, 100).paths(), range(leaf.max() + 1), strict=True):
        tree, mine = grown(rows, 100), rows[leaf == number]
        for node, beyond in path:
            assert ((mine @ tree.directions[node] >= tree.thresholds[node]) == beyond).all()


def test_copies_are_not_cut_apart_by_rounding():
    """Products of equal rows may differ in their last bits, by where they stand."""
    few = RNG.normal(size=(5, 7))
    rows = few[RNG.integers(0, 5, 3000)]
    tree = grown(rows, 50)
    assert tree.n_leaves == 5
    leaf = tree(rows)
    for one in few:
        assert len(set(leaf[(rows == one).all(axis=1)])) == 1


def test_the_order_of_the_rows_changes_nothing():
    order = RNG.permutation(len(X))
    one, other = model(alpha="auto").fit(X, Y), model(alpha="auto").fit(X[order], Y[order])
    np.testing.assert_allclose(one.predict(NEW), other.predict(NEW), rtol=1e-7, atol=1e-8)
    assert one.alpha_ == pytest.approx(other.alpha_)


def test_a_weight_of_two_is_a_row_twice():
    twice = np.r_[np.arange(230), np.arange(0, 230, 3)]
    weight = np.ones(230)
    weight[::3] = 2
    one, other = model().fit(X, Y, sample_weight=weight), model().fit(X[twice], Y[twice])
    np.testing.assert_allclose(one.predict(NEW), other.predict(NEW), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_predictions_are_features_times_coefficients(dtype):
    fitted = model(dtype=dtype).fit(X, Y)
    kept = fitted.model_
    H = kept.features(NEW)
    assert H.shape == (60, 230 + 8)
    assert ((H[:, :230] != 0).sum(axis=1) <= 40).all()
    tolerance = 1e-10 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(H @ kept.coef + kept.intercept, fitted.predict(NEW), atol=tolerance)


def test_gradients_by_differences():
    fitted, step = model().fit(X, Y), 1e-5
    found = input_gradients(fitted.model_, NEW[:20])
    for j in range(3):
        shift = step * np.eye(3)[j]
        slope = (fitted.predict(NEW[:20] + shift) - fitted.predict(NEW[:20] - shift)) / (2 * step)
        np.testing.assert_allclose(found[:, :, j], slope, rtol=1e-4, atol=1e-5)


def test_saved_and_loaded_to_the_bit(tmp_path):
    fitted = model(alpha="auto").fit(X, Y)
    fitted.save(tmp_path / "leaves.samara")
    loaded = samara.load(tmp_path / "leaves.samara")
    np.testing.assert_array_equal(loaded.predict(NEW), fitted.predict(NEW))
    assert loaded.solver == Leaves(40)
    assert samara.inspect(tmp_path / "leaves.samara").contains_training_rows


@pytest.mark.parametrize("rows", [40, 500])
def test_onnx_gives_the_same(rows):
    pytest.importorskip("onnxruntime")
    fitted = model(rows=rows, kernel="laplacian").fit(X, Y)
    found = run_rows(fitted, NEW)["prediction"]
    np.testing.assert_allclose(found, fitted.predict(NEW), rtol=1e-9, atol=1e-9)


def test_a_metric_is_learned_with_leaves():
    y = np.sin(3 * X[:, 0])
    fitted = model(rows=100, metric="agop_diagonal", alpha=[1e-3, 1e-1], scale="standard").fit(X, y)
    assert fitted.metric_.argmax() == 0
    assert fitted.model_.maps[-1].tree.n_leaves == 4


def test_classes_and_their_probabilities():
    labels = np.where(Y[:, 0] > 0.5, "high", np.where(Y[:, 1] > 0, "mid", "low"))
    fitted = KernelELMClassifier(solver=Leaves(80), kernel="laplace", random_state=0).fit(X, labels)
    assert fitted.score(X, labels) > 0.9
    np.testing.assert_allclose(fitted.predict_proba(NEW).sum(axis=1), 1)


@pytest.mark.parametrize("copies", [0, 30])
def test_one_ridge_leaves_rows_out_of_their_leaves(copies):
    """By refitting the leaf without a row and its copies, for the rows that are looked at."""
    rows, targets = np.vstack([X, X[:copies]]), np.vstack([Y, Y[:copies] + 0.5])
    keys = np.r_[np.arange(230), np.arange(copies)].astype(np.uint64)
    task = KernelTask(
        Gramian(Kernel("laplace", GAMMA), rows, np.dtype(float)), targets, None, keys, alphas=(0.3,)
    )
    factor = Leaves(60)(task)
    leaf = factor.tree(rows)
    for i in (0, 7, 100, 229):
        mine, others = np.flatnonzero(keys == keys[i]), np.flatnonzero((leaf == leaf[i]) & (keys != keys[i]))
        part = KernelTask(Gramian(Kernel("laplace", GAMMA), rows[others], np.dtype(float)), targets[others])
        solution = Exact()(replace(part, alphas=(0.3,))).solve(0.3)
        K = np.exp(-GAMMA * np.linalg.norm(rows[i] - rows[others], axis=1))
        error = targets[mine].mean(axis=0) - (K @ solution.coef + solution.intercept)
        np.testing.assert_allclose(factor.copies_left_out(0.3, [mine])[0], error, rtol=1e-7, atol=1e-9)


def test_intervals_with_a_given_ridge():
    low, high = model(rows=120).fit(X, Y[:, 0]).predict_interval(NEW, coverage=0.9)
    assert np.isfinite(high - low).all()


def test_intervals_come_with_a_chosen_ridge():
    fitted = model(rows=120, alpha="auto").fit(X, Y[:, 0])
    low, high = fitted.predict_interval(NEW, coverage=0.9)
    inside = (low <= np.sin(2 * NEW[:, 0]) + NEW[:, 1]) & (np.sin(2 * NEW[:, 0]) + NEW[:, 1] <= high)
    assert inside.mean() > 0.7


def test_what_can_not_be_cut_is_refused():
    with pytest.raises(BudgetError, match="too nearly equal"):
        model(rows=10).fit(np.ones((230, 3)), Y)
    with pytest.raises(InputError, match="neither precomputed nor sparse"):
        model().fit(sparse.csr_array(X), Y)
    with pytest.raises(InputError, match="neither precomputed nor sparse"):
        model(kernel="precomputed").fit(X @ X.T, Y)
    with pytest.raises(InputError, match="at least 2"):
        model(rows=1).fit(X, Y)


def test_a_search_fits_many_rows_in_leaves(monkeypatch):
    from samara.search import finals

    monkeypatch.setattr(finals, "EXACT_ROWS", 300)
    monkeypatch.setattr(finals, "LEAF_ROWS", (150,))
    rows = RNG.normal(size=(900, 3))
    y = np.sin(2 * rows[:, 0]) + rows[:, 1]
    fitted = AutoELMRegressor(time=None, rounds=4, random_state=0).fit(rows[:800], y[:800])
    assert any("leaves" in why for why in fitted.plan_.reasons)
    assert any(isinstance(one.maps[-1], LeafRows) for one in fitted.models_)
    assert fitted.score(rows[800:], y[800:]) > 0.95
    both = sum(one.features(rows[800:]) @ one.coef + one.intercept for one in fitted.models_)
    np.testing.assert_allclose(both[:, 0], fitted.predict(rows[800:]), rtol=1e-9, atol=1e-9)
