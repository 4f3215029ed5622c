"""`dual` and `svd`: solvers that keep the rows, for n < L and for the classical ELM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, eigvalsh, svd

from samara.core import Array
from samara.rowkeys import Copies
from samara.shapes import safe_ridge
from samara.solvers.normal import with_intercept
from samara.solvers.root import numerical_rank, residual_squares
from samara.solvers.task import Task
from samara.summaries import Rows as RowsSummary

Method = Literal["dual", "svd"]
FAR = 1e6  # times the least ridge that HHᵀ carries: its eigenvectors give roots of inverses to 1e-7


class RowSystem:
    """β = Hᵀ(HHᵀ + αI)⁻¹Y, or by the SVD of H where the ridge is too small for HHᵀ."""

    def __init__(
        self, rows: Array, n_features: int, fit_intercept: bool, method: Method, n_rows: int
    ) -> None:
        L, self._n_rows = n_features, n_rows
        self.root_weights = rows[:, 0]
        self.weight = float(self.root_weights @ self.root_weights)
        self.means = (
            self.root_weights @ rows[:, 1:] / self.weight if fit_intercept else np.zeros(rows.shape[1] - 1)
        )
        centred = np.outer(self.root_weights, -self.means)
        centred += rows[:, 1:]  # in place: as many numbers as H has
        self.H, self.Y = centred[:, :L], centred[:, L:]
        self.target_squares = np.sum(self.Y**2, axis=0)
        self.fit_intercept = fit_intercept
        self.method = method
        self.keys: Array | None = None  # (n, 2) of the rows' inputs, and of inputs and targets
        self._svd: tuple[Array, Array, Array] | None = None
        self._known: dict[int, Array] = {}  # eigenvalues by columns: condition and rank both ask
        self._products: tuple[int, Array] = (-1, np.empty((0, 0)))  # HHᵀ of the columns asked for last
        self._axes: tuple[int, Array, Array] | None = None  # its eigenvalues and eigenvectors

    def merged(self, copies: Copies) -> RowSystem:
        """The same system with one row for each input, its target the mean of theirs."""
        if len(copies.first) == len(self.H):
            return self
        own, roots = self.root_weights[:, None], np.sqrt(copies.total)[:, None]
        values = np.hstack([(self.H / own)[copies.first], copies.mean(self.Y / own)]) + self.means
        rows = np.hstack([roots, roots * values])
        return RowSystem(rows, self.H.shape[1], self.fit_intercept, self.method, len(rows))

    @cached_property
    def trace(self) -> float:
        """Trace of the centred Gram."""
        return float(np.trace(self._kernel())) if self.method == "dual" else float(np.sum(self.H**2))

    def _kernel(self, size: int | None = None) -> Array:
        """HHᵀ of the leading columns: every ridge, the condition and the trace ask for the same one."""
        H = self.H[:, :size]
        columns, kernel = self._products
        if columns != H.shape[1]:
            kernel = H @ H.T
            self._products = H.shape[1], kernel
        return kernel

    def solve(self, alpha: float, sizes: Sequence[int]) -> Array:
        """Solutions (1 + L, S, t) for each leading block of columns."""
        solutions = np.zeros((self.H.shape[1], len(sizes), self.Y.shape[1]))
        for k, size in enumerate(sizes):
            solutions[:size, k] = self._solve_leading(alpha, size)
        return with_intercept(solutions, self.means)

    def _solve_leading(self, alpha: float, size: int) -> Array:
        H = self.H[:, :size]
        if self._squares(alpha):
            kernel = self._kernel(size).copy()
            kernel.flat[:: len(kernel) + 1] += alpha
            try:
                factor = cho_factor(kernel, overwrite_a=True, check_finite=False)
                return np.asarray(H.T @ cho_solve(factor, self.Y, check_finite=False))
            except np.linalg.LinAlgError:
                pass  # only where alpha is 0 and H is 0: the pseudo-inverse below answers
        U, s, Vt = self._factors() if size == self.H.shape[1] else svd(H, full_matrices=False)
        rank = numerical_rank(s, (self._n_rows, size))
        gains = s[:rank] / (s[:rank] ** 2 + alpha)
        return np.asarray(Vt[:rank].T @ (gains[:, None] * (U[:, :rank].T @ self.Y)))

    def _factors(self) -> tuple[Array, Array, Array]:
        if self._svd is None:
            self._svd = svd(self.H, full_matrices=False, check_finite=False)
        return self._svd

    def spectrum(self, size: int | None = None) -> tuple[Array, Array, Array]:
        """Eigenvalues (descending), eigenvectors and rotated cross moments of the Gram."""
        U, s, Vt = (
            self._factors() if size in (None, self.H.shape[1]) else svd(self.H[:, :size], full_matrices=False)
        )
        return s**2, Vt.T, s[:, None] * (U.T @ self.Y)

    def _squares(self, alpha: float) -> bool:
        """Whether HHᵀ carries this ridge; else H itself is decomposed."""
        return self.method == "dual" and alpha >= safe_ridge(self.trace, "float64")

    def _values(self, alpha: float, size: int | None = None) -> Array:
        """Eigenvalues of the Gram."""
        if not self._squares(alpha):
            return self.spectrum(size)[0]
        H = self.H[:, :size]
        key = H.shape[1]
        if key not in self._known:
            small = self._kernel(size) if len(H) <= key else H.T @ H
            self._known[key] = np.maximum(eigvalsh(small, check_finite=False)[::-1], 0.0)
        return self._known[key]

    def condition(self, alpha: float) -> float:
        """Condition number of H with the ridge in it."""
        values = self._values(alpha)
        low = values[-1] if len(values) == self.H.shape[1] else 0.0
        return float(np.sqrt((values[0] + alpha) / (low + alpha))) if low + alpha > 0 else float("inf")

    def rank(self, alpha: float, size: int) -> int:
        """Numerical rank of the leading columns."""
        values = self._values(alpha, size)
        # Eigenvalues of a square are known to eps of the largest, singular values of H to eps of theirs.
        return numerical_rank(values if self._squares(alpha) else np.sqrt(values), (self._n_rows, size))

    def leave_one_out(self, alphas: Sequence[float], size: int | None = None) -> Array:
        """Leave-one-out errors √w·e (n, A, t) from one decomposition of the rows.

        e_i = c_i / [(K + αI)⁻¹]_ii with the constant direction projected out, as sums of positive
        terms: exact however close to 1 the leverage is.
        """
        values, Q, constant = self._directions(min(alphas), size)
        rotated = Q.T @ self.Y
        rest = 0.0 if Q.shape[1] + constant.any() >= len(Q) else 1.0
        beyond = rest * (self.Y - Q @ rotated)  # what no column of H reaches
        free = rest * np.maximum(1 - constant**2 - np.einsum("ij,ij->i", Q, Q), 0.0)
        errors = np.empty((len(Q), len(alphas), self.Y.shape[1]))
        for a, alpha in enumerate(alphas):
            shrink = alpha / (values + alpha) if alpha > 0 else np.zeros(len(values))
            slack = free + (Q * Q) @ shrink  # 1 − leverage
            with np.errstate(invalid="ignore", divide="ignore"):
                errors[:, a] = (beyond + Q @ (shrink[:, None] * rotated)) / slack[:, None]
        return errors

    def along_rows(self, alpha: float, size: int) -> tuple[Array, Array] | None:
        """Eigenvalues of HHᵀ and QᵀH; None where the ridge is so small that these would tell too little."""
        if not (self.method == "dual" and alpha > FAR * safe_ridge(self.trace, "float64")):
            return None
        values, Q, _ = self._directions(alpha, size)
        return values, Q.T @ self.H[:, :size]

    def _directions(self, alpha: float, size: int | None) -> tuple[Array, Array, Array]:
        """Eigenvalues and eigenvectors of HHᵀ, without the constant direction, and that direction.

        The constant is put in with the largest eigenvalue of all, so that it can't mix with others.
        """
        constant = self.root_weights / np.linalg.norm(self.root_weights) * self.fit_intercept
        H, top = self.H[:, :size], 2 * self.trace + 1
        if self._squares(alpha):
            if self._axes is None or self._axes[0] != H.shape[1]:
                kernel = self._kernel(size) + top * np.outer(constant, constant)
                values, Q = (found[..., ::-1] for found in eigh(kernel, check_finite=False))
                self._axes = H.shape[1], values, Q
            values, Q = self._axes[1:]
        else:
            with_constant = np.column_stack([np.sqrt(top) * constant, H])
            Q, singular, _ = svd(with_constant, full_matrices=False, check_finite=False)
            values = singular**2
        first = int(self.fit_intercept)
        values, Q = np.maximum(values[first:], 0.0), Q[:, first:]
        rank = numerical_rank(np.sqrt(values), (self._n_rows, H.shape[1])) if alpha == 0 else len(values)
        return values[:rank], Q[:, :rank], constant


class RowFactor:
    """The rows of all folds."""

    def __init__(self, summary: RowsSummary, fit_intercept: bool, method: Method, n_rows: int) -> None:
        self.layout, self._n_rows = summary.layout, n_rows
        self.n_folds = summary.n_folds
        self._rows, self._fold = np.asarray(summary.rows, np.float64), summary.folds
        self._keys = summary.keys
        self._fit_intercept = fit_intercept
        self._method: Method = method

    @property
    def solver(self) -> str:
        """Whose factor it is."""
        return self._method

    @property
    def fold_weights(self) -> Array:
        """Weight of the rows of each fold."""
        return np.bincount(self._fold, self._rows[:, 0] ** 2, minlength=self.n_folds)

    def fold_rows(self) -> list[Array]:
        """The augmented rows of each fold."""
        return [self._rows[self._fold == fold] for fold in range(self.n_folds)]

    def system(self, without: int | None = None) -> RowSystem:
        """The system of all rows, or of all but one fold's."""
        rows = self._rows if without is None else self._rows[self._fold != without]
        made = RowSystem(rows, self.layout.n_features, self._fit_intercept, self._method, self._n_rows)
        made.keys = self._keys if without is None else self._keys[self._fold != without]
        return made

    def squared_errors(self, solutions: Array, fold: int | None = None) -> Array:
        """Squared errors (S, t) on a fold, or on all rows."""
        return residual_squares(self._rows if fold is None else self._rows[self._fold == fold], solutions)


@dataclass(frozen=True)
class Dual:
    """The n×n system, for fewer rows than columns: n²L + n³/3 flops, n×L memory."""

    name: ClassVar[Method] = "dual"

    def validate(self) -> None:
        """There is nothing to set."""

    def __call__(self, task: Task) -> RowFactor:
        """Keep the rows of all folds."""
        rows = task.engine.summarize(
            task.source.folded(task.n_folds),
            partial(RowsSummary, task.layout, task.n_folds, task.engine.block_rows),
            name="rows",
        )
        return RowFactor(rows, task.fit_intercept, self.name, task.source.n_rows)


@dataclass(frozen=True)
class Svd(Dual):
    """The classical ELM: the Moore–Penrose inverse of H (Schindler Algorithm 1), which keeps H in memory."""

    name: ClassVar[Method] = "svd"
