"""`lsqr`: Golub–Kahan bidiagonalisation of H, started at the targets; all ridges from one run."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samara.core import Array
from samara.errors import ConvergenceWarning, InputError
from samara.linalg.ranges import checked_count
from samara.shapes import MAX_STEPS, safe_ridge
from samara.solvers.root import numerical_rank
from samara.solvers.task import Task
from samara.solvers.training_sets import IterativeSystem, KrylovFactor, TrainingSets, is_share

_CHUNK = 32  # steps whose directions are given room at a time


class Directions:
    """v₁, v₂, … of every column, a column's together: orthogonalising it reads them once from memory."""

    def __init__(self, n_columns: int, length: int) -> None:
        self._shape, self._count, self.length = (n_columns, _CHUNK, length), 0, length
        self._chunks: list[Array] = []  # (m, steps, L) each

    def append(self, columns: Array, V: Array) -> None:
        """The next direction of some columns, (L, len(columns)); the others have none."""
        if self._count % _CHUNK == 0:
            self._chunks.append(np.empty(self._shape))
        self._chunks[-1][columns, self._count % _CHUNK] = V.T
        self._count += 1

    def last(self, columns: Array) -> Array:
        """The newest directions, (L, len(columns))."""
        return np.asarray(self._chunks[-1][columns, (self._count - 1) % _CHUNK].T)

    def of(self, column: int, count: int | None = None) -> list[Array]:
        """The first directions of a column, as rows, in pieces."""
        count = self._count if count is None else count
        firsts = range(0, count, _CHUNK)
        return [self._chunks[i][column, : count - first] for i, first in enumerate(firsts)]

    def orthogonalized(self, columns: Array, W: Array) -> Array:
        """W without what lies along the directions of its columns; twice, for the first leaves rounding."""
        made = np.ascontiguousarray(W.T)
        for w, column in zip(made, columns, strict=True):
            pieces = self.of(column)
            for _ in range(2):
                for V in pieces:
                    w -= (V @ w) @ V
        return made.T


class Bidiagonal:
    """HV = UB for every training set and target at once, a pass over the rows a step.

    u is kept as Hp + Tc, two short vectors in place of one as long as the rows, so that a step is a summary
    like any other. V is orthogonalised against all earlier directions, twice. A column that has converged for
    the smallest ridge, or whose directions are exhausted, takes no further part.
    """

    def __init__(self, sets: TrainingSets, smallest: float, tol: float) -> None:
        self._sets, self._tol, task = sets, tol, sets.task
        S, L, t = sets.crosses.shape
        self.which = np.repeat(np.arange(S), t)
        self._target = np.tile(np.arange(t), S)
        r = sets.crosses.transpose(1, 0, 2).reshape(L, S * t)
        self.start = np.sqrt(np.maximum(sets.target_squares.ravel(), 0.0))  # ‖T‖
        self._cross = np.linalg.norm(r, axis=0)  # ‖HᵀT‖
        least = np.finfo(float).eps * self.start * np.sqrt(max(sets.energy, 0.0))
        self.alive = (self._cross > least) & (self.start > 0)
        self.steps = np.zeros(S * t, int)
        self.left = self.alive.astype(float)  # ‖Hᵀr − αβ‖/‖HᵀT‖ at the smallest ridge
        self.off = self.alive.astype(float)  # bound on how far fitted values are off, of ‖T‖
        self.V = Directions(S * t, L)
        self.V.append(np.arange(S * t), _over(r, self._cross, self.alive))
        self.diagonal = [_over(self._cross, self.start, self.alive)]
        self.below: list[Array] = []
        self._p, self._c = np.zeros((L, S * t)), _over(np.ones(S * t), self.start, self.alive)
        self._damp, self._rho, self._phi = np.sqrt(smallest), self.diagonal[0].copy(), self.start.copy()
        self._scale = self.diagonal[0].copy()  # at most the largest singular value of H
        self._least = max(task.source.n_rows, L) * np.finfo(float).eps  # of it: smaller ones count as zero

    def step(self) -> None:
        """β u = Hv − αu, then α v = Hᵀu − βv, for the columns still alive."""
        live = np.flatnonzero(self.alive)
        v, a = self.V.last(live), self.diagonal[-1][live]
        p, c = v - a * self._p[:, live], -a * self._c[live]
        C = np.zeros((self._sets.crosses.shape[2], len(live)))
        C[self._target[live], np.arange(len(live))] = c
        Hu, squares = self._sets.apply(self.which[live], p, C)
        b = np.sqrt(squares)
        safe = np.where(b > 0, b, 1.0)
        self._p[:, live], self._c[live] = p / safe, c / safe
        w = self.V.orthogonalized(live, Hu / safe - b * v)
        a = np.linalg.norm(w, axis=0)
        self._append(live, a, b, w)
        self._converge(live, a, b)

    def _append(self, live: Array, a: Array, b: Array, w: Array) -> None:
        self._scale[live] = np.max([self._scale[live], a, b], axis=0)
        ends = np.minimum(a, b) <= 10 * np.finfo(float).eps * self._scale[live]  # the rest is rounding
        for entries, new in ((self.diagonal, np.where(ends, 0.0, a)), (self.below, b)):
            entries.append(np.zeros(len(self.alive)))
            entries[-1][live] = new
        self.V.append(live, np.where(ends, 0.0, w / np.where(a > 0, a, 1.0)))
        self.steps[live] += 1
        self.alive[live[ends]] = False

    def _converge(self, live: Array, a: Array, b: Array) -> None:
        """The gradient g at the smallest ridge, by the rotations of LSQR with damping (Paige and Saunders).

        Coefficients off by (G + αI)⁻¹g put the fitted values off by at most max √λ/(λ + α)·‖g‖ = ‖g‖/2√α:
        with a tiny ridge g is small long before they are right.
        """
        rho = np.hypot(self._rho[live], self._damp)
        phi = self._phi[live] * self._rho[live] / np.where(rho > 0, rho, 1.0)
        full = np.hypot(rho, b)
        cosine, sine = _over(rho, full, full > 0), _over(b, full, full > 0)
        self._rho[live], self._phi[live] = -cosine * a, sine * phi
        gradient = a * np.abs(sine * cosine * phi)
        root = np.maximum(self._damp, self._least * self._scale[live])
        self.left[live] = np.where(self.alive[live], gradient / self._cross[live], 0.0)
        self.off[live] = np.where(self.alive[live], gradient / (2 * root * self.start[live]), 0.0)
        self.alive[live] &= np.maximum(self.left[live], self.off[live]) > self._tol

    def matrix(self, column: int) -> Array:
        """B of a column, (k + 1, k)."""
        k = int(self.steps[column])
        B = np.zeros((k + 1, k))
        B[np.arange(k), np.arange(k)] = [a[column] for a in self.diagonal[:k]]
        B[np.arange(1, k + 1), np.arange(k)] = [b[column] for b in self.below[:k]]
        return B

    def solutions(self, column: int, alphas: Sequence[float]) -> Array:
        """The coefficients (L, A) of a column: one decomposition of its B serves all ridges."""
        k = int(self.steps[column])
        if not k:
            return np.zeros((len(self._p), len(alphas)))
        U, s, Vt = np.linalg.svd(self.matrix(column), full_matrices=False)
        kept = (np.arange(k) < numerical_rank(s, (self._sets.task.source.n_rows, len(self._p))))[:, None]
        gains = _over(np.repeat(s[:, None], len(alphas), axis=1), s[:, None] ** 2 + np.asarray(alphas), kept)
        Y = Vt.T @ (gains * U[0][:, None] * self.start[column])
        return np.asarray(np.concatenate(self.V.of(column, k)).T @ Y)


