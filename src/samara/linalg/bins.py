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


@dataclass(frozen=True)
class Bins:
    """Ends of the bins of every column: a value belongs to the bin that as many ends lie below."""

    ends: Array  # float64, of all columns in turn, ascending in each
    starts: Array  # (d + 1,) int64: where those of a column begin

    @classmethod
    def learn(cls, rows: Array, most: int = MOST_BINS) -> Bins:
        """At most ``most`` bins a column, of about as many of the rows each; equal values share one."""
        if not 2 <= most <= MOST_BINS:
            raise InputError(f"A column has 2 to {MOST_BINS} bins, not {most}.")
        ends = [_ends(column, most) for column in np.sort(np.asarray(rows, float), axis=0).T]
        starts = np.cumsum([0, *(len(one) for one in ends)]).astype(np.int64)
        return cls(np.concatenate(ends) if ends else np.zeros(0), starts)

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


def _ends(column: Array, most: int) -> Array:
    """Ends of the bins of a sorted column: half-way between neighbours."""
    steps = np.flatnonzero(column[1:] > column[:-1])  # the last row of each value but the largest
    if len(steps) >= most:
        # A bin ends with its share of the rows, or where the value of the last of them does.
        found = np.searchsorted(steps, np.arange(1, most) * len(column) // most - 1)
        steps = steps[np.unique(found[found < len(steps)])]
    low, high = column[steps], column[steps + 1]
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2  # the sum could be too large
    # Between two numbers without a third, half-way is rounded, maybe to the upper one, which must stay above.
    return np.where((middle >= low) & (middle < high), middle, low)


def rounded_down(ends: Array, dtype: np.dtype[np.floating]) -> Array:
    """The last numbers of a type not above these: they part the numbers of that type as these do."""
    with np.errstate(over="ignore"):
        near = np.ascontiguousarray(ends, dtype)
        return np.where(near > ends, np.nextafter(near, dtype.type(-np.inf)), near)
