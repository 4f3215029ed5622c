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
    """K̃ = UΛUᵀ + τ(P − UUᵀ), P the projection off the constant direction: τ in all directions beyond U.

    (K̃ + αI)⁻¹P = U(Λ + α)⁻¹Uᵀ + (P − UUᵀ)/(τ + α): Woodbury's formula, diagonal, where τ is 0. With τ = 0
    an approximation takes K to be nothing beyond U; K itself then makes noise of what is divided by α alone:
    with 400 rows and 20 directions predictions were off by 38 times the spread of the targets.
    """

    task: KernelTask
    U: Array  # (n, k) orthonormal
    values: Array  # (k,)
    Ku: Array  # what K makes of the constant direction
    error: float = 0.0
    beyond: float = 0.0  # τ

    @property
    def rank(self) -> int:
        """Directions kept."""
        return len(self.values)

    @property
    def trace(self) -> float:
        """Sum of the eigenvalues."""
        return float(self.values.sum())

    @property
    def _full(self) -> bool:
        """Whether no direction lies beyond U and the constant one."""
        return self.rank + (self.task.constant is not None) >= len(self.U)

    def solve(self, alpha: float) -> Solution:
        """The model of one ridge; by the pseudo-inverse where it is 0."""
        return self.task.solution(self._dual(alpha), self.Ku)

    def _dual(self, alpha: float) -> Array:
        values, Y = self.values, self.task.Y
        if self.error == 0:  # what K makes 0 of adds nothing to the model but noise, 1/α times as large
            values = np.where(values == 0, np.inf, values)
        if alpha == 0:
            sizes = np.sort(np.abs(self.values))[::-1]
            least = sizes[: numerical_rank(sizes, self.U.shape)].min(initial=np.inf)
            values = np.where(np.abs(self.values) >= least, values, np.inf)
        rotated = self.U.T @ Y
        c = self.U @ (rotated / (values + alpha)[:, None])
        if self.beyond > 0:
            c += (Y - self.U @ rotated) / (self.beyond + alpha)
        return np.asarray(c)

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """√w·e of each row without it: α·c against the same rows and columns of α(K̃ + αI)⁻¹."""
        left = alpha / (self.values + alpha) if alpha > 0 else (self.values <= 0).astype(float)
        rest = alpha / (self.beyond + alpha) if alpha > 0 else 1.0
        Y, rotated = self.task.Y, self.U.T @ self.task.Y
        residual = rest * (Y - self.U @ rotated) + self.U @ (left[:, None] * rotated)
        return excluded(
            residual, self._slack(left, rest), groups, lambda rows: self._slack_block(left, rest, rows)
        )

    def copies_left_out(self, alpha: float, copies: Sequence[Array]) -> Array:
        """Errors (g, t) of the mean targets of rows with equal inputs, by the models without these rows.

        sᵀr / sᵀα(K̃ + αI)⁻¹s with s their √w and r the residuals; the ridge is above 0.
        """
        left, rest = alpha / (self.values + alpha), alpha / (self.beyond + alpha)
        roots, u, Y = self.task.roots, self.task.constant, self.task.Y
        V = np.stack([roots[rows] @ self.U[rows] for rows in copies])
        sums = np.stack([roots[rows] @ Y[rows] for rows in copies])
        squares = np.array([float(roots[rows] @ roots[rows]) for rows in copies])
        if u is not None:
            squares -= np.array([float(u[rows] @ roots[rows]) for rows in copies]) ** 2
        rotated = self.U.T @ Y
        above = rest * (sums - V @ rotated) + (V * left) @ rotated
        outside = 0.0 if self._full else np.maximum(squares - (V * V).sum(axis=1), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(above / (rest * outside + (V * V) @ left)[:, None])

    def _slack(self, left: Array, rest: float) -> Array:
        """Diagonal of α(K̃ + αI)⁻¹, as a sum of positive terms but for what no direction reaches."""
        u = self.task.constant
        constant = 0.0 if u is None else u**2
        squares = self.U * self.U
        outside = 0.0 if self._full else np.maximum(1 - constant - squares.sum(axis=1), 0.0)
        return np.asarray(rest * outside + squares @ left)

    def _slack_block(self, left: Array, rest: float, rows: Array) -> Array:
        U = self.U[rows]
        block = rest * np.eye(len(rows)) + (U * (left - rest)) @ U.T
        u = self.task.constant
        if u is not None:
            block -= rest * np.outer(u[rows], u[rows])
        return np.asarray(block)

    def condition(self, alpha: float) -> float:
        """Condition number of K̃ + αI."""
        sizes = np.abs(self.values) + alpha
        if not self._full:
            sizes = np.append(sizes, self.beyond + alpha)
        low, high = float(sizes.min(initial=np.inf)), float(sizes.max(initial=0.0))
        if not np.isfinite(low):  # there is no direction
            return 1.0
        return high / low if low > 0 else float("inf")
