"""Rows of numbers for transformers: arrays, sparse matrices, frames of numbers and scans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from samara.errors import InputError
from samara.estimators.inputs import check_inputs, refuse_non_finite
from samara.estimators.tables import as_scan, chunks_of, fitting_scan, set_names, stream_of
from samara.maps import NoTargets
from samara.schema import names_of
from samara.sources import ArraySource, Scan, StreamSource


def number_source(estimator: Any, X: Any, fitting: bool, **options: Any) -> ArraySource | StreamSource:
    """The rows to learn from; a scan must hold numbers, each row counting once."""
    X, _, _ = as_scan(X)
    if not isinstance(X, Scan):
        X = check_inputs(estimator, X, fitting=fitting, **options)
        return ArraySource(X, np.empty((X.shape[0], 0)))
    if X.weight is not None:
        raise InputError("Rows count once here: scan the files without weight=.")
    odd = next((column for column in X.schema if column.kind in ("text", "date")), None)
    if odd is not None:
        raise InputError(
            f"Column {odd.name!r} holds {odd.kind}s, and numbers are needed: pick others with columns=."
        )
    set_names(estimator, X.schema, X.n_features)
    return stream_of(X).with_targets(NoTargets())


def each_chunk(estimator: Any, scan: Scan) -> Iterator[Any]:
    """The rows of a scan in order, some at a time, checked against those of the fit."""
    scan = fitting_scan(scan, None, getattr(estimator, "feature_names_in_", None), estimator.n_features_in_)
    seen = 0
    for chunk in chunks_of(scan):
        refuse_non_finite(chunk.X, names_of(scan.schema), seen)
        seen += chunk.X.shape[0]
        yield chunk.X
