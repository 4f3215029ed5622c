"""The compiled inner loops (kernels.c), where the package was installed with a C compiler."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from samara.core import Array
from samara.linalg import blas
from samara.linalg.blas import data_of, routine_address

LIBRARY = Path(__file__).with_name("_kernels.so")
SIGMOID, TANH, GAUSSIAN, MULTIQUADRIC, RELU, LINEAR, POWER, LAPLACIAN, DISTANCE = range(9)
LOG2E = math.log2(math.e)
WORTH_SHARING = 500  # columns of a factor from which a second thread is worth starting: a millisecond's work
# What the weights of each kind are to be multiplied by: sigmoid, tanh and Gaussian take exponents of 2.
EXPONENT = {SIGMOID: -LOG2E, TANH: 2 * LOG2E, GAUSSIAN: -LOG2E, MULTIQUADRIC: 1.0, RELU: 1.0, LINEAR: 1.0}


class TileSide(NamedTuple):
    """One side of a tile of a kernel matrix; without rows, ``out`` comes with the product already in it."""

    rows: Array | None  # (n, width), each contiguous
    halves: Array | None = None  # −½‖x‖² of each, for the Gaussian and functions of the distance
    terms: int = 0  # of each product that is in ``out`` already, at most


class TileForm(NamedTuple):
    """What becomes of p = x·z.

    GAUSSIAN: 2^min(p − ½‖x‖² − ½‖z‖², 0); TANH: tanh((p + constant)/2log₂e); LINEAR: p + constant;
    POWER: (p + constant)^power; LAPLACIAN: 2^−‖x − z‖₁; DISTANCE: 2^−r·q(r/log₂e) with r = ‖x − z‖ and the
    polynomial q of degree ``power``: 1, 1 + a or 1 + a + a²/3.
    """

    kind: int = LINEAR
    constant: float = 0.0
    power: int = 1


class _Tile(ctypes.Structure):
    """The structure of the same name in tiles.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("left", "right", "left_halves", "right_halves")),
        *((name, ctypes.c_int64) for name in ("rows", "cols", "width", "left_stride", "right_stride")),
        ("kind", ctypes.c_int64),
        ("power", ctypes.c_int64),
        ("constant", ctypes.c_double),
        ("slack", ctypes.c_double),
        ("shift", ctypes.c_void_p),
        ("out", ctypes.c_void_p),
        ("out_stride", ctypes.c_int64),
        ("gemm", ctypes.c_void_p),
    )


class _Rows(ctypes.Structure):
    """The structure of the same name in gram.h."""

    _fields_ = (
        ("rows", ctypes.c_void_p),
        ("n", ctypes.c_int64),
        ("width", ctypes.c_int64),
        ("stride", ctypes.c_int64),
        ("gram", ctypes.c_void_p),
        ("gram_stride", ctypes.c_int64),
    )


@cache
def library() -> Any:
    """The compiled library, or None."""
    try:
        return ctypes.CDLL(str(LIBRARY))
    except OSError:
        return None


def compiled() -> bool:
    """Whether the kernels are there."""
    return library() is not None


def floats(X: Any) -> Array:
    """Rows of float32 or float64, each contiguous; copied only where they are not."""
    X = np.asarray(X)
    plain = X.dtype.char in "fd" and X.dtype.isnative and X.flags.aligned
    return X if plain and X.strides[1] == X.itemsize else np.ascontiguousarray(X, np.float64)


def stride(X: Array) -> int:
    """Numbers from row to row."""
    return X.strides[0] // X.itemsize


def address(part: Array | None) -> ctypes.c_void_p | None:
    """Where an array begins, as an argument or a field."""
    return None if part is None else ctypes.c_void_p(data_of(part))


def sizes(*given: int) -> tuple[ctypes.c_int64, ...]:
    """Whole numbers as arguments."""
    return tuple(map(ctypes.c_int64, given))


def add_gram(Z: Array, gram: Array) -> None:
    """``gram += Z.T @ Z`` in the upper triangle (the lower one is left as it is); both of one dtype."""
    fits = Z.dtype == gram.dtype and gram.shape == (Z.shape[1], Z.shape[1])
    steps = Z.size and Z.strides[1] == Z.itemsize and gram.strides[1] == gram.itemsize
    if not (fits and steps and _multiplies(Z)):
        blas.add_gram(Z, gram)
        return
    job = _Rows(
        rows=data_of(Z),
        n=len(Z),
        width=Z.shape[1],
        stride=stride(Z),
        gram=data_of(gram),
        gram_stride=stride(gram),
    )
    double = Z.dtype == np.float64
    work: Callable[[Any], int] = library().gram_double if double else library().gram_single
    if work(ctypes.byref(job)):
        raise MemoryError("no room for packed rows")


