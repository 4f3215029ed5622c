"""Rows brought together, none twice."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from samara.core import Array, Block
from samara.rowkeys import row_keys
from samara.summaries import Gathered

_SALT = 0xD4A3  # of the targets: a row whose target is its input is drawn like any other
HELD = 4  # times as many rows as are wanted are held before the others go

Drawn = tuple[Any, Array, Array, Array]  # inputs, targets, weights and keys of the inputs


def weighted(found: Gathered) -> Drawn:
    """The rows of all blocks, each with a weight."""
    X, Y, weight, keys = found.joined()
    return X, np.asarray(Y, np.float64), np.ones(len(Y)) if weight is None else weight, keys


def distinct(rows: Drawn) -> Drawn:
    """Copies as one row with the weight of all: a weight of 2 is the row twice in all that follows."""
    X, Y, weight, keys = rows
    order = np.lexsort((*Y.T, keys))
    fresh = np.ones(len(order), bool)
    fresh[1:] = (keys[order][1:] != keys[order][:-1]) | (Y[order][1:] != Y[order][:-1]).any(axis=1)
    chosen = order[fresh]
    return X[chosen], Y[chosen], np.bincount(np.cumsum(fresh) - 1, weight[order]), keys[chosen]


class Lowest(Gathered):
    """So many distinct rows with the lowest hashes of inputs and targets, or all where there are no more.

    A row that stays to the end was there from its first copy on, so its weight is that of all copies.
    """

    def __init__(self, most: int, as_they_are: bool = False) -> None:
        super().__init__(as_they_are)
        self._most, self._held = most, 0

    def update(self, block: Block) -> None:
        """Take the rows of a block, and let those go that are too many."""
        super().update(block)
        if block.weight is None:
            self.weights.append(np.ones(len(block)))
        self._held += len(block)
        if self._held > HELD * self._most:
            self.let_go()

    def merge(self, other: Self) -> None:
        """The rows of both."""
        super().merge(other)
        if self.keys:
            self.let_go()

    def let_go(self) -> None:
        """Keep no more than are wanted; to be called once more at the end."""
        X, Y, weight, keys = distinct(weighted(self))
        if len(Y) > self._most:
            hashes = keys ^ row_keys(Y, _SALT)
            kept = np.sort(np.argsort(hashes, kind="stable")[: self._most])
            X, Y, weight, keys = X[kept], Y[kept], weight[kept], keys[kept]
        self.inputs, self.targets, self.weights, self.keys = [X], [Y], [weight], [keys]
        self._held = len(Y)
