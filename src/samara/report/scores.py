"""Figures that a report shows: pure functions of true and predicted values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from samara.core import Array

COVERED = np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0])  # multiples of the RMSE
NORMAL_95 = 1.959963984540054


def r2_and_rmse(true: Array, predicted: Array) -> tuple[float, float]:
    """Share of the variance explained, and root mean squared error, of one target."""
    squares = float(np.mean((true - predicted) ** 2))
    variance = float(np.var(true))
    return (1 - squares / variance if variance > 0 else np.nan), squares**0.5


def coverage(residuals: Array, rmse: float) -> Array:
    """Shares of the residuals within each multiple of the RMSE."""
    return np.array([np.mean(np.abs(residuals) <= k * rmse) for k in COVERED])


def normal_quantiles(count: int) -> Array:
    """Quantiles of the normal distribution at the middles of ``count`` equal shares."""
    return np.asarray(ndtri((np.arange(count) + 0.5) / count))


def places(labels: Array, classes: Array) -> Array:
    """Where each label stands among the classes, in whatever order these are."""
    order = np.argsort(classes)
    return np.asarray(order[np.searchsorted(classes[order], labels)])


def confusion(true: Array, predicted: Array, classes: Array) -> Array:
    """Rows of each true class (down) by predicted class (across)."""
    count = len(classes)
    cells = places(true, classes) * count + places(predicted, classes)
    return np.bincount(cells, minlength=count * count).reshape(count, count)


@dataclass(frozen=True)
class Mistake:
    """Rows of one class that were taken for another."""

    true: int
    predicted: int
    count: int
    share: float  # of the rows of the true class


def mistakes(table: Array, most: int) -> list[Mistake]:
    """The most frequent mistakes of a confusion matrix, most frequent first."""
    off = table - np.diag(np.diag(table))
    order = np.argsort(-off, axis=None, kind="stable")[:most]
    totals = table.sum(axis=1)
    places = [divmod(int(place), len(table)) for place in order]
    return [
        Mistake(i, j, int(table[i, j]), float(table[i, j] / totals[i])) for i, j in places if off[i, j] > 0
    ]


def brier(probabilities: Array, places: Array) -> float:
    """Mean squared distance of the probabilities from the class that came, 0 to 2; halved for two classes."""
    came = np.zeros_like(probabilities)
    came[np.arange(len(places)), places] = 1
    squares = float(((probabilities - came) ** 2).sum(axis=1).mean())
    return squares / 2 if probabilities.shape[1] == 2 else squares


@dataclass(frozen=True)
class Reliability:
    """Stated probabilities beside the shares that came true, bin by bin; empty bins are left out."""

    stated: Array
    came: Array
    low: Array  # 95 % interval of `came`, by Wilson
    high: Array
    counts: Array

    @property
    def gap(self) -> float:
        """Expected calibration error: the mean distance of the two, weighted by rows."""
        return float(np.average(np.abs(self.stated - self.came), weights=self.counts))


def reliability(stated: Array, came: Array, bins: int = 10) -> Reliability:
    """How often what was stated with some probability came true."""
    places = np.minimum((stated * bins).astype(int), bins - 1)
    counts = np.bincount(places, minlength=bins)
    held = counts > 0
    n = counts[held]
    sums = [np.bincount(places, values, minlength=bins)[held] for values in (stated, came)]
    share = sums[1] / n
    middle = (share + NORMAL_95**2 / (2 * n)) / (1 + NORMAL_95**2 / n)
    half = (
        NORMAL_95
        * np.sqrt(share * (1 - share) / n + NORMAL_95**2 / (4 * n.astype(float) ** 2))
        / (1 + NORMAL_95**2 / n)
    )
    return Reliability(sums[0] / n, share, middle - half, middle + half, n)


def pareto_front(points: Array) -> Array:
    """Which points no other is better than: at least as low in everything, and lower in something.

    Parameters
    ----------
    points : array-like of shape (n, k)
        What is to be low, such as error, seconds and bytes. A point with a NaN is on no front.

    Returns
    -------
    front : ndarray of bool, shape (n,)
        True for the points on the front; equal points are on it together.

    Examples
    --------
    >>> from samara.report import pareto_front
    >>> pareto_front([[1, 3], [2, 2], [3, 3]]).tolist()
    [True, True, False]
    """
    P = np.asarray(points, dtype=float)
    known = ~np.isnan(P).any(axis=1)
    front = known.copy()
    for k in np.flatnonzero(known):
        others = P[known]
        front[k] = not (np.all(others <= P[k], axis=1) & np.any(others < P[k], axis=1)).any()
    return np.asarray(front)
