"""Trees grown on the rows of a source, one after the other, each for what those before have left."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array, Crew, Source, dense
from samara.errors import InputError
from samara.linalg.bins import Bins
from samara.linalg.growth import Follow, Growth
from samara.linalg.trees import MOST_LEAVES, Tree
from samara.linalg.unusual import Unusual
from samara.sources import Lot, Share
from samara.summaries import Gathered

MOST_ROWS = 200_000  # that trees are grown on: their cuts are known to 1/255 of the rows anyhow
BIN_ROWS = 8_000  # whose values say where bins end
MOST_COLUMNS = 400  # that one tree looks at, drawn for each
MOST_TARGETS = 3  # of more a tree sees as many random combinations
DAMPING = 1.0  # weight added to that of a leaf where its mean is taken
CHANCE_DAMPING = 0.1  # the same for classes, whose rows weigh p(1 − p)
_GROWN = 0x7EE5  # salt: the rows that trees are grown on


@dataclass(frozen=True)
class Trees:
    """How trees are grown."""

    count: int = 50
    leaves: int = 31
    rate: float = 0.2  # of what a tree finds, how much the next ones take as done
    least: float = 10.0  # weight of the rows of a leaf
    classes: bool = False  # targets are ±1: trees are grown for the log loss of their chances

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
    y: Array  # (n, t) as given
    weight: Array | None
    all_there: bool  # all that count, none left out for want of room
    unusual: Unusual | None = None  # bins, where most rows have the same of a column

    @classmethod
    def gathered(cls, source: Source, crew: Crew, most: int = MOST_ROWS, workers: int = 1) -> Rows:
        """The rows of a source, or a share of them where they are more than ``most``."""
        few = source.n_rows <= most
        if not few:
            source = Share(source, Lot(_GROWN, 0.0, most / source.n_rows))
        X, y, weight, keys = crew.summarize(source, Gathered, name="gather").joined()
        X, order = dense(X), np.argsort(keys, kind="stable")
        new = np.append(True, keys[order[1:]] != keys[order[:-1]])
        if not new.all():
            order = np.lexsort((*y.T, keys))
        if weight is not None:
            some = weight[order] > 0
            order, new = order[some], new[some]
            weight = weight[order]
        alone = order[new][:BIN_ROWS]
        bins = Bins.learn(X if len(alone) == len(X) else X[alone], workers=workers)  # in whatever order
        binned = bins.put(X, workers)[order]
        return cls(bins, binned, y[order], weight, few, Unusual.of(binned, bins.of_columns))

    def left(self) -> Array:
        """(n, t): targets less their means, in units of their spread."""
        centred = self.y - np.average(self.y, axis=0, weights=self.weight)
        spread = np.sqrt(np.average(centred**2, axis=0, weights=self.weight))
        return np.ascontiguousarray(centred / np.where(spread > 0, spread, 1.0))

    def chances(self) -> tuple[Array, Array]:
        """(n, t) each: 1 or 0 less the share of rows that have 1, and the odds against it."""
        ones = self.y > 0
        share = np.average(ones, axis=0, weights=self.weight).clip(1e-6, 1 - 1e-6)
        return ones - share, np.tile((1 - share) / share, (len(ones), 1))


def grow(rows: Rows, asked: Trees, entropy: int, workers: int) -> tuple[list[Tree], Array]:
    """The trees, and the leaf of every row in each of them, (trees, n)."""
    left, odds = rows.chances() if asked.classes else (rows.left(), None)
    follow = Follow(asked.rate, CHANCE_DAMPING if asked.classes else DAMPING)
    trees, leaves = list[Tree](), np.empty((asked.count, len(left)), np.uint8)
    for number in range(asked.count):
        tree, leaves[number] = _one(rows, asked, left, (entropy, number), workers)
        follow(tree, leaves[number], left, rows.weight, odds)
        trees.append(tree)
    return trees, leaves


def _one(rows: Rows, asked: Trees, left: Array, seed: tuple[int, int], workers: int) -> tuple[Tree, Array]:
    """A tree for what is left, and the leaf of every row."""
    d, t = rows.binned.shape[1], left.shape[1]
    growth, starts, unusual = Growth(asked.leaves, asked.least, DAMPING), rows.bins.of_columns, rows.unusual
    if d <= MOST_COLUMNS and t <= MOST_TARGETS:
        return growth.grow((rows.binned, starts), left, rows.weight, workers, unusual)
    rng = np.random.default_rng(np.random.SeedSequence([seed[0], 6, seed[1]]))
    targets = left if t <= MOST_TARGETS else left @ rng.standard_normal((t, MOST_TARGETS))
    if d <= MOST_COLUMNS:
        return growth.grow((rows.binned, starts), targets, rows.weight, workers, unusual)
    chosen = np.sort(rng.choice(d, MOST_COLUMNS, replace=False))
    firsts = np.append(0, np.diff(starts)[chosen].cumsum())
    if unusual is None:
        part = rows.binned.take(chosen, axis=1)  # contiguous, where [:, chosen] is not: half the time
    else:
        part, unusual = rows.binned, unusual.drawn(chosen, starts)
    tree, leaves = growth.grow((part, firsts), targets, rows.weight, workers, unusual)
    return replace(tree, column=chosen[tree.column]), leaves
