"""Bins, trees and pairs of leaves, compiled and plain, against searches that try everything."""

from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samara.errors import InputError
from samara.linalg import kernels
from samara.linalg.bins import MOST_BINS, Bins
from samara.linalg.growth import DEEPEST, SLIGHTEST, Follow, Growth
from samara.linalg.trees import MOST_LEAVES, Tree, add_pairs

needs_kernels = pytest.mark.skipif(not kernels.compiled(), reason="installed without a C compiler")
both_ways = pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_kernels), False])
seeds = st.integers(0, 999)


@contextmanager
def kernels_are(compiled):
    """The kernels in use or not; a fixture would not be set anew for each example."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "compiled", lambda: compiled)
        yield


def table(seed, n, d, targets=1):
    """Inputs with ties and whole targets that depend on them: the sums are exact, in whatever order."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(1, 12, d), (n, d)) + np.where(rng.random((n, d)) < 0.2, 0.5, 0.0)
    weights = rng.integers(-3, 4, (d, targets))
    Y = np.round(X) @ weights + rng.integers(-4, 5, (n, targets))
    return X, Y.astype(float)


def grown(X, Y, growth, *rest):
    bins = Bins.learn(X)
    return growth.grow((bins.put(X), bins.of_columns), Y, *rest)[0]


def same(one, other):
    parts = ("column", "cut", "kids")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in parts)


def error(Y, weight, damping):
    """The least of Σ w‖y − m‖² + damping·‖m‖² over m."""
    mean = weight @ Y / (weight.sum() + damping)
    return float(weight @ ((Y - mean) ** 2).sum(axis=1) + damping * mean @ mean)


def gain(above, Y, weight, growth):
    """What a cut takes off the error; nothing where a side has too little weight."""
    if min(weight[above].sum(), weight[~above].sum()) < growth.least:
        return -np.inf
    sides = sum(error(Y[side], weight[side], growth.damping) for side in (above, ~above))
    return error(Y, weight, growth.damping) - sides


def best_gain(X, Y, weight, growth):
    """Of all cuts between two values of a column."""
    cuts = [X[:, j] > value for j in range(X.shape[1]) for value in np.unique(X[:, j])]
    return max((gain(above, Y, weight, growth) for above in cuts), default=-np.inf)


def walked(tree, row):
    """The node that a binned row ends at, and the nodes on the way."""
    path = [0]
    while tree.kids[path[-1], 0] != path[-1]:
        node = path[-1]
        path.append(int(tree.kids[node, int(row[tree.column[node]] > tree.cut[node])]))
    return path


# Bins


@both_ways
@given(seeds, st.integers(0, 40), st.integers(0, 4), st.integers(2, 9))
def test_a_bin_is_the_number_of_ends_below(compiled, seed, n, d, most):
    rng = np.random.default_rng(seed)
    bins = Bins.learn(rng.standard_normal((n, d)).round(1), most)
    assert (np.diff(bins.starts) < most).all()
    assert np.array_equal(np.diff(bins.of_columns), np.diff(bins.starts) + 1)
    X = np.vstack([rng.standard_normal((9, d)), np.full((2, d), [[np.inf], [-np.inf]])])
    for j, (lo, hi) in enumerate(pairwise(bins.starts)):
        ends = bins.ends[lo:hi]
        near = np.concatenate([ends, np.nextafter(ends, np.inf), np.nextafter(ends, -np.inf)])
        X[:9, j] = rng.permutation(np.resize(near, 9)) if len(near) else X[:9, j]
    with kernels_are(compiled):
        put = bins.put(X)
    assert put.dtype == np.uint8
    assert put.shape == X.shape
    for j, (lo, hi) in enumerate(pairwise(bins.starts)):
        assert np.array_equal(put[:, j], np.searchsorted(bins.ends[lo:hi], X[:, j]))
        assert np.array_equal(put[:, j], [(bins.ends[lo:hi] < x).sum() for x in X[:, j]])


