"""Whether what a file says of a fit belongs to its model: scores, ridges, metric, labels."""

from __future__ import annotations

import numpy as np

from samara.core import Array
from samara.model_checks import check, check_array
from samara.selection import Selection


def check_selection(selection: Selection, n_outputs: int) -> None:
    """Scores of as many sizes and ridges as there are; they may be NaN, where a method has none."""
    sizes, ridges = len(np.atleast_1d(selection.n_hidden)), len(np.atleast_1d(selection.alphas))
    shapes = {
        "n_hidden": (sizes,),
        "alphas": (ridges,),
        "scores": (sizes, ridges),
        "errors": (sizes, ridges),
        "target_scores": (sizes, ridges, n_outputs),
    }
    for name, shape in shapes.items():
        array = getattr(selection, name)
        check(array.shape == shape and array.dtype.kind in "iuf", f"selection has {name} of another shape")
    ranks = selection.ranks
    check(ranks is None or ranks.shape == (sizes,), "selection has ranks of another shape")
    check_ridge(selection.best_alpha, n_outputs)


def check_ridge(alpha: float | Array, n_outputs: int) -> None:
    """One ridge, or one for each target."""
    if isinstance(alpha, np.ndarray):
        check_array(alpha, (n_outputs,), "ridges")
    check(bool(np.all(np.isfinite(alpha) & (np.asarray(alpha) >= 0))), "ridge is not a number of 0 or more")


def check_metric(metric: Array, n_inputs: int) -> None:
    """A matrix of the inputs, or a factor for each."""
    check_array(metric, (n_inputs,) * metric.ndim if metric.ndim in (1, 2) else (n_inputs,), "metric")


def check_labels(classes: Array, n_outputs: int, several: bool) -> None:
    """Labels of as many classes as there are outputs; two classes, and ordered ones, have one fewer."""
    check(classes.ndim == 1 and len(classes) >= 2, "classes are fewer than two")
    needed = 1 if len(classes) == 2 and not several else len(classes)
    good = n_outputs in (needed, len(classes) - (not several))
    check(good, f"{len(classes)} classes need {needed} outputs, and it has {n_outputs}")
    check_distinct(classes)


def check_distinct(classes: Array) -> None:
    """Finite labels in increasing order, however many."""
    numbers = classes.dtype.kind in "biuf"
    check(classes.ndim == 1, "classes are not in one row")
    check(not numbers or bool(np.isfinite(classes).all()), "classes hold a NaN or an infinity")
    check(bool((classes[1:] > classes[:-1]).all()), "classes are not in increasing order")
