"""What a fitted estimator says of its own training rows when they are held out."""

from __future__ import annotations

from typing import Any

import numpy as np

from samara.continued import Leftover
from samara.core import Array
from samara.held_out import fold_models
from samara.rowkeys import fold_of, row_keys
from samara.sources import ArraySource
from samara.tabular import cross_encoded


def held_out_outputs(estimator: Any, X: Array) -> Array | None:
    """Outputs (n, t) of training rows, each by the model of the other folds; None where there are no folds.

    X are rows as they were read: numbers, and texts as their codes. Ridge and size are those that all folds
    together chose, as in the scores of ``selection_``.
    """
    left: Leftover | None = estimator.__dict__.get("_left")
    if left is None or left.factor.n_folds < 2:
        return None
    folds = fold_of(row_keys(X), left.factor.n_folds)
    columns, facts = estimator.__dict__.get("columns_"), estimator.__dict__.get("facts_")
    if columns is not None and not columns.leaves(X):
        X = cross_encoded(facts, columns)(X)
    outputs = np.empty((len(X), estimator.model_.coef.shape[1]))
    for fold, model in enumerate(fold_models(left, estimator.model_, estimator.alpha_)):
        rows = np.flatnonzero(folds == fold)
        if len(rows):
            outputs[rows] = estimator._of_rows(ArraySource(X[rows], np.empty((len(rows), 0))), model)
    return outputs
