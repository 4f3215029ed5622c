"""Intervals around what a fitted regressor predicts, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.errors import InputError
from samara.estimators.inputs import refuse_non_finite
from samara.estimators.tables import as_scan
from samara.intervals import Intervals
from samara.model import Model
from samara.sources import ArraySource, Scan

ROWS = 512  # taken at a time: their hidden rows and what every row of the fit pulls on them are in memory


def between(estimator: Any, X: Any, coverage: Any) -> tuple[Array, Array]:
    """Lower and upper ends (n, t) for the rows of X."""
    check_is_fitted(estimator, "model_")
    with estimator._together():
        model, found = estimator.model_, getattr(estimator, "intervals_", None)
    ends = [(low, high) for _, low, high in interval_blocks(estimator, X, (model, found), coverage)]
    none = np.empty((0, model.coef.shape[1]))
    lower, upper = ([none, *side] for side in zip(*ends, strict=True)) if ends else ([none], [none])
    return np.concatenate(lower), np.concatenate(upper)


def interval_blocks(
    estimator: Any, X: Any, learned: tuple[Model, Intervals | None], coverage: Any
) -> Iterator[tuple[Array, Array, Array]]:
    """Outputs with lower and upper ends (b, t), some rows at a time."""
    model, found = learned
    if not isinstance(coverage, Real) or not 0 < float(coverage) < 1:
        raise InputError(f"coverage must be a number between 0 and 1, such as 0.9; got {coverage!r}.")
    if found is None:
        raise InputError(
            f"This {type(estimator).__name__} knows no errors of rows that were left out: fit it with "
            "intervals=True (partial_fit keeps none), a solver that can leave rows out, such as gram, qr or "
            'exact, and a ridge above 0; kernel models by another solver need alpha as a list or "auto".'
        )
    for outputs, H in _seen(estimator, X, model, found):
        yield outputs, *found.around(outputs, H, float(coverage))


def _seen(estimator: Any, X: Any, model: Model, found: Intervals) -> Iterator[tuple[Array, Array | None]]:
    """Outputs and, where they are needed, hidden rows, of some rows at a time."""
    X, _, _ = as_scan(X)
    sources = (source for _, source in estimator._read(X)) if isinstance(X, Scan) else [estimator._source(X)]
    for source in sources:
        if not found.needs_features:
            yield estimator._of_rows(source, model), None
            continue
        if not source.maps:
            refuse_non_finite(source.X, getattr(estimator, "feature_names_in_", None))
        for lo in range(0, source.n_rows, ROWS):
            H = model.features(_mapped(source, lo))
            yield np.asarray(H @ model.coef + model.intercept), H


def _mapped(source: ArraySource, lo: int) -> Any:
    """Some rows behind the maps of their columns."""
    rows = source.X[lo : lo + ROWS]
    for feature_map in source.maps:
        rows = feature_map(rows)
    return rows
