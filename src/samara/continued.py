"""From a fit to a stream: the summary that a fit leaves, as partial_fit goes on with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array, Batch, Factor, FeatureMap
from samara.errors import InputError
from samara.linalg.triangular import triangle
from samara.model_checks import check_array, check_map
from samara.plans import Plan
from samara.settings import Settings
from samara.solvers import NormalFactor, RootFactor, RowFactor
from samara.store import RefusedError
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


LARGEST_BLOCK = 1 << 24  # rows; a file that asks for more would have partial_fit exhaust the memory


@dataclass(frozen=True)
class StreamState:
    """What a stream has learned, as data: frozen maps and sums over rows, but no row."""

    maps: tuple[FeatureMap, ...]
    layout: Layout
    plan: Plan
    trace: float
    n_rows: int
    newest: float  # weight of the last row, under forgetting
    is_sparse: bool
    rooted: bool  # whether triangles are kept, not sums of squares
    labels: Array | None  # in the order they came
    lanes: tuple[tuple[dict[str, Any], dict[str, Array]], ...]  # numbers and arrays of each summary

    def check(self, settings: Settings, n_features: int) -> None:
        """Refuse parts that can't be those of one stream with these settings."""
        layout, width = self.layout, n_features
        for number, feature_map in enumerate(self.maps):
            width = check_map(feature_map, width, f"map {number} of the stream")
        nodes = settings.first_sizes()[-1] + settings.direct_link * n_features
        if not width == nodes == layout.n_features:
            raise RefusedError(f"its stream has {layout.n_features} features where {nodes} are needed")
        targets = layout.n_targets if self.labels is None else len(self.labels)
        check_array(layout.shift, (width,), "shifts of the stream")
        check_array(layout.centre, (targets,), "centres of the stream")
        check_array(layout.spread, (targets,), "spreads of the stream")
        sound = layout.dtype == settings.dtype and self.trace >= 0 and self.n_rows >= 1 and self.newest > 0
        if not sound or not 1 <= self.plan.block_rows <= LARGEST_BLOCK or not self.lanes:
            raise RefusedError("its stream has numbers that can't be")
        for numbers, arrays in self.lanes:
            (_check_triangles if self.rooted else _check_moments)(numbers, arrays, layout, settings.n_folds)


def _check_moments(numbers: dict[str, Any], arrays: dict[str, Array], layout: Layout, n_folds: int) -> None:
    """Sums of squares of folds, some of which may have no rows, and what is not yet carried over."""
    folds = {str(fold) for fold in range(n_folds)}
    known = numbers.keys() == {"rows", "fold"} and all(type(number) is int for number in numbers.values())
    if (
        not known
        or numbers["rows"] < 0
        or not 0 <= numbers["fold"] < n_folds
        or arrays.keys() - folds - {"single"}
    ):
        raise RefusedError("its stream has sums that can't be")
    for name, array in arrays.items():
        check_array(array, (layout.width, layout.width), "sums of the stream")
        if array.dtype != (np.float32 if name == "single" else np.float64):
            raise RefusedError("its stream has sums of another precision")


def _check_triangles(numbers: dict[str, Any], arrays: dict[str, Array], layout: Layout, n_folds: int) -> None:
    """A triangle for each fold."""
    if numbers or arrays.keys() != {str(fold) for fold in range(n_folds)}:
        raise RefusedError("its stream has triangles that can't be")
    for array in arrays.values():
        check_array(array, (None, layout.width), "triangles of the stream")


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
