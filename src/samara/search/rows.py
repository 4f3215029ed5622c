"""The rows that a search looks at: some of all, none twice, and which of them score which fits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from samara.core import Array, Engine, Source
from samara.rowkeys import fold_of
from samara.search.drawn import Drawn, Lowest, distinct, weighted
from samara.sources import ArraySource, Lot, Share
from samara.summaries import Gathered

FIT_ROWS, SCORED_ROWS = 2500, 3000  # a round of a kernel costs the cube of the first
FOLDED_ROWS = 2500  # up to which every row is scored, each by the fit of the other folds
_SALT = 0x5EA2  # of the share of the rows: no fold of a selection


@dataclass(frozen=True)
class Fold:
    """Numbers of the rows that are fitted, and of those that score the fit."""

    fit: Array
    scored: Array


@dataclass(frozen=True)
class SearchRows:
    """Distinct rows in the order of their keys, which says nothing about them."""

    X: Any  # (n, d), an array or CSR
    Y: Array  # (n, t), of mean 0 and deviation 1
    weight: Array  # (n,)
    keys: Array
    folds: tuple[Fold, ...]
    classes: bool  # whether the targets are codes of classes
    mean: Array  # (t,) of the targets in their own units
    spread: Array  # (t,)
    n_all: int  # rows that they were drawn from, copies of one counted once where that is known
    workers: int = 1  # threads that a search may start
    memory: int | None = None  # bytes that the fit of a candidate may take; None: no limit

    @property
    def scored(self) -> Array:
        """Numbers of the rows that are scored, fold by fold."""
        none = np.empty(0, int)
        return np.concatenate([none, *(fold.scored for fold in self.folds)])

    @property
    def n_fit(self) -> int:
        """Rows of a fit, on average."""
        return int(np.mean([len(fold.fit) for fold in self.folds])) if self.folds else 0

    def source(self, rows: Array) -> ArraySource:
        """Some of the rows to fit."""
        return ArraySource(self.X[rows], self.Y[rows], self.weight[rows])

    def error(self, outputs: Array, rows: Array | None = None) -> float:
        """What is made smallest, of outputs (m, t) for the scored rows, or for some of them.

        Squared error in units of the targets' variance; of classes the share that is taken for another, and
        a little of the squared error, which tells apart what the few rows do not.
        """
        chosen = self.scored if rows is None else self.scored[rows]
        outputs = outputs if rows is None else outputs[rows]
        Y, weight = self.Y[chosen], self.weight[chosen]
        squares = float(np.average(((outputs - Y) ** 2).mean(axis=1), weights=weight))
        if not self.classes:
            return squares
        return 1 - self._hits(outputs, Y, weight) + 0.05 * squares

    def score(self, outputs: Array, rows: Array | None = None) -> float:
        """R², the mean over targets, or the share of classes told right."""
        chosen = self.scored if rows is None else self.scored[rows]
        outputs = outputs if rows is None else outputs[rows]
        Y, weight = self.Y[chosen], self.weight[chosen]
        if self.classes:
            return self._hits(outputs, Y, weight)
        spread = np.average((Y - np.average(Y, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
        squares = np.average((outputs - Y) ** 2, axis=0, weights=weight)
        return float(np.mean(1 - squares / np.where(spread > 0, spread, 1.0)))

    def _hits(self, outputs: Array, Y: Array, weight: Array) -> float:
        # Columns were scaled each for itself, which moves the largest one: back to codes.
        return float(np.average(self._places(outputs) == self._places(Y), weights=weight))

    def _places(self, outputs: Array) -> Array:
        codes = outputs * self.spread + self.mean
        return (codes[:, 0] > 0).astype(int) if codes.shape[1] == 1 else codes.argmax(axis=1)


def gathered(source: Source, engine: Engine, most: tuple[int, int], classes: bool) -> SearchRows:
    """Up to ``most`` rows to fit and to score, drawn by the hash of their content, in one pass.

    A second one is made where most rows are copies of few: their hashes say nothing about their number.
    """
    wanted, n = sum(most), source.n_rows
    share = 1.0 if n <= wanted else min(1.0, (wanted + 4 * np.sqrt(wanted)) / n)
    rows = source if share == 1.0 else Share(source, Lot(_SALT, 0.0, share))
    found = engine.summarize(rows, partial(Gathered, source.is_sparse), name="sample")
    if share < 1.0 and _distinct_keys(found) < wanted // 2:
        lowest = engine.summarize(source, partial(Lowest, wanted, source.is_sparse), name="sample")
        lowest.let_go()
        found = lowest
    made = _scaled(distinct(weighted(found)), most, classes)
    return made if share == 1.0 else replace(made, n_all=n)


def _distinct_keys(found: Gathered) -> int:
    return len(np.unique(np.concatenate(found.keys))) if found.keys else 0


def _scaled(rows: Drawn, most: tuple[int, int], classes: bool) -> SearchRows:
    """The rows with their targets in units of their deviation, cut into folds."""
    X, Y, weight, keys = rows
    X = X if sparse.issparse(X) else np.ascontiguousarray(X, np.float64)
    mean = np.average(Y, axis=0, weights=weight)
    spread = np.sqrt(np.average((Y - mean) ** 2, axis=0, weights=weight))
    spread = np.where(spread > 1e-12 * np.abs(Y).max(axis=0, initial=0.0), spread, 1.0)
    folds = _folds(keys, most)
    return SearchRows(X, (Y - mean) / spread, weight, keys, folds, classes, mean, spread, len(Y))


def n_folds(n: int, most: tuple[int, int]) -> int:
    """Five folds of few rows, three of more, one cut of many."""
    if n > min(FOLDED_ROWS, sum(most)):
        return 1
    return 5 if n <= 500 else 3


def _folds(keys: Array, most: tuple[int, int]) -> tuple[Fold, ...]:
    """Rows of one key are on one side."""
    n, numbers, count = len(keys), np.arange(len(keys)), n_folds(len(keys), most)
    if count > 1:
        of = fold_of(keys, count)
        folds = (Fold(numbers[of != one], numbers[of == one]) for one in range(count))
        return tuple(fold for fold in folds if len(fold.fit) > 1 and len(fold.scored))
    cut = min(most[0], int(0.75 * n))
    while cut < n and keys[cut] == keys[cut - 1]:
        cut += 1
    return (Fold(numbers[:cut], numbers[cut : cut + most[1]]),) if cut < n else ()
