"""x ↦ k(x, centres), as it is and whitened (Nyström)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from samara.core import TILE_ROWS, Array, dense
from samara.linalg.blas import solve_from_right
from samara.maps.kernels import Kernel
from samara.maps.sides import Side, between, offset, prepare

BLOCK_ROWS = 4 * TILE_ROWS  # whitened at a time in a precision of their own


@dataclass(frozen=True)
class KernelRows:
    """k(x, z) for every centre z.

    For ``precomputed`` the centres are numbers of training rows and x is a row of K(new, training).
    """

    kernel: Kernel
    centres: Any  # (M, d) array or CSR, or for precomputed (M,) integers
    dtype: np.dtype[np.floating]
    by_tiles: ClassVar[bool] = False

    @property
    def n_out(self) -> int:
        return int(self.centres.shape[0])

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Rows of the kernel matrix."""
        made = np.empty((X.shape[0], self.n_out), self.dtype) if out is None else out
        return self.fill(X, made, None)

    def fill(self, X: Any, out: Array, shift: Array | None) -> Array:
        """The rows of the kernel matrix, less the shift, into ``out``."""
        if self.kernel.name in ("precomputed", "callable"):
            given = self.kernel.name == "precomputed"
            K = dense(X[:, self.centres]) if given else self.kernel.called(X, self.centres)
            return np.subtract(K, 0 if shift is None else shift, out=out, casting="same_kind")
        if sparse.issparse(self.centres):
            left = prepare(self.kernel, sparse.csr_array(X), self.dtype, None)
            return between(self.kernel, left, self._right, out, shift)
        # Rows are at most as wide as the dense centres are: a tile of sparse ones has room as a dense one.
        step = TILE_ROWS if sparse.issparse(X) else max(1, X.shape[0])
        for lo in range(0, X.shape[0], step):
            left = prepare(self.kernel, dense(X[lo : lo + step]), self.dtype, self._offset)
            between(self.kernel, left, self._right, out[lo : lo + step], shift)
        return out

    def leading(self, n_out: int) -> KernelRows:
        """The first centres alone."""
        return replace(self, centres=self.centres[:n_out])

    @cached_property
    def _offset(self) -> Array | None:
        return offset(self.kernel, self.centres)

    @cached_property
    def _right(self) -> Side:
        return prepare(self.kernel, self.centres, self.dtype, self._offset)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Whitened:
    """k(x, centres)·T⁻¹ with TᵀT = K(centres, centres) + jitter: products of these rows are k's Nyström map.

    T is upper triangular, so the first m columns are those of the first m centres alone.
    """

    rows: KernelRows
    triangle: Array  # (M, M) upper; the lower part is not read
    by_tiles: ClassVar[bool] = False

    @property
    def n_out(self) -> int:
        return self.rows.n_out

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Whitened rows."""
        made = np.empty((X.shape[0], self.n_out), self.triangle.dtype) if out is None else out
        return self.fill(X, made, None)

    def fill(self, X: Any, out: Array, shift: Array | None) -> Array:
        """The whitened rows, less the shift, into ``out``."""
        in_place = out.dtype == self.triangle.dtype and (not out.size or out.strides[1] == out.itemsize)
        step = max(1, X.shape[0]) if in_place else BLOCK_ROWS
        for lo in range(0, X.shape[0], step):
            room = out[lo : lo + step]
            block = room if in_place else np.empty(room.shape, self.triangle.dtype)
            solve_from_right(self.triangle, self.rows.fill(X[lo : lo + step], block, None))
            if not in_place or shift is not None:
                np.subtract(block, 0 if shift is None else shift, out=room, casting="same_kind")
        return out

    def leading(self, n_out: int) -> Whitened:
        """The first centres alone."""
        return Whitened(self.rows.leading(n_out), self.triangle[:n_out, :n_out])
