"""Frames in memory (pandas, polars, pyarrow, whatever narwhals takes) as raw numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array, Labels
from samara.errors import InputError
from samara.schema import Column, Kind, Schema

DROP = "leave such rows out"  # what to do about infinity in a frame


@dataclass(frozen=True)
class FrameRows:
    """A frame as raw numbers."""

    schema: Schema
    X: Array  # (n, d) in C order
    labels: Labels  # the texts behind the codes
    named: bool = True  # whether the names are those of a frame, not made up for an array


@dataclass(frozen=True)
class FrameColumn:
    """A column of a frame, or a series, as raw numbers."""

    column: Column
    values: Array  # (n,)
    labels: dict[float, str]


def is_collection(given: Any) -> bool:
    """Whether this is a Dask array, data frame or series."""
    return type(given).__module__.partition(".")[0] == "dask" and hasattr(given, "to_delayed")


def is_spark_frame(given: Any) -> bool:
    """Whether this is a data frame of Spark; nothing is imported to find out."""
    return type(given).__module__.startswith("pyspark.sql.") and hasattr(given, "mapInArrow")


def is_frame(X: Any) -> bool:
    """Whether X is a table in memory with named columns; arrays, matrices and lists are none."""
    if isinstance(X, np.ndarray | list | tuple | dict | str) or hasattr(X, "indptr") or is_collection(X):
        return False
    import narwhals as nw

    try:
        return isinstance(nw.from_native(X, pass_through=True, eager_only=True), nw.DataFrame)
    except nw.exceptions.DuplicateError:
        raise InputError("The frame has two columns of the same name: rename one.") from None


def is_plain(X: Any) -> bool:
    """Whether a frame holds numbers only, none of them missing."""
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    for column in frame.iter_columns():
        if not column.dtype.is_numeric() or column.null_count():
            return False
        if column.dtype.is_float() and column.is_nan().any():
            return False
    return True


def count_texts(X: Any) -> int:
    """Columns of a frame that are neither numbers, booleans nor dates, by their types alone."""
    import narwhals as nw

    types = nw.from_native(X, eager_only=True).schema.dtypes()
    return sum(not (one.is_numeric() or one.is_temporal() or one == nw.Boolean) for one in types)


def frame_rows(X: Any, schema: Schema | None = None) -> FrameRows:
    """The rows of a frame; with the schema of a model, its columns in that order, and no others."""
    if isinstance(X, FrameRows):
        return X
    import narwhals as nw

    from samara.sources.columns import refuse_infinity
    from samara.sources.picks import refuse_other_columns

    frame = nw.from_native(X, eager_only=True)
    # By position: pandas' columns may be named by numbers, which would pick rows.
    series = {str(name): one for name, one in zip(frame.columns, frame.iter_columns(), strict=True)}
    if len(series) < len(frame.columns):
        raise InputError("The frame has two columns of the same name: rename one.")
    kinds = {name: _kind(one, name) for name, one in series.items()}
    if schema is None:
        schema = tuple(Column(name, kind or "number") for name, kind in kinds.items())
    refuse_other_columns(kinds, schema)
    made = np.empty((len(frame), len(schema)))
    labels: dict[str, dict[float, str]] = {}
    for j, column in enumerate(schema):
        made[:, j], texts = _values(series[column.name], column)
        if column.kind == "text":
            labels[column.name] = texts
        refuse_infinity(made[:, j : j + 1], [column.name], "the frame", advice=DROP)
    return FrameRows(schema, made, labels)


def frame_column(series: Any, name: str | None = None) -> FrameColumn:
    """A series of any kind, such as a target, as raw numbers."""
    import narwhals as nw

    from samara.sources.columns import refuse_infinity

    found = nw.from_native(series, series_only=True)
    name = name or str(found.name or "y")
    column = Column(name, _kind(found, name) or "number")
    values, labels = _values(found, column)
    refuse_infinity(values[:, None], [name], "the series", advice=DROP)
    return FrameColumn(column, values, labels)


def _values(series: Any, column: Column) -> tuple[Array, dict[float, str]]:
    """The raw numbers of a series, and the texts behind them."""
    from samara.sources.columns import Memo, raw_column

    seen: dict[float, str] = {}
    return raw_column(_arrow(series, column.name), column.kind, Memo(), seen), seen


def _kind(series: Any, name: str) -> Kind | None:
    """The kind of a series; only one of Python objects has to be looked through for it."""
    import pyarrow as pa

    from samara.sources.columns import kind_of

    dtype = getattr(series.to_native(), "dtype", None)
    objects = isinstance(dtype, np.dtype) and dtype.kind == "O"
    return kind_of(pa.field(name, _arrow(series if objects else series.head(0), name).type))


def _arrow(series: Any, name: str) -> Any:
    """A series as an Arrow array; of Python objects, the first that differs from those before is named."""
    import pyarrow as pa

    try:
        return series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError, NotImplementedError) as error:
        first: Any = None
        for row, value in enumerate(series.to_list()):
            if value is None or value != value:
                continue
            if first is not None and type(value) is not type(first):
                raise InputError(
                    f"Column {name!r} mixes {type(first).__name__} and {type(value).__name__}: "
                    f"row {row} holds {value!r}. Make all of it text, or all of it numbers."
                ) from None
            first = value
        raise InputError(f"Column {name!r} can't be read: {str(error).splitlines()[0]}.") from error
