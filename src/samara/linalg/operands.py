"""What can be factorized: arrays, sparse matrices, operators and sources of rows, seen as two products.

Every factorization of this room reads A only through ``A @ V`` and ``Uᵀ @ A``, so that nothing above this
file asks what A is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from samara.core import Array, Block, Part, Source
from samara.errors import InputError, NonFiniteError
from samara.linalg.blas import add_product
from samara.linalg.workers import available_cores, in_threads

BLOCK_ROWS = 1024  # rows of a source that a worker holds at a time
NARROWEST = 96  # columns at which a product with an array runs at four fifths of its full speed


class Operand(Protocol):
    """A matrix known by its products."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    least_columns: int  # fewer columns at a time cost about as much

    def times(self, V: Array) -> Array:
        """A @ V, new."""
        ...

    def left_times(self, U: Array) -> Array:
        """U.T @ A, new."""
        ...

    def squared_norm(self) -> float | None:
        """‖A‖²_F; None where it would take as long as the whole matrix."""
        ...


def as_operand(A: Any) -> Operand:
    """A as an operand: the one place that asks what was given."""
    if hasattr(A, "left_times"):
        operand: Operand = A
        return operand
    if hasattr(A, "parts"):
        return SourceOperand(A)
    if sparse.issparse(A):
        return SparseOperand(A)
    if hasattr(A, "__matmul__") and not hasattr(A, "__array__"):
        return OperatorOperand(A)
    return DenseOperand(np.asarray(A))


def product(A: Operand, V: Array) -> Array:
    """A @ V, refused where it is not finite: a Gaussian V shows every bad row of A without a look at A."""
    with np.errstate(invalid="ignore", over="ignore"):
        Y = A.times(V)
        squares = np.einsum("ij,ij->i", Y, Y)
        if not np.isfinite(squares.sum()):
            row = int(np.argmax(squares))  # a NaN counts as the largest
            raise NonFiniteError(f"The matrix has a NaN, an infinity or a number too large in row {row}.")
    return Y


class DenseOperand:
    """An array: the products go straight to BLAS."""

    least_columns = NARROWEST

    def __init__(self, A: Array) -> None:
        check_shape(A.shape)
        A = A.astype(number_type(A.dtype), copy=False)
        # BLAS wants one of the strides to be a number wide; else NumPy would copy A in every product.
        self._A = A if A.itemsize in A.strides else np.ascontiguousarray(A)
        self.shape: tuple[int, int] = (A.shape[0], A.shape[1])
        self.dtype = A.dtype

    def times(self, V: Array) -> Array:
        """A @ V, by columns, as the basis keeps its own."""
        return np.asarray((V.T @ self._A.T).T)

    def left_times(self, U: Array) -> Array:
        """U.T @ A."""
        return np.asarray(U.T @ self._A)

    def squared_norm(self) -> float:
        """Summed in float64, whatever the numbers are."""
        A = self._A if self._A.flags.c_contiguous else self._A.T
        if A.flags.c_contiguous and A.dtype == np.float64:
            return float(np.vdot(A, A))
        return float(row_squares(A).sum())


class SparseOperand:
    """A SciPy sparse matrix or array, of any format."""

    least_columns = NARROWEST

    def __init__(self, A: Any) -> None:
        check_shape(A.shape)
        made = A.tocsr().astype(number_type(A.dtype), copy=False)
        if not made.has_canonical_format:
            made = made.copy()
            made.sum_duplicates()  # else the squares of the stored numbers would not be those of the entries
        self._A = made
        self._transposed = made.T.tocsr()
        self.shape: tuple[int, int] = made.shape
        self.dtype = made.dtype

    def times(self, V: Array) -> Array:
        """A @ V."""
        return np.asarray(self._A @ np.ascontiguousarray(V))

    def left_times(self, U: Array) -> Array:
        """U.T @ A."""
        return np.asarray(self._transposed @ np.ascontiguousarray(U)).T

    def squared_norm(self) -> float:
        """Of the stored numbers."""
        return float(np.sum(self._A.data.astype(np.float64) ** 2))


