"""What an output has to exceed, chosen by outputs for rows that were left out: F1 or balanced accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from samara.core import Array

Scoring = Literal["f1", "balanced_accuracy"]
SCORINGS: tuple[Scoring, ...] = ("f1", "balanced_accuracy")
SWEEPS = 10  # over the classes, at most; two or three are usual
SAME = 1e-12  # scores that differ by less are equal: sums round


@dataclass(frozen=True)
class Told:
    """Rows that were left out: their classes by number, their weights, and what is to be large."""

    places: Array  # (n,)
    weight: Array  # (n,)
    n_classes: int
    scoring: Scoring

    def qualities(self, of: int, right: Array, told: Array) -> Array:
        """Recall or F1 of a class, so much of it told right, and so much told to be it."""
        there = float(self.weight @ (self.places == of))
        total = np.full(len(told), there) if self.scoring == "balanced_accuracy" else (told + there) / 2
        return np.divide(right, total, out=np.zeros(len(told)), where=total > 0)

    def scores(self, of: int, others: Array, order: Array) -> Array:
        """Sums of the classes' qualities with 0, 1, … n rows told to be a class, the first in order first.

        ``others`` are the classes that the rows are told to be else. Of two classes F1 is that of the second.
        """
        places, weight, others = self.places[order], self.weight[order], others[order]
        made = self.qualities(of, _sums(weight * (places == of)), _sums(weight))
        if self.scoring == "f1" and self.n_classes == 2:
            return made
        steps = np.zeros(len(order) + 1)
        for other in np.unique(others):
            rows = np.flatnonzero(others == other)
            hits, own = weight[rows] * (places[rows] == other), weight[rows]
            left = self.qualities(int(other), hits.sum() - _sums(hits), own.sum() - _sums(own))
            steps[0] += left[0]
            steps[1 + rows] = np.diff(left)
        return np.asarray(made + np.cumsum(steps))

    def best(self, of: int, lead: Array, others: Array, now: float) -> tuple[float, float]:
        """The threshold of a class with the best score, the nearest to that of now, and the score.

        ``lead`` is by how much a class is ahead of the best other one with a threshold of 0. Between two
        rows the threshold lies in the middle; outside of all rows it does not go.
        """
        order = np.argsort(-lead, kind="stable")
        lead = lead[order]
        scores, here = self.scores(of, others, order), int((lead > now).sum())
        between = 1 + np.flatnonzero(lead[1:] < lead[:-1])
        found = np.append((lead[between - 1] + lead[between]) / 2, now)
        reached = np.append(scores[between], scores[here])
        found[:-1][between == here] = now
        good = np.flatnonzero(reached >= reached.max() - SAME)
        chosen = good[np.argmin(np.abs(found[good] - now))]
        return float(found[chosen]), float(reached[chosen])


def best_threshold(outputs: Array, places: Array, weight: Array | None, scoring: Scoring) -> float:
    """For two classes with the one output (n,): above it lies the second."""
    rows = Told(places, np.ones(len(places)) if weight is None else weight, 2, scoring)
    return rows.best(1, np.asarray(outputs, np.float64), np.zeros(len(places), int), 0.0)[0]


def best_thresholds(outputs: Array, places: Array, weight: Array | None, scoring: Scoring) -> Array:
    """For several classes (n, k): the class is that which exceeds its own by most.

    Coordinate search, one class after the other, until none is better off with another one.
    """
    outputs = np.asarray(outputs, np.float64)
    n_classes = outputs.shape[1]
    rows = Told(places, np.ones(len(places)) if weight is None else weight, n_classes, scoring)
    found, before = np.zeros(n_classes), -np.inf
    for _ in range(SWEEPS):
        for of in range(n_classes):
            ahead = outputs - found
            ahead[:, of] = -np.inf
            others = ahead.argmax(axis=1)
            lead = outputs[:, of] - ahead[np.arange(len(ahead)), others]
            found[of], score = rows.best(of, lead, others, float(found[of]))
        if score <= before + SAME:
            break
        before = score
    return found


def _sums(values: Array) -> Array:
    """Of none of them, the first, the first two and so on."""
    return np.concatenate([[0.0], np.cumsum(values)])
