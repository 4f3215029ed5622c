"""`gram`: streamed normal equations and Cholesky (PR-ELM, Schindler Algorithm 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Lock

import numpy as np
from scipy.linalg import eigh

from samara.core import Array, Factor
from samara.linalg.blas import mirror_upper
from samara.linalg.kernels import factor_rows
from samara.linalg.room import copied, room
from samara.linalg.triangular import leading_solutions, quadratic_forms, triangle_condition
from samara.linalg.workers import in_threads, threads_for
from samara.shapes import dtype_name, safe_ridge
from samara.solvers.task import Task
from samara.summaries import Layout, Moments

# With a smaller ridge than a safe one, a Cholesky factor is still trusted up to this condition number of H:
# coefficients then lose cond(H)²·eps, 2e-6 and 1e-3.
_TRUSTED_CONDITION = {"float64": 1e5, "float32": 1e2}
_MOVED = 20  # flops in the time of which an entry is copied


class IllConditionedError(ArithmeticError):
    """The Gram matrix can't carry this ridge; ``condition`` estimates that of H."""

    def __init__(self, condition: float) -> None:
        super().__init__(f"condition number about {condition:.1e}")
        self.condition = condition


class NormalSystem:
    """(G + αI) β = r over the centred moments of some rows, which it takes over."""

    def __init__(self, moments: Array, n_features: int, fit_intercept: bool, dtype: str) -> None:
        L = n_features
        self.weight = float(moments[0, 0])
        self.fit_intercept = fit_intercept
        self.means = moments[0, 1:] / self.weight * fit_intercept
        centred = moments[1:, 1:]  # in place: the moments are ours
        for lo in range(0, len(centred), 64):  # that many rows stay in the second cache
            centred[lo : lo + 64] -= np.multiply.outer(self.means[lo : lo + 64], moments[0, 1:])
        self._square = centred  # [[gram, cross], [crossᵀ, target squares]]
        self.gram = centred[:L, :L]
        self.cross = centred[:L, L:]
        self.target_squares = centred.diagonal()[L:].copy()
        self._dtype = dtype
        self.workers = 1  # that factorize one root
        self._last: tuple[float, Array] | None = None  # ridge and root of the last solve
        self._lock = Lock()  # ridges are solved in several threads
        self._spare: list[Array] = []  # roots no longer needed: fresh pages cost as much as a copy

    @cached_property
    def trace(self) -> float:
        """Trace of the centred Gram; each ridge of a fold asks for it."""
        return float(self.gram.trace())

    @property
    def target_products(self) -> Array:
        """Centred products of the targets with each other, (t, t)."""
        return self._square[len(self.gram) :, len(self.gram) :]

    def _taken(self) -> Array:
        """Room for a root: one no longer needed or the last one, so that there are no more than threads."""
        with self._lock:
            if self._spare:
                return self._spare.pop()
            last, self._last = self._last, None
        return room(self._square.shape) if last is None else last[1]

    def _root(self, alpha: float) -> Array:
        """[R, z] in the first L rows, with RᵀR = G + αI and Rᵀz = r."""
        both = self._taken()
        for lo in range(0, len(both), 64):  # the lower triangle is never read: half the copy
            both[lo : lo + 64, lo:] = self._square[lo : lo + 64, lo:]
        L = len(self.gram)
        both.reshape(-1)[: L * (len(both) + 1) : len(both) + 1] += alpha
        if not factor_rows(both, L, self.workers):
            raise IllConditionedError(
                1 / np.sqrt(np.finfo(self._dtype).eps)
            )  # at least: its square is rounded
        if alpha < safe_ridge(self.trace, self._dtype):
            condition = triangle_condition(both[:L, :L])
            if condition > _TRUSTED_CONDITION[self._dtype]:
                raise IllConditionedError(condition)
        return both

    def solve(self, alpha: float, sizes: Sequence[int]) -> Array:
        """Solutions (1 + L, S, t) for each leading block of columns."""
        both, L = self._root(alpha), len(self.gram)
        solutions = with_intercept(leading_solutions(both[:L, :L], both[:L, L:], sizes), self.means)
        with self._lock:  # only now may another thread have the room of a triangle
            before, self._last = self._last, (alpha, both)
            if before is not None:
                self._spare.append(before[1])
        return solutions

    def spectrum(self, size: int | None = None) -> tuple[Array, Array, Array]:
        """Eigenvalues (descending), eigenvectors and rotated cross moments."""
        values, vectors = eigh(self.gram[:size, :size], check_finite=False)
        values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
        return values, vectors, vectors.T @ self.cross[:size]

    def triangle(self, alpha: float) -> Array:
        """R with RᵀR = G + αI; the room of the last ridge's."""
        last = self._last
        if last is None or last[0] != alpha:
            last = self._last = alpha, self._root(alpha)
        L = len(self.gram)
        return last[1][:L, :L]

    def condition(self, alpha: float) -> float:
        """Estimate of cond(H) with the ridge in it."""
        return triangle_condition(self.triangle(alpha))

    def rank(self, alpha: float, size: int) -> int:
        """All columns: a Cholesky factor that passed has full rank."""
        return size