def _over(numbers: Array, by: Array, where: Array) -> Array:
    """A quotient, 0 where it is not wanted."""
    made: Array = np.divide(numbers, by, out=np.zeros_like(numbers), where=where)
    return made


class LsqrFactor(KrylovFactor):
    """A bidiagonal matrix and its directions for every training set."""

    def __init__(self, sets: TrainingSets, run: Bidiagonal) -> None:
        super().__init__(sets, run)
        self.run = run

    def system(self, without: int | None = None) -> LsqrSystem:
        """The system of all rows."""
        return LsqrSystem(self, "lsqr")


class LsqrSystem(IterativeSystem):
    """What the bidiagonal matrix of all rows tells of H."""

    _factor: LsqrFactor

    def condition(self, alpha: float) -> float:
        """Of H with the ridge in it, over the directions the targets reach: a lower bound."""
        s = np.linalg.svd(self._factor.run.matrix(0), compute_uv=False) ** 2
        if not len(s):
            return 1.0
        low = s[-1] + alpha
        return float(np.sqrt((s[0] + alpha) / low)) if low > 0 else float("inf")

    def rank(self, alpha: float, size: int) -> int:
        """Directions in use."""
        return int(self._factor.run.steps[: self._factor.layout.n_targets].max())


@dataclass(frozen=True)
class Lsqr:
    """LSQR with reorthogonalisation: no L×L matrix, a pass over the rows a step, all ridges from one run.

    4nL flops and L numbers a step for each target and training set. For models whose Gram matrix does not
    fit, and where the ridge is not small: the steps needed grow with the condition number of H with the ridge
    in it.

    Parameters
    ----------
    tol : float
        It ends where, for the smallest ridge, g = Hᵀr − αβ has fallen to this share of HᵀT and the bound
        ‖g‖/2√α on the error of the fitted values to this share of T, both centred.
    max_iter : int
        The most steps; warns with that bound where the tolerance was not reached.
    """

    tol: float = 1e-10
    max_iter: int = MAX_STEPS
    name = "lsqr"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        if not is_share(self.tol) or checked_count("max_iter", self.max_iter) < 1:
            raise InputError(f"tol must be between 0 and 1 and max_iter at least 1, got {self!r}.")

    def __call__(self, task: Task) -> LsqrFactor:
        """Step until every training set and target has converged."""
        sets = TrainingSets.of(task)
        rounding = safe_ridge(sets.energy, task.layout.dtype.name)
        low = max(1e-7 * sets.energy / task.n_columns, rounding) if task.alphas is None else min(task.alphas)
        run = Bidiagonal(sets, low, self.tol)
        for _ in range(min(self.max_iter, task.most)):
            if not run.alive.any():
                break
            run.step()
        if run.alive.any() and task.most > self.max_iter:
            warnings.warn(
                f"lsqr took {self.max_iter} steps and left {run.left.max():.1e} of the gradient at ridge "
                f"{low:.1e}, fitted values off by up to {run.off.max():.1e} of the targets' spread "
                f"(tol {self.tol:.1e}): use a larger ridge, a larger max_iter or another solver.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return LsqrFactor(sets, run)
