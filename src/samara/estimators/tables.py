"""Raw tables as users give them: frames with texts, dates or gaps, and scans of files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from samara.core import Array, Chunk
from samara.errors import InputError
from samara.estimators.given import GivenTable
from samara.estimators.inputs import check_weights, refuse_bad_targets, refuse_text_targets, set_width
from samara.estimators.labels import as_classes
from samara.maps import Columns
from samara.schema import Column, Schema, names_of, text_code
from samara.sources import (
    ArraySource,
    FrameRows,
    Scan,
    StreamSource,
    Width,
    frame_rows,
    is_collection,
    is_frame,
    is_plain,
    is_spark_frame,
)
from samara.tables import Table

UNKNOWN_ROWS = 1_000_000  # taken to be there, for planning, where there is no telling


def is_table(X: Any) -> bool:
    """Whether X is a scan, or a frame that holds more than complete numbers."""
    if type(X).__name__ == "LazyFrame":
        raise InputError("A lazy frame needs a scan: samara.scan(frame, target=…).")
    return isinstance(X, Scan | FrameRows) or (is_frame(X) and not is_plain(X))


def as_scan(X: Any, y: Any = None, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """Collections of Dask, and data frames of Spark, as scans of their rows; everything else as it is."""
    if not is_collection(X) and not is_spark_frame(X):
        return X, y, sample_weight
    from samara.sources.scan import scan, scan_collections  # the readers are slow to import

    if is_spark_frame(X):  # its rows have no order that targets beside it could be in
        return scan(X), y, sample_weight
    return scan_collections(X, y, sample_weight), None, None


def given_scan(scan: Scan, y: Any, sample_weight: Any, classes: bool, class_weight: Any = None) -> GivenTable:
    """The rows of files, to be fitted."""
    refuse_beside(scan, y, sample_weight)
    if any(getattr(piece, "once", False) for piece in scan.pieces):
        raise InputError(
            "A RecordBatchReader can be read only once, and a fit reads the rows at least twice: "
            "write them to a Parquet file and scan that."
        )
    only_targets = None if scan.is_sparse else stream_of(scan.only_targets())
    table = Table(stream_of(scan), scan.schema, scan.targets, classes, only_targets)
    return GivenTable(table, scan.fingerprint(), class_weight)


def refuse_beside(scan: Scan, y: Any, sample_weight: Any) -> None:
    """Targets and weights of a scan are columns of its own."""
    if y is not None:
        raise InputError("A scan has its targets in it: samara.scan(…, target=…) names them; leave y out.")
    if sample_weight is not None:
        raise InputError("A scan has its weights in it: samara.scan(…, weight=…) names them.")
    if not scan.targets:
        raise InputError("The scan has no target: samara.scan(…, target=…) names its column.")


def stream_of(scan: Scan) -> StreamSource:
    """The rows of a scan."""
    counts = [piece.n_rows for piece in scan.pieces]
    known = tuple(count for count in counts if count is not None)
    return StreamSource(
        scan.pieces,
        Width(scan.n_features, len(scan.targets), scan.is_sparse),
        guess=scan.rows_guess or UNKNOWN_ROWS,
        counts=known if len(known) == len(counts) else None,
    )


def given_frame(X: Any, y: Any, sample_weight: Any) -> tuple[GivenTable, Array]:
    """The rows of a frame, to be fitted to numbers, and these."""
    rows = frame_rows(X)
    refuse_bad_targets(y)
    refuse_text_targets(y)
    targets = check_array(y, ensure_2d=False, dtype="numeric", input_name="y")
    check_consistent_length(rows.X, targets)
    weight = check_weights(sample_weight, rows.X)
    columns = targets.reshape(len(targets), -1).astype(np.float64)
    source = ArraySource(rows.X, columns, weight, labels=rows.labels)
    table = Table(source, rows.schema, numbered(columns.shape[1]), classes=False)
    return GivenTable(table, named=rows.named), targets


def labelled_frame(X: Any, y: Any, sample_weight: Any) -> tuple[FrameRows, Array, Array | None]:
    """The rows of a frame, their labels and their weights."""
    rows = frame_rows(X)
    refuse_bad_targets(y)
    labels = as_classes(y)
    check_consistent_length(rows.X, labels)
    return rows, labels, check_weights(sample_weight, rows.X)


def labelled_table(rows: FrameRows, y: Array, weight: Array | None, classes: Array) -> Table:
    """The rows of a frame and their classes, coded as those of a file would be."""
    (name,) = _free_names(["y"], rows.schema)
    texts = isinstance(classes.tolist()[0], str)
    codes: Array = np.arange(len(classes)) if texts else classes.astype(np.float64)
    if len(np.unique(codes)) < len(classes):  # whole numbers beyond 2⁵³
        codes = np.arange(len(classes))
    place = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    labels = rows.labels
    if texts:
        labels = {**labels, name: dict(zip(codes.astype(float).tolist(), classes.tolist(), strict=True))}
    source = ArraySource(rows.X, codes.astype(np.float64)[place][:, None], weight, labels=labels)
    return Table(source, rows.schema, (Column(name, "text" if texts else "number"),), classes=True)


def _free_names(names: list[str], schema: Schema) -> list[str]:
    """Names for what has none, none of them that of a column."""
    taken = set(names_of(schema))
    while taken & set(names):
        names = [f"{name}_" for name in names]
    return names


def numbered(count: int) -> Schema:
    """Names for targets that have none."""
    return tuple(Column("y" if count == 1 else f"y{k}", "number") for k in range(count))


def raw_rows(X: Any, columns: Columns) -> Array:
    """New rows as the map of the columns takes them, columns found by name."""
    return frame_rows(X, columns.schema).X


def encoded(source: ArraySource, columns: Columns) -> ArraySource:
    """New rows behind the map of their columns; complete numbers need none."""
    if columns.leaves(source.X):
        return source
    return source.map(columns)


def fitting_scan(scan: Scan, columns: Columns | None, names: Array | None, n_features: int) -> Scan:
    """A scan of new rows, its columns those of the model."""
    if columns is not None:
        return scan.for_model(columns.schema)
    if names is not None:
        return scan.for_model(tuple(Column(str(name), "number") for name in names))
    if scan.n_features != n_features:
        raise InputError(f"The scan has {scan.n_features} inputs; the model was fitted on {n_features}.")
    odd = next((column for column in scan.schema if column.kind in ("text", "date")), None)
    if odd is not None:
        raise InputError(
            f"The model was fitted on an array of numbers, and column {odd.name!r} holds {odd.kind}s: pick "
            "others with columns=, or fit on a scan."
        )
    return scan


def chunks_of(scan: Scan) -> Iterator[Chunk]:
    """The rows of a scan in order, a few at a time."""
    for part in stream_of(scan).parts(1):
        for _, chunk in part.chunks():
            yield chunk


def set_names(estimator: Any, schema: Schema, n_features: int) -> None:
    """What scikit-learn calls the columns; those of sparse rows have no names."""
    set_width(estimator, n_features)
    if schema:
        estimator.feature_names_in_ = np.array(names_of(schema), dtype=object)


def coded_classes(classes: Array, target: Column) -> Array:
    """The classes of a model as they are read from a file."""
    if target.kind == "text":
        return np.array([text_code(str(label)) for label in classes.tolist()])
    if classes.dtype.kind in "OUS":
        raise InputError(
            f"Target {target.name!r} holds {target.kind}s; the classes of the model are texts, such as "
            f"{classes.tolist()[0]!r}."
        )
    return classes.astype(np.float64)
