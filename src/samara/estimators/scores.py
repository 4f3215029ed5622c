"""Scores of a fitted estimator on rows of any number, added up as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from samara.calibration import Calibration
from samara.core import Array, Chunk
from samara.errors import InputError
from samara.estimators.inputs import check_weights, refuse_bad_targets
from samara.estimators.tables import as_scan, coded_classes, refuse_beside
from samara.schema import in_condition
from samara.sources import Scan

Rows = tuple[Array, Array, Array | None]  # targets (b, t), outputs (b, t), weights


class NumberScore:
    """Sums of errors of predicted numbers."""

    def __init__(self) -> None:
        self.rows, self.weight = 0, 0.0
        self._shift: Array | None = None
        self._sums: Array = np.zeros(0)

    def update(self, y: Array, predicted: Array, weight: Array | None) -> None:
        """Add some rows."""
        if self._shift is None:
            self._shift = y.mean(axis=0)
            self._sums = np.zeros((4, y.shape[1]))
        w = np.ones(len(y)) if weight is None else weight
        off, centred = y - predicted, y - self._shift
        self._sums += np.stack([w @ off**2, w @ np.abs(off), w @ centred, w @ centred**2])
        self.rows += len(y)
        self.weight += float(w.sum())

    def results(self) -> dict[str, float]:
        """R² (the mean over targets), root mean squared and mean absolute error."""
        squared, absolute, total, squares = self._sums
        spread = squares - total**2 / self.weight
        exact = (spread <= 0) & (squared <= 0)  # nothing to explain, and nothing left: as scikit-learn has it
        with np.errstate(divide="ignore", invalid="ignore"):
            r2 = np.where(spread > 0, 1 - squared / spread, np.where(exact, 1.0, 0.0))
        return {
            "rows": self.rows,
            "r2": float(r2.mean()),
            "rmse": float(np.sqrt(squared.mean() / self.weight)),
            "mae": float(absolute.mean() / self.weight),
        }


class ClassScore:
    """Which classes were taken for which, and how far their probabilities were off."""

    def __init__(self, n_classes: int, calibration: Calibration | None = None) -> None:
        self.rows, self.weight = 0, 0.0
        self._calibration = calibration
        self.confusion = np.zeros((n_classes + 1, n_classes))  # the last row: classes the model does not know
        self._brier = self._log = 0.0

    def update(self, true: Array, outputs: Array, weight: Array | None) -> None:
        """Add some rows: the numbers of their classes, and the outputs of the model."""
        w = np.ones(len(true)) if weight is None else weight
        np.add.at(self.confusion, (true, largest(outputs)), w)
        p = probabilities(outputs, self._calibration)
        known = true < self.confusion.shape[1]
        hit = np.zeros(p.shape)
        hit[np.flatnonzero(known), true[known]] = 1.0
        self._brier += float(w @ ((p - hit) ** 2).sum(axis=1))
        chance = np.clip((p * hit).sum(axis=1), 1e-15, 1.0)
        self._log -= float(w @ np.log(chance))
        self.rows += len(true)
        self.weight += float(w.sum())

    def results(self) -> dict[str, float]:
        """Accuracy, the mean accuracy of the classes, Brier score and log loss."""
        right, there = np.diag(self.confusion), self.confusion[:-1].sum(axis=1)
        return {
            "rows": self.rows,
            "accuracy": float(right.sum() / self.weight),
            "balanced_accuracy": float(np.mean(right[there > 0] / there[there > 0])) if there.any() else 0.0,
            "brier": self._brier / self.weight,
            "log_loss": self._log / self.weight,
        }


def evaluate(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> dict[str, float]:
    """Score a fitted estimator on rows, however many, in one pass.

    Parameters
    ----------
    estimator : estimator
        A fitted regressor or classifier of Samara.
    X : array-like, sparse matrix, data frame or scan
        Rows.
    y : array-like, optional
        Their targets; a scan has them in it.
    sample_weight : array-like, optional
        Their weights; a scan may have them in it.

    Returns
    -------
    scores : dict
        ``rows``, and for a regressor ``r2``, ``rmse``, ``mae``, for a classifier ``accuracy``,
        ``balanced_accuracy``, ``brier`` (0 to 2) and ``log_loss``.
    """
    return scored(estimator, X, y, sample_weight).results()


def scored(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> NumberScore | ClassScore:
    """The sums behind the scores."""
    X, y, sample_weight = as_scan(X, y, sample_weight)
    if isinstance(X, Scan):
        refuse_beside(X, y, sample_weight)
    elif y is None:
        raise InputError("y is missing: a score needs the targets of the rows.")
    check_is_fitted(estimator, "model_")
    made: NumberScore | ClassScore = NumberScore()
    if is_classifier(estimator):
        made = ClassScore(len(estimator.classes_), getattr(estimator, "calibration_", None))
    rows = _labelled if is_classifier(estimator) else _numbers
    for true, outputs, weight in rows(estimator, X, y, sample_weight):
        made.update(true, outputs, weight)
    if not made.weight:
        raise InputError("There are no rows of positive weight to score.")
    return made


def _numbers(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[Rows]:
    if isinstance(X, Scan):
        scan = _in_order(X, estimator.__dict__.get("target_names_"))
        for chunk, outputs in estimator._streamed(scan):
            _refuse_other_count(chunk.y.shape[1], outputs, "The scan")
            yield _known_targets(chunk, scan), outputs, chunk.weight
        return
    refuse_bad_targets(y)
    outputs = estimator._outputs(X)
    targets = np.asarray(y, np.float64)
    check_consistent_length(outputs, targets)
    targets = targets.reshape(len(targets), -1)
    _refuse_other_count(targets.shape[1], outputs, "y")
    yield targets, outputs, check_weights(sample_weight, outputs)


def _labelled(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[Rows]:
    """Numbers of the classes of the rows, outputs and weights."""
    if isinstance(X, Scan):
        if len(X.targets) != 1:
            raise InputError(f"A classifier has one target; the scan has {len(X.targets)}.")
        codes = coded_classes(estimator.classes_, X.targets[0])
        for chunk, outputs in estimator._streamed(X):
            yield class_places(codes, _known_targets(chunk, X)[:, 0]), outputs, chunk.weight
        return
    outputs = estimator._outputs(X)
    refuse_bad_targets(y)
    labels = column_or_1d(y)
    check_consistent_length(outputs, labels)
    texts = [isinstance(values.tolist()[0], str) for values in (estimator.classes_, labels)]
    if texts[0] != texts[1]:
        kinds = ["texts" if text else "numbers" for text in texts]
        raise InputError(f"y holds {kinds[1]}; the classes of the model are {kinds[0]}.")
    yield class_places(estimator.classes_, labels), outputs, check_weights(sample_weight, outputs)


def class_places(classes: Array, labels: Array) -> Array:
    """The number of each label's class; the number of classes where it is none of them."""
    order = np.argsort(classes)
    found = np.searchsorted(classes, labels, sorter=order).clip(max=len(classes) - 1)
    return np.where(classes[order[found]] == labels, order[found], len(classes))


def _in_order(scan: Scan, names: Array | None) -> Scan:
    """The scan with its targets in the order of the model's, where they are the same."""
    found = {column.name: column for column in scan.targets}
    if names is None or found.keys() != set(names):
        return scan
    return scan.for_model(scan.schema, tuple(found[name] for name in names))


def _refuse_other_count(count: int, outputs: Array, whose: str) -> None:
    if count != outputs.shape[1]:
        raise InputError(f"{whose} has {count} targets where the model has {outputs.shape[1]}.")


def _known_targets(chunk: Chunk, scan: Scan) -> Array:
    """The targets of a chunk; only those of rows without a weight may be missing, as in a fit."""
    y = chunk.y if chunk.weight is None else np.where(chunk.weight[:, None] > 0, chunk.y, 0.0)
    for column, values in zip(scan.targets, y.T, strict=True):
        if np.isnan(values).any():
            raise InputError(
                f"Target {column.name!r} is missing in some rows: leave them out with "
                f'where="{in_condition(column.name)} is not null".'
            )
    return y


def largest(outputs: Array) -> Array:
    """The number of the class with the largest output; of two classes there is one output."""
    return (outputs[:, 0] > 0).astype(int) if outputs.shape[1] == 1 else outputs.argmax(axis=1)


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
