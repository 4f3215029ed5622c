"""A profile of a raw table: neither order, cuts nor merges of the rows change it; a weight is a count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import SMALL, Table


def assert_same(found, wanted):
    """Counts, categories and sample to the bit, moments to 1e-12."""
    assert (found.n_rows, found.weight) == (wanted.n_rows, wanted.weight)
    assert_same_but_for_rows(found, wanted)
    np.testing.assert_array_equal(found.inputs.rows, wanted.inputs.rows)


def assert_same_but_for_rows(found, wanted):
    """All that weights have a part in."""
    for name in ("weight", "low", "high"):
        np.testing.assert_array_equal(getattr(found.inputs, name), getattr(wanted.inputs, name))
    for name in ("mean", "squares"):
        # Of each column its own size: codes of texts are near 1e15, and their squares near 1e30.
        for mine, theirs in zip(getattr(found.inputs, name), getattr(wanted.inputs, name), strict=True):
            assert mine == pytest.approx(theirs, rel=1e-12)
    np.testing.assert_array_equal(found.sample, wanted.sample)
    for j in found.texts:
        assert_same_levels(found.levels(j), wanted.levels(j))
        codes = found.levels(j).codes
        name = found.schema[j].name
        assert found.texts_of(name, codes) == wanted.texts_of(name, codes)
    assert_same_levels(found.totals(), wanted.totals())
    if found.has_classes:
        np.testing.assert_array_equal(found.classes, wanted.classes)
        np.testing.assert_allclose(found.class_weights(), wanted.class_weights(), rtol=1e-13)


def assert_same_levels(found, wanted):
    """The same categories with the same targets."""
    np.testing.assert_array_equal(found.codes, wanted.codes)
    np.testing.assert_array_equal(found.weight, wanted.weight)
    np.testing.assert_allclose(found.mean, wanted.mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.squares, wanted.squares, rtol=1e-11, atol=1e-11)


@given(
    seed=st.integers(0, 10**6),
    kinds=st.sampled_from([0, 2, 4]),
    weighted=st.booleans(),
    cuts=st.lists(st.integers(0, 200), max_size=6).map(sorted),
)
def test_cutting_and_order_change_nothing(seed, kinds, weighted, cuts):
    """Any cuts of any order of the rows, merged one after the other."""
    table = Table(200, seed, kinds, weighted=weighted)
    order = np.random.default_rng(seed).permutation(200)
    assert_same(table.profiled(cuts, order, limits=SMALL), table.profiled(limits=SMALL))


@given(seed=st.integers(0, 10**6), kinds=st.sampled_from([0, 3]), waiting=st.sampled_from([1, 40, 10**6]))
def test_a_tree_of_merges_is_a_long_update(seed, kinds, waiting):
    """Pairs of pairs, whenever the categories are sorted in."""
    table = Table(160, seed, kinds)
    leaves = [table.profile(limits=SMALL) for _ in range(8)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("samara.summaries.levels.SETTLE_ROWS", waiting)
        for leaf, index in zip(leaves, np.split(np.arange(160), 8), strict=True):
            for row in index:
                leaf.update(table.block(slice(row, row + 1)))
        while len(leaves) > 1:
            right, left = leaves.pop(), leaves.pop(0)
            right.merge(left)
            leaves.append(right)
        assert_same(leaves[0], table.profiled(limits=SMALL))


@given(seed=st.integers(0, 10**6), kinds=st.sampled_from([0, 2, 4]))
def test_a_weight_is_the_row_so_many_times(seed, kinds):
    """0 times included."""
    weighted, repeated = Table(150, seed, kinds), Table(150, seed, kinds)
    times = np.random.default_rng(seed).integers(0, 4, 150)
    weighted.weight = times.astype(float)
    every = np.repeat(np.arange(150), times)
    repeated.X, repeated.y, repeated.weight = repeated.X[every], repeated.y[every], None
    assert_same_but_for_rows(weighted.profiled([70], limits=SMALL), repeated.profiled([9, 99], limits=SMALL))
    assert weighted.profiled(limits=SMALL).n_rows == (times > 0).sum()


def test_missing_values_of_float32_rows_are_those_of_float64_rows():
    """Keys, folds and categories don't depend on the precision in which NaN is stored."""
    table = Table(100, weighted=False)
    table.X[:, [0, 2, 4]] = np.round(table.X[:, [0, 2, 4]])
    table.X[:, [1, 3]] %= 1000
    single = Table(100, weighted=False)
    single.X = table.X.astype(np.float32)
    assert_same(single.profiled([30], limits=SMALL), table.profiled(limits=SMALL))
