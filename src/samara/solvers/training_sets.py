"""All the training sets of a cross-validation at once: every pass serves every fold, ridge and target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Protocol

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.solvers.task import Task
from samara.summaries import HeldOut, Products


@dataclass(frozen=True)
class TrainingSets:
    """First moments of all rows (−1) and of all rows but those of each fold."""

    task: Task
    sets: tuple[int, ...]  # −1 first, then the folds left out
    weights: Array  # (sets,)
    means: Array  # (sets, L + t): zero without an intercept
    crosses: Array  # (sets, L, t): HᵀT, centred
    target_squares: Array  # (sets, t), centred
    energy: float  # ‖H‖²_F of all rows, centred

    @classmethod
    def of(cls, task: Task) -> TrainingSets:
        """One pass."""
        sets = (-1, *(range(task.n_folds) if task.n_folds > 1 else ()))
        L, t, width = task.n_columns, task.layout.n_targets, task.layout.width
        P = np.zeros((width, len(sets), 1 + t))
        P[0, :, 0] = 1
        P[1 + L :, :, 1:] = np.eye(t)[:, None]
        done = products(task, P.reshape(width, -1), np.repeat(sets, 1 + t))
        squares = done.squares.reshape(len(sets), 1 + t)[:, 1:]
        return cls.from_moments(task, done.products.reshape(width, len(sets), 1 + t), squares, done.energy)

    @classmethod
    def from_moments(cls, task: Task, moments: Array, raw: Array, energy: float) -> TrainingSets:
        """Of [1, H, T]ᵀ[1, T] of every set, (width, sets, 1 + t), ‖T‖² (sets, t), and ‖H‖² of all rows."""
        sets = (-1, *(range(task.n_folds) if task.n_folds > 1 else ()))
        L = task.n_columns
        weights = moments[0, :, 0]
        safe = np.where(weights > 0, weights, 1.0)  # one fold may hold every row
        means = moments[1:, :, 0].T / safe[:, None] * task.fit_intercept
        sums = moments[0, :, 1:]  # of the targets
        crosses = moments[1 : 1 + L, :, 1:].transpose(1, 0, 2) - means[:, :L, None] * sums[:, None]
        squares = raw - means[:, L:] * sums
        squares[squares <= 16 * np.finfo(float).eps * raw] = 0.0  # a constant target, but for rounding
        energy -= float(means[0, :L] @ moments[1 : 1 + L, 0, 0])
        return cls(task, sets, weights, means, crosses, squares, energy)

    def apply(self, which: Array, X: Array, C: Array) -> tuple[Array, Array]:
        """Hᵀu and ‖u‖² of u = Hx + Tc over the rows of a training set, all centred.

        ``which[j]`` is the number of the set of column j; X is (L, m) and C (t, m). It goes by rows:
        what is multiplied by Hᵀ is a residual, never a difference of products.
        """
        L = self.task.n_columns
        mean = self.means[which].T  # (L + t, m)
        offset = -np.einsum("ij,ij->j", mean[:L], X) - np.einsum("ij,ij->j", mean[L:], C)
        done = products(self.task, np.concatenate([offset[None], X, C]), np.asarray(self.sets)[which])
        return done.products[1 : 1 + L] - mean[:L] * done.products[0], done.squares

    def with_intercept(self, which: int, X: Array) -> Array:
        """Solutions (1 + L, m) of a set, m = t: the intercept ȳ − μᵀβ before each."""
        L = self.task.n_columns
        return np.concatenate([(self.means[which, L:] - self.means[which, :L] @ X)[None], X])

    def held_out(self, solutions: Array) -> Array:
        """Squared errors (K, A, t) of solutions (K, 1 + L, A, t) on the folds they did not see: one pass."""
        task, (K, _, A, t) = self.task, solutions.shape
        targets = np.broadcast_to(-np.eye(t)[None, :, None, :], (K, t, A, t))
        P = np.concatenate([solutions, targets], axis=1).reshape(K, task.layout.width, A * t)
        done = task.engine.summarize(
            task.source.folded(task.n_folds),
            partial(HeldOut, task.layout, P, task.engine.block_rows),
            name="held out",
        )
        return done.squares.reshape(K, A, t)


def products(task: Task, P: Array, skip: Array) -> Products:
    """One pass: ZᵀZP with a fold left out of each column."""
    folded = task.source.folded(task.n_folds)
    return task.engine.summarize(
        folded, partial(Products, task.layout, P, task.engine.block_rows, skip), name="products"
    ).finish()


def is_share(tol: object) -> bool:
    """Whether a tolerance is a number between 0 and 1."""
    return isinstance(tol, Real) and 0 < float(tol) < 1


class IterativeFactor:
    """What iterative solvers share: all training sets are solved together, the folds scored in one pass."""

    def __init__(self, sets: TrainingSets) -> None:
        self.training = sets
        self.layout, self.source, self.n_folds = sets.task.layout, sets.task.source, sets.task.n_folds

    @property
    def fold_weights(self) -> Array:
        """Weight of the rows of each fold."""
        weights = self.training.weights
        return weights[:1].copy() if self.n_folds == 1 else weights[0] - weights[1:]

    def squared_errors(self, solutions: Array, fold: int | None = None) -> Array:
        """Only all folds at once: see ``held_out``."""
        raise NotImplementedError

    def solutions(self, which: int, alphas: Sequence[float]) -> Array:
        """Solutions (1 + L, A, t) of a training set."""
        raise NotImplementedError

    def held_out(self, alphas: Sequence[float], held: Sequence[int]) -> Array:
        """Squared errors (K, A, t) of all ridges on the folds that hold rows."""
        everything = np.zeros(
            (self.n_folds, self.layout.width - self.layout.n_targets, len(alphas), self.layout.n_targets)
        )
        for fold in held:
            everything[fold] = self.solutions(1 + fold, alphas)
        return self.training.held_out(everything)[list(held)]


class Run(Protocol):
    """Krylov spaces of every training set and target, from which a solution for any ridge is cheap."""

    def solutions(self, column: int, alphas: Sequence[float]) -> Array:
        """The coefficients (L, A) of one training set and target."""
        ...


class KrylovFactor(IterativeFactor):
    """Solutions for all ridges from one run."""

    def __init__(self, sets: TrainingSets, run: Run) -> None:
        super().__init__(sets)
        self._run = run

    def solutions(self, which: int, alphas: Sequence[float]) -> Array:
        """Solutions (1 + L, A, t) of a training set."""
        t = self.layout.n_targets
        columns = [self._run.solutions(which * t + target, alphas) for target in range(t)]
        X = np.stack(columns, axis=2)  # (L, A, t)
        made = [self.training.with_intercept(which, X[:, k]) for k in range(len(alphas))]
        return np.stack(made, axis=1)


class IterativeSystem:
    """The system of all rows, as far as an iterative solver knows it."""

    def __init__(self, factor: IterativeFactor, name: str) -> None:
        self._factor, self._name = factor, name
        sets = factor.training
        self.weight, self.means = float(sets.weights[0]), sets.means[0]
        self.target_squares, self.fit_intercept = sets.target_squares[0], sets.task.fit_intercept

    @property
    def trace(self) -> float:
        """Trace of the centred Gram."""
        return self._factor.training.energy

    def solve(self, alpha: float, sizes: Sequence[int]) -> Array:
        """The solution (1 + L, 1, t)."""
        return self._factor.solutions(0, [alpha])

    def spectrum(self, size: int | None = None) -> tuple[Array, Array, Array]:
        """There is none."""
        raise InputError(
            f'solver="{self._name}" has no leave-one-out, GCV or L-curve: use selection="kfold".'
        )
