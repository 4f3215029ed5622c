"""Bins of columns, compiled and plain."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samara.linalg.bins import MOST_BINS, Bins
from samara.linalg.growth import Growth
from samara.linalg.trees import Tree
from tests.growing import both_ways, grown, kernels_are, seeds, table


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


@settings(max_examples=10)
@given(seeds, st.integers(1, 200), st.integers(1, 5))
def test_columns_learned_together_or_alone(seed, d, workers):
    """However many there are, and in however many threads."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((600, d)) < 0.5, rng.integers(0, 3, (600, d)), rng.standard_normal((600, d)))
    bins = Bins.learn(X, workers=workers)
    each = [Bins.learn(X[:, [j]]).ends for j in range(d)]
    assert np.array_equal(bins.ends, np.concatenate(each))
    assert np.array_equal(np.diff(bins.starts), [len(ends) for ends in each])
