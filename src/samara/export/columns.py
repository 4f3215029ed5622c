"""A raw table as inputs of an ONNX graph: one for each column, turned into numbers by the column map."""

from __future__ import annotations

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.export.graph import BOOLEAN, DOUBLE, INTEGER, ML, ROWS, TEXT, Graph, Value
from samara.maps import Columns, Encoded, FilledColumns, Levels, Number


def column_inputs(columns: Columns, graph: Graph, dtype: np.dtype[np.floating]) -> Value:
    """The encoded rows, of texts and of floats in which NaN is missing.

    A column that the map leaves out is an input all the same: whoever has the table need not know.
    """
    if isinstance(columns, FilledColumns):
        raise InputError(
            'missing="impute" solves a system for each row, which ONNX can\'t: use missing="flag".'
        )
    pieces = []
    for column, coding in zip(columns.schema, columns.codings, strict=True):
        if not column.name:
            raise InputError("An ONNX input needs a name and a column has none: name it before the fit.")
        given = graph.input(column.name, TEXT if column.kind == "text" else dtype, (ROWS, 1))
        if isinstance(coding, Number):
            pieces += _filled(graph, coding, given)
        elif coding is not None:
            pieces.append(_looked_up(graph, coding.labels, _table(coding), given))
    return graph.node("Concat", *pieces, axis=1)


def _filled(graph: Graph, coding: Number, given: Value) -> list[Value]:
    """The value or the mean, and the flag if there is one."""
    x = graph.cast(given, DOUBLE)
    gone = graph.node("IsNaN", x, dtype=BOOLEAN)
    filled = graph.node("Where", gone, graph.constant(np.array(coding.mean, DOUBLE)), x, dtype=DOUBLE)
    return [filled, graph.cast(gone, DOUBLE)] if coding.flag else [filled]


def _table(coding: Levels | Encoded) -> Array:
    """What each category becomes; the last row is that of any other text."""
    if isinstance(coding, Encoded):
        return np.vstack([coding.values, coding.prior])
    k = len(coding.codes)
    return np.eye(k + 1) if coding.flag else np.vstack([np.eye(k), coding.shares])


def _looked_up(graph: Graph, labels: tuple[str, ...], table: Array, given: Value) -> Value:
    """The row of the table for each text."""
    known = dict(zip(labels, range(len(labels)), strict=True)) or {"": 0}  # ONNX wants one key at least
    place = graph.node(
        "LabelEncoder",
        given,
        dtype=INTEGER,
        domain=ML,
        keys_strings=list(known),
        values_int64s=list(known.values()),
        default_int64=len(labels),
    )
    place = graph.node("Squeeze", place, graph.constant(np.array([1])))
    return graph.node("Gather", graph.constant(table.astype(DOUBLE)), place)
