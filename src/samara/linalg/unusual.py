"""Binned rows of which most have the same bin of a column: the other bins are listed, and counted alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.core import Array
from samara.linalg import kernels
from samara.linalg.kernels import address, library, sizes

SAMPLE = 255  # rows whose median says what is usual of a column
MOST_LISTED = 0.5  # of all bins; a listed one is read as four bytes, one of a table as one


@dataclass(frozen=True)
class Unusual:
    """The bins of each row that are not the usual one of their column, in the order of the columns."""

    usual: Array  # (d,) uint8
    ends: Array  # (2n + 1,) int64: where those of a row's first and of its second half of columns begin
    listed: Array  # uint32: numbers among all bins of all columns
    place: Array | None = None  # (d,) int64: of each in a row of the table; none where these are all of it

    @classmethod
    def of(cls, bins: Array, starts: Array) -> Unusual | None:
        """Of (n, d) bins, those of a column beginning at ``starts``; None where there are too many."""
        n, d = bins.shape
        if not bins.size or not kernels.compiled():
            return None
        some = np.sort(bins[:: -(-n // SAMPLE)], axis=0)
        usual = some[len(some) // 2]
        if np.count_nonzero(some != usual) > MOST_LISTED * some.size:  # most tables, in less than 0.1 ms
            return None
        others = bins != usual
        counts = [np.count_nonzero(half, axis=1) for half in np.split(others, [(d + 1) // 2], axis=1)]
        ends = np.append(0, np.column_stack(counts).cumsum())
        listed = starts[np.nonzero(others)[1]] + bins[others]
        return cls(usual, ends.astype(np.int64), listed.astype(np.uint32))

    def drawn(self, columns: Array, starts: Array) -> Unusual:
        """Of some columns, ascending, alone; those of all begin at ``starts``."""
        widths = np.diff(starts)[columns]
        firsts = np.append(0, widths.cumsum())
        number = np.full(starts[-1], -1, np.int32)
        number[np.arange(firsts[-1]) + np.repeat(starts[columns] - firsts[:-1], widths)] = np.arange(
            firsts[-1]
        )
        ends, listed = np.zeros_like(self.ends), np.empty_like(self.listed)
        arrays = (number, self.ends, self.listed, ends, listed)
        half = firsts[(len(columns) + 1) // 2]
        library().draw_listed(*sizes(len(ends) // 2, half), *map(address, arrays))
        return Unusual(self.usual[columns], ends, listed, columns.astype(np.int64))
