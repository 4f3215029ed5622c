"""`qr`: a triangle per fold (TSQR), for ridges too small for the normal equations; and the pseudo-inverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.linalg import svd

from samara.core import Array
from samara.linalg.triangular import leading_solutions, stacked_triangle, triangle, triangle_condition
from samara.solvers.normal import with_intercept
from samara.solvers.task import Task
from samara.summaries import Layout, Triangle


class RootSystem:
    """min ‖Rβ − z‖² + α‖β‖² over a triangle (or any rows) [1, H, Y] of some rows."""

    def __init__(self, rows: Array, n_features: int, fit_intercept: bool, n_rows: int) -> None:
        self._L, self._n_rows = n_features, n_rows
        self.fit_intercept = fit_intercept
        self.weight = float(rows[:, 0] @ rows[:, 0])
        if fit_intercept:
            # The first reflection eliminates the constant column: what is left below is centred.
            R = triangle(rows)
            self.means = R[0, 1:] / R[0, 0]
            self.rows = R[1:, 1:]
        else:
            self.means = np.zeros(rows.shape[1] - 1)
            self.rows = triangle(rows[:, 1:])
        self.target_squares = np.sum(self.rows[:, n_features:] ** 2, axis=0)

    @property
    def trace(self) -> float:
        """Trace of the centred Gram."""
        return float(np.sum(self.rows[:, : self._L] ** 2))

    @property
    def target_products(self) -> Array:
        """Centred products of the targets with each other, (t, t)."""
        targets = self.rows[:, self._L :]
        return np.asarray(targets.T @ targets)

    def root(self, alpha: float) -> tuple[Array, Array]:
        """R and z with RᵀR = G + αI and Rᵀz = r, by orthogonal transformations only."""
        R = stacked_triangle(self.rows, float(np.sqrt(alpha)), self._L)
        return R[: self._L, : self._L], R[: self._L, self._L :]

    def solve(self, alpha: float, sizes: Sequence[int]) -> Array:
        """Solutions (1 + L, S, t); the minimum-norm ones where R is singular."""
        if alpha > 0:
            R, z = self.root(alpha)
            if triangle_condition(R) < 0.1 / np.finfo(float).eps:
                return with_intercept(leading_solutions(R, z, sizes), self.means)
        solutions = [self._minimum_norm(alpha, size) for size in sizes]
        return with_intercept(np.stack(solutions, axis=1), self.means)

    def _minimum_norm(self, alpha: float, size: int) -> Array:
        U, s, Vt = self._factors if size == self._L else self._decomposed(size)
        rank = numerical_rank(s, (self._n_rows, size))
        gains = s[:rank] / (s[:rank] ** 2 + alpha)
        padded = np.zeros((self._L, self.rows.shape[1] - self._L))
        padded[:size] = Vt[:rank].T @ (gains[:, None] * (U[:, :rank].T @ self.rows[:, self._L :]))
        return padded

    def spectrum(self, size: int | None = None) -> tuple[Array, Array, Array]:
        """Eigenvalues (descending), eigenvectors and rotated cross moments of the Gram."""
        U, s, Vt = self._factors if size in (None, self._L) else self._decomposed(size or 0)
        return s**2, Vt.T, s[:, None] * (U.T @ self.rows[:, self._L :])

    @cached_property
    def _factors(self) -> tuple[Array, Array, Array]:
        return self._decomposed(self._L)

    def _decomposed(self, size: int) -> tuple[Array, Array, Array]:
        U, s, Vt = svd(self.rows[:, :size], full_matrices=False, check_finite=False)
        return U, s, Vt

    def condition(self, alpha: float) -> float:
        """Condition number of H with the ridge in it."""
        values = self.spectrum()[0]
        low = values[-1] if len(values) == self._L else 0.0
        top = values[0] if len(values) else 0.0  # a single row leaves nothing once it is centred
        return float(np.sqrt((top + alpha) / (low + alpha))) if low + alpha > 0 else float("inf")

    def rank(self, alpha: float, size: int) -> int:
        """Numerical rank of the leading columns."""
        return numerical_rank(np.sqrt(self.spectrum(size)[0]), (self._n_rows, size))


def numerical_rank(singular: Array, shape: tuple[int, int]) -> int:
    """Singular values above max(n, L)·eps of the largest: with ridge 0 the others count as zero.

    n is the number of rows of the table, however few of them a triangle, a sketch or a fold has: every solver
    then keeps the same directions.
    """
    if not len(singular) or singular[0] == 0:
        return 0
    return int(np.sum(singular > max(shape) * np.finfo(float).eps * singular[0]))


class RootFactor:
    """The triangle of each fold."""

    solver = "qr"

    def __init__(self, folds: list[Array], layout: Layout, fit_intercept: bool, n_rows: int) -> None:
        self.layout, self._n_rows = layout, n_rows
        self._fit_intercept = fit_intercept
        self._folds = folds

    def turned(self, directions: Array) -> RootFactor:
        """The rows' coordinates along orthonormal directions."""
        L = self.layout.n_features
        folds = [
            np.column_stack([fold[:, 0], fold[:, 1 : 1 + L] @ directions, fold[:, 1 + L :]])
            for fold in self._folds
        ]
        return RootFactor(folds, self.layout.projected(directions), self._fit_intercept, self._n_rows)

    @property
    def n_folds(self) -> int:
        return len(self._folds)

    @property
    def fold_weights(self) -> Array:
        """Weight of the rows of each fold."""
        return np.array([float(fold[:, 0] @ fold[:, 0]) for fold in self._folds])

    def fold_rows(self) -> list[Array]:
        """The triangle of each fold."""
        return self._folds

    def root(self) -> Array:
        """Rows S with SᵀS = HᵀH as it is, not centred."""
        return triangle(np.vstack(self._folds)[:, 1 : 1 + self.layout.n_features])

    def system(self, without: int | None = None) -> RootSystem:
        """The system of all rows, or of all but one fold's: the QR of the other triangles."""
        rows = np.vstack([fold for f, fold in enumerate(self._folds) if f != without])
        return RootSystem(rows, self.layout.n_features, self._fit_intercept, self._n_rows)

    def squared_errors(self, solutions: Array, fold: int | None = None) -> Array:
        """‖Y − [1, H]u‖² from the rows or the triangle: (S, t)."""
        rows = np.vstack(self._folds) if fold is None else self._folds[fold]
        return residual_squares(rows, solutions)


def residual_squares(rows: Array, solutions: Array) -> Array:
    """Squared residuals (S, t) of augmented rows [1, H, Y] under solutions (1 + L, S, t)."""
    width, n_sizes, t = solutions.shape
    fitted = (rows[:, :width] @ solutions.reshape(width, -1)).reshape(len(rows), n_sizes, t)
    np.subtract(rows[:, None, width:], fitted, out=fitted)
    return np.asarray(np.einsum("nst,nst->st", fitted, fitted))


@dataclass(frozen=True)
class Qr:
    """A triangle of the rows: one pass, about 2.7nL² flops, L² memory a fold.

    Its errors grow with cond(H), not with the square of it.
    """

    name = "qr"

    def validate(self) -> None:
        """There is nothing to set."""

    def __call__(self, task: Task) -> RootFactor:
        """Summarize the rows as triangles of folds."""
        summary = task.engine.summarize(
            task.source.folded(task.n_folds),
            partial(Triangle, task.layout, task.n_folds, task.engine.block_rows),
            name="triangle",
        ).finish()
        folds = [np.asarray(fold, np.float64) for fold in summary.folds]
        return RootFactor(folds, task.layout, task.fit_intercept, task.source.n_rows)
