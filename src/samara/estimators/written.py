"""Predictions written to a file by this process, or to a folder of files by those who read the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from os import PathLike
from secrets import token_hex
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from samara.calibration import Calibration
from samara.core import Array, Block
from samara.errors import InputError
from samara.estimators.cluster import crew_of
from samara.estimators.inputs import refuse_non_finite
from samara.estimators.scores import largest, probabilities
from samara.estimators.tables import as_scan, fitting_scan, stream_of
from samara.maps import Columns
from samara.model import Model
from samara.schema import names_of
from samara.sources import Scan, StreamSource
from samara.sources.stream import StreamPart
from samara.sources.writer import TableFolder, TableWriter, is_folder
from samara.summaries import Predictions

CELLS = 1 << 20  # numbers written together: 8 MB, in row groups that readers like


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes
    ----------
    rows : int
        How many rows were predicted.
    columns : tuple of str
        The names of the columns written.
    parts : int
        How many files.
    """

    rows: int
    columns: tuple[str, ...]
    parts: int = 1


@dataclass(frozen=True)
class Answers:
    """What a model says about rows, as columns of a table."""

    names: tuple[str, ...]
    classes: Array | None = None
    proba: bool = False
    calibration: Calibration | None = None

    def __call__(self, outputs: Array) -> dict[str, Array]:
        """The columns of outputs (n, t)."""
        if self.classes is not None:
            chances = self.proba
            outputs = probabilities(outputs, self.calibration) if chances else self.classes[largest(outputs)]
        return dict(zip(self.names, outputs.reshape(len(outputs), -1).T, strict=True))


def predict_to(estimator: Any, X: Any, path: str | PathLike[str], proba: bool) -> Written:
    """Write the predictions of the rows of files."""
    check_is_fitted(estimator, "model_")
    scan, _, _ = as_scan(X)
    if not isinstance(scan, Scan):
        raise InputError(
            f"predict_to takes what samara.scan gives, got {type(X).__name__}: predict gives its predictions."
        )
    model, answers = _learned(estimator, proba)
    if is_folder(path):
        return _written_there(estimator, scan, model, answers, path)
    rows = 0
    with TableWriter(path) as writer:
        for _, outputs in estimator._streamed(scan, model):
            writer.write(answers(outputs))
            rows += len(outputs)
    return Written(rows, answers.names)


def _learned(estimator: Any, proba: bool) -> tuple[Model, Answers]:
    """The model, and what its outputs mean."""
    if is_classifier(estimator):
        model, classes, calibration = estimator._learned_classes()
        named = [f"probability of {label}" for label in classes.tolist()] if proba else ["predicted"]
        return model, Answers(tuple(named), classes, proba, calibration)
    if proba:
        raise InputError(f"proba is for classes; {type(estimator).__name__} predicts numbers.")
    model, targets = estimator.model_, estimator.__dict__.get("target_names_", ())
    count = model.coef.shape[1]
    known = targets if len(targets) == count else range(count)
    return model, Answers(("predicted",) if count == 1 else tuple(f"predicted {name}" for name in known))


def _written_there(
    estimator: Any, scan: Scan, model: Model, answers: Answers, path: str | PathLike[str]
) -> Written:
    """A folder of files, each written by the worker that has read its rows."""
    crew = crew_of(estimator)
    columns: Columns | None = estimator.__dict__.get("columns_")
    names = getattr(estimator, "feature_names_in_", None)
    scan = fitting_scan(scan, columns, names, estimator.n_features_in_).only_inputs()
    rows = RunsOfRows.of(stream_of(scan))
    with TableFolder(path) as folder:
        make = partial(
            WrittenParts,
            folder.place,
            answers,
            model.predictions(crew.block_rows),
            # A NaN is a gap in a raw table only.
            () if columns is not None else tuple(names_of(scan.schema)) or None,
        )
        source = model.seen(rows if columns is None else rows.map(columns))
        done = crew.summarize(source, make, name="predict")
        done.finish()
        files = sorted(done.files)
        folder.put_in_place([file for _, file, _ in files])
    return Written(sum(count for _, _, count in files), answers.names, len(files))


@dataclass(frozen=True)
class RunsOfRows(StreamSource):
    """Rows in parts that each follow one another: nobody takes turns with another reader of the same rows."""

    @classmethod
    def of(cls, source: StreamSource) -> RunsOfRows:
        """The same rows."""
        return cls(**{one.name: getattr(source, one.name) for one in fields(source)})

    def parts(self, count: int) -> Sequence[StreamPart]:
        """Up to ``count`` runs of rows; of pieces that nobody has counted one each."""
        return super().parts(count if self.counts is not None else min(count, len(self.pieces)))


class WrittenParts:
    """Predictions that are written where they are made; the names of the files come home.

    A run of rows is a file. A part that is done twice, since a worker died or was taken for dead, leaves two
    files, of which only the one that came home is kept.
    """

    def __init__(
        self, place: str, answers: Answers, make: Callable[[], Predictions], refused: tuple[str, ...] | None
    ) -> None:
        self.files: list[tuple[int, str, int]] = []  # first row, file, rows
        self._place, self._answers, self._refused = place, answers, refused
        self._predictions = make()
        self._writer: TableWriter | None = None
        self._waiting: list[Array] = []
        self._next = -1  # the row that goes on with the file

    def __getstate__(self) -> dict[str, Any]:
        """The names of the files."""
        return {"files": self.files, "_writer": None, "_waiting": []}

    def update(self, block: Block) -> None:
        """Predict the rows of a block, and write what has come together."""
        if self._refused != ():
            refuse_non_finite(block.X, self._refused, block.start)
        if self._writer is None or block.start != self._next:
            self._open(block.start)
        self._predictions.update(block)
        self._waiting += [outputs for _, outputs, _ in self._predictions.runs]
        self._predictions.runs.clear()
        self._next = block.start + len(block)
        if sum(outputs.size for outputs in self._waiting) >= CELLS:
            self._write()

    def _open(self, start: int) -> None:
        self.finish()
        name = f"{start:016x}-{token_hex(6)}.parquet"
        self._writer = TableWriter(f"{self._place}/{name}").__enter__()
        self.files.append((start, name, 0))

    def _write(self) -> None:
        assert self._writer is not None
        outputs = np.concatenate(self._waiting)
        self._waiting.clear()
        self._writer.write(self._answers(outputs))
        start, name, rows = self.files[-1]
        self.files[-1] = start, name, rows + len(outputs)

    def finish(self) -> None:
        """Write what waits, and close the file."""
        if self._writer is None:
            return
        if self._waiting:
            self._write()
        self._writer.__exit__(None)
        self._writer = None

    def merge(self, other: Self) -> None:
        """Take over another's files."""
        self.finish()
        other.finish()
        self.files += other.files
