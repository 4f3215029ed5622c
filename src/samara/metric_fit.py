"""A metric of the inputs, learned from the gradients of the model itself (AGOP), in rounds.

A round fits, takes the mean outer product M of the gradients at the rows, and fits anew on M^½x. How many
rounds is chosen on rows that no round has seen: a metric is made with the targets, so folds of rows that it
was made from would flatter it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from samara.centre_fit import KernelFitted
from samara.core import Array, Crew, Source
from samara.costs import DEFAULT_BLOCK, format_bytes
from samara.errors import BudgetError, InputError
from samara.fit import Fitted, fit
from samara.gradients import gradient_outer_product, scaling_maps
from samara.kernel_fit import fit_kernel
from samara.kernel_settings import KernelSettings
from samara.left_out import LeftOut
from samara.maps import KernelRows, LeafRows, Whitened
from samara.plans import Plan
from samara.prepare import look
from samara.settings import Settings
from samara.sources import Lot, Share
from samara.summaries import Profile, SquaredErrors

HELD_OUT = 0.2  # share of the rows that scores the rounds
FEWEST_ROWS = 40  # below, there are too few rows to score with
GRADIENT_ROWS = 2000  # at which a kernel model's gradients are taken: each costs a product with every centre
FLOOR = 1e-3  # added to the diagonal of a metric of trace d: no direction is ever lost
_SCORING, _SAMPLING = 0x5C0E, 0x5A3B  # salts: neither share is any fold of the selection


@dataclass(frozen=True)
class Learned:
    """A metric and how it was chosen."""

    metric: Array  # (d, d) or (d,), of the scaled inputs
    rounds: int
    scores: Array  # (rounds + 1,): held-out squared error of each, relative to the targets' variance

    def honest(self, left_out: Callable[[], LeftOut] | None) -> Callable[[], LeftOut] | None:
        """Rows left out, with errors no smaller than on rows that the metric had not seen."""
        if left_out is None or self.rounds == 0:
            return left_out
        return lambda: left_out().no_better_than(float(self.scores[self.rounds]))


def fit_metric(source: Source, settings: Settings, profile: Profile | None) -> tuple[Fitted, Learned]:
    """An extreme learning machine with a learned metric; the rows are looked at once."""
    profile = look(source, settings) if profile is None else profile
    rounds = _Rounds[Fitted, Settings](settings, profile)
    done, learned, passes = rounds.run(source, lambda rows, asked: fit(rows, asked, profile))
    plan = _told(done.plan, learned, settings, passes)
    # Sums over the folds of rows that the metric has seen tell nothing of new rows: none are kept.
    left = done.left if learned.rounds == 0 else None
    return replace(done, plan=plan, left=left, left_out=learned.honest(done.left_out)), learned


def fit_kernel_metric(
    source: Source, settings: KernelSettings, profile: Profile | None
) -> tuple[KernelFitted, Learned]:
    """A kernel model with a learned metric."""
    seen = (
        settings.engine().summarize(source, partial(Profile, 0), name="look") if profile is None else profile
    )
    rounds = _Rounds[KernelFitted, KernelSettings](settings, seen)
    done, learned, passes = rounds.run(source, lambda rows, asked: fit_kernel(rows, asked, profile))
    plan = _told(done.plan, learned, settings, passes)
    held_out = done.held_out if learned.rounds == 0 else None
    return replace(done, plan=plan, held_out=held_out, left_out=learned.honest(done.left_out)), learned


F = TypeVar("F", Fitted, KernelFitted)
A = TypeVar("A", Settings, KernelSettings)


class _Rounds(Generic[F, A]):
    """The rounds of one fit, over some of the rows or all."""

    def __init__(self, settings: A, profile: Profile) -> None:
        assert settings.metric is not None
        if settings.checkpoint is not None:
            raise InputError(
                f'metric="{settings.metric.name}" has no checkpoints, for it fits several times. '
                "Use metric=None or checkpoint=None."
            )
        self.settings: A = settings
        self.metric, self._profile, self.passes = settings.metric, profile, 1
        self._fit: Callable[[Source, A], F]

    def run(self, source: Source, fitted: Callable[[Source, A], F]) -> tuple[F, Learned, int]:
        """The number of rounds chosen on a part of the rows, then as many on all of them."""
        self._refuse(source)
        self._fit = fitted
        scores = self._scored(source)
        best = int(np.nanargmin(scores)) if np.isfinite(scores).any() else 0
        done, metric = self._learned(source, best)
        return done, Learned(metric, best, scores), self.passes

    def _refuse(self, source: Source) -> None:
        """Refuse a full metric of sparse rows, or one that the budget can't hold."""
        if self.metric.diagonal:
            return
        d, budget = source.n_features, self.settings.budget
        if source.is_sparse:
            raise InputError(
                f'metric="agop" would turn sparse rows into dense ones by a matrix of {d:,} × {d:,}: '
                'use metric="agop_diagonal".'
            )
        needed, left = 8 * d * d * (2 * budget.workers + 2), budget.left(budget.workers)
        if left is not None and needed > left:
            raise BudgetError(
                f'metric="agop" of {d:,} inputs needs {format_bytes(needed)}; memory leaves '
                f'{format_bytes(left)}. Use metric="agop_diagonal".'
            )

    def _scored(self, source: Source) -> Array:
        """The error of every round on rows that it has not seen; NaN where there are too few rows."""
        scores = np.full(self.metric.rounds + 1, np.nan)
        if source.n_rows < FEWEST_ROWS:
            return scores
        seen, unseen = (Share(source, Lot(_SCORING, *ends)) for ends in ((HELD_OUT, 1.0), (0.0, HELD_OUT)))
        if not (_has_rows(seen) and _has_rows(unseen)):  # copies of one row fall on one side
            return scores
        root: Array | None = None
        for number in range(len(scores)):
            done = self._round(seen, number, root)
            scores[number] = self._error(done, unseen)
            if number + 1 < len(scores):
                root = root_of(self._metric(done, seen))
            del done  # its factor would lie beside that of the next
        return scores

    def _learned(self, source: Source, rounds: int) -> tuple[F, Array]:
        """The model after so many rounds, and its metric."""
        d = source.n_features
        metric, root = np.ones(d) if self.metric.diagonal else np.eye(d), None
        for number in range(rounds):
            done = self._round(source, number, root)
            metric = self._metric(done, source)
            root = root_of(metric)
            del done
        return self._round(source, rounds, root), metric

    def _round(self, source: Source, number: int, root: Array | None) -> F:
        """A fit with nodes of its own: those that a metric was learned with would meet it again."""
        entropy = self.settings.entropy
        if number:
            state = np.random.SeedSequence([entropy, 2, number]).generate_state(1)
            entropy = int(state[0]) >> 1
        done = self._fit(source, replace(self.settings, metric=None, root=root, entropy=entropy))
        self.passes += done.plan.passes
        return done

    def _metric(self, done: F, source: Source) -> Array:
        """The mean outer product of the gradients in the scaled inputs, as a metric of trace d."""
        model, rows = done.model, source
        if isinstance(model.maps[-1], KernelRows | LeafRows | Whitened) and source.n_rows > GRADIENT_ROWS:
            rows = Share(source, Lot(_SAMPLING, 0.0, GRADIENT_ROWS / source.n_rows))
        inner = scaling_maps(model)
        self.passes += 1
        units = self._profile.targets.spread
        found = gradient_outer_product(
            model, rows, self._engine(), inner=inner, spread=units, diagonal=self.metric.diagonal
        )
        if not inner and self.settings.scale == "standard":
            spread = self._profile.inputs.spread  # of sparse rows the scaling is in the weights
            found = found * (spread**2 if found.ndim == 1 else np.outer(spread, spread))
        return normalized(found)

    def _error(self, done: F, unseen: Source) -> float:
        """The squared error on rows that were left out, relative to the variance of their targets."""
        model = done.model
        self.passes += 1
        make = partial(SquaredErrors, model.coef, model.intercept, self._profile.targets.mean)
        return self._engine().summarize(model.seen(unseen), make, name="score").relative()

    def _engine(self) -> Crew:
        settings = self.settings
        block_rows = min(settings.budget.block_rows or DEFAULT_BLOCK, DEFAULT_BLOCK)
        return settings.crew.planned(settings.budget.workers, block_rows, settings.progress)