def _multiplies(Z: Array) -> bool:
    """Whether a product of such rows is faster here than in SciPy: not where most of a panel is padding."""
    return Z.shape[1] >= 64 and Z.dtype.char in "fd" and compiled() and bool(library().wide_registers())


def factor_rows(A: Array, n: int, workers: int = 1) -> bool:
    """Cholesky in place: the first n rows [G, B] of a square become [R, R⁻ᵀB] with RᵀR = G.

    Only the upper triangle is read, and what is below n rows is lost; False where G is not definite. Two
    workers share it out where it is large, to the same result.
    """
    if A.dtype != np.float64 or A.strides[1] != A.itemsize or n < 64 or not _multiplies(A):
        done = blas.factor_upper(A[:n, :n])
        if done and n < A.shape[1]:
            blas.solve_upper(A[:n, :n], A[:n, n:], transposed=True)
        return done
    threads = workers if n >= WORTH_SHARING else 1
    failed = library().root_double(address(A), *sizes(n, A.shape[1], stride(A), threads))
    if failed == 1:
        raise MemoryError("no room for packed rows")
    return not failed


def carry_over(part: Array, gram: Array, triangle: bool) -> None:
    """``gram += part``, then ``part`` is 0: float32 into float64, both contiguous, of one shape."""
    if part.dtype != np.float32 or gram.dtype != np.float64 or part.shape != gram.shape:
        raise TypeError(f"{part.shape} {part.dtype} can't be carried over into {gram.shape} {gram.dtype}")
    if not (part.flags.c_contiguous and gram.flags.c_contiguous):
        raise TypeError("what is carried over must be contiguous")
    library().carry(address(part), address(gram), *sizes(*part.shape, triangle))


def sums_of_words(X: Any, factors: Array) -> Array:
    """A word for each row, the sum of a word for each value; see :mod:`samara.rowkeys`."""
    X = floats(X)
    if factors.dtype != np.uint64 or factors.shape != (X.shape[1],) or not factors.flags.c_contiguous:
        raise TypeError(f"{X.shape[1]} factors of 64 bits are needed")
    keys = np.empty(len(X), np.uint64)
    work = library().keys_double if X.dtype == np.float64 else library().keys_single
    work(address(X), *sizes(*X.shape, stride(X)), address(factors), address(keys))
    return keys


def column_moments(X: Any, weight: Array | None, total: float) -> tuple[Array, Array, Array, Array]:
    """Least, largest, mean and squares about the mean of each column; NaN ends where it is not finite."""
    X = floats(X)
    made = np.empty((4, X.shape[1]))
    weights = None if weight is None else np.ascontiguousarray(weight, np.float64)
    work = library().columns_double if X.dtype == np.float64 else library().columns_single
    parts = (address(X), address(weights), ctypes.c_double(total))
    work(*parts, *sizes(*X.shape, stride(X)), address(made))
    low, high, mean, squares = made
    return low, high, mean, squares


def fill_tile(
    left: TileSide, right: TileSide, form: TileForm, slack: float, out: Array, shift: Array | None
) -> None:
    """k(left, right) less the shift, into ``out``; ``slack`` as in :func:`samara.linalg.tiles.slack`.

    All are of one precision; rows may lie apart.
    """
    parts = (left.rows, left.halves, right.rows, right.halves, shift, out)
    used = [part for part in parts if part is not None]
    if any(part.dtype != out.dtype or not steps_by_one(part) for part in used):
        raise TypeError("the parts of a tile must be contiguous and of one precision")
    double = out.dtype == np.float64
    mine, theirs = left.rows, right.rows
    job = _Tile(
        left=address(mine),
        right=address(theirs),
        left_halves=address(left.halves),
        right_halves=address(right.halves),
        rows=out.shape[0],
        cols=out.shape[1],
        width=0 if mine is None else mine.shape[1],
        left_stride=0 if mine is None else lead(mine),
        right_stride=0 if theirs is None else lead(theirs),
        kind=form.kind,
        power=form.power,
        constant=form.constant,
        slack=slack,
        shift=address(shift),
        out=data_of(out),
        out_stride=lead(out),
        gemm=routine_address("dgemm" if double else "sgemm"),
    )
    work: Callable[[Any], int] = library().tile_double if double else library().tile_single
    if work(ctypes.byref(job)):
        raise MemoryError("no room for a packed strip of a kernel tile")


def steps_by_one(part: Array) -> bool:
    """Whether rows are contiguous; the step between the columns of a single one can be anything."""
    return part.strides[-1] == part.itemsize or part.shape[-1] == 1


def lead(A: Array) -> int:
    """Numbers from row to row; the stride of a single row can be anything, and BLAS wants its length."""
    return stride(A) if len(A) > 1 else A.shape[1]
