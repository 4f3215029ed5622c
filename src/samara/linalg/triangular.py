"""Small pieces around triangular factors."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any

import numpy as np
from scipy.linalg import get_lapack_funcs

from samara.core import Array
from samara.linalg.blas import inverse_condition, solve_upper
from samara.linalg.room import room


def leading_solutions(R: Array, z: Array, sizes: Sequence[int]) -> Array:
    """Solve R[:l, :l] b = z[:l] for every size l at once: (L, S, t), zero past each size.

    A right-hand side that is zero past l has a solution that is zero past l, so one triangular solve
    with masked copies of z serves all sizes.
    """
    L, t = z.shape
    masked = room((L, len(sizes), t))
    for k, size in enumerate(sizes):
        masked[:size, k] = z[:size]
    solve_upper(R, masked.reshape(L, -1))
    return masked


def quadratic_forms(M: Array, U: Array) -> Array:
    """uᵀMu of every column u, for a symmetric M: half the products, those right of the diagonal twice."""
    total = np.zeros(U.shape[1])
    for lo in range(0, len(U), 128):
        hi = lo + 128
        total += np.einsum("ij,ij->j", U[lo:hi], M[lo:hi, lo:hi] @ U[lo:hi])
        if hi < len(U):
            total += 2 * np.einsum("ij,ij->j", U[lo:hi], M[lo:hi, hi:] @ U[hi:])
    return total


def triangle(rows: Array) -> Array:
    """R of the QR factorization, (min(n, p), p)."""
    R: Any = np.linalg.qr(rows, mode="r")
    return np.asarray(R)


def triangle_condition(R: Array) -> float:
    """Estimate of the 1-norm condition number of an upper triangle."""
    if R.size == 0:
        return 1.0
    rcond = inverse_condition(R)
    return float(1.0 / rcond) if rcond > 0 else float("inf")


def stacked_triangle(top: Array, ridge_root: float, n_ridge: int) -> Array:
    """The triangle of [top; ridge_root·I 0], where only the first ``n_ridge`` columns are regularised."""
    p = top.shape[1]
    square = np.zeros((p, p), order="F")
    square[: len(top)] = top[:p]
    ridge = np.zeros((n_ridge, p), order="F")
    np.fill_diagonal(ridge, ridge_root)
    (tpqrt,) = get_lapack_funcs(("tpqrt",), (square,))
    R, *_ = tpqrt(n_ridge, min(32, p), square, ridge, overwrite_a=True, overwrite_b=True)
    return np.ascontiguousarray(np.triu(R))


def packed(R: Array) -> Array:
    """The upper triangle, or trapezoid, row after row."""
    rows, n = R.shape
    flat, at = room((rows * n - rows * (rows - 1) // 2,), R.dtype), 0
    for i, row in enumerate(R):
        flat[at : at + n - i] = row[i:]
        at += n - i
    return flat


def unpacked(flat: Array, n: int) -> Array:
    """The matrix of n columns with this upper triangle, and zeros below it."""
    rows, at = (2 * n + 1 - isqrt((2 * n + 1) ** 2 - 8 * len(flat))) // 2, 0
    R = room((rows, n), flat.dtype)
    for i, row in enumerate(R):
        row[i:] = flat[at : at + n - i]
        at += n - i
    return R
