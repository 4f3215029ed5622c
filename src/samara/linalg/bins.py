"""Bins of columns: what trees that cut by one input at a time see of its values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg import kernels
from samara.linalg.kernels import address, floats, library, sizes, stride
from samara.linalg.workers import in_threads

MOST_BINS = 255  # a bin is a byte
WORTH_THREADS = 100_000  # values to put into bins: some 3 ms
TOGETHER = 64  # columns whose bins are learned at once: as fast as all in one thread, and shared out evenly


@dataclass(frozen=True)
class Bins:
    """Ends of the bins of every column: a value belongs to the bin that as many ends lie below."""

    ends: Array  # float64, of all columns in turn, ascending in each
    starts: Array  # (d + 1,) int64: where those of a column begin

    @classmethod
    def learn(cls, rows: Array, most: int = MOST_BINS, workers: int = 1) -> Bins:
        """At most ``most`` bins a column, of about as many of the rows each; equal values share one."""
        if not 2 <= most <= MOST_BINS:
            raise InputError(f"A column has 2 to {MOST_BINS} bins, not {most}.")
        firsts = range(0, rows.shape[1] or 1, TOGETHER)
        found = in_threads(
            lambda first: _ends(rows[:, first : first + TOGETHER], most),
            firsts,
            workers if rows.size > WORTH_THREADS else 1,
        )
        ends, counts = (np.concatenate(part) for part in zip(*found, strict=True))
        return cls(ends, np.append(0, np.cumsum(counts)).astype(np.int64))

    @property
    def of_columns(self) -> Array:
        """(d + 1,): where the bins of a column begin among all bins; there is one more than ends."""
        return self.starts + np.arange(len(self.starts))

    def put(self, X: Array, workers: int = 1) -> Array:
        """The bins of rows, as bytes."""
        X = floats(X)
        if X.shape[1] != len(self.starts) - 1:
            raise TypeError(f"there are bins of {len(self.starts) - 1} columns, not of {X.shape[1]}")
        bins, ends = np.empty(X.shape, np.uint8), rounded_down(self.ends, X.dtype)
        edges = np.linspace(0, len(X), (workers if X.size > WORTH_THREADS else 1) + 1).astype(int)
        spans = [slice(*span) for span in pairwise(edges.tolist())]
        in_threads(lambda span: self._put(X[span], ends, bins[span]), spans, workers)
        return bins

    def _put(self, X: Array, ends: Array, bins: Array) -> None:
        if kernels.compiled():
            starts = np.ascontiguousarray(self.starts, np.int64)
            work = library().put_in_bins_double if X.dtype == np.float64 else library().put_in_bins_single
            work(address(X), *sizes(*X.shape, stride(X)), address(ends), address(starts), address(bins))
            return
        for j, (lo, hi) in enumerate(pairwise(self.starts)):
            bins[:, j] = np.searchsorted(ends[lo:hi], X[:, j])
        bins[np.isnan(X)] = 0  # nothing lies below it, and no cut sends it to the second kid


def _ends(rows: Array, most: int) -> tuple[Array, Array]:
    """The ends of the bins of some columns in turn, and how many each has."""
    columns = np.sort(np.ascontiguousarray(np.asarray(rows, float).T), axis=1)
    steps = columns[:, 1:] > columns[:, :-1]  # the last row of each value but the largest
    few = steps.sum(axis=1) < most  # most columns of zeros and ones: all of them at once
    many = {j: _shares(np.flatnonzero(steps[j]), columns.shape[1], most) for j in np.flatnonzero(~few)}
    steps[~few] = False
    for j, chosen in many.items():
        steps[j, chosen] = True
    column, last = np.nonzero(steps)
    return _between(columns[column, last], columns[column, last + 1]), steps.sum(axis=1)


def _shares(steps: Array, n: int, most: int) -> Array:
    """Of many steps those where a bin ends: with its share of the rows, or with the last ones of a value."""
    found = np.searchsorted(steps, np.arange(1, most) * n // most - 1)
    return np.asarray(steps[np.unique(found[found < len(steps)])])


def _between(low: Array, high: Array) -> Array:
    """Half-way between neighbours; of two numbers without a third between them the lower."""
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2  # the sum could be too large
    # Half-way is rounded, maybe to the upper one, which must stay above.
    return np.where((middle >= low) & (middle < high), middle, low)


def rounded_down(ends: Array, dtype: np.dtype[np.floating]) -> Array:
    """The last numbers of a type not above these: they part the numbers of that type as these do."""
    with np.errstate(over="ignore"):
        near = np.ascontiguousarray(ends, dtype)
        return np.where(near > ends, np.nextafter(near, dtype.type(-np.inf)), near)
