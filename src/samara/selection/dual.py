"""Scores of kernel models: errors of each row by the model without it, or without its fold."""

from __future__ import annotations

import numpy as np

from samara.core import Array
from samara.selection.surface import Surface
from samara.solvers.kernel import DualFactor, groups_of


def left_out_surface(
    factor: DualFactor, alphas: Array, labels: Array, weights: Array | None, folds: bool
) -> Surface:
    """Scores (1, A, t) of every ridge; rows of one label are held out together.

    Labels are numbers of folds, or keys of the rows' content: leave-one-out, copies with their original,
    so that a row of weight 2 is the row twice.
    """
    groups = groups_of(labels)
    squares = np.stack([factor.left_out(float(alpha), groups) ** 2 for alpha in alphas])  # (A, n, t)
    n = squares.shape[1]
    weight = float(n if weights is None else weights.sum())
    scores = squares.sum(axis=1) / weight
    by_fold = None
    if not folds:
        # Of n numbers q = w·e²·n/W the mean is the score; its standard error is sd(q)/√n.
        variance = np.maximum(n * (squares**2).sum(axis=1) / weight**2 - scores**2, 0.0)
        errors = np.sqrt(variance / n)
    else:
        each = np.ones(n) if weights is None else weights
        held = np.unique(labels)
        by_fold = np.stack([squares[:, labels == f].sum(axis=1) / each[labels == f].sum() for f in held])
        errors = by_fold.std(axis=0, ddof=1) / np.sqrt(len(held))
    return Surface(
        sizes=np.array([factor.rank]),
        alphas=alphas,
        scores=scores[None],
        errors=errors[None],
        by_fold=None if by_fold is None else by_fold[:, None],
    )