def with_intercept(solutions: Array, means: Array) -> Array:
    """Put the intercept ȳ − μᵀβ before each solution: (L, S, t) → (1 + L, S, t)."""
    L, _, t = solutions.shape
    intercept = means[len(means) - t :] - np.einsum("l,lst->st", means[:L], solutions)
    made = room((1 + L, *solutions.shape[1:]))
    made[0], made[1:] = intercept, solutions
    return made


class NormalFactor:
    """The moments of each fold, and their total."""

    solver = "gram"

    def __init__(self, folds: list[Array], layout: Layout, fit_intercept: bool) -> None:
        self.layout = layout
        self.fit_intercept = fit_intercept
        self._folds = folds
        self._total = folds[0]
        if len(folds) > 1:
            self._total = copied(folds[0])
            for fold in folds[1:]:
                self._total += fold

    @classmethod
    def of(cls, moments: Moments, fit_intercept: bool) -> NormalFactor:
        """The factor of finished moments."""
        moments.finish()
        width = moments.layout.width

        def whole(gram: Array | None) -> Array:
            return room((width, width)) if gram is None else mirror_upper(gram)

        threads = threads_for(len(moments.grams) * _MOVED * float(width) ** 2, min(2, len(moments.grams)))
        folds = in_threads(whole, moments.grams, threads)
        return cls(folds, moments.layout, fit_intercept)

    def extended(self, moments: Moments) -> NormalFactor:
        """With the moments of more features, put between the old ones and the targets."""
        moments.finish()
        layout, known = moments.layout, 1 + moments.known
        new = 1 + layout.n_features
        folds = []
        for before, strip in zip(self._folds, moments.grams, strict=True):
            made = room((layout.width, layout.width))
            made[:known, :known] = before[:known, :known]
            made[:known, new:] = before[:known, known:]
            made[new:, new:] = before[known:, known:]
            if strip is not None:
                made[known:new, known:] = strip[:, known:]
                made[:known, known:new] = strip[:, :known].T
            folds.append(mirror_upper(made))
        return NormalFactor(folds, layout, self.fit_intercept)

    @property
    def n_folds(self) -> int:
        return len(self._folds)

    @property
    def folds(self) -> list[Array]:
        """The moments of each fold."""
        return self._folds

    @property
    def fold_weights(self) -> Array:
        """Weight of the rows of each fold."""
        return np.array([fold[0, 0] for fold in self._folds])

    def turned(self, directions: Array) -> NormalFactor:
        """The moments of the features' coordinates along orthonormal directions."""
        L, k = directions.shape
        turn = np.zeros((len(self._total), 1 + k + self.layout.n_targets))
        turn[0, 0] = 1
        turn[1 : 1 + L, 1 : 1 + k] = directions
        turn[1 + L :, 1 + k :] = np.eye(self.layout.n_targets)
        folds = [np.ascontiguousarray(turn.T @ fold @ turn) for fold in self._folds]
        return NormalFactor(folds, self.layout.projected(directions), self.fit_intercept)

    def root(self) -> Array:
        """Rows S with SᵀS = HᵀH as it is, not centred; what is below √eps of the largest is rounding."""
        L = self.layout.n_features
        values, vectors = eigh(self._total[1 : 1 + L, 1 : 1 + L], check_finite=False)
        return np.asarray(np.sqrt(np.maximum(values[::-1], 0.0))[:, None] * vectors[:, ::-1].T)

    def system(self, without: int | None = None) -> NormalSystem:
        """The system of all rows, or of all but one fold's: a subtraction, no second pass."""
        moments = room(self._total.shape)
        np.subtract(self._total, 0 if without is None else self._folds[without], out=moments)
        return NormalSystem(
            moments, self.layout.n_features, self.fit_intercept, dtype_name(self.layout.dtype)
        )

    def squared_errors(self, solutions: Array, fold: int | None = None) -> Array:
        """yᵀy − 2uᵀr + uᵀGu with u = [intercept; β]: (S, t)."""
        M = self._total if fold is None else self._folds[fold]
        width, n_sizes, t = solutions.shape
        flat = solutions.reshape(width, -1)
        squares = quadratic_forms(M[:width, :width], flat).reshape(n_sizes, t)
        crosses = np.einsum("ist,it->st", solutions, M[:width, width:])
        return np.asarray(np.maximum(np.diagonal(M)[width:] - 2 * crosses + squares, 0.0))


@dataclass(frozen=True)
class Gram:
    """Streamed normal equations: one pass, nL² + L³/3 flops, L² memory a fold.

    PR-ELM, Schindler Algorithm 3, with a Cholesky factor in place of the inverse.
    """

    name = "gram"

    def validate(self) -> None:
        """There is nothing to set."""

    def __call__(self, task: Task) -> NormalFactor:
        """Summarize the rows as moments of folds."""
        moments = task.engine.summarize(
            task.source.folded(task.n_folds),
            partial(Moments, task.layout, task.n_folds, task.engine.block_rows),
            name="moments",
        )
        return NormalFactor.of(moments, task.fit_intercept)


def extend(smaller: Factor, task: Task) -> NormalFactor:
    """Append features: one pass for the new rows and columns of the Gram alone."""
    assert isinstance(smaller, NormalFactor)
    known = smaller.layout.n_features
    moments = task.engine.summarize(
        task.source.folded(task.n_folds),
        partial(Moments, task.layout, task.n_folds, task.engine.block_rows, known),
        name="appended nodes",
    )
    return smaller.extended(moments)
