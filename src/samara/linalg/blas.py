"""BLAS and LAPACK in place, with the GIL released.

``np.matmul(Z.T, Z)`` needs a second L×L array, adds it in a pass of its own and fills both triangles;
SciPy's Python wrappers do none of that but hold the GIL, so two threads run at the speed of one. SciPy
publishes the addresses of these routines for Cython; called through ctypes they release the GIL and work
on the array where it lies. All arrays here are C-ordered; seen from Fortran they are their transposes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
from scipy.linalg import cython_blas, cython_lapack

from samara.core import Array

_CHOLESKY_ROWS = 8192  # factorized at a time
_BANDED, _BAND = 256, 64  # columns from which a triangle is solved by bands, and those of a band


@cache
def routine_address(name: str) -> int:
    """Where a BLAS or LAPACK routine of SciPy's starts."""
    tables = (getattr(module, "__pyx_capi__", {}) for module in (cython_blas, cython_lapack))
    capsule = next(table[name] for table in tables if name in table)
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature = get_name(capsule) or b""
    if b"int *" not in signature:  # pragma: no cover - a SciPy built with 64-bit BLAS integers
        raise ImportError(f"SciPy's {name} does not take plain ints: {signature!r}")
    address: int = get_pointer(capsule, signature)
    return address


