"""Trees as they are grown, compiled and plain, against searches that try everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samara.linalg.bins import Bins
from samara.linalg.growth import DEEPEST, SLIGHTEST, Growth
from samara.linalg.trees import MOST_LEAVES
from tests.growing import (
    best_gain,
    both_ways,
    error,
    gain,
    grown,
    kernels_are,
    needs_kernels,
    same,
    seeds,
    table,
    walked,
)


@both_ways
@settings(max_examples=12)
@given(
    seeds,
    st.integers(2, 60),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from([0.0, 1.0, 4.0]),
    st.sampled_from([1.0, 2.5, 6.0]),
)
def test_every_cut_is_the_best_of_all(compiled, seed, n, d, targets, damping, least):
    """The tree is built again cut by cut, all cuts of all leaves tried each time."""
    X, Y = table(seed, n, d, targets)
    weight = np.random.default_rng(seed).integers(0, 3, n).astype(float)
    growth = Growth(8, least, damping)
    with kernels_are(compiled):
        tree = grown(X, Y, growth, weight)
    bins = Bins.learn(X).put(X)
    squares = weight @ (Y**2).sum(axis=1)
    leaves = {0: np.arange(n)}
    best = {0: best_gain(X, Y, weight, growth)}
    for step in range(tree.n_leaves - 1):
        kids = [2 * step + 1, 2 * step + 2]
        (node,) = np.flatnonzero((tree.kids == kids).all(axis=1))
        rows = leaves.pop(node)
        above = bins[rows, tree.column[node]] > tree.cut[node]
        got = gain(above, Y[rows], weight[rows], growth)
        assert best.pop(node) == pytest.approx(got, rel=1e-9, abs=1e-9)
        assert got >= max(best.values(), default=-np.inf) - 1e-9
        for kid, side in zip(kids, (rows[~above], rows[above]), strict=True):
            leaves[kid] = side
            best[kid] = best_gain(X[side], Y[side], weight[side], growth)
            assert weight[side].sum() >= least
    assert set(leaves) == set(np.flatnonzero(tree.is_leaf))
    assert tree.n_leaves <= 8
    if tree.n_leaves < 8:
        assert max(best.values()) <= SLIGHTEST * squares + 1e-9


@needs_kernels
@settings(max_examples=40)
@given(
    seeds,
    st.integers(0, 300),
    st.integers(0, 6),
    st.integers(1, 3),
    st.integers(1, MOST_LEAVES),
    st.sampled_from([0.0, 1.0, 5.0]),
    st.sampled_from([1.0, 3.0, 20.0]),
    st.booleans(),
)
def test_the_compiled_tree_is_the_plain_one(seed, n, d, targets, leaves, damping, least, weighted):
    X, Y = table(seed, n, d, targets)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, n).astype(float) if weighted else None
    trees = []
    for compiled in (True, False):
        with kernels_are(compiled):
            trees.append(grown(X, Y, Growth(leaves, least, damping), weight))
    one, other = trees
    assert same(one, other)
    assert (one.column.dtype, one.cut.dtype, one.kids.dtype) == (np.int64, np.uint8, np.int64)
    assert (other.column.dtype, other.cut.dtype, other.kids.dtype) == (np.int64, np.uint8, np.int64)
    bins = Bins.learn(X)
    with kernels_are(False):
        plain = other.leaves(bins.put(X))
    assert np.array_equal(one.leaves(bins.put(X)), plain)


@needs_kernels
@given(seeds)
def test_real_targets_are_fitted_as_well_both_ways(seed):
    """Sums that are rounded otherwise may choose another cut only where it is as good."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((500, 4))
    Y = np.sin(2 * X[:, :2]) + 0.1 * rng.standard_normal((500, 2))
    weight = rng.random(500)
    bins, left = Bins.learn(X, 40), []
    for compiled in (True, False):
        with kernels_are(compiled):
            tree, found = Growth(20, 3.0, 0.5).grow((bins.put(X), bins.of_columns), Y, weight)
            leaves = tree.leaves(bins.put(X))
        assert np.array_equal(found, leaves)
        assert np.bincount(leaves, weight).min() >= 3 - 1e-9
        left.append(sum(error(Y[leaves == p], weight[leaves == p], 0.5) for p in range(tree.n_leaves)))
    assert left[0] == pytest.approx(left[1], rel=1e-9)
    assert left[0] < 0.5 * error(Y, weight, 0.5)


@both_ways
@given(seeds, st.integers(2, 120), st.integers(1, 3))
def test_a_weight_is_a_row_so_many_times(compiled, seed, n, targets):
    X, Y = table(seed, n, 3, targets)
    rng = np.random.default_rng(seed)
    bins = Bins.learn(X)
    rows, growth, times = bins.put(X), Growth(12, 4.0), rng.integers(0, 3, n)
    again = np.repeat(np.arange(n), times)
    with kernels_are(compiled):
        weighted, leaves = growth.grow((rows, bins.of_columns), Y, times.astype(float))
        repeated, others = growth.grow((rows[again], bins.of_columns), Y[again])
    assert same(weighted, repeated)
    assert np.array_equal(leaves[again], others)


