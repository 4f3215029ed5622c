"""A 64-bit key of a row's content.

Folds and samples are drawn by this key rather than by row number. Shuffling, cutting or spreading the
rows over machines then changes nothing; a row that occurs twice falls into one fold, so a copy of a
held-out row is never trained on; and a weight of 2 is the row twice, in the selection of the ridge too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from samara.core import Array
from samara.linalg import kernels

_SALT = np.uint64(0x9E3779B97F4A7C15)


def _mixed(keys: Array) -> Array:
    """The finalizer of splitmix64: every input bit reaches every output bit."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


@lru_cache(64)
def _multipliers(d: int) -> Array:
    """One odd multiplier a column; to work them out takes as long as the keys of a hundred rows."""
    return _mixed(np.arange(1, d + 1, dtype=np.uint64) * _SALT) | np.uint64(1)


def row_keys(X: Any, salt: int = 0) -> Array:
    """Keys (n,) of the rows of a dense or CSR matrix; equal values give equal keys, whatever their dtype."""
    return salted(_raw_keys(X), salt)


def salted(keys: Array, salt: int) -> Array:
    """Other keys of the same rows: equal ones stay equal."""
    return _mixed(keys ^ _mixed(np.array([salt], np.uint64)) if salt else keys)  # 0 is mixed to 0


def _raw_keys(X: Any) -> Array:
    factors = _multipliers(X.shape[1])
    if hasattr(X, "indptr"):
        return _sparse_keys(X, factors)
    if kernels.compiled():  # 6 times as fast: 40 values take 50 ns
        return kernels.sums_of_words(X, factors)
    return np.asarray(_cells(np.ascontiguousarray(X), factors).sum(axis=1, dtype=np.uint64))


def _sparse_keys(X: Any, factors: Array) -> Array:
    """Keys of CSR rows: a zero adds nothing, stored or not."""
    totals = np.concatenate(([np.uint64(0)], np.cumsum(_cells(X.data, factors[X.indices]), dtype=np.uint64)))
    return np.asarray(totals[X.indptr[1:]] - totals[X.indptr[:-1]])


def _cells(values: Array, factors: Array) -> Array:
    """A word for each value, 0 for 0.

    A whole number has zeros in all but the top bits of its float; folding the halves onto each other
    before the product, and again after it, lets those few bits reach the whole word.
    """
    words = np.add(values, 0.0, dtype=np.float64).view(np.uint64)  # -0.0 becomes 0.0
    words ^= words >> np.uint64(32)
    words *= factors
    words ^= words >> np.uint64(29)
    return words


def fold_of(keys: Array, n_folds: int) -> Array:
    """The fold (0 … n_folds−1) of each key."""
    return (_mixed(keys ^ _SALT) % np.uint64(n_folds)).astype(np.intp)


def keys_with_targets(X: Any, y: Array) -> Array:
    """Keys (n, 2) of the rows' inputs, and of inputs and targets together."""
    keys = row_keys(X)
    return np.stack([keys, keys ^ row_keys(y, 1)] if y.shape[1] else [keys, keys], axis=1)


@dataclass(frozen=True)
class Copies:
    """Rows of equal inputs, which are left out together; those of equal targets too are one row.

    A weight of 2 is then the row twice, whatever is learned from rows left out.
    """

    first: Array  # (g,) first row of each input, ascending
    rows: Array  # (m,) first row of each input with its target, ascending
    group: Array  # (m,) which of the inputs each of these has
    weight: Array | None  # (m,) of a row with all its copies; None: 1 each
    inputs: Array  # (n,) which of the inputs every row has

    @classmethod
    def found(cls, keys: Array, weight: Array | None) -> Copies:
        """Among rows with keys (n, 2) of inputs, and of inputs with targets."""
        first, inputs = _firsts(keys[:, 0])
        rows, place = _firsts(keys[:, 1])
        counted = weight is None and len(rows) == len(keys)
        total = None if counted else np.bincount(place, weight).astype(np.float64)
        return cls(first, rows, inputs[rows], total, inputs)

    @property
    def one_target_each(self) -> bool:
        """Whether no input has two targets."""
        return len(self.first) == len(self.rows)

    @property
    def total(self) -> Array:
        """Weight (g,) of all rows of an input."""
        return np.bincount(self.group, self.weight).astype(np.float64)

    def members(self, chosen: Array) -> list[Array]:
        """All rows of some of the inputs, ascending."""
        order = np.argsort(self.inputs, kind="stable")
        ends = np.searchsorted(self.inputs[order], [chosen, chosen + 1])
        return [order[lo:hi] for lo, hi in ends.T.tolist()]

    def mean(self, y: Array) -> Array:
        """Mean target (g, t) of each input, of the targets (n, t) of all rows."""
        start = y[self.first]
        if self.one_target_each:
            return np.asarray(start)
        beyond = (y[self.rows] - start[self.group]) * (1.0 if self.weight is None else self.weight[:, None])
        sums = np.stack([np.bincount(self.group, column) for column in beyond.T], axis=1)
        return np.asarray(start + sums / self.total[:, None])


def _firsts(keys: Array) -> tuple[Array, Array]:
    """The first row of each key, ascending, and which of these each row is a copy of."""
    _, index, group = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(index), np.intp)
    rank[np.argsort(index)] = np.arange(len(index))
    return np.sort(index), rank[group]
