"""Bins that few rows have, listed: what is counted of them is what is counted of the table."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from samara.linalg.bins import Bins
from samara.linalg.growth import Growth
from samara.linalg.unusual import MOST_LISTED, Unusual
from tests.growing import kernels_are, needs_kernels, same, seeds

pytestmark = needs_kernels


def sparse_table(seed, n, d, share=0.2):
    """Binned rows with a usual bin a column, not always the first, and whole targets of theirs."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < share, rng.integers(-3, 4, (n, d)), rng.integers(-1, 2, d))
    bins = Bins.learn(X.astype(float))
    Y = X @ rng.integers(-3, 4, (d, 1 + seed % 3)) + rng.integers(-2, 3, (n, 1))
    return bins.put(X.astype(float)), bins.of_columns, Y.astype(float)


@settings(max_examples=40)
@given(seeds, st.integers(1, 700), st.integers(1, 9), st.booleans(), st.sampled_from([1, 2]))
def test_listed_or_not_the_tree_is_the_same(seed, n, d, weighted, workers):
    bins, starts, Y = sparse_table(seed, n, d)
    unusual = Unusual.of(bins, starts)
    assume(unusual is not None)  # of few rows many may be unusual
    weight = np.random.default_rng(seed).integers(0, 3, n).astype(float) if weighted else None
    growth = Growth(12, 3.0)
    one, leaves = growth.grow((bins, starts), Y, weight)
    other, found = growth.grow((bins, starts), Y, weight, workers, unusual)
    assert same(one, other)
    assert np.array_equal(leaves, found)


@settings(max_examples=40)
@given(seeds, st.integers(5, 300), st.integers(3, 12), st.integers(1, 12))
def test_columns_drawn_are_columns_taken(seed, n, d, some):
    bins, starts, Y = sparse_table(seed, n, d)
    unusual = Unusual.of(bins, starts)
    assume(unusual is not None)
    columns = np.sort(np.random.default_rng(seed).choice(d, min(some, d), replace=False))
    firsts = np.append(0, np.diff(starts)[columns].cumsum())
    one, leaves = Growth(9, 2.0).grow((bins[:, columns], firsts), Y)
    other, found = Growth(9, 2.0).grow((bins, firsts), Y, None, 2, unusual.drawn(columns, starts))
    assert same(one, other)
    assert np.array_equal(leaves, found)


def test_all_but_the_usual_bins_are_listed():
    bins, starts, _ = sparse_table(3, 200, 5)
    unusual = Unusual.of(bins, starts)
    for row in range(200):
        of_row = unusual.listed[unusual.ends[2 * row] : unusual.ends[2 * row + 2]]
        others = np.flatnonzero(bins[row] != unusual.usual)
        assert of_row.tolist() == (starts[others] + bins[row, others]).tolist()
        assert unusual.ends[2 * row + 1] - unusual.ends[2 * row] == np.count_nonzero(others < 3)


def test_where_many_are_unusual_nothing_is_listed():
    bins, starts, _ = sparse_table(0, 300, 6, share=0.9)
    assert np.mean(bins != np.median(bins, axis=0)) > MOST_LISTED
    assert Unusual.of(bins, starts) is None
    assert Unusual.of(bins[:0], starts) is None
    assert Unusual.of(bins[:, :0], starts[:1]) is None


def test_without_kernels_nothing_is_listed():
    bins, starts, _ = sparse_table(0, 300, 6)
    with kernels_are(False):
        assert Unusual.of(bins, starts) is None


def test_of_other_rows():
    bins, starts, Y = sparse_table(3, 200, 5)
    with pytest.raises(TypeError, match="of these rows"):
        Growth().grow((bins[:100], starts), Y[:100], unusual=Unusual.of(bins, starts))
    with pytest.raises(TypeError, match="don't go with"):
        Growth().grow((bins, starts[:-1]), Y, unusual=Unusual.of(bins, starts))