@cache
def _routine(name: str, n_arguments: int) -> Callable[..., None]:
    """The routine as a C function."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(routine_address(name))


_ref = ctypes.byref  # a tenth of the time of a pointer that is cast


@lru_cache(1024)
def _int(value: int) -> Any:
    """The address of a number that a routine only reads."""
    return _ref(ctypes.c_int(value))


_first_byte: Callable[[Any], Any] = ctypes.c_char.from_buffer


def data_of(A: Array) -> int:
    """Where an array begins: of a whole one in 0.5 µs, a third of what ``A.ctypes`` takes to be made."""
    if A.flags.carray and A.size:
        return ctypes.addressof(_first_byte(A))
    return A.ctypes.data


def _rows(A: Array) -> tuple[int, Any]:
    """Address and leading dimension of an array whose rows are contiguous."""
    (step, own), size = A.strides, A.itemsize
    if own != size:
        raise TypeError("rows must be contiguous")
    # The step of a single row is never taken, and NumPy may have put anything there.
    return data_of(A), _int(max(step // size, A.shape[1], 1))


def add_gram(Z: Array, gram: Array) -> None:
    """``gram += Z.T @ Z`` in the upper triangle (the lower one is left as it is); both of one dtype."""
    if Z.dtype != gram.dtype or gram.shape != (Z.shape[1], Z.shape[1]):
        raise TypeError(f"a gram of {gram.shape} {gram.dtype} for rows of {Z.shape} {Z.dtype}")
    double = Z.dtype == np.float64
    one = _ref(ctypes.c_double(1) if double else ctypes.c_float(1))
    syrk = _routine("dsyrk" if double else "ssyrk", 10)
    syrk(b"L", b"N", _int(Z.shape[1]), _int(len(Z)), one, *_rows(Z), one, *_rows(gram))


def add_product(A: Array, B: Array, product: Array) -> None:
    """``product += A.T @ B``; all of one dtype."""
    if not A.dtype == B.dtype == product.dtype or product.shape != (A.shape[1], B.shape[1]):
        raise TypeError(f"a product of {product.shape} {product.dtype} for rows of {A.shape} and {B.shape}")
    double = A.dtype == np.float64
    one = _ref(ctypes.c_double(1) if double else ctypes.c_float(1))
    gemm = _routine("dgemm" if double else "sgemm", 13)
    shape = (_int(B.shape[1]), _int(A.shape[1]), _int(len(A)))
    gemm(b"N", b"T", *shape, one, *_rows(B), *_rows(A), one, *_rows(product))


def factor_upper(A: Array) -> bool:
    """Cholesky in place: A becomes R with RᵀR = A in the upper triangle; False where it is not definite.

    In blocks of rows: OpenBLAS's own dpotrf crashes where a matrix takes more than 2³¹ bytes, 16,384 rows.
    """
    for lo in range(0, len(A), _CHOLESKY_ROWS):
        hi, info = min(lo + _CHOLESKY_ROWS, len(A)), ctypes.c_int(0)
        corner, right = A[lo:hi, lo:hi], A[lo:hi, hi:]
        _routine("dpotrf", 5)(b"L", _int(hi - lo), *_rows(corner), _ref(info))
        if info.value:
            return False
        if hi < len(A):
            solve_upper(corner, right, transposed=True)
            _subtract_gram(right, A[hi:, hi:])
    return True


def _subtract_gram(Z: Array, gram: Array) -> None:
    """``gram -= Z.T @ Z`` in the upper triangle; float64."""
    minus, one = _ref(ctypes.c_double(-1)), _ref(ctypes.c_double(1))
    shape = (_int(Z.shape[1]), _int(len(Z)))
    _routine("dsyrk", 10)(b"L", b"N", *shape, minus, *_rows(Z), one, *_rows(gram))


def solve_upper(R: Array, B: Array, transposed: bool = False) -> Array:
    """B becomes R⁻¹B (or R⁻ᵀB) in place; only the upper triangle of R is read; both of one dtype."""
    if R.dtype != B.dtype:
        raise TypeError(f"a triangle of {R.dtype} for {B.dtype}")
    name, number = _precision(B)
    trans = b"T" if transposed else b"N"
    # 18 µs in place of 97 for a column of 426 rows; of 331 rows two take 41 and 110, three 50 and 115.
    if B.shape[1] == 1 or (B.shape[1] <= 3 and len(B) >= 100):
        first, step = data_of(B), _int(max(B.strides[0] // B.itemsize, 1))
        trsv, rows = _routine(name + "trsv", 8), _rows(R)
        for column in range(B.shape[1]):
            at = first + column * B.strides[1]
            trsv(b"L", b"N" if transposed else b"T", b"N", _int(len(B)), *rows, at, step)
        return B
    trsm = _routine(name + "trsm", 11)
    trsm(b"R", b"L", trans, b"N", _int(B.shape[1]), _int(len(B)), _ref(number(1)), *_rows(R), *_rows(B))
    return B


def inverse_condition(R: Array) -> float:
    """Estimate of 1/cond(R) of an upper triangle in the 1-norm, without a copy of it."""
    name, number = _precision(R)
    found, info = number(0), ctypes.c_int(0)
    work, signs = np.empty(3 * len(R), R.dtype), np.empty(len(R), np.intc)
    # Seen by Fortran it is the transpose, whose ∞-norm is the 1-norm of R.
    rooms = (_ref(found), data_of(work), data_of(signs), _ref(info))
    _routine(name + "trcon", 10)(b"I", b"L", b"N", _int(len(R)), *_rows(R), *rooms)
    return float(found.value)


def solve_from_right(R: Array, B: Array) -> Array:
    """B becomes B R⁻¹ in place, both of one dtype; only the upper triangle of R is read.

    In float64 by bands and products, which run at six times the speed of the solves: 331 rows with 300
    columns took 1.1 ms in place of 1.8; up to 256 columns there was nothing to gain.
    """
    if R.dtype != B.dtype or R.shape != (B.shape[1], B.shape[1]):
        raise TypeError(f"a triangle of {R.shape} {R.dtype} for rows of {B.shape} {B.dtype}")
    if B.size == 0:
        return B
    name, number = _precision(B)
    band = _BAND if name == "d" and len(R) > _BANDED else len(R)
    trsm, one = _routine(name + "trsm", 11), _ref(number(1))
    for lo in range(0, len(R), band):
        hi = min(lo + band, len(R))
        shape, corner = (_int(hi - lo), _int(len(B))), _rows(R[lo:hi, lo:hi])
        trsm(b"L", b"L", b"N", b"N", *shape, one, *corner, *_rows(B[:, lo:hi]))
        if hi < len(R):
            multiply(B[:, lo:hi], R[lo:hi, hi:], B[:, hi:], -1.0, 1.0)
    return B


def _precision(A: Array) -> tuple[str, Any]:
    """First letter of the routines for this dtype, and their scalars."""
    return ("d", ctypes.c_double) if A.dtype == np.float64 else ("s", ctypes.c_float)


def _either(A: Array) -> tuple[bytes, int, Any]:
    """Whether the array is the transpose of one with contiguous rows, and that one's address and step."""
    columns = A.strides[1] != A.itemsize
    address, _ = _rows(A.T if columns else A)
    step = A.strides[1] if columns else A.strides[0]
    # The step of a single row is never taken, and NumPy may have put anything there.
    return (b"T" if columns else b"N"), address, _int(max(step // A.itemsize, A.shape[not columns], 1))


def multiply(A: Array, B: Array, out: Array, scale: float = 1.0, keep: float = 0.0) -> Array:
    """``out`` becomes ``keep * out + scale * A @ B`` where it lies; A and B may be transposes; one dtype."""
    if not A.dtype == B.dtype == out.dtype or out.shape != (len(A), B.shape[1]) or A.shape[1] != len(B):
        raise TypeError(f"{out.shape} {out.dtype} for {A.shape} {A.dtype} times {B.shape} {B.dtype}")
    if not A.size or not B.size:  # NumPy gives empty arrays any steps
        out *= keep
        return out
    name, number = _precision(out)
    of_A, address_A, step_A = _either(A)
    of_B, address_B, step_B = _either(B)
    shape = (_int(B.shape[1]), _int(len(A)), _int(len(B)))
    alpha, beta = _ref(number(scale)), _ref(number(keep))
    gemm = _routine(name + "gemm", 13)
    gemm(of_B, of_A, *shape, alpha, address_B, step_B, address_A, step_A, beta, *_rows(out))
    return out


def multiply_symmetric(V: Array, A: Array, out: Array) -> Array:
    """``out`` becomes ``V @ A``; only the upper triangle of the symmetric A is read; float64.

    In slabs of A, general products but for the corners: with 64 rows in V, dsymm alone ran at 50 GFLOP/s
    and slabs of 512 rows at 84; 256 and 1024 rows were both slower.
    """
    one = _ref(ctypes.c_double(1))
    if len(V) == 1:  # 18 µs in place of 87 for 426 rows
        none, step = _ref(ctypes.c_double(0)), _int(1)
        symv = _routine("dsymv", 10)
        symv(b"L", _int(len(A)), one, *_rows(A), data_of(V), step, none, data_of(out), step)
        return out
    symm = _routine("dsymm", 12)
    out[...] = 0
    for lo in range(0, len(A), 512):
        hi = min(lo + 512, len(A))
        corner = (*_rows(A[lo:hi, lo:hi]), *_rows(V[:, lo:hi]), one, *_rows(out[:, lo:hi]))
        symm(b"L", b"L", _int(hi - lo), _int(len(V)), one, *corner)
        if hi < len(A):
            multiply(V[:, lo:hi], A[lo:hi, hi:], out[:, hi:], keep=1)
            multiply(V[:, hi:], A[lo:hi, hi:].T, out[:, lo:hi], keep=1)
    return out


def add_outer(Z: Array, gram: Array) -> None:
    """``gram += Z @ Z.T`` in the upper triangle (the lower one is left as it is); float64."""
    one = _ref(ctypes.c_double(1))
    syrk = _routine("dsyrk", 10)
    syrk(b"L", b"T", _int(len(Z)), _int(Z.shape[1]), one, *_rows(Z), one, *_rows(gram))


def subtract_both(V: Array, W: Array, A: Array) -> None:
    """``A -= V.T @ W + W.T @ V`` in the upper triangle (the lower one is left as it is); float64."""
    syr2k = _routine("dsyr2k", 12)
    minus, one = _ref(ctypes.c_double(-1)), _ref(ctypes.c_double(1))
    syr2k(b"L", b"N", _int(len(A)), _int(len(V)), minus, *_rows(V), *_rows(W), one, *_rows(A))


def reflect_rows(P: Array) -> Array:
    """Householder QR of Pᵀ in place: Rᵀ in the lower triangle of P, the reflectors Vᵀ right of it.

    Returns T, k × k for k = min(P.shape), of the compact form Q = I − VTVᵀ; float64.
    """
    k, info = min(P.shape), ctypes.c_int(0)
    T, work = np.zeros((k, k)), np.empty(k * len(P))
    shape = (_int(P.shape[1]), _int(len(P)), _int(k))
    _routine("dgeqrt", 9)(*shape, *_rows(P), *_rows(T), data_of(work), _ref(info))
    return np.tril(T).T


def mirror_upper(A: Array) -> Array:
    """Copy the upper triangle onto the lower one, in place, a band of rows at a time."""
    for lo in range(0, len(A), 256):
        hi = min(lo + 256, len(A))
        A[hi:, lo:hi] = A[lo:hi, hi:].T
        corner = A[lo:hi, lo:hi]
        np.copyto(corner, corner.T, where=_below(hi - lo))
    return A


@lru_cache(16)
def _below(n: int) -> Array:
    """Where the places below the diagonal of n rows are."""
    return np.tri(n, k=-1, dtype=bool)
