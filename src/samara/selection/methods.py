"""Factor → score surface: exact K-fold without a second pass, PRESS, GCV and the L-curve."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock

import numpy as np

from samara.core import Array, Engine, Factor, Source, System
from samara.linalg.workers import in_threads, threads_for
from samara.selection.surface import Surface
from samara.solvers import IterativeFactor, RowSystem
from samara.summaries import Layout, LeaveOneOut, Press

LeaveOut = Callable[[Press], LeaveOneOut]  # runs one more pass over the rows


class TooFewFoldsError(ValueError):
    """Nothing can be held out."""


@dataclass(frozen=True)
class KFold:
    """Exact K-fold cross-validation from the moments (or triangles) of the folds.

    Train on all but a fold, score on the fold: both are subtractions of summaries. A row's fold is a
    hash of its content, so copies of a row are held out together.
    """

    n_folds: int = 5
    name = "kfold"

    def surface(
        self, factor: Factor, alphas: Array, sizes: Sequence[int], leave_out: LeaveOut, workers: int
    ) -> Surface:
        """Scores (S, A, t) of every ridge and size."""
        weights = factor.fold_weights
        held = [f for f in range(factor.n_folds) if weights[f] > 0]
        if len(held) < 2:
            raise TooFewFoldsError("fewer than two folds hold rows")
        if isinstance(factor, IterativeFactor):
            total = factor.held_out(alphas.tolist(), held)[:, None]
        else:
            total = held_out(factor, held, alphas, sizes, workers)
        by_fold = total / weights[held][:, None, None, None]
        return Surface(
            sizes=np.asarray(sizes),
            alphas=alphas,
            scores=total.sum(axis=0) / weights.sum(),
            errors=by_fold.std(axis=0, ddof=1) / np.sqrt(len(held)),
            by_fold=by_fold,
        )


def held_out(factor: Factor, held: Sequence[int], alphas: Array, sizes: Sequence[int], workers: int) -> Array:
    """Squared errors (K, S, A, t) on each fold of the models trained without it."""
    systems = _OneAfterAnother(factor, held, len(alphas))

    def score(case: tuple[int, float]) -> Array:
        with systems.of(case[0]) as system:
            return factor.squared_errors(system.solve(case[1], sizes), case[0])

    cases = [(fold, float(alpha)) for fold in held for alpha in alphas]
    # Below about 200 columns a case is mostly Python, for which threads only wait.
    threads = threads_for(10 / 3 * float(sizes[-1]) ** 3, workers)
    scores = np.stack(in_threads(score, cases, threads), axis=1)
    return scores.reshape(len(sizes), len(held), len(alphas), -1).swapaxes(0, 1)


class _OneAfterAnother:
    """The systems of the folds, each made when first asked for and dropped after its last ridge.

    All ridges of all folds are one queue: no worker waits at the end of a fold, and two systems at most
    are alive for each.
    """

    def __init__(self, factor: Factor, held: Sequence[int], n_alphas: int) -> None:
        self._factor = factor
        self._locks = {fold: Lock() for fold in held}
        self._left = dict.fromkeys(held, n_alphas)
        self._made: dict[int, System] = {}

    @contextmanager
    def of(self, fold: int) -> Iterator[System]:
        """The system without a fold, for one ridge."""
        with self._locks[fold]:
            if fold not in self._made:
                self._made[fold] = self._factor.system(without=fold)
        try:
            yield self._made[fold]
        finally:
            with self._locks[fold]:
                self._left[fold] -= 1
                if not self._left[fold]:
                    del self._made[fold]


@dataclass(frozen=True)
class Loo:
    """Exact leave-one-out by PRESS (Schindler, equations 2.22–2.25): one decomposition, one more pass."""

    n_folds: int = 1
    name = "loo"

    def surface(
        self, factor: Factor, alphas: Array, sizes: Sequence[int], leave_out: LeaveOut, workers: int
    ) -> Surface:
        """Scores (S, A, t) of every ridge and size."""
        system = checked_system(factor, alphas)
        scores, errors = zip(*(self._column(system, alphas, size, leave_out) for size in sizes), strict=True)
        return Surface(np.asarray(sizes), alphas, np.stack(scores), np.stack(errors))

    def _column(self, system: System, alphas: Array, size: int, leave_out: LeaveOut) -> tuple[Array, Array]:
        if isinstance(system, RowSystem):
            squares = system.leave_one_out([float(a) for a in alphas], size) ** 2
            total, fourth, weight, rows = squares.sum(0), (squares**2).sum(0), system.weight, len(squares)
        else:
            done = leave_out(spectral_press(system, alphas, size))
            total, fourth, weight, rows = (
                np.asarray(done.squares),
                np.asarray(done.fourths),
                done.weight,
                done.rows,
            )
        mean = total / weight
        # Of n numbers q_i = w_i e_i²·n/W the mean is the score; its standard error is sd(q)/√n.
        variance = np.maximum(rows * fourth / weight**2 - mean**2, 0.0)
        return mean, np.sqrt(variance / rows)


def spectral_press(system: System, alphas: Array, size: int) -> Press:
    """Leave-one-out errors of augmented rows, all ridges at once: e / (1 − leverage).

    With G = VΛVᵀ and q = Vᵀ(h − μ): leverage = Σ q²/(Λ + α) + w/W.
    """
    values, vectors, rotated = system.spectrum(size)
    n_features = len(system.means) - rotated.shape[1]
    centre = system.means[:size] @ vectors
    rotate = np.concatenate([-centre[None], vectors])  # eliminates the mean in the product itself
    keep = inverse(system, values, alphas, size).T  # (r, A)
    weights = (keep[:, :, None] * rotated[:, None, :]).reshape(len(values), -1)
    target_means = system.means[n_features:]
    share = 1.0 / system.weight if system.fit_intercept else 0.0

    def press(Z: Array) -> Array:
        Q = Z[:, : 1 + size] @ rotate.astype(Z.dtype, copy=False)
        residual = (Z[:, 1 + n_features :] - Z[:, :1] * target_means)[:, None, :]
        residual = residual - (Q @ weights).reshape(len(Z), len(alphas), -1)
        np.multiply(Q, Q, out=Q)
        leverage = Q @ keep + share * Z[:, :1].astype(np.float64) ** 2
        return np.asarray(residual / (1.0 - leverage)[:, :, None], np.float64)

    return press


@dataclass(frozen=True)
class Gcv:
    """Generalised cross-validation: (RSS/n) / (1 − df/n)². Misleads where L/n is not small."""

    n_folds: int = 1
    name = "gcv"

    def surface(
        self, factor: Factor, alphas: Array, sizes: Sequence[int], leave_out: LeaveOut, workers: int
    ) -> Surface:
        """Scores (S, A, t) of every ridge and size."""
        system = checked_system(factor, alphas)
        rows = []
        for size in sizes:
            residual, _, freedom = path(system, alphas, size)
            slack = 1.0 - (freedom + system.fit_intercept) / system.weight
            with np.errstate(divide="ignore", invalid="ignore"):
                rows.append(
                    np.where(slack[:, None] > 0, residual / system.weight / slack[:, None] ** 2, np.inf)
                )
        scores = np.stack(rows)
        return Surface(np.asarray(sizes), alphas, scores, np.full_like(scores, np.nan))


@dataclass(frozen=True)
class LCurve:
    """The corner of (log ‖Hβ − T‖, log ‖β‖): the ridge of largest curvature (Hansen)."""

    n_folds: int = 1
    name = "lcurve"

    def surface(
        self, factor: Factor, alphas: Array, sizes: Sequence[int], leave_out: LeaveOut, workers: int
    ) -> Surface:
        """Minus the curvature at every ridge, (S, A, t)."""
        system = checked_system(factor, alphas)
        scores = np.stack([-curvature(system, alphas, size) for size in sizes])
        return Surface(np.asarray(sizes), alphas, scores, np.full_like(scores, np.nan))


def checked_system(factor: Factor, alphas: Array) -> System:
    """The system of all rows, if it can carry the smallest ridge; it raises where it can't."""
    system = factor.system()
    system.condition(float(alphas.min()))
    return system


