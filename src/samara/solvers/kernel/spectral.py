"""A kernel matrix as UΛUᵀ: every ridge, and every row's or fold's error without it, at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samara.core import Array
from samara.solvers.kernel.task import KernelTask, Solution, excluded
from samara.solvers.root import numerical_rank


@dataclass(frozen=True)
class Spectral:
    """K̃ = UΛUᵀ, and nothing but the ridge in all other directions (Woodbury's formula, diagonal).

    With P the projection off the constant direction, (K̃ + αI)⁻¹P = (P − U diag(Λ/(Λ + α)) Uᵀ)/α.
    """

    task: KernelTask
    U: Array  # (n, k) orthonormal
    values: Array  # (k,)
    Ku: Array  # what K makes of the constant direction
    error: float = 0.0

    @property
    def rank(self) -> int:
        """Directions kept."""
        return len(self.values)

    @property
    def trace(self) -> float:
        """Sum of the eigenvalues."""
        return float(self.values.sum())

    def solve(self, alpha: float) -> Solution:
        """The model of one ridge; by the pseudo-inverse where it is 0."""
        return self.task.solution(self._dual(alpha), self.Ku)

    def _dual(self, alpha: float) -> Array:
        """U(Λ + α)⁻¹UᵀY, and what lies beyond U divided by |λ| + α, λ the smallest eigenvalue kept.

        Woodbury's formula divides it by α alone, as if K had nothing there; K itself then makes noise of it.
        With 400 rows and 20 directions predictions were off by 38 times the spread of the targets.
        """
        values, Y = self.values, self.task.Y
        if self.error == 0:  # what K makes 0 of adds nothing to the model but noise, 1/α times as large
            values = np.where(values == 0, np.inf, values)
        if alpha == 0:
            sizes = np.sort(np.abs(self.values))[::-1]
            least = sizes[: numerical_rank(sizes, self.U.shape)].min(initial=np.inf)
            values = np.where(np.abs(self.values) >= least, values, np.inf)
        rotated = self.U.T @ Y
        c = self.U @ (rotated / (values + alpha)[:, None])
        if self.error > 0:
            c += (Y - self.U @ rotated) / (np.abs(self.values).min(initial=np.inf) + alpha)
        return np.asarray(c)

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """√w·e of each row without it: α·c against the same rows and columns of α(K̃ + αI)⁻¹."""
        keep = self.values / (self.values + alpha) if alpha > 0 else (self.values > 0).astype(float)
        Y = self.task.Y
        residual = Y - self.U @ (keep[:, None] * (self.U.T @ Y))
        return excluded(residual, self._slack(keep), groups, lambda rows: self._slack_block(keep, rows))

    def _slack(self, keep: Array) -> Array:
        """1 − leverage, as a sum of positive terms but for what no direction reaches."""
        u = self.task.constant
        constant = 0.0 if u is None else u**2
        squares = self.U * self.U
        full = len(self.values) + (u is not None) >= len(self.U)
        beyond = 0.0 if full else np.maximum(1 - constant - squares.sum(axis=1), 0.0)
        return np.asarray(beyond + squares @ (1 - keep))

    def _slack_block(self, keep: Array, rows: Array) -> Array:
        U = self.U[rows]
        block = np.eye(len(rows)) - (U * keep) @ U.T
        u = self.task.constant
        if u is not None:
            block -= np.outer(u[rows], u[rows])
        return np.asarray(block)

    def condition(self, alpha: float) -> float:
        """Condition number of K̃ + αI."""
        values = np.abs(self.values) + alpha
        low = float(values.min(initial=np.inf)) if self.rank >= len(self.U) else alpha
        return float(values.max(initial=alpha)) / low if low > 0 else float("inf")
