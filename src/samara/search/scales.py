"""Scalings for kernels, in which no value is far out: a distance is made of all columns alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from samara.core import Array
from samara.maps import QuantileNormal

FARTHEST = 8.0  # deviations from the mean, beyond which a value counts as if it lay there
FARTHEST_RANK = 4.0
DOUBLE: np.dtype[np.floating] = np.dtype(np.float64)


def clipped_standard(mean: Array, spread: Array) -> QuantileNormal:
    """(x − mean)/spread up to the farthest: a straight line between two knots in each column."""
    knots, scores = [], []
    for centre, unit in zip(mean.tolist(), spread.tolist(), strict=True):
        ends = np.array([centre - FARTHEST * unit, centre + FARTHEST * unit])
        line = bool(np.isfinite(ends).all() and ends[0] < ends[1])
        knots.append(ends if line else np.array([centre]))
        scores.append(np.array([-FARTHEST, FARTHEST]) if line else np.zeros(1))
    return QuantileNormal(tuple(knots), tuple(scores), DOUBLE)


def unit_ranks(sample: Array) -> QuantileNormal:
    """Normal scores of the ranks with deviation 1 in each column, which those of few values have not."""
    plain = QuantileNormal.learn(sample, DOUBLE)
    made = plain(sample)
    mean, spread = made.mean(axis=0), made.std(axis=0)
    scores = tuple(
        np.clip((each - centre) / (unit or 1.0), -FARTHEST_RANK, FARTHEST_RANK)
        for each, centre, unit in zip(plain.scores, mean.tolist(), spread.tolist(), strict=True)
    )
    return replace(plain, scores=scores)


def scaling(name: str, mean: Array, spread: Array, sample: Array) -> QuantileNormal:
    """One of the two by its name."""
    return unit_ranks(sample) if name == "quantile" else clipped_standard(mean, spread)
