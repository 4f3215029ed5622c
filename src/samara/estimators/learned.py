"""What a classifier learns from rows that were left out: its calibration and its threshold."""

from __future__ import annotations

from typing import Literal

import numpy as np

from samara.calibration import Calibration, Method, learned, learned_each, share_of_one_more
from samara.core import Array
from samara.estimators.meanings import largest, probabilities
from samara.left_out import LeftOut
from samara.thresholds import Scoring, best_threshold, best_thresholds


def found_calibration(
    method: Method | Literal["auto"] | None, rows: LeftOut, each: bool
) -> Calibration | None:
    """What makes probabilities of outputs, or of each output for itself where it is a yes or no."""
    if method is None:
        return None
    asked: Method = "temperature" if method == "auto" else method
    if each:
        return learned_each(asked, rows.outputs, rows.targets > 0, rows.weight)
    places = largest(rows.targets)
    found = learned(asked, rows.outputs, places, rows.weight)
    if method != "auto" or surprise(found, rows, places) < surprise(None, rows, places):
        return found
    return None


def surprise(calibration: Calibration | None, rows: LeftOut, places: Array) -> float:
    """Log loss of rows left out; as one row more may be of any class, no probability is 0."""
    weight = np.ones(len(places)) if rows.weight is None else rows.weight
    P, guess = probabilities(rows.outputs, calibration), share_of_one_more(weight)
    came = (1 - guess) * P[np.arange(len(places)), places] + guess / P.shape[1]
    return float(-(weight @ np.log(came)) / weight.sum())


def chosen_threshold(rows: LeftOut, scoring: Scoring, several: bool) -> float | Array:
    """By rows left out: of two classes one, of several, or of several labels, one each."""
    outputs, weight = rows.outputs, rows.weight
    if outputs.shape[1] > 1 and not several:
        return best_thresholds(outputs, largest(rows.targets), weight, scoring)
    pairs = zip(outputs.T, (rows.targets > 0).T.astype(int), strict=True)
    found = [best_threshold(column, places, weight, scoring) for column, places in pairs]
    return np.array(found) if several else found[0]
