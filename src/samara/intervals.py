"""Intervals around predictions, from the errors that models without a row make on it.

Jackknife+ (Barber, Candès, Ramdas and Tibshirani 2021), every error divided by the spread √(1 + leverage) of
its row and multiplied by that of the new one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.core import Array
from samara.left_out import LeftOut, Leverage, Pull

KEPT = 1024  # errors kept; more are told by as many quantiles


@dataclass(frozen=True)
class Intervals:
    """What `predict_interval` needs beside the model.

    Parameters
    ----------
    scores : ndarray of shape (m, t)
        Sizes of errors by the spread, of rows left out: in their order where ``pull`` is there, by their
        weights where these differ, else sorted.
    weight : ndarray of shape (m,)
        Weights of the rows.
    errors : ndarray of shape (m, t)
        Their errors, with the sign; none without ``pull``.
    leverage : Leverage or None
        Of new rows; None: every row has the same spread.
    pull : Pull or None
        What each row does to the model; None: the models without a row predict as the whole one does.
    """

    scores: Array
    weight: Array
    errors: Array
    leverage: Leverage | None
    pull: Pull | None

    @classmethod
    def learned(cls, left: LeftOut) -> Intervals:
        """From rows that were left out."""
        scores = np.abs(left.errors) / left.spread[:, None]
        weight = np.ones(len(scores)) if left.weight is None else left.weight
        if left.pull is not None:
            return cls(scores, weight, left.errors, left.leverage, left.pull)
        if left.weight is None and len(scores) <= KEPT:
            return cls(np.sort(scores, axis=0), weight, scores[:0], left.leverage, None)
        if len(scores) <= KEPT:  # a weight is one for all targets: each row keeps its own
            order = np.lexsort((*scores.T[::-1], weight))
            return cls(scores[order], weight[order], scores[:0], left.leverage, None)
        levels = (np.arange(KEPT) + 0.5) / KEPT
        table = np.stack([_quantiles(column, weight, levels) for column in scores.T], axis=1)
        each = np.full(KEPT, weight.sum() / KEPT)
        return cls(table, each, scores[:0], left.leverage, None)

    @property
    def needs_features(self) -> bool:
        """Whether the hidden rows of new rows are asked for, or their outputs only."""
        return self.leverage is not None or self.pull is not None

    def around(self, outputs: Array, H: Array | None, coverage: float) -> tuple[Array, Array]:
        """Lower and upper ends (n, t) around outputs (n, t); H are the hidden rows where they are needed."""
        spread = np.ones(len(outputs))
        if self.leverage is not None and H is not None:
            spread = np.sqrt(1 + self.leverage(H))
        pulls = None if self.pull is None or H is None else self.pull(H)
        ends = [self._ends(j, outputs[:, j], spread, pulls, coverage) for j in range(outputs.shape[1])]
        return np.stack([low for low, _ in ends], axis=1), np.stack([high for _, high in ends], axis=1)

    def _ends(
        self, target: int, outputs: Array, spread: Array, pulls: Array | None, coverage: float
    ) -> tuple[Array, Array]:
        """Both ends for one target."""
        scores = self.scores[:, target]
        if pulls is None:
            reach = spread * _quantile(scores[None], self.weight, coverage)
            return outputs - reach, outputs + reach
        without = outputs[:, None] - pulls * self.errors[:, target]
        reach = spread[:, None] * scores
        low = -_quantile(reach - without, self.weight, coverage)
        return low, _quantile(without + reach, self.weight, coverage)


def _quantile(values: Array, weight: Array, coverage: float) -> Array:
    """The smallest value of each row (n, m) that has ``coverage`` of all weight below, a new row's with it.

    The new row weighs as much as one of the others does on average. Infinite where the rows are too few to
    say: below 1/(1 − coverage) − 1 of them.
    """
    if (weight == weight[0]).all():  # a part of a sort will do
        place = int(np.ceil(coverage * (len(weight) + 1) - 1e-9)) - 1
        if place >= len(weight):
            return np.full(len(values), np.inf)
        return np.asarray(np.partition(values, place, axis=1)[:, place])
    order = np.argsort(values, axis=1)
    below = np.cumsum(weight[order], axis=1)
    reached = below >= coverage * (weight.sum() + weight.mean()) - 1e-9 * weight.mean()
    place = reached.argmax(axis=1)
    found = np.take_along_axis(values, np.take_along_axis(order, place[:, None], axis=1), axis=1)[:, 0]
    return np.where(reached[:, -1], found, np.inf)


def _quantiles(values: Array, weight: Array, levels: Array) -> Array:
    """Weighted quantiles, ascending."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order])
    return np.asarray(values[order][np.searchsorted(below, levels * below[-1]).clip(max=len(values) - 1)])
