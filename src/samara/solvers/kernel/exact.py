"""`exact`: the whole kernel matrix, by Cholesky for one ridge, by one reduction to a band for many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import eigh, svd

from samara.core import Array
from samara.linalg.band import Band, BandFactor, reduce_to_band
from samara.linalg.blas import factor_upper, mirror_upper, solve_upper
from samara.linalg.kernels import factor_rows
from samara.linalg.triangular import triangle_condition
from samara.linalg.workers import worth_blas_threads
from samara.solvers.kernel.matrix import Written, written_out
from samara.solvers.kernel.spectral import Spectral
from samara.solvers.kernel.task import (
    DualFactor,
    KernelTask,
    Solution,
    excluded,
    rounding_of,
    warn_of_sign,
    without,
)
from samara.solvers.root import numerical_rank

# Below this share of the trace a ridge drowns in the rounding of the matrix itself.
ROUNDING = 4 * float(np.finfo(np.float64).eps)
COLUMNS = 128  # of the inverse worked out at a time


@dataclass
class Path:
    """K = QBQᵀ with B banded: solutions and exact leave-one-out errors of every ridge in O(n²)."""

    task: KernelTask
    band: Band
    top: float  # eigenvalue that stands for the constant direction
    trace: float
    Ku: Array
    error: float = 0.0
    _last: tuple[float, BandFactor] | None = field(default=None, repr=False)

    @property
    def rank(self) -> int:
        """All directions."""
        return self.band.n

    def solve(self, alpha: float) -> Solution:
        """The model of one ridge."""
        return self.task.solution(self._factor(alpha).solve(self.task.Y), self.Ku)

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """√w·e of each row without it, from the inverse's diagonal and blocks."""
        factor, u = self._factor(alpha), self.task.constant
        diagonal = factor.inverse_diagonal()
        if u is not None:
            diagonal -= u**2 / (self.top + alpha)

        def block(rows: Array) -> Array:
            inverse = factor.inverse_block(rows)
            return inverse if u is None else inverse - np.outer(u[rows], u[rows]) / (self.top + alpha)

        return excluded(factor.solve(self.task.Y), diagonal, groups, block)

    def condition(self, alpha: float) -> float:
        """Condition number of K + αI, from below, within a few percent: all eigenvalues took 3 s of 9."""
        factor, u = self._factor(alpha), self.task.constant
        inner = None if u is None else self.band.Q.T @ u
        high = largest(lambda v: self.band.times(v) + alpha * v, self.band.n, inner)
        low = largest(lambda v: factor.solve_inner(v[:, None].copy())[:, 0], self.band.n, inner)
        return max(1.0, high * low)

    def _factor(self, alpha: float) -> BandFactor:
        if self._last is None or self._last[0] != alpha:
            factor = self.band.factor(alpha)
            if factor is None:
                raise NotDefiniteError
            self._last = (alpha, factor)
        return self._last[1]


def largest(apply: Callable[[Array], Array], n: int, beside: Array | None, steps: int = 30) -> float:
    """The largest eigenvalue of a positive definite operator, but for one eigenvector's, by power steps."""
    v, found = np.random.default_rng(0).standard_normal(n), 1.0
    for _ in range(steps):
        if beside is not None:
            v -= (beside @ v) * beside
        norm = float(np.linalg.norm(v))
        if norm == 0:
            return 1.0
        v = apply(v / norm)
        found = float(np.linalg.norm(v))
    return found


class NotDefiniteError(ArithmeticError):
    """K + αI has an eigenvalue that is not positive."""


@dataclass
class OneRidge:
    """RᵀR = K + αI for the one ridge that was asked for."""

    task: KernelTask
    R: Array
    top: float  # eigenvalue that stands for the constant direction
    trace: float
    Ku: Array
    error: float = 0.0

    @property
    def rank(self) -> int:
        """All directions."""
        return len(self.R)

    def solve(self, alpha: float) -> Solution:
        """The model of that ridge."""
        return self.task.solution(self._dual(), self.Ku)

    def _dual(self) -> Array:
        c = np.ascontiguousarray(self.task.Y).copy()
        return solve_upper(self.R, solve_upper(self.R, c, transposed=True))

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """Not asked for where there is nothing to choose."""
        raise NotImplementedError

    def copies_left_out(self, alpha: float, copies: Sequence[Array]) -> Array:
        """Errors (g, t) of the mean targets of rows with equal inputs, by the models without these rows.

        sᵀc / sᵀ(K + αI)⁻¹s with s their √w: one column of R⁻ᵀs for all copies of an input, which has nothing
        above the first of them.
        """
        roots, u, c = self.task.roots, self.task.constant, self._dual()
        below = np.zeros(len(copies))
        if u is not None:
            below -= np.array([float(u[rows] @ roots[rows]) for rows in copies]) ** 2 / (self.top + alpha)
        for at in range(0, len(copies), COLUMNS):
            some = copies[at : at + COLUMNS]
            lo = min(int(rows[0]) for rows in some)
            S = np.zeros((self.rank - lo, len(some)))
            for k, rows in enumerate(some):
                S[rows - lo, k] = roots[rows]
            solve_upper(self.R[lo:, lo:], S, transposed=True)
            below[at : at + COLUMNS] += np.einsum("ij,ij->j", S, S)
        above = np.stack([roots[rows] @ c[rows] for rows in copies])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(above / below[:, None])

    def condition(self, alpha: float) -> float:
        """Estimate of the condition number of K + αI."""
        return triangle_condition(self.R) ** 2


