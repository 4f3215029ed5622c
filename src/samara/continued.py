"""From a fit to a stream: the summary that a fit leaves, as partial_fit goes on with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samara.core import Array, Batch, Factor, FeatureMap
from samara.errors import InputError
from samara.linalg.triangular import triangle
from samara.plans import Plan
from samara.settings import Settings
from samara.solvers import NormalFactor, RootFactor, RowFactor
from samara.summaries import Layout, Moments, Triangle
from samara.summaries.grown import Running


@dataclass(frozen=True)
class Leftover:
    """What a fit leaves to go on from; nothing of the rows themselves but one, for its kind."""

    maps: tuple[FeatureMap, ...]
    layout: Layout
    trace: float
    plan: Plan
    factor: Factor
    like: Batch
    n_rows: int
    settings: Settings

    def refuse_other(self, settings: Settings) -> None:
        """The summary has the nodes, folds and columns of its own fit."""
        for name in ("layer", "sizes", "n_folds", "direct_link", "fit_intercept", "dtype"):
            if getattr(settings, name) != getattr(self.settings, name):
                raise InputError(f"The fit was made with other parameters, {name} differs: fit anew.")


def summary_of(left: Leftover, rooted: bool) -> Running:
    """The running summary that the factor stands for."""
    factor, layout = left.factor, left.layout
    if rooted:
        root = Triangle(layout, factor.n_folds, left.plan.block_rows)
        root.folds = [triangle(rows) for rows in rows_of(factor)]
        return root
    made = Moments(layout, factor.n_folds, left.plan.block_rows)
    if isinstance(factor, NormalFactor):
        made.grams = [fold.copy() for fold in factor.folds]
    else:
        made.grams = [rows.T @ rows for rows in rows_of(factor)]
    return made


def rows_of(factor: Factor) -> Sequence[Array]:
    """Augmented rows of each fold, or rows with the same products."""
    if isinstance(factor, RowFactor | RootFactor):
        return factor.fold_rows()
    raise InputError('update="qr" goes on from a fit by solver="qr" only: moments have lost what it keeps.')


def turned(summary: Running, turn: Array, layout: Layout) -> Running:
    """The same rows with other targets, made of the constant and the old ones."""
    wide = augmented_turn(layout, turn)
    if isinstance(summary, Triangle):
        root = Triangle(layout, len(summary.folds), summary.block_rows)
        root.folds = [triangle(fold @ wide) for fold in summary.folds]
        return root
    summary.settle()
    made = Moments(layout, len(summary.grams), summary.block_rows)
    made.grams = [None if gram is None else wide.T @ mirrored(gram) @ wide for gram in summary.grams]
    return made


def mirrored(moments: Array) -> Array:
    """Both triangles, from the upper one."""
    return np.triu(moments) + np.triu(moments, 1).T


def augmented_turn(layout: Layout, turn: Array) -> Array:
    """The turn of the targets as one of whole augmented rows."""
    L, (kept, made) = layout.n_features, turn.shape
    wide = np.zeros((L + kept, 1 + L + made))
    wide[: 1 + L, : 1 + L] = np.eye(1 + L)
    wide[0, 1 + L :] = turn[0]
    wide[1 + L :, 1 + L :] = turn[1:]
    return wide


def one_hot_turn(layout: Layout) -> Array:
    """From [1, scaled ±1 codes] to one-hot labels; one column of codes is that of the second class."""
    centre, spread = layout.centre, layout.spread
    turn = np.vstack([(centre + 1) / 2, np.diag(spread / 2)])
    if len(centre) > 1:
        return turn
    first = -turn
    first[0] += 1
    return np.hstack([first, turn])