class OperatorOperand:
    """Anything with a shape and products, such as SciPy's LinearOperator."""

    least_columns = NARROWEST

    def __init__(self, A: Any) -> None:
        check_shape(getattr(A, "shape", ()))
        self._A = A
        self.shape: tuple[int, int] = (int(A.shape[0]), int(A.shape[1]))
        self.dtype = number_type(np.dtype(getattr(A, "dtype", None) or np.float64))

    def times(self, V: Array) -> Array:
        """A @ V."""
        return self._checked(self._A @ V, (self.shape[0], V.shape[1]))

    def left_times(self, U: Array) -> Array:
        """(A.T @ U).T, or through ``rmatmat``."""
        try:
            made = self._A.rmatmat(U) if hasattr(self._A, "rmatmat") else self._A.T @ U
        except (NotImplementedError, AttributeError, TypeError) as error:  # SciPy calls a None
            raise InputError(f"The operator needs a transposed product, rmatmat or T: {error}.") from error
        return self._checked(made, (self.shape[1], U.shape[1])).T

    def squared_norm(self) -> None:
        """Not known without all of its columns."""

    def _checked(self, made: Any, shape: tuple[int, int]) -> Array:
        Y = np.array(made, dtype=self.dtype)  # a copy: an operator may hand out an array that it keeps
        if Y.shape != shape:
            raise InputError(f"The operator gave a product of shape {Y.shape} where {shape} was due.")
        return Y


class SourceOperand:
    """The features of a source, block by block: they are never in memory together."""

    dtype = np.dtype(np.float64)
    least_columns = 256  # a pass maps all rows anew; with 256 columns the product is most of it

    def __init__(self, source: Source) -> None:
        self._source = source.folded(1)
        self.shape: tuple[int, int] = (source.n_rows, source.n_features)
        check_shape(self.shape)
        self._squares: float | None = None

    def times(self, V: Array) -> Array:
        """A @ V; the first pass finds the norm as well."""
        V = np.ascontiguousarray(V)
        Y = np.empty((self.shape[0], V.shape[1]))
        first = self._squares is None

        def multiply(block: Block, H: Array, total: Array) -> None:
            np.matmul(H, V, out=Y[block.start : block.start + len(block)])
            total += len(block), np.vdot(H, H) if first else 0.0

        rows, squares = np.sum(self._each_lane(multiply, (2,)), axis=0)
        if rows != self.shape[0]:
            raise InputError("The source leaves out rows of weight 0: give one without them.")
        if first:
            self._squares = float(squares)
        return Y

    def left_times(self, U: Array) -> Array:
        """U.T @ A, one sum a worker."""

        def add(block: Block, H: Array, total: Array) -> None:
            rows = U[block.start : block.start + len(block)]
            add_product(np.ascontiguousarray(rows), H, total)

        return np.asarray(sum(self._each_lane(add, (U.shape[1], self.shape[1]))))

    def squared_norm(self) -> float:
        """Known after the first product."""
        if self._squares is None:
            self.times(np.zeros((self.shape[1], 1)))
        return float(self._squares or 0.0)

    def _each_lane(
        self, work: Callable[[Block, Array, Array], None], shape: tuple[int, ...]
    ) -> Sequence[Array]:
        """Do the work on each block's features; the totals of the workers, each of a run of parts."""
        workers = available_cores()
        parts = self._source.parts(workers)
        size = max(1, -(-len(parts) // workers))

        def run(lane: Sequence[Part]) -> Array:
            buffer, total = np.empty((BLOCK_ROWS, self.shape[1])), np.zeros(shape)
            with np.errstate(invalid="ignore", over="ignore"):  # each thread has its own
                for block in (block for part in lane for block in part.blocks(BLOCK_ROWS)):
                    work(block, block.features(buffer[: len(block)]), total)
            return total

        return in_threads(run, [parts[i : i + size] for i in range(0, len(parts), size)], workers)


def row_squares(A: Array) -> Array:
    """Squared norms of the rows, in float64: squares of float32 numbers vanish below 1e-22."""
    return np.asarray(np.einsum("ij,ij->i", A, A, dtype=np.float64))


def check_shape(shape: Sequence[int]) -> None:
    """Refuse what is not a matrix, or has no entries."""
    if len(shape) != 2:
        raise InputError(f"A matrix has two dimensions, got {len(shape)}.")
    if 0 in shape:
        raise InputError(f"The matrix is empty: its shape is {tuple(shape)}.")


def number_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """float32 stays; every other real number becomes float64."""
    if dtype.kind not in "biuf":
        raise InputError(f"The matrix must hold real numbers, got {dtype}.")
    return dtype if dtype == np.float32 else np.dtype(np.float64)
