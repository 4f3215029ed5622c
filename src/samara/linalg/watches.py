"""What a range finder's stop gets to see, read off the triangles of its blocks."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg.basis import Basis
from samara.linalg.operands import Operand, row_squares
from samara.linalg.stops import Stop

# Times eps and the largest probe. What rounding leaves of a probe whose range is exhausted was 5 to 40 of
# these, at up to 8000 rows; at exactly the rank of A it can be 500, for a column or two.
_EXHAUSTED = 100


class Watch(Protocol):
    """Turns triangles into the values that a stop reads."""

    drawn: int  # columns of Ω so far
    most: int  # columns of Ω that may be drawn
    values: Array  # after 0, 1, … columns

    def add(self, T: Array, basis: Basis) -> None:
        """The next columns: T has their coordinates in the basis."""
        ...

    def exhausted_at(self) -> int | None:
        """The first count at which nothing but rounding errors is left."""
        ...

    def rows(self, count: int) -> Array | None:
        """The first rows of QᵀA, where they were needed."""
        ...


def make_watch(A: Operand, stop: Stop, limit: int) -> Watch:
    """The watch that a stop asks for."""
    return EnergyWatch(A, limit) if stop.watches == "energy" else ProbeWatch(stop.r, limit, A.dtype)


class ProbeWatch:
    """The largest norm of the next r columns of AΩ after each count."""

    def __init__(self, r: int, limit: int, dtype: np.dtype[Any]) -> None:
        self._r = r
        self._eps = np.finfo(dtype).eps
        self._squares = np.zeros(0)
        self.drawn, self.most = 0, limit + r
        self.values: Array = np.zeros(0)

    def add(self, T: Array, basis: Basis) -> None:
        """A column's norm after j others is that of its entries from row j on."""
        low, high = max(0, self.drawn - self._r), self.drawn + T.shape[1]
        left = np.zeros((len(T) - low + 1, T.shape[1]))
        left[:-1] = np.cumsum(np.square(T[low:][::-1], dtype=np.float64), axis=0)[::-1]
        ahead = np.arange(self.drawn, high) - np.arange(low, len(T) + 1)[:, None]
        squares = np.zeros(high + 1)
        squares[: len(self._squares)] = self._squares
        now = np.where((ahead >= 0) & (ahead < self._r), left, 0).max(axis=1)
        np.maximum(squares[low : len(T) + 1], now, out=squares[low : len(T) + 1])
        self._squares, self.drawn = squares, high
        self.values = np.sqrt(squares[: high - self._r + 1])

    def exhausted_at(self) -> int | None:
        """The first count whose probes are at the rounding error of the largest."""
        spent = self.values <= _EXHAUSTED * self._eps * self.values.max()
        return int(np.argmax(spent)) if spent.any() else None

    def rows(self, count: int) -> None:
        """Not needed."""


class EnergyWatch:
    """The share of ‖A‖²_F that is left after each count."""

    def __init__(self, A: Operand, limit: int) -> None:
        self._A = A
        self._B: list[Array] = []
        self.drawn, self.most = 0, limit
        self.values: Array = np.ones(1, A.dtype)

    def add(self, T: Array, basis: Basis) -> None:
        """Each row of QᵀA takes its squares away."""
        B = self._A.left_times(basis.columns[:, self.drawn :])
        self._B.append(B)
        self.drawn += T.shape[1]
        total = self._A.squared_norm()
        if total is None:
            raise InputError(
                "EnergyStop needs the norm of the matrix, which an operator does not tell: "
                "use ErrorStop or GradientStop."
            )
        taken = np.concatenate([np.zeros(1), *(row_squares(B) for B in self._B)])
        left = np.maximum(0, total - np.cumsum(taken))
        self.values = (left / (total or 1)).astype(self._A.dtype)

    def exhausted_at(self) -> None:
        """EnergyStop does not look below the rounding error."""

    def rows(self, count: int) -> Array:
        """The first rows of QᵀA."""
        return np.concatenate(self._B)[:count]
