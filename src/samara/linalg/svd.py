"""Randomized singular value decompositions, of a given rank or of the rank a stop finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array
from samara.linalg.basis import Basis, economic_svd, orthonormalized
from samara.linalg.operands import Operand, as_operand, product
from samara.linalg.ranges import (
    ERROR_PROBES,
    Found,
    RandomState,
    checked_count,
    checked_rank,
    column_squares,
    find_range,
    gaussian,
)
from samara.linalg.stops import GradientStop, Stop

_GRADIENT_STOP = GradientStop()
# Times eps: where ‖A‖² − ‖QᵀA‖² is a smaller share of ‖A‖² than this, it is mostly rounding.
_CANCELLED = 4096


@dataclass(frozen=True)
class SVDResult:
    """A truncated singular value decomposition, A ≈ U diag(s) Vᵀ.

    Attributes
    ----------
    U : ndarray of shape (m, rank)
        Left singular vectors.
    s : ndarray of shape (rank,)
        Singular values, the largest first.
    Vt : ndarray of shape (rank, n)
        Right singular vectors, as rows.
    history : ndarray of shape (rank + 1,)
        From ``fast_svd`` what the stop watched after 0, 1, … columns; from ``rsvd`` the relative residual
        energy ‖A − UΣVᵀ‖²_F/‖A‖²_F after 0, 1, … singular values.
    error : float
        Estimate of ‖A − U diag(s) Vᵀ‖_F.
    met : bool
        Whether the stop was met; always true for ``rsvd``, which has none.
    """

    U: Array
    s: Array
    Vt: Array
    history: Array
    error: float
    met: bool

    @property
    def rank(self) -> int:
        """Number of singular values."""
        return len(self.s)

    def dense(self) -> Array:
        """U diag(s) Vᵀ, of the shape of A."""
        return np.asarray((self.U * self.s) @ self.Vt)


def fast_svd(
    A: Any, stop: Stop = _GRADIENT_STOP, *, random_state: RandomState = None, max_rank: int | None = None
) -> SVDResult:
    r"""Singular value decomposition on the range that a stop finds.

    .. math:: Q^\top A = \tilde U \Sigma V^\top, \qquad A \approx (Q \tilde U)\, \Sigma\, V^\top ,

    where Q is that of :func:`range_finder`: Algorithm 5, lines 7 and 8, of Jankowski and Linowiecki, with
    ``GradientStop`` (Algorithm 4) or ``ErrorStop`` (Algorithm 2) or any other stop.

    Parameters
    ----------
    A : array, sparse matrix, linear operator or Source, of shape (m, n)
        Read only through products with it and with its transpose.
    stop : ErrorStop, GradientStop, EnergyStop or RidgeStop
        When the range is wide enough.
    random_state : int, Generator or None
        Where the random matrix comes from.
    max_rank : int, optional
        The most columns; min(m, n) unless given.

    Returns
    -------
    SVDResult
        U, s, Vt, the watched values, an error estimate and whether the stop was met.
    """
    operand, rng = as_operand(A), np.random.default_rng(random_state)
    found = find_range(operand, stop, rng, max_rank)
    U, s, Vt = _lifted(found.Q, _projected(operand, found))
    return SVDResult(U, s, Vt, found.history, _error(operand, (U, s, Vt), rng), found.met)


def rsvd(
    A: Any, rank: int, oversampling: int = 10, power: int = 1, *, random_state: RandomState = None
) -> SVDResult:
    r"""Randomized singular value decomposition of a given rank.

    .. math:: Q = \operatorname{orth}\bigl((AA^\top)^p A\Omega\bigr), \qquad
        Q^\top A = \tilde U \Sigma V^\top, \qquad A \approx (Q \tilde U)\, \Sigma\, V^\top .

    Algorithm 4 of Schindler, Algorithms 1 and 2 of Men and Wang: Ω has ``rank + oversampling`` Gaussian
    columns, and the decomposition is cut to ``rank``. With ``power=0`` and ``oversampling=0`` it is theirs
    to the letter.

    Parameters
    ----------
    A : array, sparse matrix, linear operator or Source, of shape (m, n)
        Read only through products with it and with its transpose.
    rank : int
        Singular values wanted. Values that are exactly 0 are left out.
    oversampling : int
        Columns of Ω beyond the rank.
    power : int
        Power iterations p, each two more products with A; orthonormalized in between. They help where the
        singular values fall slowly.
    random_state : int, Generator or None
        Where Ω comes from.

    Returns
    -------
    SVDResult
        U, s, Vt, the energy left after each singular value and an error estimate.
    """
    operand, rng = as_operand(A), np.random.default_rng(random_state)
    rank = checked_rank(rank, operand.shape)
    width = min(rank + checked_count("oversampling", oversampling), *operand.shape)
    Y = product(operand, gaussian(rng, operand, width))
    for _ in range(checked_count("power", power)):
        Y = product(operand, orthonormalized(operand.left_times(orthonormalized(Y)).T))
    Q = orthonormalized(Y)
    U, s, Vt = _lifted(Q, operand.left_times(Q))
    kept = min(rank, int(np.count_nonzero(s)))
    U, s, Vt = U[:, :kept], s[:kept], Vt[:kept]
    error = _error(operand, (U, s, Vt), rng)
    left = error**2 + np.append(np.cumsum(s[::-1].astype(np.float64) ** 2)[::-1], 0)
    return SVDResult(U, s, Vt, left / (left[0] or 1), error, True)


def _projected(A: Operand, found: Found) -> Array:
    """QᵀA, which the stop may have needed already."""
    if found.B is not None:
        return found.B
    return A.left_times(found.Q) if found.Q.size else np.zeros((0, A.shape[1]), A.dtype)


def _lifted(Q: Array, B: Array) -> tuple[Array, Array, Array]:
    """SVD of QB, for Q with orthonormal columns, through the smaller side of B, which is overwritten."""
    k, n = B.shape
    if 2 * k > n:
        small, s, Vt = economic_svd(B)
        return Q @ small, s, Vt
    side = Basis(n, B.dtype)  # LAPACK would do the same by Householder, three times as long at 240 × 2000
    R = side.extend(B.T)
    small, s, Wt = economic_svd(R.T)
    return Q @ small, s, Wt @ side.columns.T


def _error(A: Operand, factors: tuple[Array, Array, Array], rng: np.random.Generator) -> float:
    """‖A − UΣVᵀ‖_F: what s leaves of ‖A‖² where that is known and more than rounding, else probed."""
    U, s, Vt = factors
    total = A.squared_norm()
    if total is not None:
        left = total - float(np.sum(s.astype(np.float64) ** 2))
        if left > _CANCELLED * np.finfo(A.dtype).eps * total or total == 0:
            return float(np.sqrt(left))
    G = gaussian(rng, A, ERROR_PROBES)
    rest = product(A, G) - U @ (s[:, None] * (Vt @ G))
    return float(np.sqrt(column_squares(rest).mean()))
