"""Several labels a row: a column of 0 and 1 each, as scikit-learn has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from samara.errors import InputError


def as_labels(y: Any) -> Any:
    """Targets as they are; a sparse matrix of labels dense."""
    return y.toarray() if hasattr(y, "toarray") else y


def has_labels(y: Any) -> bool:
    """Whether targets have several columns."""
    shape = () if y is None else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def refuse_beside_labels(estimator: Any, y: Any) -> None:
    """Refuse what is neither 0 nor 1, and parameters that are for one class a row."""
    values = np.asarray(y)
    odd = next((value for value in np.unique(values).tolist() if value not in (0, 1)), None)
    if values.dtype.kind not in "biuf" or odd is not None:
        what = "texts" if odd is None else repr(odd)
        raise InputError(
            f"Several columns of y are labels, 0 or 1 each, got {what}: give one column of classes, or one "
            "column of 0 and 1 for each label."
        )
    if estimator.class_weight is not None:
        raise InputError("class_weight is for one class a row; of several labels give sample_weight.")
    if estimator.ordinal:
        raise InputError("ordinal=True is for one class a row, and y has several columns: use ordinal=False.")


def refuse_several(y: Any) -> None:
    """Refuse several labels where rows arrive."""
    if has_labels(as_labels(y)):
        raise InputError("partial_fit takes one class a row, got several columns of y: use fit for labels.")
