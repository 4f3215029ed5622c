"""Moments of columns in which values may be missing."""

from __future__ import annotations

import numpy as np

from samara.core import Array
from samara.summaries.profile import ColumnMoments

TINY = np.finfo(float).tiny


class PresentMoments:
    """Rows, weight, mean, spread and range of the values that are there, each column with its own weight."""

    def __init__(self, n_columns: int) -> None:
        self.rows = np.zeros(n_columns)
        self.weight = np.zeros(n_columns)
        self.mean = np.zeros(n_columns)
        self.squares = np.zeros(n_columns)  # Σ w (x − mean)²
        self.low = np.full(n_columns, np.inf)
        self.high = np.full(n_columns, -np.inf)

    @classmethod
    def of(cls, X: Array, weight: Array | None) -> PresentMoments:
        """The moments of one block; an infinity shows as an infinite end."""
        made = cls(X.shape[1])
        whole = ColumnMoments.of(X, weight)
        made.rows[:], made.weight[:] = len(X), whole.weight
        made.mean, made.squares, made.low, made.high = whole.mean, whole.squares, whole.low, whole.high
        # Most columns are complete; only the others are copied and masked.
        holes = np.flatnonzero(~(np.isfinite(whole.low) & np.isfinite(whole.high)))
        if len(holes):
            made._mask(holes, np.asarray(X[:, holes], np.float64), weight)
        return made

    def _mask(self, columns: Array, X: Array, weight: Array | None) -> None:
        there = ~np.isnan(X)
        each = there * (np.ones(len(X)) if weight is None else weight)[:, None]
        self.rows[columns] = there.sum(axis=0)
        self.weight[columns] = total = each.sum(axis=0)
        self.low[columns] = np.where(there, X, np.inf).min(axis=0)
        self.high[columns] = np.where(there, X, -np.inf).max(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.where(there, X * (each / np.maximum(total, TINY)), 0.0).sum(axis=0)
            self.squares[columns] = np.where(there, each * (X - mean) ** 2, 0.0).sum(axis=0)
        self.mean[columns] = mean

    def merge(self, other: PresentMoments) -> None:
        """Add the rows of another, by Chan's formula."""
        total = np.maximum(self.weight + other.weight, TINY)
        with np.errstate(over="ignore", invalid="ignore"):
            gap = other.mean - self.mean
            between = gap * (gap * (self.weight * other.weight / total))
            self.squares = self.squares + other.squares + between
            self.mean = self.mean + gap * (other.weight / total)
        self.rows, self.weight = self.rows + other.rows, self.weight + other.weight
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)

    def state(self) -> Array:
        """All six, as rows of one array."""
        return np.stack([self.rows, self.weight, self.mean, self.squares, self.low, self.high])

    def restore(self, state: Array) -> None:
        """Go on from a state."""
        self.rows, self.weight, self.mean, self.squares, self.low, self.high = state
