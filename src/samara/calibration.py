"""From the outputs of a classifier to probabilities, learned from outputs for rows that were left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import brentq, isotonic_regression
from scipy.special import expit, softmax

from samara.core import Array

Method = Literal["temperature", "isotonic"]
METHODS: tuple[Method, ...] = ("temperature", "isotonic")
STEEPEST = 1e6  # of a temperature: outputs differ by about 2


@dataclass(frozen=True)
class Temperature:
    """p = softmax(f(x)/T): one number for all classes, so the largest output stays the most probable.

    Parameters
    ----------
    steepness : float
        1/T.
    """

    steepness: float

    def __call__(self, outputs: Array) -> Array:
        """Probabilities (n, classes) of outputs (n, t)."""
        P: Array = softmax(self.steepness * two_sided(outputs), axis=1)
        return P.astype(outputs.dtype, copy=False)

    def each(self, outputs: Array) -> Array:
        """Probabilities (n, t) that a target is +1, each output for itself."""
        P: Array = expit(2 * self.steepness * np.asarray(outputs, np.float64))
        return P.astype(outputs.dtype, copy=False)


@dataclass(frozen=True)
class Isotonic:
    """For each class a rising curve from its output to its probability, scaled to add up to 1.

    Parameters
    ----------
    outputs, shares : tuple of ndarray
        The corners of the curves, straight lines between them; of two classes the second's only.
    """

    outputs: tuple[Array, ...]
    shares: tuple[Array, ...]

    def __call__(self, outputs: Array) -> Array:
        """Probabilities (n, classes) of outputs (n, t)."""
        P = self.each(outputs)
        if P.shape[1] == 1:
            return np.hstack([1 - P, P])
        total = P.sum(axis=1, keepdims=True)
        made: Array = np.divide(P, total, where=total > 0, out=np.full_like(P, 1 / P.shape[1]))
        return made

    def each(self, outputs: Array) -> Array:
        """Probabilities (n, t) that a target is +1, each output for itself."""
        curves = zip(outputs.T, self.outputs, self.shares, strict=True)
        return np.stack([np.interp(column, x, p) for column, x, p in curves], axis=1).astype(outputs.dtype)


Calibration = Temperature | Isotonic


def two_sided(outputs: Array) -> Array:
    """One output a class: of two classes there is one, that of the second."""
    outputs = np.asarray(outputs, np.float64)
    return np.hstack([-outputs, outputs]) if outputs.shape[1] == 1 else outputs


def learned(method: Method, outputs: Array, places: Array, weight: Array | None = None) -> Calibration:
    """A calibration by outputs (n, t) for rows left out, and the numbers of their classes."""
    weight = np.ones(len(places)) if weight is None else weight
    if method == "temperature":
        return best_temperature(outputs, places, weight)
    first = int(outputs.shape[1] == 1)
    curves = [
        rising(column, (places == k).astype(float), weight) for k, column in enumerate(outputs.T, start=first)
    ]
    return Isotonic(tuple(x for x, _ in curves), tuple(p for _, p in curves))


def learned_each(method: Method, outputs: Array, came: Array, weight: Array | None = None) -> Calibration:
    """A calibration by outputs (n, t) for rows left out, each output a yes or no for itself.

    One temperature for all of them, or a curve for each.
    """
    weight = np.ones(len(came)) if weight is None else weight
    if method == "temperature":
        flat = outputs.reshape(-1, 1), came.astype(int).ravel(), np.repeat(weight, came.shape[1])
        return best_temperature(*flat)
    curves = [
        rising(column, hit.astype(float), weight) for column, hit in zip(outputs.T, came.T, strict=True)
    ]
    return Isotonic(tuple(x for x, _ in curves), tuple(p for _, p in curves))


def best_temperature(outputs: Array, places: Array, weight: Array) -> Temperature:
    """The steepness with the smallest log loss, with one row more whose class is anybody's guess.

    The loss is convex in the steepness, so its slope has one root. Without that one more row it would have
    none where all rows are told right, and every probability would be 0 or 1.
    """
    Z = two_sided(outputs)
    came = smoothed(places, weight, Z.shape[1])

    def slope(steepness: float) -> float:
        return float(weight @ ((softmax(steepness * Z, axis=1) - came) * Z).sum(axis=1))

    if slope(0.0) >= 0:
        return Temperature(0.0)  # the outputs say nothing, or the opposite
    high = 1.0
    while slope(high) < 0 and high < STEEPEST:
        high *= 2
    return Temperature(float(brentq(slope, 0.0, high, xtol=1e-12)) if slope(high) > 0 else high)


def log_loss(P: Array, places: Array, weight: Array) -> float:
    """Of probabilities (n, classes); as one row more may be of any class, none is 0."""
    guess = share_of_one_more(weight)
    came = (1 - guess) * P[np.arange(len(places)), places] + guess / P.shape[1]
    return float(-(weight @ np.log(came)) / weight.sum())


def smoothed(places: Array, weight: Array, n_classes: int) -> Array:
    """The classes as shares: of each of n rows one part in n + 1 belongs to all classes alike.

    A weight of 2 is the row twice; weights that add up to little, such as shares of 1, still are n rows.
    """
    one_more = share_of_one_more(weight)
    shares = np.full((len(places), n_classes), one_more / n_classes)
    shares[np.arange(len(places)), places] += 1 - one_more
    return shares


def share_of_one_more(weight: Array) -> float:
    """What one row more is of all."""
    return 1 / (max(float(weight.sum()), len(weight)) + 1)


def rising(outputs: Array, came: Array, weight: Array) -> tuple[Array, Array]:
    """The corners of the rising curve that is nearest to what came, equal outputs taken together."""
    x, group = np.unique(np.asarray(outputs, np.float64), return_inverse=True)
    total = np.bincount(group, weight)
    p = isotonic_regression(np.bincount(group, weight * came) / total, weights=total).x
    p = np.clip(p, 0.0, 1.0)  # sums round
    inner = (p[1:-1] == p[:-2]) & (p[1:-1] == p[2:])
    kept = np.concatenate([[True], ~inner, [True]])[: len(x)]
    return x[kept], p[kept]
