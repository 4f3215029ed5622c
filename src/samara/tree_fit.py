"""Leaves of trees as the hidden layer: trees are grown to lower the error, then one ridge weighs all leaves.

Trees are made with the targets, so folds of rows that they were grown on would flatter: ridge and number of
trees are chosen on rows that no tree has seen, and then the trees are grown anew on all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array, Crew, Source, seen_through
from samara.costs import DEFAULT_BLOCK
from samara.fit import Fitted, fit
from samara.left_out import LeftOut
from samara.linalg.blas import mirror_upper
from samara.linalg.indicators import add_moments
from samara.linalg.room import room
from samara.maps import AsFloat
from samara.maps.tree_leaves import TreeLeaves
from samara.prepare import look
from samara.selection import Selection, choose
from samara.selection.surface import Surface
from samara.settings import Settings
from samara.solvers import Gram, NormalFactor, Task
from samara.sources import Lot, Share
from samara.summaries import Profile
from samara.tree_growth import MOST_ROWS, Rows, Trees, grow

HELD_OUT = 0.2  # share of the rows that ridge and number of trees are chosen on
FEWEST_ROWS = 40  # by their weights; below, there are too few to choose by
RIDGES = (3.0, 10.0, 30.0, 100.0, 300.0)  # in rows: a leaf of as many is halved
_SCORING = 0x7C0E


@dataclass(frozen=True)
class TreeSettings:
    """The settings of a fit with trees."""

    trees: Trees  # as many as the most asked for
    counts: tuple[int, ...]  # of trees, ascending
    alphas: tuple[float, ...]
    base: Settings  # its layer and ridges are not looked at


def fit_trees(source: Source, settings: TreeSettings, profile: Profile | None = None) -> Fitted:
    """Choose on rows held out where there is a choice, grow the trees, and fit the ridge behind them."""
    profile = look(source, settings.base) if profile is None else profile
    run = _Run(source, settings, profile)
    selection, count, alpha = None, settings.counts[-1], settings.alphas[-1]
    if len(settings.counts) * len(settings.alphas) > 1:
        selection, count, alpha = run.chosen()
    done = run.fitted(source, run.grown(source), count, alpha)
    plan = replace(done.plan, passes=run.passes, most_passes=run.passes, reasons=run.told(done.plan.reasons))
    honest = run.honest(done.left_out, count, alpha)
    # Sums of rows that the trees were grown on tell nothing of new rows: none are kept.
    return replace(done, plan=plan, selection=selection, left=None, left_out=honest)


@dataclass(frozen=True)
class Held:
    """The solver `gram` for rows whose leaves are known: they were grown on, and are not read again."""

    leaves: Array  # (trees, n)
    starts: Array  # (trees + 1,): where the columns of a tree begin
    rows: Rows
    workers: int

    name = "gram"

    def validate(self) -> None:
        """There is nothing to set."""

    def first(self, count: int) -> Held:
        """Of the first trees alone."""
        return replace(self, leaves=self.leaves[:count], starts=self.starts[: count + 1])

    def __call__(self, task: Task) -> NormalFactor:
        """Count how often leaves meet."""
        layout, moments = task.layout, room((task.layout.width, task.layout.width))
        y = (self.rows.y - layout.centre) / layout.spread
        add_moments(self.leaves, self.starts, (y, self.rows.weight), moments, self.workers)
        return NormalFactor([mirror_upper(moments)], layout, task.fit_intercept)


class _Run:
    """The passes of one fit."""

    def __init__(self, source: Source, settings: TreeSettings, profile: Profile) -> None:
        self.settings, self.source, self.profile, self.passes = settings, source, profile, 1
        self.scores: Array | None = None
        base = settings.base
        block_rows = min(base.budget.block_rows or DEFAULT_BLOCK, DEFAULT_BLOCK)
        self.crew: Crew = base.crew.planned(base.budget.workers, block_rows, base.progress)

    def grown(self, source: Source) -> tuple[TreeLeaves, Held | None]:
        """Trees grown on the rows of a source, and the leaves of these rows where they are all."""
        base, workers = self.settings.base, self.settings.base.budget.workers
        inputs = source.map(AsFloat(source.n_features, base.dtype))
        rows = Rows.gathered(inputs, self.crew, self._most(), workers)
        self.passes += 1
        trees, leaves = grow(rows, self.settings.trees, base.entropy, workers)
        layer = TreeLeaves.of(trees, rows.bins, base.dtype)
        return layer, Held(leaves, layer.starts, rows, workers) if rows.all_there else None

    def _most(self) -> int:
        """Rows to grow on: what is gathered takes no more than half of the memory given."""
        budget, d, t = self.settings.base.budget, self.source.n_features, self.source.n_targets
        left = budget.left(budget.workers)
        a_row = 2 * d * self.settings.base.dtype.itemsize + 2 * d + 32 * (t + 2) + self.settings.trees.count
        return MOST_ROWS if left is None else int(np.clip(left // (2 * a_row), 1000, MOST_ROWS))

    def fitted(
        self, source: Source, grown: tuple[TreeLeaves, Held | None], count: int, alpha: float
    ) -> Fitted:
        """The ridge behind the first of the trees that are grown."""
        layer, held = grown[0].first(count), grown[1]
        solver = Gram() if held is None else held.first(count)
        asked = replace(
            self.settings.base, layer=layer, sizes=(layer.n_out,), alphas=(alpha,), solver=solver, scale=None
        )
        done = fit(source, replace(asked, selector=None), self.profile)
        self.passes += done.plan.passes - 1
        return done

    def surface(self, alphas: tuple[float, ...], counts: tuple[int, ...]) -> Surface | None:
        """Errors on rows that no tree has seen; None where there are too few."""
        if self.profile.inputs.weight < FEWEST_ROWS:
            return None
        seen = Share(self.source, Lot(_SCORING, HELD_OUT, 1.0))
        unseen = Share(self.source, Lot(_SCORING, 0.0, HELD_OUT))
        grown = self.grown(seen)
        done, layer = self.fitted(seen, grown, counts[-1], max(alphas)), grown[0]
        assert done.left is not None
        left, base = done.left, self.settings.base
        task = Task(seen_through(unseen, left.maps), self.crew, left.layout, fit_intercept=base.fit_intercept)
        other, system, sizes = Gram()(task), left.factor.system(), layer.starts[list(counts)]
        self.passes += 1
        weight = other.fold_weights.sum()
        if not weight > 0:
            return None
        found = [other.squared_errors(system.solve(alpha, sizes.tolist())) for alpha in alphas]
        scores = np.stack(found, axis=1) / weight
        return Surface(sizes, np.array(alphas), scores, np.full_like(scores, np.nan))

    def chosen(self) -> tuple[Selection | None, int, float]:
        """What was tried, the number of trees and the ridge."""
        counts, alphas = self.settings.counts, self.settings.alphas
        surface = self.surface(alphas, counts)
        if surface is None:
            return None, counts[-1], alphas[len(alphas) // 2]
        selection = choose(surface, "held_out", self.profile.targets.spread, 0, per_target=False)
        size = int(np.flatnonzero(surface.sizes == selection.best_n_hidden)[0])
        best = int(np.flatnonzero(surface.alphas == selection.best_alpha)[0])
        self.scores = surface.scores[size, best]
        return selection, counts[size], float(surface.alphas[best])

    def honest(
        self, left_out: Callable[[], LeftOut] | None, count: int, alpha: float
    ) -> Callable[[], LeftOut] | None:
        """Rows left out, with errors no smaller than on rows that no tree had seen."""
        if left_out is None or self.profile.inputs.weight < FEWEST_ROWS:
            return None  # nothing tells how much they flatter

        def rows() -> LeftOut:
            scores = self.scores
            if scores is None:
                surface = self.surface((alpha,), (count,))
                scores = np.full(self.source.n_targets, np.inf) if surface is None else surface.scores[0, 0]
            units = self.profile.targets.spread**2
            return left_out().no_better_than(float(scores @ units / units.sum()))

        return rows

    def told(self, reasons: tuple[str, ...]) -> tuple[str, ...]:
        """The reasons of the last fit, and how the trees came about."""
        trees = self.settings.trees
        return (*reasons, f"{trees.count} trees of up to {trees.leaves} leaves, grown on the rows")
