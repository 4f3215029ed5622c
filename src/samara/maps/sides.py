"""Rows made ready for the tiles of a kernel matrix, and the tiles themselves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from samara.core import Array
from samara.errors import InputError
from samara.linalg import kernels
from samara.linalg.kernels import LOG2E, TileForm, TileSide
from samara.linalg.tiles import kernel_tile
from samara.maps.kernels import OF_DISTANCE, Kernel

PREPARED_ROWS = 4096  # rows in double precision at a time
PIECE_NUMBERS = 1 << 21  # of sparse rows made dense, or of products of sparse rows: 8 or 16 MB
FEW_COLUMNS = 512
DENSE_SHARE = 0.04

Index = slice | Array


class Side(NamedTuple):
    """Rows with the kernel's factors folded in: their products are what the kernel takes a function of."""

    rows: Any  # (n, d) array with contiguous rows, or CSR
    halves: Array | None = None  # −½‖x‖² of each, for kernels of the distance

    def take(self, index: Index) -> Side:
        """Some of the rows."""
        return Side(self.rows[index], None if self.halves is None else self.halves[index])

    def dense(self) -> Side:
        """The rows as an array."""
        return Side(self.rows.toarray(), self.halves)


def offset(kernel: Kernel, X: Any) -> Array | None:
    """The mean of dense rows, for kernels of x − z: without it x·z − ½‖x‖² − ½‖z‖² cancels."""
    if not kernel.is_of_difference or sparse.issparse(X) or len(X) == 0:
        return None
    mean: Array = np.asarray(X).mean(axis=0, dtype=np.float64)
    return mean


def prepare(kernel: Kernel, X: Any, dtype: np.dtype[np.floating], less: Array | None) -> Side:
    """The rows less the offset, scaled in double precision and rounded once."""
    if sparse.issparse(X):
        return _prepare_sparse(kernel, X, dtype)
    X = np.asarray(X)
    rows, halves, needed = np.empty(X.shape, dtype), np.empty(len(X), dtype), _needs_halves(kernel)
    for lo in range(0, len(X), PREPARED_ROWS):
        made = rows[lo : lo + PREPARED_ROWS]
        # Double precision is worked out where it stays: of 128 rows of 5,748 columns two copies less.
        block = made if made.dtype == np.float64 else np.empty(made.shape)
        np.subtract(X[lo : lo + PREPARED_ROWS], 0.0 if less is None else less, out=block)
        if kernel.name == "cosine":
            block *= _to_length_one(np.einsum("ij,ij->i", block, block))[:, None]
        else:
            block *= _factor(kernel)
        if block is not made:
            made[...] = block
        if needed:
            halves[lo : lo + PREPARED_ROWS] = -0.5 * np.einsum("ij,ij->i", made, made, dtype=np.float64)
    return Side(rows, halves if needed else None)


def _prepare_sparse(kernel: Kernel, X: Any, dtype: np.dtype[np.floating]) -> Side:
    """Sparse rows are scaled where they lie, and not centred."""
    rows = sparse.csr_array(X, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    if kernel.name == "cosine":
        rows.data *= np.repeat(_to_length_one(_squares(rows)), np.diff(rows.indptr))
    else:
        rows.data *= _factor(kernel)
    rows = rows.astype(dtype)
    return Side(rows, (-0.5 * _squares(rows)).astype(dtype) if _needs_halves(kernel) else None)


def _needs_halves(kernel: Kernel) -> bool:
    """Whether the kernel takes a function of x·z − ½‖x‖² − ½‖z‖²."""
    return kernel.name == "rbf" or kernel.name in OF_DISTANCE


def _squares(rows: Any) -> Array:
    """‖x‖² of sparse rows."""
    number = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.bincount(number, rows.data.astype(np.float64) ** 2, minlength=rows.shape[0])


def _to_length_one(squares: Array) -> Array:
    """What rows of these squares are multiplied by to be of length 1; a row of zeros stays."""
    return 1 / np.sqrt(np.where(squares > 0, squares, 1.0))


def _factor(kernel: Kernel) -> float:
    """What the rows are multiplied by on both sides."""
    match kernel.name:
        case "rbf" | "sigmoid":
            return float(np.sqrt(2 * kernel.gamma * LOG2E))
        case "laplacian" | "laplace":
            return kernel.gamma * LOG2E
        case "matern32":
            return float(np.sqrt(3) * kernel.gamma * LOG2E)
        case "matern52":
            return float(np.sqrt(5) * kernel.gamma * LOG2E)
        case "polynomial":
            return float(np.sqrt(kernel.gamma))
    return 1.0


def form(kernel: Kernel) -> TileForm:
    """What the tile does with the products."""
    match kernel.name:
        case "rbf":
            return TileForm(kernels.GAUSSIAN)
        case "laplacian":
            return TileForm(kernels.LAPLACIAN)
        case "laplace" | "matern32" | "matern52":
            return TileForm(kernels.DISTANCE, power=OF_DISTANCE.index(kernel.name))
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
    less = None if fraction else shift
    if not sparse.issparse(right.rows):
        kernel_tile(TileSide(*left), TileSide(*right), form(kernel), out, less)
    elif kernel.name == "laplacian" or _as_good_as_dense(right.rows):
        _densified(kernel, left, right, out, less)
    else:
        _sparse_products(kernel, left, right, out, less)
    return _to_a_fraction(kernel, out, shift) if fraction else out


def _as_good_as_dense(rows: Any) -> bool:
    """Whether dense products are the faster ones: 0.01 ns a column, against 0.3 ns a number stored."""
    n, d = rows.shape
    return bool(d <= FEW_COLUMNS or rows.nnz > DENSE_SHARE * n * d)


def _densified(kernel: Kernel, left: Side, right: Side, out: Array, shift: Array | None) -> None:
    """Sparse rows made dense, a piece of both sides at a time."""
    step = max(1, PIECE_NUMBERS // max(1, right.rows.shape[1]))
    for lo in range(0, right.rows.shape[0], step):
        columns = slice(lo, lo + step)
        theirs = TileSide(*right.take(columns).dense())
        less = None if shift is None else shift[columns]
        for start in range(0, left.rows.shape[0], step):
            rows = slice(start, start + step)
            mine = TileSide(*left.take(rows).dense())
            kernel_tile(mine, theirs, form(kernel), out[rows, columns], less)


def _sparse_products(kernel: Kernel, left: Side, right: Side, out: Array, shift: Array | None) -> None:
    """Products of sparse rows, a few rows at a time: most of them are there, at three times the memory."""
    step = max(1, PIECE_NUMBERS // max(1, right.rows.shape[0]))
    transposed = right.rows.T.tocsr()
    terms = int(np.diff(left.rows.indptr).max(initial=0))
    for lo in range(0, left.rows.shape[0], step):
        rows = slice(lo, lo + step)
        out[rows] = (left.rows[rows] @ transposed).toarray()
        mine = TileSide(None, left.take(rows).halves, terms)
        kernel_tile(mine, TileSide(None, right.halves), form(kernel), out[rows], shift)


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