def _has_rows(share: Share) -> bool:
    """Whether a share has any row, read until the first."""
    return any(True for part in share.parts(1) for _ in part.blocks(DEFAULT_BLOCK))


def normalized(products: Array) -> Array:
    """The metric of trace d in proportion to them, with a little of the identity; that alone if all are 0."""
    d = len(products)
    trace = float(products.sum() if products.ndim == 1 else np.trace(products))
    one = np.ones(d) if products.ndim == 1 else np.eye(d)
    if not (np.isfinite(trace) and trace > 0):
        return one
    return np.asarray(products * (d / trace) + FLOOR * one)


def root_of(metric: Array) -> Array:
    """M^½, symmetric."""
    if metric.ndim == 1:
        return np.sqrt(metric)
    values, vectors = np.linalg.eigh(metric)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def _told(plan: Plan, learned: Learned, settings: Settings | KernelSettings, passes: int) -> Plan:
    """The plan of the last fit, with what the rounds took."""
    assert settings.metric is not None
    why = f"metric {settings.metric.name}: {learned.rounds} of {settings.metric.rounds} rounds kept"
    tried = len(learned.scores) + learned.rounds + 1
    if np.isfinite(learned.scores).any():
        errors = ", ".join(f"{score:.3g}" for score in learned.scores)
        why += f", {tried} fits; relative error on held-out rows {errors}"
    else:
        why += f": fewer than {FEWEST_ROWS} different rows are too few to choose by"
    return replace(plan, passes=passes, most_passes=passes, reasons=(*plan.reasons, why))
