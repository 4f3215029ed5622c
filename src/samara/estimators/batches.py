"""Batches that arrive: whether they go with those before."""

from __future__ import annotations

from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.estimators.inputs import check_inputs


def check_batch(estimator: Any, X: Any, y: Any, began: bool, **options: Any) -> Any:
    """A batch as arrays; its columns must be those of the first."""
    return check_inputs(estimator, X, y, fitting=True, first=not began, at_least=1, **options)


def refuse_other_targets(y: Array, one_target: bool, n_targets: int) -> None:
    """A batch must have the targets of the first."""
    given = 1 if y.ndim == 1 else y.shape[1]
    if given != n_targets or (y.ndim == 1) != one_target:
        was = "a vector" if one_target else f"{n_targets} columns"
        now = "a vector" if y.ndim == 1 else f"{given} columns"
        raise InputError(f"y was {was} in the rows so far, and is {now} in this batch.")


def with_new(known: Array, seen: list[Array], welcome: bool) -> Array:
    """The labels known so far, and behind them, sorted, those seen for the first time."""
    new = {label for labels in seen for label in labels.tolist()} - set(known.tolist())
    if new and not welcome:
        raise InputError(f"The class {min(new)!r} was never learned.")
    if len({isinstance(label, str) for label in [*known.tolist(), *new]}) > 1:
        raise InputError("Labels must be all text or all numbers, in all batches together.")
    dtype = np.result_type(known, *seen)
    return np.concatenate([known.astype(dtype), np.array(sorted(new), dtype)])
