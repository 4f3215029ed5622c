"""Dask arrays and data frames as tables: each partition is a piece, made where it is read.

A pass makes the partitions anew, as it would read files anew; what was persisted before is there already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from samara.errors import InputError
from samara.sources.files import foreign
from samara.sources.frames import is_collection
from samara.sources.tables import Table, row_bytes


@dataclass(frozen=True)
class Partition:
    """The rows of one partition of a table, with the targets and weights that are cut like it."""

    name: str
    schema: Any = field(repr=False)
    rows_guess: int | None
    made: Any = field(repr=False)  # Dask's own tasks, one for each collection, or what they have made

    n_rows = None  # so that no part is cut out of two partitions, which may lie on two machines

    def awaiting(self, names: Sequence[str]) -> Any:
        """The tasks that make its rows, with all their columns."""
        return self.made

    def supplied(self, made: Any) -> Partition:
        """The partition with its rows."""
        return replace(self, made=made)

    def held_bytes(self, names: Sequence[str]) -> int:
        """The whole partition."""
        return (self.rows_guess or 0) * row_bytes(self.schema, self.schema.names)

    def stored_bytes(self, names: Sequence[str]) -> int:
        return (self.rows_guess or 0) * row_bytes(self.schema, names)

    def batches(self, names: Sequence[str], rows: int, start: int) -> Iterator[Any]:
        """Record batches of these columns, from row ``start`` on."""
        with foreign(self.name):
            table = self._table()
            yield from table.select(list(names)).slice(start).to_batches(max_chunksize=rows)

    def _table(self) -> Any:
        made = self.made
        if any(hasattr(one, "compute") for one in made):  # nobody has made them yet
            import dask

            made = dask.compute(*made)
        columns: list[Any] = []
        for one in made:
            columns += _columns(one)
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise InputError(f"{self.name}: X, y and weights differ in their rows: {sorted(lengths)}.")
        return pa.table(
            [
                pa.array(column, type=kind.type, from_pandas=True)
                for column, kind in zip(columns, self.schema, strict=True)
            ],
            schema=self.schema,
        )


def _columns(values: Any) -> list[Any]:
    """The columns of a frame, a series, a matrix or a vector."""
    if hasattr(values, "items") and hasattr(values, "columns"):
        return [column for _, column in values.items()]
    if values.ndim == 1:
        return [values]
    return list(np.asarray(values).T)


def collection_table(X: Any, targets: Any = None, weight: Any = None) -> tuple[Table, list[str], str | None]:
    """The partitions of X as a table, with targets and weights as columns of it; the names of these."""
    given = [one for one in (X, targets, weight) if one is not None]
    fields = _fields(X, "x", ())
    taken = [one.name for one in fields]
    target_fields = [] if targets is None else _fields(targets, "y", taken)
    weight_fields = [] if weight is None else _fields(weight, "weight", (*taken, *_names(target_fields)))
    schema = pa.schema([*fields, *target_fields, *weight_fields])
    pieces = [_delayed(one) for one in given]
    if len({len(piece) for piece in pieces}) > 1:
        counts = " and ".join(str(len(piece)) for piece in pieces)
        raise InputError(
            f"X, y and weights are cut into {counts} partitions: cut them alike, by repartition."
        )
    lengths = _lengths(X, len(pieces[0]))
    origins = tuple(
        Partition(f"partition {number}", schema, lengths[number], made)
        for number, made in enumerate(zip(*pieces, strict=True))
    )
    asked = " ".join(str(getattr(one, "_name", None) or one.name) for one in given)
    table = Table((("the Dask collection", schema),), origins, (), asked)
    return table, _names(target_fields), _names(weight_fields)[0] if weight_fields else None


def _names(fields: Sequence[Any]) -> list[str]:
    return [one.name for one in fields]


def _fields(given: Any, name: str, taken: Sequence[str]) -> list[Any]:
    """The columns of a collection as Arrow fields, named apart from those that are taken."""
    if not is_collection(given):
        raise InputError(f"With X from Dask the others must be from Dask too, got {type(given).__name__}.")
    if hasattr(given, "_meta_nonempty"):
        meta = given._meta_nonempty
        frame = meta.to_frame(name=meta.name or name) if meta.ndim == 1 else meta
        found = list(pa.Schema.from_pandas(frame, preserve_index=False))
    else:
        if given.ndim > 2:
            raise InputError(f"A Dask array must have rows and columns, got {given.ndim} dimensions.")
        kind = pa.from_numpy_dtype(given.dtype) if given.dtype.kind in "biuf" else pa.string()
        names = [name] if given.ndim == 1 else [f"{name}{j}" for j in range(given.shape[1])]
        found = [pa.field(one, kind) for one in names]
    apart = []
    for one in found:
        label = str(one.name)
        while label in taken:
            label += "_"
        apart.append(one.with_name(label))
    return apart


def _delayed(given: Any) -> list[Any]:
    """One task for each partition of rows."""
    if hasattr(given, "chunks") and given.ndim == 2:
        given = given.rechunk({1: -1})  # a row in one piece
    return list(np.ravel(np.array(given.to_delayed(), dtype=object)))


def _lengths(given: Any, count: int) -> list[int | None]:
    """The rows of each partition, where Dask knows them."""
    chunks = getattr(given, "chunks", None)
    if chunks is None or any(n != n for n in chunks[0]):  # NaN where they are unknown
        return [None] * count
    return [int(n) for n in chunks[0]]
