"""Scores of predictions that come in batches: what they need of each batch is added up."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from samara.core import Array
from samara.schema import text_code


@dataclass
class NumberScores:
    """R², root mean squared and mean absolute error of predicted numbers."""

    rows: int = 0
    weight: float = 0.0
    means: Array = field(default_factory=lambda: np.zeros(1))
    squares: Array = field(default_factory=lambda: np.zeros(1))  # of the targets about their means
    squared: Array = field(default_factory=lambda: np.zeros(1))  # of the errors
    absolute: Array = field(default_factory=lambda: np.zeros(1))

    def update(self, true: Array, predicted: Array, weight: Array | None = None) -> None:
        """Add rows: targets and predictions (b, t)."""
        weights = np.ones(len(true)) if weight is None else weight
        total, errors = float(weights.sum()), true - predicted
        self.rows += len(true)
        if total <= 0:
            return
        means = weights @ true / total
        shift = means - self.means
        # Chan, Golub and LeVeque: squares about the means of two groups become those about the common mean.
        self.squares = (
            self.squares
            + weights @ (true - means) ** 2
            + shift**2 * self.weight * total / (self.weight + total)
        )
        self.means = self.means + shift * total / (self.weight + total)
        self.squared = self.squared + weights @ errors**2
        self.absolute = self.absolute + weights @ np.abs(errors)
        self.weight += total

    def scores(self) -> dict[str, float]:
        """Averages over the targets; R² of a constant target is not known."""
        if not self.weight:
            return {"r2": np.nan, "rmse": np.nan, "mae": np.nan}
        with np.errstate(divide="ignore", invalid="ignore"):
            r2 = np.where(self.squares > 0, 1 - self.squared / self.squares, np.nan)
        return {
            "r2": float(r2.mean()),
            "rmse": float(np.sqrt(self.squared / self.weight).mean()),
            "mae": float((self.absolute / self.weight).mean()),
        }


class ClassScores:
    """Accuracy, overall and averaged over the classes, and who was taken for whom."""

    def __init__(self, classes: Array) -> None:
        self.classes, self.rows = classes, 0
        self.strangers = 0.0  # weight of rows whose class the model does not know: never right
        self.confusion = np.zeros((len(classes), len(classes)))  # true class down, predicted across

    def update(self, true: Array, predicted: Array, weight: Array | None = None) -> None:
        """Add rows: places of the true classes, −1 for unknown ones, and of the predicted ones (b,)."""
        weights = np.ones(len(true)) if weight is None else weight
        known, count = true >= 0, len(self.classes)
        places = true[known] * count + predicted[known]
        self.confusion += np.bincount(places, weights[known], minlength=count**2).reshape(count, count)
        self.strangers += float(weights[~known].sum())
        self.rows += len(true)

    def scores(self) -> dict[str, float]:
        """Shares of the weight; classes without rows count in no average."""
        right, totals = np.diag(self.confusion), self.confusion.sum(axis=1)
        total = float(totals.sum()) + self.strangers
        if total <= 0:
            return {"accuracy": np.nan, "balanced_accuracy": np.nan}
        seen = totals > 0
        mean = float((right[seen] / totals[seen]).mean()) if seen.any() else 0.0
        return {"accuracy": float(right.sum()) / total, "balanced_accuracy": mean}


def class_places(classes: Array, raw: Array) -> Array:
    """Places among the classes of labels as a table is read (see `samara.schema`), −1 for unknown ones."""
    codes = np.array([text_code(one) if isinstance(one, str) else float(one) for one in classes.tolist()])
    order = np.argsort(codes)
    found = np.searchsorted(codes[order], raw).clip(max=len(codes) - 1)
    places = order[found]
    return np.where(codes[places] == raw, places, -1)
