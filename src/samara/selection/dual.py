"""Scores of kernel models: errors of each row by the model without it, or without its fold."""

from __future__ import annotations

import numpy as np

from samara.core import Array
from samara.selection.surface import Surface
from samara.solvers.kernel import DualFactor


def left_out_surface(
    factor: DualFactor, alphas: Array, folds: Array | None, weights: Array | None
) -> Surface:
    """Scores (1, A, t) of every ridge: leave-one-out where there are no folds."""
    squares = np.stack([factor.left_out(float(alpha), folds) ** 2 for alpha in alphas])  # (A, n, t)
    n = squares.shape[1]
    weight = float(n if weights is None else weights.sum())
    scores = squares.sum(axis=1) / weight
    by_fold = None
    if folds is None:
        # Of n numbers q = w·e²·n/W the mean is the score; its standard error is sd(q)/√n.
        variance = np.maximum(n * (squares**2).sum(axis=1) / weight**2 - scores**2, 0.0)
        errors = np.sqrt(variance / n)
    else:
        each = np.ones(n) if weights is None else weights
        held = np.unique(folds)
        by_fold = np.stack([squares[:, folds == f].sum(axis=1) / each[folds == f].sum() for f in held])
        errors = by_fold.std(axis=0, ddof=1) / np.sqrt(len(held))
    return Surface(
        sizes=np.array([factor.rank]),
        alphas=alphas,
        scores=scores[None],
        errors=errors[None],
        by_fold=None if by_fold is None else by_fold[:, None],
    )
