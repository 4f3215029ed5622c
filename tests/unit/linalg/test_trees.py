"""Leaves of rows, pairs of leaves, and what is refused."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samara.errors import InputError
from samara.linalg.bins import MOST_BINS, Bins
from samara.linalg.growth import Follow, Growth
from samara.linalg.trees import MOST_LEAVES, Tree, add_pairs
from tests.growing import both_ways, kernels_are, seeds, table, walked


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
