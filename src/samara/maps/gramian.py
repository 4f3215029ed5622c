"""The kernel matrix of some rows, a tile at a time."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from samara.core import Array, dense
from samara.errors import InputError
from samara.maps.kernels import Kernel
from samara.maps.sides import Index, Side, between, offset, prepare

DIAGONAL_ROWS = 32  # of a callable at a time: fewer are more calls, more are more entries thrown away


class Gramian:
    """K[i, j] = k(x_i, x_j), never stored: tiles of it are made where they are used.

    Parameters
    ----------
    kernel : Kernel
        Already validated.
    X : array or CSR matrix of shape (n, d)
        The rows; for ``precomputed`` the (n, n) matrix itself.
    dtype : numpy.dtype
        float32 or float64: of the tiles and of the prepared copy of the rows.
    """

    def __init__(self, kernel: Kernel, X: Any, dtype: np.dtype[np.floating]) -> None:
        if X.ndim != 2 or (kernel.name == "precomputed" and X.shape[0] != X.shape[1]):
            square = "square" if kernel.name == "precomputed" else "two-dimensional"
            raise InputError(f"A {kernel.name} kernel needs a {square} array, got shape {X.shape}.")
        self.kernel = kernel
        self.dtype = np.dtype(dtype)
        self.n = int(X.shape[0])
        self._X = sparse.csr_array(X) if sparse.issparse(X) else X

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        return self.n, self.n

    @property
    def rows(self) -> Any:
        """The rows it was made from."""
        return self._X

    @property
    def max_rank(self) -> int:
        """Rank that it never exceeds."""
        known = self.kernel.max_rank(int(self._X.shape[1]))
        return self.n if known is None else min(self.n, known)

    def in_double(self) -> Gramian:
        """The same matrix in float64."""
        return Gramian(self.kernel, self._X, np.dtype(np.float64))

    def part(self, rows: Array) -> Gramian:
        """The kernel matrix of some of the rows."""
        if self.kernel.name == "precomputed":
            return Gramian(self.kernel, _cut(self._X, rows, rows), self.dtype)
        return Gramian(self.kernel, self._X[rows], self.dtype)

    def root(self) -> Array | None:
        """Rows whose products are the kernel matrix, in float64; None where there are none of few columns."""
        if self.kernel.name not in ("linear", "cosine") or sparse.issparse(self._X):
            return None
        return np.asarray(self._side.rows, np.float64)

    def tile(self, rows: Index, columns: Index, out: Array | None = None) -> Array:
        """K[rows][:, columns], into ``out`` where given; slices or arrays of row numbers."""
        if self.kernel.name == "precomputed":
            return _into(_cut(self._X, rows, columns), self.dtype, out)
        if self.kernel.name == "callable":
            return _into(self.kernel.called(self._X[rows], self._X[columns]), self.dtype, out)
        left, right = self._side.take(rows), self._side.take(columns)
        made = np.empty((left.rows.shape[0], right.rows.shape[0]), self.dtype) if out is None else out
        return between(self.kernel, left, right, made)

    def diagonal(self) -> Array:
        """k(x, x) of every row, new."""
        kernel = self.kernel
        if kernel.name == "precomputed":
            return np.array(self._X.diagonal(), self.dtype)
        if kernel.is_of_difference:
            return np.ones(self.n, self.dtype)
        made = np.empty(self.n, self.dtype)
        step = DIAGONAL_ROWS
        for lo in range(0, self.n, step):
            rows = slice(lo, lo + step)
            made[rows] = self.tile(rows, rows).diagonal()
        return made

    @cached_property
    def _side(self) -> Side:
        """The rows, prepared once for both sides."""
        return prepare(self.kernel, self._X, self.dtype, offset(self.kernel, self._X))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_side"}


def _cut(K: Any, rows: Index, columns: Index) -> Array:
    """Some rows and columns of a matrix that is there."""
    if isinstance(rows, slice) or isinstance(columns, slice) or sparse.issparse(K):
        return dense(K[rows][:, columns])
    return np.asarray(K[np.ix_(rows, columns)])


def _into(values: Array, dtype: np.dtype[np.floating], out: Array | None) -> Array:
    """New, or in ``out``; never a view of the matrix given."""
    if out is None:
        return np.array(values, dtype)
    out[...] = values
    return out
