"""Tables that are held whole, as Arrow tables: read from a file, made of arrays, and seen as arrays again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from samara.core import Array
from samara.sources.columns import Memo, kind_of, raw_column
from samara.sources.scan import scan


def read_whole(path: str | os.PathLike[str]) -> Any:
    """All rows of a file as an Arrow table, its checksums verified."""
    found = scan(path)
    return found.head(found.n_rows or 0)


def made_whole(columns: Mapping[str, Array]) -> Any:
    """Arrays as the columns of an Arrow table."""
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def has_texts(table: Any) -> bool:
    """Whether a column of an Arrow table holds texts or categories."""
    return any(kind_of(field) == "text" for field in table.schema)


def matrix_of(table: Any) -> Array:
    """The columns of an Arrow table without texts as a matrix of 64-bit floats."""
    X = np.empty((table.num_rows, table.num_columns))
    for j, field in enumerate(table.schema):
        X[:, j] = raw_column(table.column(j).combine_chunks(), kind_of(field) or "number", Memo())
    return X


def array_of(column: Any) -> Array:
    """A column of an Arrow table: texts as texts ("" where one is missing), numbers as they are stored."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array([text or "" for text in column.to_pylist()], dtype=np.str_)
    return np.asarray(column.to_numpy())