@dataclass(frozen=True)
class Exact:
    """The dual system (K + αI)c = y of all rows.

    One ridge: Cholesky, n³/3 flops, 8n² bytes. Several: one reduction to a band, 8/3·n³ flops, and each
    ridge with its exact leave-one-out errors O(n²) more.
    """

    name = "exact"

    def validate(self) -> None:
        """There is nothing to set."""

    def __call__(self, task: KernelTask) -> DualFactor:
        """Write the matrix out and decompose it."""
        Phi = task.gramian.root() if task.gramian.max_rank < task.n / 2 else None
        if Phi is not None:
            return of_few_columns(Phi, task)
        written, ridges = written_out(task), task.alphas
        if written.trace <= 0 and _is_constant(written, task):
            return Spectral(task, np.zeros((task.n, 0)), np.zeros(0), written.Ku)
        smallest = ROUNDING * written.trace if ridges is None else min(ridges)
        if written.trace <= 0 or smallest < ROUNDING * written.trace:
            return decomposed(written, task)
        factor: DualFactor | None
        if ridges is not None and len(ridges) == 1:
            factor = one_ridge(written, smallest, task)
        else:
            factor = path(written, smallest, task)
        return factor or decomposed(written_out(task), task)


def _is_constant(written: Written, task: KernelTask) -> bool:
    """Whether nothing but rounding is left beside the intercept's direction: all rows are copies of one.

    Then there is nothing to decompose, which would take as long as a decomposition of as many other rows.
    """
    K, u = written.K, np.zeros(task.n) if task.constant is None else task.constant
    rounding = 8 * task.n * np.finfo(np.float64).eps * max(written.top, float(np.linalg.norm(written.Ku)))
    for lo in range(0, task.n, COLUMNS):
        rows, after = slice(lo, lo + COLUMNS), slice(lo, task.n)
        left = np.triu(K[rows, after] - written.top * np.outer(u[rows], u[after]))
        if np.abs(left).max() > rounding:
            return False
    return True


def one_ridge(written: Written, alpha: float, task: KernelTask) -> OneRidge | None:
    """The Cholesky factor in the place of the matrix; None where that is not positive definite."""
    K = written.K
    K.reshape(-1)[:: len(K) + 1] += alpha
    # 0.64 ms in place of 0.79 for 426 rows; where LAPACK may use several threads it is the faster one.
    done = factor_upper(K) if worth_blas_threads(float(len(K)) ** 3) else factor_rows(K, len(K))
    return OneRidge(task, K, written.top, written.trace, written.Ku) if done else None


def path(written: Written, smallest: float, task: KernelTask) -> Path | None:
    """The band in the place of the matrix; None where the smallest ridge leaves it indefinite."""
    made = Path(task, reduce_to_band(written.K), written.top, written.trace, written.Ku)
    return made if made.band.factor(smallest) else None


def of_few_columns(Phi: Array, task: KernelTask) -> Spectral:
    """K = ΦΦᵀ of fewer columns than rows: its eigenvectors are left singular vectors of Φ."""
    weighted = task.roots[:, None] * Phi
    u = task.constant
    along = np.zeros(weighted.shape[1]) if u is None else weighted.T @ u
    Ku = weighted @ along
    U, s, _ = svd(without(u, weighted), full_matrices=False, overwrite_a=True, check_finite=False)
    least = max(weighted.shape) * np.finfo(np.float64).eps * np.linalg.norm(along)
    kept = min(numerical_rank(s, weighted.shape), int(np.sum(s > least)))
    return Spectral(task, U[:, :kept], s[:kept] ** 2, Ku)


def decomposed(written: Written, task: KernelTask) -> Spectral:
    """All eigenvalues and eigenvectors: for kernels that are not positive definite, and ridges near 0."""
    values, U = eigh(mirror_upper(written.K), overwrite_a=True, check_finite=False)
    if task.constant is not None:  # it has the largest eigenvalue of all
        values, U = values[:-1], U[:, :-1]
    rounding = rounding_of(values, written.Ku, task.gramian.dtype)
    if not warn_of_sign(values, rounding):
        values = np.where(values > rounding, values, 0.0)
    return Spectral(task, U, values, written.Ku)
