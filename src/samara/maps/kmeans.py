"""Centres by k-means."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.cluster.vq import kmeans2

from samara.core import Array


def kmeans_centres(sample: Array, count: int, rounds: int, rng: np.random.Generator) -> Array:
    """The means of so many clusters, begun at random rows; one without rows stays where it is."""
    with warnings.catch_warnings():
        # SciPy suggests another start. A centre without rows of its own is as good as any other random row.
        warnings.filterwarnings("ignore", message="One of the clusters is empty", category=UserWarning)
        centres, _ = kmeans2(sample, count, minit="points", iter=rounds, rng=rng, missing="warn")
    return np.asarray(centres)
