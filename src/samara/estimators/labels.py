"""Several labels a row: a column of 0 and 1 each, as scikit-learn has them."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from samara.core import Array
from samara.errors import InputError


def as_classes(y: Any) -> Array:
    """One class a row, as a vector; numbers that are no classes are refused.

    Whole numbers that repeat are classes, which takes no further look: scikit-learn's takes a tenth of a
    small fit.
    """
    whole = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iu" and len(y) > 0
    if not whole or 2 * (int(y.max()) - int(y.min()) + 1) > len(y):
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
    classes: Array = y
    return classes


def as_labels(y: Any) -> Any:
    """Targets as they are; a sparse matrix of labels dense."""
    return y.toarray() if hasattr(y, "toarray") else y


def has_labels(y: Any) -> bool:
    """Whether targets have several columns."""
    shape = () if y is None else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def zeros_and_ones(y: Any) -> Array:
    """Labels as an array of 0 and 1; what is neither is refused.

    A frame of numbers beside truths, or with numbers that may be missing, is an array of objects.
    """
    values = np.asarray(y)
    cells = values.flat if values.dtype.kind == "O" else np.unique(values)
    for value in cells:
        if not _is_label(value):
            raise InputError(
                f"Several columns of y are labels, 0 or 1 each, got {_plain(value)!r}: give one column of "
                "classes, or one column of 0 and 1 for each label."
            )
    return values.astype(np.float64)


def _is_label(value: Any) -> bool:
    """Whether a value of any kind is 0 or 1, as a number or a truth; what is missing is neither."""
    return isinstance(value, bool | np.bool_ | Real) and bool(value in (0, 1))


def _plain(value: Any) -> Any:
    """Without NumPy's name around it."""
    return value.item() if isinstance(value, np.generic) else value


def refuse_beside_labels(estimator: Any) -> None:
    """Refuse parameters that are for one class a row."""
    if estimator.class_weight is not None:
        raise InputError("class_weight is for one class a row; of several labels give sample_weight.")
    if estimator.ordinal:
        raise InputError("ordinal=True is for one class a row, and y has several columns: use ordinal=False.")


def refuse_several(y: Any) -> None:
    """Refuse several labels where rows arrive."""
    if has_labels(as_labels(y)):
        raise InputError("partial_fit takes one class a row, got several columns of y: use fit for labels.")
