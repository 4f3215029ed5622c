"""What a classifier learns from rows that were left out: its calibration and its threshold."""

from __future__ import annotations

from typing import Literal

import numpy as np

from samara.calibration import Calibration, Method, learned, learned_each, log_loss
from samara.core import Array
from samara.estimators.meanings import each_probability, largest, ordered_probabilities, probabilities
from samara.left_out import LeftOut
from samara.thresholds import Scoring, best_threshold, best_thresholds

Kind = Literal["classes", "ordered", "labels"]  # one of them, one of them in order, any number of them


def found_calibration(
    method: Method | Literal["auto"] | None, rows: LeftOut, kind: Kind
) -> Calibration | None:
    """What makes probabilities of outputs, or of each output for itself where it is a yes or no."""
    if method is None:
        return None
    asked: Method = "temperature" if method == "auto" else method
    if kind == "classes":
        found = learned(asked, rows.outputs, largest(rows.targets), rows.weight)
    else:
        found = learned_each(asked, rows.outputs, rows.targets > 0, rows.weight)
    if method != "auto" or surprise(found, rows, kind) < surprise(None, rows, kind):
        return found
    return None


def surprise(calibration: Calibration | None, rows: LeftOut, kind: Kind) -> float:
    """Log loss of rows left out; of labels that of all their yes and no."""
    weight = np.ones(len(rows.targets)) if rows.weight is None else rows.weight
    if kind == "classes":
        return log_loss(probabilities(rows.outputs, calibration), largest(rows.targets), weight)
    came = (rows.targets > 0).astype(int)
    if kind == "ordered":
        return log_loss(ordered_probabilities(rows.outputs, calibration), came.sum(axis=1), weight)
    P = each_probability(rows.outputs, calibration).ravel()
    return log_loss(np.stack([1 - P, P], axis=1), came.ravel(), np.repeat(weight, came.shape[1]))


def chosen_threshold(rows: LeftOut, scoring: Scoring, several: bool) -> float | Array:
    """By rows left out: of two classes one, of several, or of several labels, one each."""
    outputs, weight = rows.outputs, rows.weight
    if outputs.shape[1] > 1 and not several:
        return best_thresholds(outputs, largest(rows.targets), weight, scoring)
    pairs = zip(outputs.T, (rows.targets > 0).T.astype(int), strict=True)
    found = [best_threshold(column, places, weight, scoring) for column, places in pairs]
    return np.array(found) if several else found[0]
