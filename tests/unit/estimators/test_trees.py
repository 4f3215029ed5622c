"""Leaves of trees as nodes: what the estimators reach, keep and tell."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits, make_friedman1
from sklearn.model_selection import train_test_split

import samara
from samara import ELMRegressor, TreeELMClassifier, TreeELMRegressor

X, Y = make_friedman1(1200, noise=0.5, random_state=0)
STEPS = np.sign(X[:, 0] - 0.4) * np.sign(X[:, 1] - 0.7) + 2.0 * (X[:, 2] > 0.5)


def dense_oracle(model, rows, targets, weight=None):
    """Coefficients and intercept of the ridge over the leaves as dense zeros and ones."""
    H = model.model_.features(rows)
    w = np.ones(len(H)) if weight is None else weight
    mean, centre = w @ H / w.sum(), w @ targets / w.sum()
    G = (H - mean).T @ ((H - mean) * w[:, None]) + model.alpha_ * np.eye(H.shape[1])
    coef = np.linalg.solve(G, (H - mean).T @ ((targets - centre) * w))
    return coef, centre - mean @ coef


@pytest.mark.parametrize("weighed", [False, True], ids=["equal", "weighed"])
def test_the_ridge_over_all_leaves(weighed):
    """What is counted is what dense zeros and ones would give."""
    weight = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighed else None
    model = TreeELMRegressor(7, leaves=9, alpha=2.0, random_state=0).fit(X, Y, weight)
    coef, intercept = dense_oracle(model, X, Y, weight)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-9)
    assert model.intercept_ == pytest.approx(intercept, abs=1e-9)
    H = model.transform(X)
    assert set(np.unique(H)) == {0.0, 1.0}
    np.testing.assert_array_equal(H.sum(axis=1), 7)
    np.testing.assert_allclose(model.predict(X), H @ model.coef_ + model.intercept_, atol=1e-10)


def test_targets_that_jump():
    """Where the target is a table of steps, a few trees find it and smooth nodes do not."""
    trees = TreeELMRegressor(10, random_state=0).fit(X[:800], STEPS[:800]).score(X[800:], STEPS[800:])
    smooth = ELMRegressor(300, random_state=0).fit(X[:800], STEPS[:800]).score(X[800:], STEPS[800:])
    assert trees > 0.97
    assert trees > smooth


def test_digits():
    """Ten classes, each tree for three random combinations of them."""
    rows, held, known, wanted = train_test_split(*load_digits(return_X_y=True), random_state=0)
    model = TreeELMClassifier(60, random_state=0).fit(rows, known)
    assert model.score(held, wanted) > 0.95
    chances = model.predict_proba(held)
    np.testing.assert_allclose(chances.sum(axis=1), 1)


def test_what_is_chosen():
    """Ridge and number of trees by rows that no tree has seen: no worse than the worst of what was tried."""
    model = TreeELMRegressor([4, 20, 40], alpha=[1.0, 30.0, 1e5], random_state=0).fit(X, Y)
    assert model.selection_.method == "held_out"
    assert model.selection_.scores.shape == (3, 3)
    assert model.n_trees_ in (20, 40)
    assert model.alpha_ in (1.0, 30.0)
    assert model.n_hidden_ == model.coef_.shape[0] == model.model_.maps[-1].n_out
    assert "40 trees" in str(model.plan_)
    assert samara.SelectionDisplay.from_estimator(model) is not None


def test_selection_scores_are_those_of_rows_held_out():
    """The scores are reached on new rows: trees do not flatter themselves."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal(1500)
    model = TreeELMRegressor(40, alpha=[0.1, 1.0], random_state=0).fit(rng.standard_normal((1500, 5)), noise)
    assert model.selection_.scores.min() > 1.0  # nothing can be learned; their own rows trees half explain


def test_intervals_hold():
    """Of new targets about as many lie between the ends as were asked for."""
    rows, held, known, wanted = train_test_split(X, Y, random_state=0)
    for alpha in ("auto", 3.0):
        model = TreeELMRegressor(30, alpha=alpha, random_state=0).fit(rows, known)
        low, high = model.predict_interval(held, 0.8)
        assert 0.72 < np.mean((wanted >= low) & (wanted <= high)) < 0.95


