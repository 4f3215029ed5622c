"""What the outputs of a classifier mean: labels and probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.calibration import Calibration
from samara.core import Array

DOUBT = 1e-7  # least squares that were not calibrated are never sure of a label
Threshold = float | Array | None  # of two classes a number, of several one a class; None: 0


@dataclass(frozen=True)
class Meaning:
    """Outputs (n, t) as classes: one column a class, of two classes the second's only.

    Of ordered classes a column fewer: whether the class lies above the first, the first two and so on.
    """

    classes: Array
    calibration: Calibration | None = None
    threshold: Threshold = None
    several: bool | None = None  # whether a row may be of any number of classes, each output a yes or no

    @classmethod
    def of(cls, estimator: Any) -> Meaning:
        """That of a fitted classifier."""
        found = (getattr(estimator, name, None) for name in ("calibration_", "threshold_", "_several"))
        return cls(estimator.classes_, *found)

    def places(self, outputs: Array) -> Array:
        """Numbers of the classes, or 0 and 1 for each where there may be several.

        Of ordered ones it is the median, which has the least absolute error.
        """
        if self.several:
            least = np.asarray(0 if self.threshold is None else self.threshold, outputs.dtype)
            return (outputs > least).astype(int)
        if self.is_ordered(outputs):
            return np.asarray((outputs > 0).sum(axis=1))
        return largest(outputs, self.threshold)

    def is_ordered(self, outputs: Array) -> bool:
        """Whether outputs say which classes a row lies above."""
        return not self.several and 1 < outputs.shape[1] == len(self.classes) - 1

    def labels(self, outputs: Array) -> Array:
        """The classes; where there may be several, 0 and 1 for each."""
        if self.several:
            return self.places(outputs)
        return np.asarray(self.classes[self.places(outputs)])

    def probabilities(self, outputs: Array) -> Array:
        """Of each class."""
        if self.several:
            return each_probability(outputs, self.calibration)
        if self.is_ordered(outputs):
            return ordered_probabilities(outputs, self.calibration)
        return probabilities(outputs, self.calibration)


def largest(outputs: Array, threshold: Threshold = None) -> Array:
    """The class whose output exceeds its threshold by most; of two classes there is one output."""
    if threshold is not None:
        outputs = outputs - np.asarray(threshold, outputs.dtype)
    return (outputs[:, 0] > 0).astype(int) if outputs.shape[1] == 1 else outputs.argmax(axis=1)


def each_probability(outputs: Array, calibration: Calibration | None = None) -> Array:
    """The chance of every output to be +1, for itself."""
    return np.clip((outputs + 1) / 2, DOUBT, 1 - DOUBT) if calibration is None else calibration.each(outputs)


def ordered_probabilities(outputs: Array, calibration: Calibration | None = None) -> Array:
    """Differences of the chances to lie above a class, which are put in falling order beforehand.

    Sorting brings estimates of a falling curve nearer to it (Chernozhukov, Fernández-Val, Galichon 2010).
    """
    above = -np.sort(-each_probability(outputs, calibration), axis=1)
    ends = np.ones((len(above), 1), above.dtype)
    return np.asarray(-np.diff(np.hstack([ends, above, 0 * ends]), axis=1))


def probabilities(outputs: Array, calibration: Calibration | None = None) -> Array:
    """Class probabilities of outputs: calibrated, or else taken to be near 2p − 1."""
    if calibration is not None:
        return calibration(outputs)
    if outputs.shape[1] > 1:
        return project_to_simplex((outputs + 1) / 2)
    p = np.clip((outputs[:, 0] + 1) / 2, 0, 1)
    return np.stack([1 - p, p], axis=1)


def project_to_simplex(P: Array) -> Array:
    """The nearest row of probabilities: subtract what makes the positive parts add up to 1."""
    ordered = -np.sort(-P, axis=1)
    excess = (np.cumsum(ordered, axis=1) - 1) / np.arange(1, P.shape[1] + 1)
    last = np.sum(ordered > excess, axis=1) - 1
    return np.asarray(np.maximum(P - excess[np.arange(len(P)), last][:, None], 0))