@both_ways
def test_few_values_have_a_bin_each(compiled):
    X, _ = table(1, 300, 5)
    with kernels_are(compiled):
        put = Bins.learn(X).put(X)
    for column, bins in zip(X.T, put.T, strict=True):
        assert np.array_equal(bins, np.unique(column, return_inverse=True)[1])


@both_ways
@given(seeds, st.integers(2, 400), st.integers(2, 30))
def test_bins_of_different_values_have_as_many_rows(compiled, seed, n, most):
    X = np.random.default_rng(seed).standard_cauchy((n, 1))
    with kernels_are(compiled):
        rows = np.bincount(Bins.learn(X, most).put(X)[:, 0])
    assert len(rows) == min(n, most)
    assert rows.max() - rows.min() <= 1


@both_ways
@given(seeds, st.integers(1, 400), st.integers(2, 30))
def test_equal_values_share_a_bin(compiled, seed, n, most):
    """Its largest value may bring more rows than its share, the others may not."""
    X = np.random.default_rng(seed).geometric(0.05, (n, 1)).astype(float)
    with kernels_are(compiled):
        bins = Bins.learn(X, most).put(X)[:, 0]
    order = np.argsort(X[:, 0], kind="stable")
    assert (np.diff(bins[order].astype(int)) >= 0).all()
    for one in np.unique(bins):
        values = X[bins == one, 0]
        assert not np.isin(X[bins != one, 0], values).any()
        assert (values < values.max()).sum() < -(-n // most)
    assert bins.max() < most


def test_most_bins_are_a_byte():
    X = np.arange(2000.0)[:, None]
    bins = Bins.learn(X)
    assert bins.of_columns[-1] == MOST_BINS
    assert bins.put(X).max() == MOST_BINS - 1


@both_ways
@pytest.mark.parametrize(
    "values",
    [
        [1.0, 1 + 2**-52, 1 + 2**-51],
        [1 - 2**-53, 1.0],
        [5e-324, 1e-323, 1.5e-323, 2e-323],
        [-1.7e308, 1.7e308],
        [-np.inf, np.inf],
        [-np.inf, -1.0, 0.0, np.inf],
    ],
)
def test_numbers_side_by_side_have_two_bins(compiled, values):
    X = np.array(values)[:, None]
    with kernels_are(compiled):
        assert np.array_equal(Bins.learn(X).put(X)[:, 0], np.arange(len(X)))


@both_ways
@given(seeds)
def test_half_as_precise_numbers_fall_as_they_are(compiled, seed):
    """Ends are rounded down for them: rounded up, one could take in a number that is above."""
    rng = np.random.default_rng(seed)
    X = (1 + rng.integers(0, 9, (60, 2)) * 2.0**-23).astype(np.float32)
    odd = np.array([[1e300, -1e300], [3e38, -3e38], [0, 0]])
    for bins in (Bins.learn(X), Bins.learn(odd)):
        with kernels_are(compiled):
            assert np.array_equal(bins.put(X), bins.put(X.astype(float)))
            ends = np.array([[np.inf, -np.inf], [3.4e38, -3.4e38]], np.float32)
            assert np.array_equal(bins.put(ends), bins.put(ends.astype(float)))
    assert len(np.unique(Bins.learn(X).put(X)[:, 0])) == len(np.unique(X[:, 0]))


@both_ways
def test_rows_in_odd_memory(compiled):
    X, Y = table(2, 50, 6)
    wide = np.repeat(X, 2, axis=1)
    bins, tree = Bins.learn(X), grown(X, Y, Growth(9, 2.0))
    with kernels_are(compiled):
        put = bins.put(X)
        leaves = tree.leaves(put)
        for odd in (wide[:, ::2], np.asfortranarray(X), X.astype(">f8"), wide[:, ::2].astype(np.float32)):
            assert np.array_equal(bins.put(odd), put)
            assert np.array_equal(tree.leaves_of(odd, bins), leaves)
        assert np.array_equal(bins.put(X[::-1]), put[::-1])
        assert np.array_equal(tree.leaves_of(X[::-1], bins), leaves[::-1])
        for odd in (np.asfortranarray(put), np.repeat(put, 2, axis=1)[:, ::2], put.astype(np.int64)):
            assert np.array_equal(tree.leaves(odd), leaves)
        assert np.array_equal(bins.put(X.astype(int)), bins.put(X.astype(int).astype(float)))
        narrow = Bins(bins.ends, bins.starts.astype(np.int32))
        assert np.array_equal(narrow.put(X), put)
        small = Tree(tree.column.astype(np.int32), tree.cut.astype(int), tree.kids.astype(np.int32))
        assert np.array_equal(small.leaves(put), leaves)


@both_ways
def test_a_gap_falls_as_its_bin_does(compiled):
    X, Y = table(3, 60, 3)
    bins, tree = Bins.learn(X), grown(X, Y, Growth(9, 2.0))
    X[::2, 1] = np.nan
    with kernels_are(compiled):
        assert (bins.put(X)[::2, 1] == 0).all()
        assert np.array_equal(tree.leaves_of(X, bins), tree.leaves(bins.put(X)))


# Trees


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


# What is left


@both_ways
@given(seeds, st.integers(1, 60), st.integers(1, 3), st.booleans())
def test_a_mean_of_each_leaf_is_taken_off(compiled, seed, n, targets, weighted):
    rng = np.random.default_rng(seed)
    X, left = rng.standard_normal((n, 2)), rng.standard_normal((n, targets))
    weight = rng.random(n) if weighted else None
    w = np.ones(n) if weight is None else weight
    bins, before = Bins.learn(X), left.copy()
    with kernels_are(compiled):
        tree, leaves = Growth(5, 1.0).grow((bins.put(X), bins.of_columns), left, weight)
        Follow(0.3, 2.0)(tree, leaves, left, weight)
    for leaf in range(tree.n_leaves):
        own = leaves == leaf
        mean = w[own] @ before[own] / (w[own].sum() + 2.0)
        np.testing.assert_allclose(left[own], before[own] - 0.3 * mean, atol=1e-13)


@both_ways
@given(seeds, st.integers(2, 60), st.integers(1, 3), st.booleans())
def test_newton_steps_of_the_log_loss(compiled, seed, n, targets, weighted):
    """Chances after a step are those of the logarithm of odds, moved leaf by leaf."""
    rng = np.random.default_rng(seed)
    X, ones = rng.standard_normal((n, 2)), rng.random((n, targets)) < 0.4
    weight = rng.random(n) if weighted else None
    w = (np.ones(n) if weight is None else weight)[:, None]
    score = np.zeros((n, targets))
    left, odds = ones - 0.5, np.ones((n, targets))
    bins = Bins.learn(X)
    with kernels_are(compiled):
        for _ in range(3):
            tree, leaves = Growth(4, 1.0).grow((bins.put(X), bins.of_columns), left, weight)
            chance = 1 / (1 + np.exp(-score))
            for leaf in range(tree.n_leaves):
                own = leaves == leaf
                slope = (w * (ones - chance))[own].sum(axis=0)
                bend = (w * chance * (1 - chance))[own].sum(axis=0)
                score[own] += 0.3 * np.clip(slope / (bend + 0.1), -4, 4)
            Follow(0.3, 0.1)(tree, leaves, left, weight, odds)
            np.testing.assert_allclose(odds, np.exp(-score), rtol=1e-9)
            np.testing.assert_allclose(left, ones - 1 / (1 + np.exp(-score)), atol=1e-12)


@both_ways
def test_chances_that_are_certain_stay_numbers(compiled):
    """After a thousand steps in one direction odds are at their ends, and nothing overflows."""
    left, odds = np.array([[0.5], [-0.5]]), np.ones((2, 1))
    bins = Bins.learn(np.array([[0.0], [1.0]]))
    rows = (bins.put(np.array([[0.0], [1.0]])), bins.of_columns)
    with kernels_are(compiled):
        for _ in range(1000):
            tree, leaves = Growth(2, 1.0).grow(rows, left)
            Follow(1.0, 0.0)(tree, leaves, left, None, odds)
    assert odds[0, 0] < 1e-100
    assert odds[1, 0] > 1e100
    assert np.sign(left[:, 0]).tolist() == [1, -1]


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


@both_ways
@given(seeds, st.integers(0, 40), st.sampled_from([np.float32, np.float64]))
def test_values_fall_as_their_bins_do(compiled, seed, n, dtype):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((200, 3)), rng.integers(-5, 6, (200, 1)).astype(float)
    bins = Bins.learn(X, 20)
    tree, _ = Growth(14, 4.0).grow((bins.put(X), bins.of_columns), Y)
    names = np.cumsum(tree.is_leaf) - 1
    new = rng.standard_normal((n, 3)).astype(dtype)
    for j, (lo, hi) in enumerate(pairwise(bins.starts)):  # at the ends of bins, and next to them
        at = bins.ends[rng.integers(lo, hi, n)].astype(dtype)
        beside = np.nextafter(at, dtype(rng.choice([-9, 9])))
        new[:, j] = np.where(rng.random(n) < 0.4, at, np.where(rng.random(n) < 0.5, beside, new[:, j]))
    with kernels_are(compiled):
        leaves, put = tree.leaves(bins.put(new)), bins.put(new)
        assert np.array_equal(tree.leaves_of(new, bins), leaves)
    assert leaves.dtype == np.uint8
    assert leaves.tolist() == [names[walked(tree, row)[-1]] for row in put]


def test_what_a_tree_tells_of_itself():
    tree = Tree(
        np.array([1, 0, 0, 0, 0]),
        np.array([0, 255, 1, 255, 255], np.uint8),
        np.array([[1, 2], [1, 1], [3, 4], [3, 3], [4, 4]]),
    )
    bins = Bins(np.array([0.1, 2.5, 7.0]), np.array([0, 2, 3]))
    assert tree.n_leaves == 3
    assert tree.is_leaf.tolist() == [False, True, False, True, True]
    assert tree.values(bins, np.dtype(float)).tolist() == [7.0, np.inf, 2.5, np.inf, np.inf]
    assert tree.values(bins, np.dtype(np.float32)).dtype == np.float32
    X = np.array([[9, 7], [2.5, 7.1], [2.6, 8], [0, 9]])
    assert bins.of_columns.tolist() == [0, 3, 5]
    assert bins.put(X).tolist() == [[2, 0], [1, 1], [2, 1], [0, 1]]
    assert tree.leaves_of(X, bins).tolist() == [0, 1, 2, 1]


# Pairs


@both_ways
@settings(max_examples=15)
@given(seeds, st.integers(0, 41), st.integers(0, 5), st.booleans(), st.booleans())
def test_pairs_are_the_products_of_indicators(compiled, seed, n, trees, weighted, apart):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, MOST_LEAVES + 1, trees)
    starts = np.cumsum([0, *sizes])
    width = int(starts[-1])
    leaves = rng.integers(0, sizes[:, None], (trees, n)).astype(np.uint8)
    weight = rng.random(n) if weighted else None
    Z = np.zeros((n, width))
    for a in range(trees):
        Z[np.arange(n), starts[a] + leaves[a]] = 1
    expected = Z.T @ (Z if weight is None else weight[:, None] * Z)
    tree_of = np.repeat(np.arange(trees), sizes)
    expected[tree_of[:, None] >= tree_of] = 0  # what is not asked for stays as it is
    room = rng.random((width, width + 3)) if apart else rng.random((width, width))
    before = room.copy()
    with kernels_are(compiled):
        add_pairs(leaves, starts, room[:, :width], weight)
    np.testing.assert_allclose(room[:, :width], before[:, :width] + expected, rtol=1e-14, atol=1e-14)
    assert np.array_equal(room[:, width:], before[:, width:])


