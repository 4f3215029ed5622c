"""The Nyström approximation of a symmetric positive semidefinite matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg.basis import Basis, economic_svd, orthonormalized
from samara.linalg.operands import as_operand, product
from samara.linalg.ranges import (
    ERROR_PROBES,
    RandomState,
    checked_count,
    checked_rank,
    column_squares,
    gaussian,
)

_INDEFINITE = "The matrix is not positive semidefinite: xᵀMx is negative for a random x."


@dataclass(frozen=True)
class NystroemResult:
    """An eigendecomposition of low rank, M ≈ U diag(eigenvalues) Uᵀ.

    Attributes
    ----------
    U : ndarray of shape (n, rank)
        Orthonormal eigenvectors.
    eigenvalues : ndarray of shape (rank,)
        Positive, the largest first.
    history : ndarray of shape (rank + 1,)
        Estimate of ‖M − UΛUᵀ‖²_F/‖M‖²_F after 0, 1, … eigenvalues.
    error : float
        Estimate of ‖M − UΛUᵀ‖_F.
    met : bool
        Always true: there is no stop.
    """

    U: Array
    eigenvalues: Array
    history: Array
    error: float
    met: bool = True

    @property
    def rank(self) -> int:
        """Number of eigenvalues."""
        return len(self.eigenvalues)

    def dense(self) -> Array:
        """U diag(eigenvalues) Uᵀ, of the shape of M."""
        return np.asarray((self.U * self.eigenvalues) @ self.U.T)


def nystroem(
    M: Any, rank: int, oversampling: int = 10, *, random_state: RandomState = None
) -> NystroemResult:
    r"""Nyström approximation of a symmetric positive semidefinite matrix, from one product with it.

    .. math:: M \approx (M\Omega)(\Omega^\top M \Omega)^{+}(M\Omega)^\top = U \Lambda U^\top .

    It takes the place of Q(QᵀMQ)Qᵀ in Algorithm 3 of Men and Wang, which needs a second product with M. A
    shift ν = √n·eps·‖MΩ‖_F, taken off the eigenvalues at the end, keeps it stable.

    Parameters
    ----------
    M : array, sparse matrix, linear operator or Source, of shape (n, n)
        Symmetric positive semidefinite; probed for both. Read through one product.
    rank : int
        Eigenvalues wanted. Those that are 0 are left out.
    oversampling : int
        Columns of Ω beyond the rank.
    random_state : int, Generator or None
        Where Ω comes from.

    Returns
    -------
    NystroemResult
        Eigenvectors, eigenvalues and an error estimate.
    """
    operand, rng = as_operand(M), np.random.default_rng(random_state)
    n, columns = operand.shape
    if n != columns:
        raise InputError(f"A symmetric matrix is square, got {n} × {columns}.")
    rank = checked_rank(rank, operand.shape)
    width = min(rank + checked_count("oversampling", oversampling), n)
    Omega = orthonormalized(gaussian(rng, operand, width))
    G = gaussian(rng, operand, ERROR_PROBES)
    Y = product(operand, np.hstack([Omega, G]))  # one product: a streamed M is read once
    Y, MG = Y[:, :width], Y[:, width:]
    slack = np.sqrt(np.finfo(operand.dtype).eps) * _largest(G) * _largest(MG)
    if np.abs(G.T @ MG - MG.T @ G).max() > slack:
        raise InputError("The matrix is not symmetric: xᵀMy and yᵀMx differ for random x and y.")
    U, eigenvalues = _eigenpairs(Omega, Y, rank)
    rest = MG - U @ (eigenvalues[:, None] * (U.T @ G))
    # The residual of a positive semidefinite matrix is positive semidefinite as well.
    if np.sum(G * rest, axis=0).min() < -slack:
        raise InputError(_INDEFINITE)
    return _result(U, eigenvalues, G, rest)


def _eigenpairs(Omega: Array, Y: Array, rank: int) -> tuple[Array, Array]:
    """Eigenvectors and positive eigenvalues of YC⁺Yᵀ, C = ΩᵀY, with both shifted as if M were M + νI."""
    eps = np.finfo(Y.dtype).eps
    shift = float(np.sqrt(len(Y)) * eps * np.linalg.norm(Y))
    Y = Y + shift * Omega
    C = Omega.T @ Y
    inner, W = np.linalg.eigh((C + C.T) / 2)
    if inner[0] < -np.sqrt(eps) * np.abs(inner).max():
        raise InputError(_INDEFINITE)
    # M = 0 alone has no shift; its F is 0 whatever it is divided by.
    F = Y @ (W / np.sqrt(np.maximum(inner, shift or 1)))
    basis = Basis(len(Y), Y.dtype)
    small, s, _ = economic_svd(basis.extend(F))
    eigenvalues = s**2 - shift
    kept = min(rank, int(np.count_nonzero(eigenvalues > 0)))
    return basis.columns @ small[:, :kept], eigenvalues[:kept]


def _result(U: Array, eigenvalues: Array, G: Array, rest: Array) -> NystroemResult:
    """The history adds one eigenvalue after another back to what is left of the probes."""
    seen = eigenvalues[:, None] * (U.T @ G)
    back = np.sum(seen * (seen + 2 * (U.T @ rest)), axis=1) / G.shape[1]
    left = column_squares(rest).mean() + np.append(np.cumsum(back[::-1])[::-1], 0)
    return NystroemResult(U, eigenvalues, left / (left[0] or 1), float(np.sqrt(left[-1])))


def _largest(Y: Array) -> float:
    """The largest norm of a column."""
    return float(np.sqrt(column_squares(Y).max()))