def test_kept_and_copied(tmp_path):
    """A file, a pickle and a clone give the same predictions; loading refuses nothing that was saved."""
    labels = np.array(["low", "high"])[(Y > 14).astype(int)]
    model = TreeELMClassifier(12, random_state=0).fit(X, labels)
    model.save(tmp_path / "trees.samara")
    loaded = samara.load(tmp_path / "trees.samara")
    for other in (loaded, pickle.loads(pickle.dumps(model)), clone(model).fit(X, labels)):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    assert loaded.n_trees_ == 12
    assert not samara.inspect(tmp_path / "trees.samara").contains_training_rows
    assert not hasattr(model, "partial_fit")


def test_single_precision():
    """Half the bytes, about the same model; values on a cut fall on the same side."""
    grid = np.round(X, 2)
    double = TreeELMRegressor(10, alpha=1.0, random_state=0).fit(grid, Y)
    single = TreeELMRegressor(10, alpha=1.0, dtype="float32", random_state=0).fit(grid, Y)
    assert single.predict(grid).dtype == np.float32
    assert np.corrcoef(single.predict(grid), double.predict(grid))[0, 1] > 0.99


def test_sparse_rows_as_dense_ones():
    """Sparse rows give the model of the dense ones."""
    rows = np.where(X > 0.6, X, 0.0)
    dense = TreeELMRegressor(6, alpha=1.0, random_state=0).fit(rows, Y)
    packed = TreeELMRegressor(6, alpha=1.0, random_state=0).fit(sparse.csr_array(rows), Y)
    np.testing.assert_allclose(packed.predict(sparse.csr_array(rows)), dense.predict(rows), atol=1e-9)


def test_several_targets():
    """Five targets share the trees."""
    both = np.stack([Y, -Y, STEPS, Y + STEPS, Y**2], axis=1)
    model = TreeELMRegressor(20, random_state=0).fit(X[:900], both[:900])
    assert model.coef_.shape == (5, model.n_hidden_)
    assert model.score(X[900:], both[900:]) > 0.75


def test_more_columns_than_a_tree_looks_at():
    """Each tree draws 400 of 900 columns: the two that matter are found all the same."""
    rng = np.random.default_rng(0)
    wide = rng.standard_normal((400, 900))
    target = 3.0 * (wide[:, 5] > 0) + (wide[:, 700] > 0)
    model = TreeELMRegressor(30, leaves=4, alpha=1.0, random_state=0).fit(wide[:300], target[:300])
    assert model.score(wide[300:], target[300:]) > 0.6


def test_few_rows():
    """Fewer rows than two leaves need: the mean is predicted; fewer than forty: nothing is held out."""
    few = TreeELMRegressor(3, random_state=0).fit(X[:12], Y[:12])
    assert few.n_hidden_ == 3
    np.testing.assert_allclose(few.predict(X[:5]), Y[:12].mean())
    assert few.selection_ is None
    assert few.intervals_ is None


def test_trees_that_nest():
    """With given ridge and seed the first trees are the same, however many follow."""
    less = TreeELMRegressor(4, alpha=1.0, random_state=0).fit(X, Y).model_.maps[-1]
    more = TreeELMRegressor(10, alpha=1.0, random_state=0).fit(X, Y).model_.maps[-1].first(4)
    for name in ("column", "cut", "kids", "roots"):
        np.testing.assert_array_equal(getattr(less, name), getattr(more, name))


def test_diabetes_within_a_small_budget():
    """A budget that holds a few rows at a time changes nothing where all rows may be grown on."""
    rows, target = load_diabetes(return_X_y=True)
    free = TreeELMRegressor(5, leaves=8, alpha=3.0, random_state=0).fit(rows, target)
    bound = TreeELMRegressor(5, leaves=8, alpha=3.0, memory="20MB", random_state=0).fit(rows, target)
    np.testing.assert_allclose(bound.predict(rows), free.predict(rows), rtol=1e-9)
