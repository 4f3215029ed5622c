"""The pseudo-inverse, kept as factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg.ranges import RandomState
from samara.linalg.stops import GradientStop, Stop
from samara.linalg.svd import fast_svd

_GRADIENT_STOP = GradientStop()


@dataclass(frozen=True)
class PinvResult:
    """A pseudo-inverse in factors, A⁺ ≈ V diag(1/s) Uᵀ, to be applied with ``@``.

    Attributes
    ----------
    U : ndarray of shape (m, rank)
        Left singular vectors of A.
    s : ndarray of shape (rank,)
        Singular values of A that are not dropped, the largest first.
    Vt : ndarray of shape (rank, n)
        Right singular vectors of A, as rows.
    history : ndarray
        What the stop watched after 0, 1, … columns.
    error : float
        Estimate of ‖A − U diag(s) Vᵀ‖_F: how far the matrix that is inverted is from A.
    met : bool
        Whether the stop was met.
    """

    U: Array
    s: Array
    Vt: Array
    history: Array
    error: float
    met: bool

    @property
    def rank(self) -> int:
        """Number of singular values that are inverted."""
        return len(self.s)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, m), that of the transpose of A."""
        return int(self.Vt.shape[1]), int(self.U.shape[0])

    def __matmul__(self, Y: Any) -> Array:
        """A⁺Y, for one right-hand side (m,) or several (m, t)."""
        Y = np.asarray(Y)
        if Y.ndim not in (1, 2) or Y.shape[0] != self.shape[1]:
            raise InputError(f"A pseudo-inverse of shape {self.shape} can't be applied to shape {Y.shape}.")
        return np.asarray(self.Vt.T @ ((self.U.T @ Y).T / self.s).T)

    def dense(self) -> Array:
        """The n × m matrix itself."""
        return np.asarray((self.Vt.T / self.s) @ self.U.T)


def pinv(
    A: Any, stop: Stop = _GRADIENT_STOP, *, random_state: RandomState = None, max_rank: int | None = None
) -> PinvResult:
    r"""Moore–Penrose pseudo-inverse on the range that a stop finds.

    .. math:: A^+ \approx V \Sigma^{-1} \tilde U^\top Q^\top ,

    line 9 of Algorithm 5 of Jankowski and Linowiecki: ``pinv(A) @ Y`` are the weights of a linear output
    layer. Singular values below max(m, n)·eps·s₁ count as 0 and are dropped.

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
    PinvResult
        The factors, which ``@`` applies and ``dense()`` multiplies out.
    """
    found = fast_svd(A, stop, random_state=random_state, max_rank=max_rank)
    U, s, Vt = found.U, found.s, found.Vt
    floor = max(len(U), Vt.shape[1]) * np.finfo(s.dtype).eps * s.max(initial=0)
    rank = int(np.count_nonzero(s > floor))
    return PinvResult(U[:, :rank], s[:rank], Vt[:rank], found.history, found.error, found.met)
