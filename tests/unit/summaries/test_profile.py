"""The first look: moments that merge, and a sample that does not depend on order."""

import numpy as np
import pytest
import scipy.sparse as sp

from samara.core import Block
from samara.errors import NonFiniteError
from samara.summaries import ColumnMoments, Profile


def _merged(X, weight, cuts, kind=np.asarray):
    total = ColumnMoments()
    for index in np.split(np.arange(len(X)), cuts):
        total.merge(ColumnMoments.of(kind(X[index]), None if weight is None else weight[index]))
    return total


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cuts", [[], [1], [3, 50, 51, 130]])
def test_merged_moments_are_numpys(kind, weighted, cuts):
    """Mean, standard deviation and range of blocks merged are those of all rows."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((200, 4)) < 0.6, rng.normal(3, 2, (200, 4)), 0.0)
    weight = rng.uniform(0.1, 4, 200) if weighted else None
    found = _merged(X, weight, cuts, kind)
    mean = np.average(X, axis=0, weights=weight)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(
        found.spread, np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight)), rtol=1e-12
    )
    np.testing.assert_array_equal(found.low, X.min(axis=0))
    np.testing.assert_array_equal(found.high, X.max(axis=0))


def test_an_offset_does_not_cancel():
    """A spread of 1 around 1e8 keeps its digits, whatever the blocks."""
    X = np.random.default_rng(1).normal(size=(500, 1)) + 1e8
    assert _merged(X, None, [100, 333]).spread[0] == pytest.approx((X - 1e8).std(), rel=1e-7)


def test_sparse_columns_with_an_offset_keep_their_digits():
    """The same for sparse rows whose stored values are far from zero."""
    X = np.random.default_rng(1).normal(size=(500, 1)) + 1e6
    assert _merged(X, None, [100], sp.csr_matrix).spread[0] == pytest.approx((X - 1e6).std(), rel=1e-6)


@pytest.mark.parametrize("size", [1e300, 1e-300, 1.7e308, 1e-307])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_huge_and_tiny_values_have_a_usable_spread(size, kind):
    """Scaled columns stay finite and of order 1 where squares over- or underflow."""
    X = np.array([-1.0, 1.0, 1.0, -1.0, 0.0])[:, None] * size
    found = _merged(X, None, [2], kind)
    assert np.isfinite(found.mean).all()
    assert np.isfinite(found.spread).all()
    with np.errstate(all="ignore"):
        scaled = X / found.spread
    assert 0.5 <= np.abs(scaled).max() <= 10


@pytest.mark.parametrize("value", [0.0, 7.0, -1e300, 1e-300, 0.1])
def test_a_constant_column_has_spread_one(value):
    """Nothing is blown up: rounding in a constant column is not a signal."""
    found = _merged(np.full((100, 1), value), np.random.default_rng(0).uniform(0.1, 2, 100), [33])
    assert found.spread[0] == 1.0


def _profile(X, order, cuts, count, **options):
    made = Profile(count, salt=5)
    for index in np.split(order, cuts):
        part = Profile(count, salt=5)
        part.update(Block(X[index], np.zeros((len(index), 1)), None, 0, **options))
        made.merge(part)
    return made


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_the_sample_does_not_depend_on_order_or_cuts(kind):
    """The rows with the smallest keys, distinct and in the order of their keys."""
    X = np.random.default_rng(0).integers(0, 6, (300, 3)).astype(float)
    straight = _profile(kind(X), np.arange(300), [], 40).sample
    shuffled = _profile(kind(X), np.random.default_rng(1).permutation(300), [10, 11, 200], 40).sample
    np.testing.assert_array_equal(straight, shuffled)
    assert len(np.unique(straight, axis=0)) == 40


def test_a_smaller_sample_begins_a_larger_one():
    """Samples nest."""
    X = np.random.default_rng(0).normal(size=(300, 3))
    large = _profile(X, np.arange(300), [100], 50).sample
    np.testing.assert_array_equal(_profile(X, np.arange(300), [7], 20).sample, large[:20])


def test_the_sample_stops_at_the_distinct_rows():
    """Ten distinct rows give a sample of ten however many are asked for."""
    X = np.repeat(np.arange(10.0)[:, None], 30, axis=0)
    assert sorted(_profile(X, np.arange(300), [50, 100], 64).sample[:, 0]) == list(range(10))


def test_the_sample_is_uniform():
    """Over many salts every row is drawn about equally often."""
    X = np.arange(40.0)[:, None]
    counts = np.zeros(40)
    for salt in range(400):
        profile = Profile(10, salt)
        profile.update(Block(X, np.zeros((40, 1)), None, 0))
        counts[profile.sample[:, 0].astype(int)] += 1
    assert np.abs(counts - 100).max() < 5 * np.sqrt(100 * 0.75)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_the_first_look_refuses_what_is_not_finite(value, kind):
    """A NaN or an infinity anywhere in a block is seen."""
    X = np.ones((9, 3))
    X[4, 1] = value
    with pytest.raises(NonFiniteError):
        Profile().update(Block(kind(X), np.zeros((9, 1)), None, 0))
    with pytest.raises(NonFiniteError):
        Profile().update(Block(np.ones((9, 3)), X[:, 1:2], None, 0))
