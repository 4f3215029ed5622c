"""Parcels: what arrives is what was sent, and nobody writes into what another may still read."""

import pickle

import numpy as np
import pytest

from samara.core import Block
from samara.engines.parcels import ALIGNMENT, LARGE, copied, opened, wrapped
from samara.summaries import HeldOut, Layout, Moments, Products, Triangle

LAYOUT = Layout(np.zeros(150), np.zeros(1), np.ones(1), np.dtype(float))


def _blocks(count, folds=2):
    rng = np.random.default_rng(count)
    return [
        Block(rng.normal(size=(90, 150)), rng.normal(size=(90, 1)), None, 0, k % folds) for k in range(count)
    ]


def _summed(summary, blocks):
    for block in blocks:
        summary.update(block)
    return summary.finish()


def _size(parcel):
    return len(parcel[0]) + sum(len(array) for array in parcel[1])


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_order_arrive(order):
    """Large ones beside the head, without a copy; small ones in it."""
    large, small = np.asarray(np.arange(30_000.0).reshape(100, 300), order=order), np.arange(5)
    parcel = wrapped({"large": large, "small": small, "text": "é"})
    assert [array.nbytes for array in parcel[1]] == [large.nbytes]
    assert np.shares_memory(parcel[1][0], large)
    assert len(parcel[0]) < LARGE
    for found in (opened(parcel), copied(parcel)):
        np.testing.assert_array_equal(found["large"], large)
        np.testing.assert_array_equal(found["small"], small)
        assert found["text"] == "é"


def test_what_is_opened_is_not_written_to():
    """A copy may be, and leaves the parcel as it was."""
    parcel = wrapped(np.ones(LARGE))
    with pytest.raises(ValueError, match="read-only"):
        opened(parcel)[0] = 2
    copied(parcel)[:] = 3
    assert (opened(parcel) == 1).all()


def test_frames_that_begin_anywhere_are_moved():
    """Compiled loops are given numbers that lie where numbers do."""
    head, (array,) = wrapped(np.arange(LARGE, dtype=float))
    buffer = np.zeros(len(array) + ALIGNMENT, np.uint8)
    shifted = buffer[1 : 1 + len(array)]
    shifted[:] = array
    found = opened((head, [shifted]))
    assert found.ctypes.data % ALIGNMENT == 0
    np.testing.assert_array_equal(found, np.arange(LARGE))


@pytest.mark.parametrize("make", [Moments, Triangle])
def test_a_merge_of_parcels_is_a_merge(make):
    """To the bit; a fold that one side or both have not seen is no exception."""
    blocks = _blocks(6)
    sides = [_summed(make(LAYOUT, 4, 90), some) for some in (blocks[:3], [*blocks[3:], *_blocks(3, 3)])]
    parcels = [wrapped(pickle.loads(pickle.dumps(side))) for side in sides]
    total = copied(parcels[0])
    total.merge(opened(parcels[1]))
    sides[0].merge(sides[1])
    for one, other in zip(_folds(copied(wrapped(total))), _folds(sides[0]), strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(np.triu(one), np.triu(other))


def _folds(summary):
    return summary.grams if isinstance(summary, Moments) else summary.folds


@pytest.mark.parametrize("rows", [1, 2])
def test_half_of_a_triangle_travels(rows):
    """Of a fold with fewer rows than columns the trapezoid."""
    summary = _summed(Triangle(LAYOUT, 1, 90), _blocks(rows, 1))
    height = min(90 * rows, 152)
    words = height * 152 - height * (height - 1) // 2
    assert 8 * words < _size(wrapped(summary)) < 8 * words + 3000


def test_columns_that_were_asked_for_do_not_come_back():
    """They are as large as what comes."""
    P = np.random.default_rng(0).normal(size=(152, 100))
    size = _size(wrapped(_summed(Products(LAYOUT, P, 90), _blocks(2))))
    assert P.nbytes < size < 1.1 * P.nbytes
    held = HeldOut(LAYOUT, np.stack([P, P]), 90)
    held.update(_blocks(1)[0])
    assert _size(wrapped(held)) < 6000
