"""The window as two stacks: what it keeps, and what its sums add up to."""

import numpy as np
import pytest

from samara.sources import ArraySource
from samara.summaries import Layout, Moments
from samara.summaries.grown import sum_of
from samara.windows import CHUNKS, Window

RNG = np.random.default_rng(2)
X = RNG.normal(size=(500, 2))
Y = RNG.normal(size=(500, 1))
LAYOUT = Layout(np.zeros(2), np.zeros(1), np.ones(1), np.dtype("float64"))


def _update(summary, source):
    for block in source.parts(1)[0].blocks(64):
        summary.update(block)


def _window(size):
    return Window(size, lambda: Moments(LAYOUT, 1, 64), _update)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 40, 64, 1000])
@pytest.mark.parametrize("batch", [1, 3, 50, 500])
def test_sums_are_those_of_the_last_rows(size, batch):
    """After every batch, and nothing more is kept than a chunk beyond the window."""
    window = _window(size)
    chunk = -(-size // CHUNKS)
    for stop in range(batch, 501, batch):
        window.learn(ArraySource(X[stop - batch : stop], Y[stop - batch : stop]))
        last = slice(max(0, stop - size), stop)
        Z = np.column_stack([np.ones(stop - last.start), X[last], Y[last]])
        made = np.triu(sum_of(window.summaries())[0])
        np.testing.assert_allclose(made, np.triu(Z.T @ Z), rtol=1e-12, atol=1e-12)
        assert min(stop, size) <= window.n_rows < size + chunk + 1
        assert len(window._chunks) <= CHUNKS + 1
        assert len(window._front) <= CHUNKS + 1


def test_rows_kept_are_copies():
    """What becomes of the user's table later does not reach the window."""
    table, target = X[:20].copy(), Y[:20].copy()
    window = _window(5)
    window.learn(ArraySource(table, target))
    before = sum_of(window.summaries())[0].copy()
    table[:], target[:] = np.nan, np.nan
    np.testing.assert_array_equal(sum_of(window.summaries())[0], before)
    for lo in range(100, 140, 3):
        window.learn(ArraySource(X[lo : lo + 3], Y[lo : lo + 3]))
    assert np.isfinite(sum_of(window.summaries())[0]).all()
