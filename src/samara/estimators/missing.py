"""Arrays in which values may be missing, as tables: where the estimator says what becomes of the gaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from samara.errors import InputError
from samara.estimators.inputs import check_inputs, refuse_infinite
from samara.schema import Column
from samara.sources import FrameRows, Scan, frame_rows, is_frame


def with_gaps(estimator: Any, X: Any, y: Any, first: bool = True, at_least: int = 2) -> Any:
    """X as the rows of a table, if ``missing`` says what becomes of gaps; else X itself."""
    if getattr(estimator, "missing", None) is None or isinstance(X, Scan):
        return X
    if is_frame(X):
        return frame_rows(X) if first else X
    beside = None if y is None else "no_validation"  # scikit-learn's word for: there is one, see to X only
    rows = check_inputs(estimator, X, beside, fitting=True, first=first, at_least=at_least)
    if hasattr(rows, "indptr"):
        raise InputError("In a sparse matrix nothing is missing, zeros are values: use missing=None.")
    refuse_infinite(rows, getattr(estimator, "feature_names_in_", None))
    schema = tuple(Column(f"x{j}", "number") for j in range(rows.shape[1]))
    return FrameRows(schema, np.ascontiguousarray(rows, np.float64), {}, named=False)
