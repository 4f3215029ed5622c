"""`precondition`: least squares as accurate as a triangle, at the price of a few products."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import svd

from samara.core import Array, Factor
from samara.errors import ConvergenceWarning, InputError
from samara.linalg.ranges import checked_count
from samara.linalg.triangular import triangle
from samara.solvers.root import Qr, numerical_rank
from samara.solvers.task import Task
from samara.solvers.training_sets import IterativeFactor, IterativeSystem, TrainingSets, is_share
from samara.summaries import SparseSketch

_ROUNDS = 2  # the second starts from the residual of the first, computed anew from the rows
_MOST = 100  # steps of a round
_STALLED = 8  # steps without progress that end a round


class Whitener:
    """Coordinates in which H is nearly orthonormal: x = V(z/√(s² + α)), from the SVD of the sketch."""

    def __init__(self, rows: Array, means: Array, shape: tuple[int, int]) -> None:
        L = shape[1]
        rows[:, 1:] -= np.outer(rows[:, 0], means)
        R = triangle(rows[:, 1:])
        U, self.s, Vt = svd(R[:L, :L], full_matrices=False, check_finite=False)
        self.V, self._right = Vt.T, U.T @ R[:L, L:]
        self.rank = numerical_rank(self.s, shape)

    def scale(self, alphas: Array) -> Array:
        """1/√(s² + α), (r, m); 0 for directions that are not there."""
        squares = self.s[:, None] ** 2 + alphas
        kept = (np.arange(len(self.s)) < self.rank)[:, None] | (alphas > 0)
        return np.where(kept, 1 / np.sqrt(np.where(kept, squares, 1.0)), 0.0)

    def start(self, alphas: Array, targets: Array) -> Array:
        """The solutions of the sketched problem, (L, m)."""
        D = self.scale(alphas)
        return np.asarray(self.V @ (D**2 * self.s[:, None] * self._right[:, targets]))


@dataclass(frozen=True)
class Columns:
    """Which training set, ridge and target each column belongs to."""

    which: Array
    alphas: Array
    targets: Array

    @classmethod
    def of(cls, sets: Sequence[int], alphas: Sequence[float], n_targets: int) -> Columns:
        """All combinations, the targets varying fastest."""
        which, ridge, target = np.meshgrid(sets, alphas, np.arange(n_targets), indexing="ij")
        return cls(which.ravel(), ridge.ravel().astype(float), target.ravel())

    def some(self, chosen: Array) -> Columns:
        """Some of the columns."""
        return Columns(self.which[chosen], self.alphas[chosen], self.targets[chosen])


class PreconditionFactor(IterativeFactor):
    """The sketch, ready for any ridge."""

    def __init__(self, sets: TrainingSets, whitener: Whitener, tol: float) -> None:
        super().__init__(sets)
        self.whitener, self._tol = whitener, tol

    def system(self, without: int | None = None) -> PreconditionSystem:
        """The system of all rows."""
        return PreconditionSystem(self, "precondition")

    def solutions(self, which: int, alphas: Sequence[float]) -> Array:
        """Solutions (1 + L, A, t) of a training set."""
        return np.asarray(self._all_solutions([which], alphas)[0])

    def held_out(self, alphas: Sequence[float], held: Sequence[int]) -> Array:
        """Squared errors (K, A, t) of all ridges on the folds that hold rows: one run for all of them."""
        width, t = self.layout.width, self.layout.n_targets
        solutions = np.zeros((self.n_folds, width - t, len(alphas), t))
        solutions[list(held)] = self._all_solutions([1 + fold for fold in held], alphas)
        return self.training.held_out(solutions)[list(held)]

    def _all_solutions(self, sets: Sequence[int], alphas: Sequence[float]) -> Array:
        """Solutions (sets, 1 + L, A, t)."""
        t = self.layout.n_targets
        columns = Columns.of(sets, alphas, t)
        X = self.whitener.start(columns.alphas, columns.targets)
        for _ in range(_ROUNDS):
            X += self._corrected(columns, X)
        X = X.reshape(len(X), len(sets), len(alphas), t).transpose(1, 0, 2, 3)
        means = self.training.means[list(sets)]
        L = self.layout.n_features
        intercepts = means[:, L:][:, None, :] - np.einsum("sl,slat->sat", means[:, :L], X)
        return np.concatenate([intercepts[:, None], X], axis=1)

    def _corrected(self, columns: Columns, X: Array) -> Array:
        """What conjugate gradients add to X: (G + αI)Δ = Hᵀ(T − HX) − αX, the residual taken by rows."""
        D, V, t = self.whitener.scale(columns.alphas), self.whitener.V, self.layout.n_targets
        gradient, _ = self.training.apply(columns.which, X, -np.eye(t)[:, columns.targets])
        r = D * (V.T @ -(gradient + columns.alphas * X))
        crosses = self.training.crosses[columns.which, :, columns.targets].T
        goal = self._tol * np.linalg.norm(D * (V.T @ crosses), axis=0)
        z, p, rho = np.zeros_like(r), r.copy(), np.einsum("ij,ij->j", r, r)
        best, since = rho.copy(), np.zeros(len(rho), int)
        for _ in range(_MOST):
            live = np.flatnonzero((np.sqrt(rho) > goal) & (since < _STALLED))
            if not len(live):
                break
            some = columns.some(live)
            step = V @ (D[:, live] * p[:, live])
            Gp, _ = self.training.apply(some.which, step, np.zeros((t, len(live))))
            w = D[:, live] * (V.T @ (Gp + some.alphas * step))
            a = rho[live] / np.maximum(np.einsum("ij,ij->j", p[:, live], w), np.finfo(float).tiny)
            z[:, live] += a * p[:, live]
            r[:, live] -= a * w
            fresh = np.einsum("ij,ij->j", r[:, live], r[:, live])
            p[:, live] = r[:, live] + fresh / rho[live] * p[:, live]
            rho[live] = fresh
            since[live] = np.where(fresh < 0.99 * best[live], 0, since[live] + 1)
            best[live] = np.minimum(best[live], fresh)
        else:
            self._warn(float(np.max(np.sqrt(rho) / np.maximum(goal, np.finfo(float).tiny))))
        return np.asarray(V @ (D * z))

    def _warn(self, over: float) -> None:
        warnings.warn(
            f"precondition took {_MOST} steps and was still {over:.1e} times above its tolerance: "
            "use solver='qr'.",
            ConvergenceWarning,
            stacklevel=2,
        )


class PreconditionSystem(IterativeSystem):
    """What the sketch tells of H."""

    _factor: PreconditionFactor

    def condition(self, alpha: float) -> float:
        """Of H with the ridge in it, to the distortion of the sketch."""
        s = self._factor.whitener.s**2
        low = s[-1] + alpha
        return float(np.sqrt((s[0] + alpha) / low)) if low > 0 else float("inf")

    def rank(self, alpha: float, size: int) -> int:
        """Numerical rank of the sketch."""
        return self._factor.whitener.rank


@dataclass(frozen=True)
class Precondition:
    """Sketch and precondition: as accurate as `qr`, for 4nL flops a step and column in place of 2.7nL².

    A column is a target, ridge and fold. A sparse sketch of the rows (8 nonzeros a row) gives the SVD that
    makes conjugate gradients converge in ten to thirty passes whatever the condition number; they start from
    the solution of the sketched problem and are restarted once from the residual of the rows. Where the
    sketch is no shorter than the rows: `qr`.

    Parameters
    ----------
    oversampling : int
        Rows of the sketch for each column of H.
    tol : float
        Each of the two rounds ends where the whitened gradient has fallen to this share of the targets'.
    """

    oversampling: int = 8
    tol: float = 1e-10
    name = "precondition"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        if not is_share(self.tol) or checked_count("oversampling", self.oversampling) < 2:
            raise InputError(f"oversampling must be at least 2 and tol between 0 and 1, got {self!r}.")

    def __call__(self, task: Task) -> Factor:
        """Sketch the rows and decompose the sketch."""
        rows = self.oversampling * task.n_columns
        if task.source.n_rows <= 2 * rows:  # the plan says so
            return Qr()(task)
        sets = TrainingSets.of(task)
        sketch = task.engine.summarize(
            task.source,
            partial(SparseSketch, task.layout, rows, task.engine.block_rows, task.entropy),
            name="sketch",
        )
        shape = (task.source.n_rows, task.n_columns)
        return PreconditionFactor(sets, Whitener(sketch.rows, sets.means[0], shape), self.tol)
