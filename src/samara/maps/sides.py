"""Rows made ready for the tiles of a kernel matrix, and the tiles themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from samara.core import Array
from samara.errors import InputError
from samara.linalg import kernels
from samara.linalg.tiles import TileForm, TileSide, kernel_tile
from samara.linalg.kernels import LOG2E
from samara.maps.kernels import Kernel

PREPARED_ROWS = 4096  # rows in double precision at a time

Index = slice | Array


@dataclass(frozen=True)
class Side:
    """Rows with the kernel's factors folded in: their products are what the kernel takes a function of."""

    rows: Any  # (n, d) array with contiguous rows, or CSR
    halves: Array | None  # −½‖x‖² of each, for rbf

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def __getitem__(self, index: Index) -> Side:
        return Side(self.rows[index], None if self.halves is None else self.halves[index])


def offset(kernel: Kernel, X: Any) -> Array | None:
    """The mean of dense rows, for kernels of x − z: without it x·z − ½‖x‖² − ½‖z‖² cancels."""
    if kernel.name not in ("rbf", "laplacian") or sparse.issparse(X) or len(X) == 0:
        return None
    mean: Array = np.asarray(X).mean(axis=0, dtype=np.float64)
    return mean


def prepare(kernel: Kernel, X: Any, dtype: np.dtype[np.floating], less: Array | None) -> Side:
    """The rows less the offset, scaled in double precision and rounded once."""
    if sparse.issparse(X):
        return _prepare_sparse(kernel, X, dtype)
    X = np.asarray(X)
    rows, halves = np.empty(X.shape, dtype), np.empty(len(X), dtype)
    for lo in range(0, len(X), PREPARED_ROWS):
        block = X[lo : lo + PREPARED_ROWS].astype(np.float64)
        if less is not None:
            block -= less
        block *= _factors(kernel, np.einsum("ij,ij->i", block, block))[:, None]
        made = rows[lo : lo + PREPARED_ROWS]
        made[...] = block
        halves[lo : lo + PREPARED_ROWS] = -0.5 * np.einsum("ij,ij->i", made, made, dtype=np.float64)
    return Side(rows, halves if kernel.name == "rbf" else None)


def _prepare_sparse(kernel: Kernel, X: Any, dtype: np.dtype[np.floating]) -> Side:
    """Sparse rows are scaled where they lie, and not centred."""
    rows = sparse.csr_array(X, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    rows.data *= np.repeat(_factors(kernel, _squares(rows)), np.diff(rows.indptr))
    rows = rows.astype(dtype)
    return Side(rows, (-0.5 * _squares(rows)).astype(dtype) if kernel.name == "rbf" else None)


def _squares(rows: Any) -> Array:
    """‖x‖² of sparse rows."""
    number = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.bincount(number, rows.data.astype(np.float64) ** 2, minlength=rows.shape[0])


def _factors(kernel: Kernel, squares: Array) -> Array:
    """What each row is multiplied by on both sides."""
    if kernel.name == "cosine":
        return 1 / np.sqrt(np.where(squares > 0, squares, 1.0))
    factor = {
        "rbf": np.sqrt(2 * kernel.gamma * LOG2E),
        "sigmoid": np.sqrt(2 * kernel.gamma * LOG2E),
        "laplacian": kernel.gamma * LOG2E,
        "polynomial": np.sqrt(kernel.gamma),
    }.get(kernel.name, 1.0)
    return np.full(len(squares), factor)


def form(kernel: Kernel) -> TileForm:
    """What the tile does with the products."""
    match kernel.name:
        case "rbf":
            return TileForm(kernels.GAUSSIAN)
        case "laplacian":
            return TileForm(kernels.LAPLACIAN)
        case "sigmoid":
            return TileForm(kernels.TANH, 2 * LOG2E * kernel.coef0)
        case "polynomial" if float(kernel.degree).is_integer():
            return TileForm(kernels.POWER, float(kernel.coef0), int(kernel.degree))
        case "polynomial":
            return TileForm(kernels.LINEAR, float(kernel.coef0))
    return TileForm(kernels.LINEAR)


def between(kernel: Kernel, left: Side, right: Side, out: Array, shift: Array | None = None) -> Array:
    """k(left, right) less the shift, into ``out``, whose rows may lie apart."""
    if out.dtype != right.rows.dtype or (out.size and out.strides[1] != out.itemsize):
        out[...] = between(kernel, left, right, np.empty(out.shape, right.rows.dtype), shift)
        return out
    fraction = kernel.name == "polynomial" and not float(kernel.degree).is_integer()
    mine, theirs = TileSide(left.rows, left.halves), TileSide(right.rows, right.halves)
    if sparse.issparse(right.rows):
        if kernel.name == "laplacian":
            mine, theirs = TileSide(left.rows.toarray()), TileSide(right.rows.toarray())
        else:
            out[...] = (left.rows @ right.rows.T).toarray()
            mine, theirs = TileSide(None, left.halves), TileSide(None, right.halves)
    kernel_tile(mine, theirs, form(kernel), out, None if fraction else shift)
    return _to_a_fraction(kernel, out, shift) if fraction else out


def _to_a_fraction(kernel: Kernel, out: Array, shift: Array | None) -> Array:
    """A power that is not whole, of numbers that must not be negative."""
    if out.size and out.min() < 0:
        raise InputError(
            f"A polynomial kernel of degree {kernel.degree:g} needs gamma·x·z + coef0 >= 0, "
            f"got {out.min():.3g}. Use a whole degree."
        )
    np.power(out, out.dtype.type(kernel.degree), out=out)
    if shift is not None:
        out -= shift
    return out