@needs_kernels
@settings(max_examples=15)
@given(seeds, st.integers(1500, 4000), st.integers(1, 9), st.integers(1, 3), st.booleans())
def test_two_threads_grow_the_tree_of_one(seed, n, d, targets, weighted):
    """However columns and rows are shared out, to the bit."""
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((n, d)), rng.standard_normal((n, targets))
    weight = rng.random(n) if weighted else None
    bins = Bins.learn(X)
    rows, growth = (bins.put(X), bins.of_columns), Growth(31, 5.0)
    (one, leaves), (other, found) = (growth.grow(rows, Y, weight, workers) for workers in (1, 2))
    assert same(one, other)
    assert np.array_equal(leaves, found)
    assert one.n_leaves == 31


@needs_kernels
@given(seeds, st.integers(30, 400))
def test_the_order_of_the_rows_does_not_matter(seed, n):
    """Targets are rounded to 24 bits, so that their sums are exact: not by chance, to the bit."""
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((n, 3)), rng.standard_cauchy((n, 2))
    order = rng.permutation(n)
    bins = Bins.learn(X)
    one, leaves = Growth(12, 2.0).grow((bins.put(X), bins.of_columns), Y)
    other, found = Growth(12, 2.0).grow((bins.put(X[order]), bins.of_columns), Y[order])
    assert same(one, other)
    assert np.array_equal(leaves[order], found)


@both_ways
@pytest.mark.parametrize(
    ("X", "Y"),
    [
        (np.zeros((0, 3)), np.zeros((0, 1))),
        (np.ones((1, 3)), np.ones((1, 2))),
        (np.zeros((30, 0)), np.arange(30.0)[:, None]),
        (np.full((30, 2), 7.0), np.arange(30.0)[:, None]),
        (np.arange(30.0)[:, None], np.full((30, 1), 0.1)),
        (np.arange(30.0)[:, None], np.zeros((30, 2))),
        (np.arange(30.0)[:, None], np.zeros((30, 0))),
    ],
    ids=["no rows", "one row", "no columns", "constants", "equal targets", "zeros", "no targets"],
)
@pytest.mark.parametrize("damping", [0.0, 1.0])
@pytest.mark.parametrize("weight", [None, 0.0, 0.3])
def test_where_nothing_can_be_cut_there_is_one_leaf(compiled, X, Y, damping, weight):
    weights = None if weight is None else np.full(len(X), weight)
    with kernels_are(compiled):
        tree = grown(X, Y, Growth(8, 0.1, damping), weights)
        assert (tree.n_leaves, tree.is_leaf.tolist()) == (1, [True])
        assert np.array_equal(tree.leaves_of(X, Bins.learn(X)), np.zeros(len(X)))
        assert np.array_equal(tree.leaves(Bins.learn(X).put(X)), np.zeros(len(X)))


@both_ways
def test_rows_without_weight_do_not_count(compiled):
    """No rows of weight divide by no weight, with or without damping; a constant column is passed over."""
    X = np.column_stack([np.ones(40), np.arange(40.0), np.arange(40) % 2])
    Y = np.where(X[:, 1:2] < 20, -1.0, 1.0)
    Y[35:] = 1e6
    weight = np.where(np.arange(40) < 35, 1.0, 0.0)
    with kernels_are(compiled):
        for damping in (0.0, 1.0):
            tree = grown(X, Y, Growth(2, 1.0, damping), weight)
            assert (tree.column[0], tree.cut[0]) == (1, 19)


@both_ways
def test_of_equals_the_first_is_cut(compiled):
    """Columns alike, bins without rows between two values, and leaves that would gain as much."""
    X = np.repeat([[0, 0, 0], [0, 4, 4], [9, 0, 0], [9, 4, 4]], 5, axis=0)
    Y = np.repeat([[-11.0], [-9.0], [9.0], [11.0]], 5, axis=0)
    bins = Bins(np.arange(0.5, 9).repeat(3).reshape(9, 3).T.ravel(), np.array([0, 9, 18, 27]))
    with kernels_are(compiled):
        tree, _ = Growth(3, 1.0, 0.0).grow((bins.put(X), bins.of_columns), Y)
    assert tree.column.tolist() == [0, 1, 0, 0, 0]
    assert tree.cut.tolist() == [0, 0, 255, 255, 255]
    assert tree.kids.tolist() == [[1, 2], [3, 4], [2, 2], [3, 3], [4, 4]]


@both_ways
@pytest.mark.parametrize("leaves", [1, 2, 5, MOST_LEAVES])
def test_a_tree_has_the_leaves_it_may_have(compiled, leaves):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((900, 3)), rng.integers(-9, 10, (900, 1))
    with kernels_are(compiled):
        tree = grown(X, Y, Growth(leaves, 5.0))
        numbers = tree.leaves_of(X, Bins.learn(X))
    assert tree.n_leaves == leaves == tree.is_leaf.sum()
    assert np.bincount(numbers, minlength=leaves).min() >= 5


@both_ways
def test_no_tree_is_deeper_than_its_rows_are_taken(compiled):
    """Each column parts one row from the others: a cut for each, one below the other."""
    Y = np.arange(40.0)[:, None] ** 2
    with kernels_are(compiled):
        tree = grown(np.eye(40), Y, Growth(40, 1.0, 0.0))
    assert tree.n_leaves == DEEPEST + 1
    assert max(len(walked(tree, row)) for row in Bins.learn(np.eye(40)).put(np.eye(40))) == DEEPEST + 1
