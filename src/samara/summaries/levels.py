"""The categories of a column of text, with what the targets were in each, fold by fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.core import Array

MISSING = -1.0  # the code of a missing text; those of texts are 0 or more
SETTLE_ROWS = 16_384  # rows that wait before they are sorted in
CODE, FOLD, GROUP, WEIGHT, MEANS = range(5)  # columns of the entries; squares come behind the means


@dataclass(frozen=True)
class LevelMoments:
    """Weight, and mean and centred squares of T targets, of each of k categories in each of K folds."""

    codes: Array  # (k,) increasing; MISSING first, where there is one
    weight: Array  # (k, K)
    mean: Array  # (k, K, T)
    squares: Array  # (k, K, T)

    def chosen(self, index: Array) -> LevelMoments:
        """Some of the categories."""
        return LevelMoments(self.codes[index], self.weight[index], self.mean[index], self.squares[index])

    def outside(self, fold: int | None) -> tuple[Array, Array, Array]:
        """Weight (k,), mean (k, T) and squares (k, T) of all folds but one, or of all of them."""
        folds = [f for f in range(self.weight.shape[1]) if f != fold]
        weight, mean = self.weight[:, folds, None], self.mean[:, folds]
        total = weight.sum(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            together = np.divide(
                (weight * mean).sum(axis=1), total, where=total > 0, out=np.zeros(mean[:, 0].shape)
            )
            gaps = weight * (mean - together[:, None]) ** 2
            squares = (self.squares[:, folds] + np.where(weight > 0, gaps, 0.0)).sum(axis=1)
        return total[:, 0], together, squares


class LevelTable:
    """Entries (category, fold, class) → weight, means and centred squares of the targets.

    Of classes an entry keeps the weight alone, of numbers there is one class. Rows wait until there are as
    many as entries, then all are sorted at once: n rows cost O(n log n) whatever the blocks.
    """

    def __init__(self, n_targets: int, n_folds: int) -> None:
        self.n_targets, self.n_folds = n_targets, n_folds
        self.dropped = np.zeros(n_folds)  # weight of categories that were left out, in each fold
        self._entries: Array = np.zeros((0, MEANS + 2 * n_targets))
        self._waiting: list[Array] = []

    def add(
        self, keys: tuple[Array | float, Array | float, Array | float], weight: Array | None, y: Array
    ) -> bool:
        """Take rows: their category, fold and class; True when it is time to settle."""
        rows = np.zeros((len(y), self._entries.shape[1]))
        for place, key in enumerate(keys):
            rows[:, place] = key
        rows[:, WEIGHT] = 1.0 if weight is None else weight
        rows[:, MEANS : MEANS + self.n_targets] = y[:, : self.n_targets]
        self._waiting.append(rows)
        return self._is_full()

    def merge(self, other: LevelTable) -> bool:
        """Add another's entries; True when it is time to settle."""
        self.dropped = self.dropped + other.dropped
        self._waiting += [other._entries, *other._waiting]
        return self._is_full()

    def _is_full(self) -> bool:
        return sum(map(len, self._waiting)) >= max(SETTLE_ROWS, len(self._entries))

    def entries(self) -> Array:
        """All entries, sorted, one for each category, fold and class."""
        if self._waiting:
            self._entries = _united(np.concatenate([self._entries, *self._waiting]), self.n_targets)
            self._waiting = []
        return self._entries

    def keep(self, most: int) -> None:
        """Leave out the rarest categories above so many; the smaller code stays where two weigh the same."""
        entries = self.entries()
        codes, level = np.unique(entries[:, CODE], return_inverse=True)
        weight = np.bincount(level, entries[:, WEIGHT], minlength=len(codes))
        weight[codes == MISSING] = np.inf
        if len(codes) - int(MISSING in codes) <= most:
            return
        kept = np.zeros(len(codes), bool)
        kept[np.lexsort((codes, -weight))[: most + int(MISSING in codes)]] = True
        stays = kept[level]
        gone = entries[~stays]
        left_out = np.bincount(gone[:, FOLD].astype(int), gone[:, WEIGHT], minlength=self.n_folds)
        self.dropped = self.dropped + left_out
        self._entries = entries[stays]

    def moments(self, classes: Array | None) -> LevelMoments:
        """Moments of the targets, or of the indicators of these classes (which need not be all)."""
        entries = self.entries()
        codes, level = np.unique(entries[:, CODE], return_inverse=True)
        fold, k, folds = entries[:, FOLD].astype(int), len(codes), self.n_folds
        weight = np.bincount(level * folds + fold, entries[:, WEIGHT], minlength=k * folds).reshape(k, folds)
        if classes is None:
            mean, squares = np.zeros((2, k, folds, self.n_targets))
            mean[level, fold] = entries[:, MEANS : MEANS + self.n_targets]
            squares[level, fold] = entries[:, MEANS + self.n_targets :]
            return LevelMoments(codes, weight, mean, squares)
        mean = np.zeros((k, folds, len(classes)))
        order = np.argsort(classes)
        place = order[np.searchsorted(classes, entries[:, GROUP], sorter=order).clip(max=len(classes) - 1)]
        chosen = np.flatnonzero(classes[place] == entries[:, GROUP])
        mean[level[chosen], fold[chosen], place[chosen]] = entries[chosen, WEIGHT]
        mean /= np.where(weight > 0, weight, 1.0)[:, :, None]
        return LevelMoments(codes, weight, mean, weight[:, :, None] * mean * (1 - mean))

    def state(self) -> tuple[Array, Array, Array]:
        """Entries, what waits, and what was left out."""
        return self._entries, np.concatenate([self._entries[:0], *self._waiting]), self.dropped

    def restore(self, entries: Array, waiting: Array, dropped: Array) -> None:
        """Go on from a state."""
        self._entries, self._waiting, self.dropped = entries, [waiting] if len(waiting) else [], dropped


def _united(entries: Array, n_targets: int) -> Array:
    """Entries of the same category, fold and class made one, by Chan's formula."""
    entries = entries[np.lexsort((entries[:, GROUP], entries[:, FOLD], entries[:, CODE]))]
    first = np.ones(len(entries), bool)
    first[1:] = (entries[1:, :WEIGHT] != entries[:-1, :WEIGHT]).any(axis=1)
    place = np.cumsum(first) - 1
    weight = entries[:, WEIGHT]
    made = entries[first]
    made[:, WEIGHT] = np.bincount(place, weight, minlength=len(made))
    with np.errstate(over="ignore", invalid="ignore"):
        for target in range(MEANS, MEANS + n_targets):
            mean, squares = entries[:, target], entries[:, target + n_targets]
            made[:, target] = np.bincount(place, weight * mean, minlength=len(made)) / made[:, WEIGHT]
            gaps = squares + weight * (mean - made[place, target]) ** 2
            made[:, target + n_targets] = np.bincount(place, gaps, minlength=len(made))
    return made
