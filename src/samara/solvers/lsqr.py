"""`lsqr`: Golub–Kahan bidiagonalisation of H, started at the targets; all ridges from one run."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import ConvergenceWarning, InputError
from samara.linalg.ranges import checked_count
from samara.solvers.normal import safe_ridge
from samara.solvers.task import Task
from samara.solvers.training_sets import IterativeFactor, IterativeSystem, TrainingSets, is_share

_CHECK = 5  # iterations between two looks at the error


class Bidiagonal:
    """HV = UB for every training set and target at once, a pass over the rows a step.

    u is kept as Hp + Tc, two short vectors in place of one as long as the rows, so that a step is a summary
    like any other. V is orthogonalised against all earlier directions, twice.
    """

    def __init__(self, sets: TrainingSets) -> None:
        self._sets = sets
        S, L, t = sets.crosses.shape
        self.which = np.repeat(np.arange(S), t)
        self._target = np.tile(np.arange(t), S)
        m = S * t
        r = sets.crosses.transpose(1, 0, 2).reshape(L, m)
        self.start = np.sqrt(np.maximum(sets.target_squares.reshape(m), 0.0))  # ‖T‖
        self.cross = np.linalg.norm(r, axis=0)  # ‖HᵀT‖
        self.alive = self.cross > np.finfo(float).eps * self.start * np.sqrt(max(sets.energy, 0.0))
        self.alive &= self.start > 0
        first = np.divide(r, self.cross, out=np.zeros_like(r), where=self.alive)
        self.V = [first]  # (L, m) each
        self.diagonal = [np.divide(self.cross, self.start, out=np.zeros(m), where=self.alive)]
        self.below: list[Array] = []
        self._p = np.zeros((L, m))
        self._c = np.divide(1.0, self.start, out=np.zeros(m), where=self.alive)
        self._decomposed: dict[int, Any] = {}

    def step(self) -> None:
        """β u = Hv − αu, then α v = Hᵀu − βv."""
        v, a = self.V[-1], self.diagonal[-1]
        p, c = v - a * self._p, -a * self._c
        C = np.zeros((self._sets.crosses.shape[2], len(c)))
        C[self._target, np.arange(len(c))] = c
        live = np.flatnonzero(self.alive)
        Hu, squares = np.zeros_like(p), np.zeros(len(c))
        Hu[:, live], squares[live] = self._sets.apply(self.which[live], p[:, live], C[:, live])
        b = np.sqrt(squares)
        safe = np.where(b > 0, b, 1.0)
        self._p, self._c = p / safe, c / safe
        w = Hu / safe - b * v
        for _ in range(2):
            for before in self.V:
                w -= before * np.einsum("ij,ij->j", before, w)
        a = np.linalg.norm(w, axis=0)
        scale = np.max([*self.diagonal, *self.below, b], axis=0)
        self.alive &= (b > 10 * np.finfo(float).eps * scale) & (a > 10 * np.finfo(float).eps * scale)
        self.below.append(b)
        self.diagonal.append(np.where(self.alive, a, 0.0))
        self.V.append(np.where(self.alive, w / np.where(a > 0, a, 1.0), 0.0))

    def matrix(self, column: int) -> Array:
        """B, (k + 1, k)."""
        k = len(self.below)
        B = np.zeros((k + 1, k))
        B[np.arange(k), np.arange(k)] = [a[column] for a in self.diagonal[:k]]
        B[np.arange(1, k + 1), np.arange(k)] = [b[column] for b in self.below]
        return B

    def coordinates(self, column: int, alpha: float) -> tuple[Array, float]:
        """The damped solution in the directions so far, and what is left of Hᵀr − αx beside ‖HᵀT‖."""
        k = len(self.below)
        if self._decomposed.get(column, (0,))[0] != k:  # one decomposition serves all ridges
            self._decomposed[column] = (k, *np.linalg.svd(self.matrix(column), full_matrices=False))
        _, U, s, Vt = self._decomposed[column]
        gains = np.divide(s, s**2 + alpha, out=np.zeros(k), where=s > k * np.finfo(float).eps * s[0])
        y = Vt.T @ (gains * U[0] * self.start[column])
        left = self.diagonal[k][column] * self.below[-1][column] * abs(y[-1])
        return y, float(left / self.cross[column]) if self.cross[column] > 0 else 0.0

    def solution(self, column: int, alpha: float) -> Array:
        """The coefficients of one column."""
        y, _ = self.coordinates(column, alpha)
        return np.asarray(sum(step * V[:, column] for step, V in zip(y, self.V, strict=False)))


class LsqrFactor(IterativeFactor):
    """A bidiagonal matrix and its directions for every training set."""

    def __init__(self, sets: TrainingSets, run: Bidiagonal) -> None:
        super().__init__(sets)
        self.run = run

    def system(self, without: int | None = None) -> LsqrSystem:
        """The system of all rows."""
        return LsqrSystem(self, "lsqr")

    def solutions(self, which: int, alphas: Sequence[float]) -> Array:
        """Solutions (1 + L, A, t) of a training set."""
        t = self.layout.n_targets
        columns = range(which * t, (which + 1) * t)
        made = []
        for alpha in alphas:
            X = np.stack([self.run.solution(column, alpha) for column in columns], axis=1)
            made.append(self.training.with_intercept(which, X))
        return np.stack(made, axis=1)


class LsqrSystem(IterativeSystem):
    """What the bidiagonal matrix of all rows tells of H."""

    _factor: LsqrFactor

    def condition(self, alpha: float) -> float:
        """Of H with the ridge in it, over the directions the targets reach: a lower bound."""
        s = np.linalg.svd(self._factor.run.matrix(0), compute_uv=False) ** 2
        low = s[-1] + alpha
        return float(np.sqrt((s[0] + alpha) / low)) if low > 0 else float("inf")

    def rank(self, alpha: float, size: int) -> int:
        """Directions in use."""
        return len(self._factor.run.below)


@dataclass(frozen=True)
class Lsqr:
    """LSQR with reorthogonalisation: no L×L matrix, a pass over the rows a step, all ridges from one run.

    4nL flops a step and training set, L numbers a step. For models whose Gram matrix does not fit, and where
    the ridge is not small: the steps needed grow with the condition number of H with the ridge in it.

    Parameters
    ----------
    tol : float
        It ends where Hᵀr − αβ has fallen to this share of HᵀT for the smallest ridge.
    max_iter : int
        The most steps; warns where the tolerance was not reached.
    """

    tol: float = 1e-8
    max_iter: int = 500
    name = "lsqr"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        if not is_share(self.tol) or checked_count("max_iter", self.max_iter) < 1:
            raise InputError(f"tol must be between 0 and 1 and max_iter at least 1, got {self!r}.")

    def __call__(self, task: Task) -> LsqrFactor:
        """Step until every training set and target has converged."""
        sets = TrainingSets.of(task)
        run = Bidiagonal(sets)
        low = (
            min(task.alphas)
            if task.alphas is not None
            else max(1e-7 * sets.energy / task.n_columns, safe_ridge(sets.energy, task.layout.dtype.name))
        )
        left = 1.0
        for step in range(1, min(self.max_iter, task.most) + 1):
            run.step()
            if step % _CHECK == 0 or step in (self.max_iter, task.most) or not run.alive.any():
                columns = np.flatnonzero(run.alive)
                left = max((run.coordinates(int(column), low)[1] for column in columns), default=0.0)
                if left <= self.tol:
                    break
        else:
            if left > self.tol and task.most > self.max_iter:
                warnings.warn(
                    f"lsqr took {self.max_iter} steps and left {left:.1e} of the gradient at ridge {low:.1e} "
                    f"(tol {self.tol:.1e}): use a larger ridge, a larger max_iter or another solver.",
                    ConvergenceWarning,
                    stacklevel=2,
                )
        return LsqrFactor(sets, run)
