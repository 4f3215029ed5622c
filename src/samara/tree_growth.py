"""Trees grown on the rows of a source, one after the other, each for what those before have left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from samara.core import Array, Crew, Source, dense
from samara.errors import InputError
from samara.linalg.trees import MOST_LEAVES, Bins, Growth, Tree
from samara.linalg.workers import in_threads
from samara.rowkeys import salted
from samara.sources import Lot, Share
from samara.summaries import Gathered

MOST_ROWS = 200_000  # that trees are grown on: their cuts are known to 1/255 of the rows anyhow
BIN_ROWS = 8_000  # whose values say where bins end
MOST_COLUMNS = 400  # that one tree looks at, drawn for each
MOST_TARGETS = 3  # of more a tree sees as many random combinations
DAMPING = 1.0  # weight added to that of a leaf where its mean is taken
_GROWN = 0x7EE5  # salt: the rows that trees are grown on


@dataclass(frozen=True)
class Trees:
    """How trees are grown."""

    count: int = 30
    leaves: int = 31
    rate: float = 0.25  # of what a round finds, how much the next ones take as done
    least: float = 10.0  # weight of the rows of a leaf

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InputError(f"n_trees must be at least 1, got {self.count!r}.")
        if not 2 <= self.leaves <= MOST_LEAVES:
            raise InputError(f"leaves must be from 2 to {MOST_LEAVES}, got {self.leaves!r}.")
        if not 0 < self.rate <= 1:
            raise InputError(f"rate must be above 0 and at most 1, got {self.rate!r}.")
        if not (np.isfinite(self.least) and self.least > 0):
            raise InputError(f"least must be a positive number, got {self.least!r}.")


@dataclass(frozen=True)
class Rows:
    """Binned rows in the order of their keys: the same however they came."""

    bins: Bins
    binned: Array  # (n, d)
    y: Array  # (n, t), centred, in units of its spread
    weight: Array | None
    keys: Array

    @classmethod
    def gathered(cls, source: Source, crew: Crew, most: int = MOST_ROWS) -> Rows:
        """The rows of a source, or a share of them where they are more than ``most``."""
        if source.n_rows > most:
            source = Share(source, Lot(_GROWN, 0.0, most / source.n_rows))
        X, y, weight, keys = crew.summarize(source, Gathered, name="gather").joined()
        X = dense(X)
        order = np.lexsort((*y.T, keys))
        if weight is not None:
            order = order[weight[order] > 0]
            weight = weight[order]
        keys, y = keys[order], y[order]
        new = np.append(True, keys[1:] != keys[:-1])
        bins = Bins.learn(X[order[new][:BIN_ROWS]])
        centred = y - np.average(y, axis=0, weights=weight)
        spread = np.sqrt(np.average(centred**2, axis=0, weights=weight))
        return cls(bins, bins.put(X)[order], centred / np.where(spread > 0, spread, 1.0), weight, keys)


def grow(rows: Rows, asked: Trees, entropy: int, workers: int) -> list[Tree]:
    """The trees, two a round: each grown on one half of the rows, which the next round halves anew.

    The halves come from hashes of the rows' content, so that copies of a row stay together. Two trees on
    halves take as long as one on all rows, and two threads may grow them; their cuts differ more, which is
    worth more to the ridge behind them than the rows that each does not see.
    """
    left, trees = rows.y.copy(), list[Tree]()
    while len(trees) < asked.count:
        number = len(trees)
        upper = salted(rows.keys, 1 + number) >= np.uint64(1 << 63)
        halves = [np.flatnonzero(upper), np.flatnonzero(~upper)][: asked.count - number]
        work = partial(_one, rows, asked, left, entropy)
        made = in_threads(work, enumerate(halves, number), workers)
        steps = [_step(tree, leaves, rows, left) for tree, leaves in made]
        left -= asked.rate / len(steps) * sum(steps)
        trees += [tree for tree, _ in made]
    return trees


def _one(rows: Rows, asked: Trees, left: Array, entropy: int, half: tuple[int, Array]) -> tuple[Tree, Array]:
    """A tree grown on some of the rows, and the leaves of all of them."""
    number, order = half
    rng = np.random.default_rng(np.random.SeedSequence([entropy, 6, number]))
    d, t = rows.binned.shape[1], left.shape[1]
    targets = left if t <= MOST_TARGETS else left @ rng.standard_normal((t, MOST_TARGETS))
    binned, starts, chosen = rows.binned, rows.bins.of_columns, np.arange(d)
    if d > MOST_COLUMNS:
        chosen = np.sort(rng.choice(d, MOST_COLUMNS, replace=False))
        binned = np.ascontiguousarray(binned[:, chosen])
        starts = np.cumsum([0, *np.diff(starts)[chosen]])
    tree = Growth(asked.leaves, asked.least, DAMPING).grow((binned, starts), targets, rows.weight, order)
    return replace(tree, column=chosen[tree.column]), tree.leaves(binned)


def _step(tree: Tree, leaves: Array, rows: Rows, left: Array) -> Array:
    """What the means of its leaves, a little smaller, explain of what is left."""
    totals = np.bincount(leaves, rows.weight, tree.n_leaves) + DAMPING
    weighed = left if rows.weight is None else left * rows.weight[:, None]
    sums = [np.bincount(leaves, column, tree.n_leaves) for column in weighed.T]
    return np.asarray((np.stack(sums, axis=1) / totals[:, None])[leaves])
