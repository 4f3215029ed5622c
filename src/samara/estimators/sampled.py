"""Some rows of a scan, read into memory, and what a model predicts for them: for reports, not for scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array, Chunk
from samara.estimators.held_out import held_out_outputs
from samara.estimators.scores import class_places, largest, probabilities
from samara.estimators.tables import coded_classes, encoded, fitting_scan, stream_of
from samara.sources import ArraySource, Scan
from samara.sources.stream import joined

RUNS = 32  # of rows one after the other, from all over: files are often sorted


def sample_rows(scan: Scan, rows: int) -> Chunk:
    """At most so many rows, none twice, from all over the scan; the first ones where nobody counted them."""
    stream = stream_of(scan)
    n = stream.n_rows if stream.counts is not None else rows
    runs = 1 if n <= rows else min(RUNS, rows)
    each = min(n, rows) // runs
    found = [stream.cut(start, start + each) for start in np.linspace(0, n - each, runs).astype(int).tolist()]
    return joined([Chunk(one.X, one.y, one.weight) for one in found])


@dataclass(frozen=True)
class Predictions:
    """What a model says of some rows."""

    predicted: Array
    probabilities: Array | None  # of the classes, where there are any
    held_out: bool  # whether no row was predicted by a model that had been trained on it


class Sample:
    """Rows of a scan as a model sees them, their true targets and a way to predict rows like them.

    Rows of a class that the model does not know are left out.
    """

    def __init__(self, estimator: Any, scan: Scan, rows: int) -> None:
        names = getattr(estimator, "feature_names_in_", None)
        fitting = fitting_scan(scan, estimator.columns_, names, estimator.n_features_in_)
        chunk = sample_rows(fitting, rows)
        self.estimator, self.names = estimator, [column.name for column in fitting.schema]
        self.X, self.true = chunk.X, _squeezed(chunk.y)
        if hasattr(estimator, "classes_"):
            codes = coded_classes(estimator.classes_, scan.targets[0])
            places = class_places(codes, chunk.y[:, 0])
            known = places < len(codes)
            self.X, self.true = chunk.X[known], estimator.classes_[places[known]]

    def predict(self, X: Array) -> Array:
        """What is predicted for raw rows."""
        return self._predicted(self._outputs(X))

    def predictions(self, trained: bool) -> Predictions:
        """What is predicted for the rows; where the model was trained on them, by models that were not."""
        outputs = held_out_outputs(self.estimator, self.X) if trained else None
        held_out = not trained or outputs is not None
        outputs = self._outputs(self.X) if outputs is None else outputs
        calibration = getattr(self.estimator, "calibration_", None)
        chances = probabilities(outputs, calibration) if hasattr(self.estimator, "classes_") else None
        return Predictions(self._predicted(outputs), chances, held_out)

    def _predicted(self, outputs: Array) -> Array:
        if hasattr(self.estimator, "classes_"):
            return np.asarray(self.estimator.classes_[largest(outputs)])
        return _squeezed(outputs)

    def _outputs(self, X: Array) -> Array:
        source = ArraySource(X, np.empty((len(X), 0)))
        outputs: Array = self.estimator._of_rows(encoded(source, self.estimator.columns_), None)
        return outputs


def _squeezed(y: Array) -> Array:
    return y[:, 0] if y.shape[1] == 1 else y