def inverse(system: System, values: Array, alphas: Array, size: int) -> Array:
    """1/(λ + α), (A, r); with ridge 0 that of the numerical rank, as in the solver's pseudo-inverse."""
    with np.errstate(divide="ignore"):
        kept = 1.0 / (values + alphas[:, None])
    negligible = (len(values) * np.finfo(float).eps) ** 2 * values.max(initial=0.0)
    used = values + alphas[:, None] > negligible
    if not alphas.all():
        used[alphas == 0] &= np.arange(len(values)) < system.rank(0.0, size)
    return np.where(used, kept, 0.0)


def path(system: System, alphas: Array, size: int) -> tuple[Array, Array, Array]:
    """‖Hβ − T‖² and ‖β‖², (A, t), and the degrees of freedom (A,), along the ridges."""
    values, _, rotated = system.spectrum(size)
    keep, squares = inverse(system, values, alphas, size), rotated**2
    residual = system.target_squares - 2 * keep @ squares + (values * keep**2) @ squares
    return np.maximum(residual, 0.0), keep**2 @ squares, (values * keep).sum(axis=1)


def curvature(system: System, alphas: Array, size: int) -> Array:
    """Curvature (A, t) of (½ log ρ, ½ log η) along the ridge, positive at the corner (after Hansen).

    With ρ = ‖Hβ − T‖² and η = ‖β‖²: η′ = −2Σc²/(λ+α)³, η″ = 6Σc²/(λ+α)⁴ and ρ′ = −αη′.
    """
    values, _, rotated = system.spectrum(size)
    rho, eta, _ = path(system, alphas, size)
    keep, squares, alpha = inverse(system, values, alphas, size), rotated**2, alphas[:, None]
    eta1, eta2 = -2 * keep**3 @ squares, 6 * keep**4 @ squares
    rho1, rho2 = -alpha * eta1, -eta1 - alpha * eta2
    with np.errstate(divide="ignore", invalid="ignore"):
        x1, x2 = rho1 / rho / 2, (rho2 / rho - (rho1 / rho) ** 2) / 2
        y1, y2 = eta1 / eta / 2, (eta2 / eta - (eta1 / eta) ** 2) / 2
        bend = (x1 * y2 - x2 * y1) / (x1**2 + y1**2) ** 1.5
    return np.asarray(np.where(np.isfinite(bend), bend, -np.inf))


SELECTORS: dict[str, type[KFold] | type[Loo] | type[Gcv] | type[LCurve]] = {
    "kfold": KFold,
    "loo": Loo,
    "gcv": Gcv,
    "lcurve": LCurve,
}


def leave_out_pass(source: Source, engine: Engine, layout: Layout) -> LeaveOut:
    """How a selector asks for one more pass over the rows."""

    def run(press: Press) -> LeaveOneOut:
        return engine.summarize(
            source, partial(LeaveOneOut, layout, press, engine.block_rows), name="leave-one-out"
        )

    return run
