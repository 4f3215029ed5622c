"""Orthonormal columns that grow a block at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import svd

from samara.core import Array

_ROUNDS = 4  # of projection; the second is enough unless a block is nothing but rounding errors


class Basis:
    """Q with orthonormal columns, and the triangle of the vectors it was made from.

    Block Gram–Schmidt, each block projected at least twice: once leaves a block whose columns are small
    beside what was taken away leaning on Q by as much as that ratio times the rounding error.
    """

    def __init__(self, rows: int, dtype: np.dtype[Any]) -> None:
        self._store = np.empty((rows, 0), dtype, order="F")
        self.size = 0

    @property
    def columns(self) -> Array:
        """Q so far, a view."""
        return self._store[:, : self.size]

    def extend(self, Y: Array) -> Array:
        """Add the columns of Y, which is overwritten; T with Y = QT, of as many columns as Y.

        No more than its rows are added: columns past those lie in the span of Q already.
        """
        Q, rows = self.columns, len(Y)
        room = min(Y.shape[1], rows - self.size)
        T = np.zeros((self.size + room, Y.shape[1]), Y.dtype)
        T[: self.size] = _project_out(Q, Y)
        made, R = _orthonormal(Y[:, :room])
        for _ in range(_ROUNDS):
            lean = _project_out(Q, made)
            T[: self.size, :room] += lean @ R
            made, step = _orthonormal(made)
            R = step @ R
            if np.abs(np.diagonal(step)).min(initial=1) > 0.5:
                break
        T[self.size :, :room] = R
        T[self.size :, room:] = made.T @ Y[:, room:]
        self._append(made)
        return T

    def _append(self, made: Array) -> None:
        end = self.size + made.shape[1]
        if end > self._store.shape[1]:
            grown = np.empty((len(made), min(len(made), 2 * end)), made.dtype, order="F")
            grown[:, : self.size] = self.columns
            self._store = grown
        self._store[:, self.size : end] = made
        self.size = end


def _project_out(Q: Array, Y: Array) -> Array:
    """Y −= QQᵀY in place; QᵀY."""
    C = np.asarray(Q.T @ Y)
    if C.size:
        Y -= (C.T @ Q.T).T
    return C


def _orthonormal(Y: Array) -> tuple[Array, Array]:
    """QR of a tall block: by Cholesky where the columns are far from dependent, else by Householder.

    Cholesky's Q is orthonormal to eps·cond(Y)², here about 1e-4 at worst, which the second round mends. It is
    made of products alone: 0.7 ms at 5000 × 50, where Householder took 12 ms.
    """
    try:
        R = np.linalg.cholesky(Y.T @ Y, upper=True)
    except np.linalg.LinAlgError:
        return _householder(Y)
    pivots = np.diagonal(R)
    if pivots.min(initial=np.inf) < 100 * np.sqrt(np.finfo(Y.dtype).eps) * pivots.max(initial=0):
        return _householder(Y)
    return np.asarray((np.linalg.inv(R).T @ Y.T).T), R


def _householder(Y: Array) -> tuple[Array, Array]:
    Q, R = np.linalg.qr(Y)
    return np.asfortranarray(Q), R


def economic_svd(X: Array) -> tuple[Array, Array, Array]:
    """U, s and Vᵀ of X.

    LAPACK's divide and conquer fails now and then on a finite matrix whose singular values form two clusters:
    in one of 4000 Nyström approximations, of a projection. QR iteration did not.
    """
    try:
        U, s, Vt = np.linalg.svd(X, full_matrices=False)
    except np.linalg.LinAlgError:
        U, s, Vt = svd(X, full_matrices=False, lapack_driver="gesvd")
    return U, s, Vt


def orthonormalized(Y: Array) -> Array:
    """An orthonormal basis of the range of Y, which is overwritten."""
    basis = Basis(len(Y), Y.dtype)
    basis.extend(Y)
    return basis.columns
