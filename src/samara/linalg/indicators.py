"""Products of rows that are 1 in one leaf of each tree and 0 in all others: counted, not multiplied."""

from __future__ import annotations

import numpy as np

from samara.core import Array
from samara.linalg.trees import add_pairs


def add_moments(
    leaves: Array, starts: Array, rows: tuple[Array, Array | None], gram: Array, workers: int = 1
) -> None:
    """Add ZᵀZ of Z = [1, leaves as zeros and ones, y] to the upper triangle of ``gram``, rows weighed.

    ``leaves`` (T, n) has the leaf of each row in each tree, whose columns begin at ``starts``; ``rows`` are
    the targets (n, t) and the weights. T²/2 additions a row, where dense rows of L leaves take L².
    """
    (y, weight), L = rows, int(starts[-1])
    y = np.asarray(y, np.float64)
    weighed = y if weight is None else y * weight[:, None]
    add_pairs(leaves, starts, gram[1 : 1 + L, 1 : 1 + L], weight, workers)
    for tree, lo, hi in zip(leaves, starts[:-1], starts[1:], strict=True):
        counts = np.bincount(tree, weight, hi - lo)
        gram[0, 1 + lo : 1 + hi] += counts
        corner = np.arange(1 + lo, 1 + hi)
        gram[corner, corner] += counts
        for target in range(y.shape[1]):
            gram[1 + lo : 1 + hi, 1 + L + target] += np.bincount(tree, weighed[:, target], hi - lo)
    gram[0, 0] += len(y) if weight is None else weight.sum()
    gram[0, 1 + L :] += weighed.sum(axis=0)
    gram[1 + L :, 1 + L :] += weighed.T @ y