@both_ways
def test_pairs_of_leaves_given_otherwise(compiled):
    rng = np.random.default_rng(0)
    leaves = rng.integers(0, 64, (5, 33))
    starts = [0, 64, 128, 192, 256, 320]
    one, other = np.zeros((2, 320, 320))
    with kernels_are(compiled):
        add_pairs(leaves.astype(np.uint8), np.array(starts), one, np.ones(33))
        add_pairs(np.asfortranarray(leaves), starts, other, np.ones(66, np.float32)[::2])
    assert np.array_equal(one, other)
    assert one.sum() == 33 * 10


# Refusals


@pytest.mark.parametrize("most", [1, MOST_BINS + 1])
def test_bad_numbers_of_bins(most):
    with pytest.raises(InputError, match=rf"A column has 2 to 255 bins, not {most}\."):
        Bins.learn(np.zeros((3, 1)), most)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"leaves": 0}, r"A tree has 1 to 64 leaves, not 0\."),
        ({"leaves": MOST_LEAVES + 1}, r"A tree has 1 to 64 leaves, not 65\."),
        ({"least": 0.0}, "A leaf needs some weight"),
        ({"least": np.nan}, "A leaf needs some weight"),
        ({"damping": -1.0}, "damping must not be negative"),
    ],
)
def test_bad_growth(parameters, message):
    with pytest.raises(InputError, match=message):
        Growth(**parameters)


@both_ways
def test_rows_that_do_not_go_together(compiled):
    """What the kernels would read beyond an array is refused."""
    X, Y = table(0, 30, 3)
    bins, growth = Bins.learn(X), Growth(4, 2.0)
    rows = bins.put(X)
    tree = Tree(np.array([2, 0, 0]), np.array([0, 255, 255]), np.array([[1, 2], [1, 1], [2, 2]]))
    with kernels_are(compiled):
        with pytest.raises(TypeError, match="bins of 3 columns, not of 2"):
            bins.put(X[:, :2])
        with pytest.raises(TypeError, match=r"\(30, 3\) bins don't go with 3 starts, 30 targets"):
            growth.grow((rows, bins.of_columns[:-1]), Y)
        with pytest.raises(TypeError, match="4 starts, 29 targets"):
            growth.grow((rows, bins.of_columns), Y[1:])
        with pytest.raises(TypeError, match="30 rows need as many weights"):
            growth.grow((rows, bins.of_columns), Y, np.ones(29))
        for left in (Y.astype(np.float32), Y[::-1], Y[1:].copy()):
            with pytest.raises(TypeError, match="left"):
                Follow(0.1, 1.0)(tree, np.zeros(30, np.uint8), left)
        with pytest.raises(TypeError, match="leaves that the tree does not have"):
            Follow(0.1, 1.0)(tree, np.full(30, 2, np.uint8), Y)
        for columns in (0, 2):
            with pytest.raises(TypeError, match=f"cuts column 2 needs more than {columns}"):
                tree.leaves(rows[:, :columns])
            with pytest.raises(TypeError, match=f"cuts column 2 needs more than {columns}"):
                tree.leaves_of(X[:, :columns], bins)


@both_ways
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gram": np.zeros((5, 5), np.float32)}, r"5 leaves need .* float64, not \(5, 5\) float32"),
        ({"gram": np.zeros((5, 4))}, r"5 leaves need as large a square of float64, not \(5, 4\)"),
        ({"gram": np.zeros((5, 10))[:, ::2]}, "5 leaves need as large a square"),
        ({"starts": np.array([0, 65, 67]), "gram": np.zeros((67, 67))}, "a tree has at most 64 leaves"),
        ({"starts": np.array([0, 2, 4, 5])}, "there are leaves that no tree has"),
        ({"starts": np.array([0, 4, 5])}, "there are leaves that no tree has"),
        ({"weight": np.ones(2)}, r"3 rows need as many weights, not \(2,\)"),
        ({"weight": np.ones((3, 1))}, r"3 rows need as many weights, not \(3, 1\)"),
    ],
)
def test_bad_pairs(compiled, changed, message):
    leaves = np.array([[0, 1, 1], [2, 0, 1]])
    arguments = {"leaves": leaves, "starts": np.array([0, 2, 5]), "gram": np.zeros((5, 5))} | changed
    with kernels_are(compiled), pytest.raises(TypeError, match=message):
        add_pairs(**arguments)
