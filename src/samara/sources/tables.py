"""What the readers of Arrow tables share: pieces that are read in record batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from samara.core import Chunk
from samara.errors import InputError
from samara.schema import Kind
from samara.sources.columns import MEMO_BYTES, Memo, kind_of, same_kind
from samara.sources.files import File, guarded, reading
from samara.sources.picks import Picks, Place
from samara.sources.where import kept_rows

_HEAD = 1024  # rows looked through together for the first ones
_TEXT_BYTES = 24  # of a text in memory, about


class Origin(Protocol):
    """Where the record batches of a piece come from; picklable."""

    @property
    def name(self) -> str: ...
    @property
    def n_rows(self) -> int | None: ...
    @property
    def rows_guess(self) -> int | None: ...
    @property
    def schema(self) -> Any:
        """Its Arrow schema."""
        ...

    def held_bytes(self, names: Sequence[str]) -> int:
        """About what a reader of these columns holds besides the batches it gives."""
        ...

    def stored_bytes(self, names: Sequence[str]) -> int:
        """About how many bytes these columns take where they are stored."""
        ...

    def batches(self, names: Sequence[str], rows: int, start: int) -> Iterator[Any]:
        """Record batches of these columns, of at most ``rows`` rows, from row ``start`` on."""
        ...


@dataclass(frozen=True)
class TablePiece:
    """A piece of a table whose rows come as Arrow record batches."""

    origin: Origin
    picks: Picks

    @property
    def name(self) -> str:
        return self.origin.name

    @property
    def n_rows(self) -> int | None:
        return self.origin.n_rows if self.picks.where is None else None

    @property
    def rows_guess(self) -> int | None:
        return self.origin.rows_guess

    @property
    def awaits(self) -> Any:
        """What makes its rows on a cluster; None for rows that anybody can read."""
        awaiting = getattr(self.origin, "awaiting", None)
        return None if awaiting is None else awaiting(self.picks.read)

    def supplied(self, made: Any) -> TablePiece:
        """The piece with the rows that it awaits."""
        origin: Any = self.origin
        return replace(self, origin=origin.supplied(made))

    @property
    def in_order(self) -> bool:
        """Whether its rows come in the same order whenever they are read."""
        return getattr(self.origin, "in_order", True)

    @property
    def once(self) -> bool:
        """Whether its rows are gone once they were read."""
        return getattr(self.origin, "once", False)

    def picking(self, picks: Picks) -> TablePiece:
        """The same rows, read as other columns."""
        return replace(self, picks=picks)

    @property
    def held_bytes(self) -> int:
        texts = sum(column.kind == "text" for column in (*self.picks.inputs, *self.picks.targets))
        return self.origin.held_bytes(self.picks.read) + texts * MEMO_BYTES

    @property
    def stored_bytes(self) -> int:
        return self.origin.stored_bytes(self.picks.names)

    def chunks(
        self, rows: int, start: int = 0, stop: int | None = None, labels: bool = False
    ) -> Iterator[Chunk]:
        """The rows from ``start`` to ``stop`` in chunks of at most ``rows``."""
        memos: dict[str, Memo] = {}
        row = start
        for batch in self.batches(rows, start, stop):
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            with reading(self.name):
                chunk = self.picks.chunk(columns, memos, labels, Place(self.name, row))
            yield chunk
            row += batch.num_rows
        # Arrow keeps what it frees, for each thread anew: after three passes that was 100 MB.
        pa.default_memory_pool().release_unused()

    def batches(self, rows: int, start: int = 0, stop: int | None = None) -> Iterator[Any]:
        """The rows that fulfil the condition, from ``start`` to ``stop`` of them, as record batches."""
        where, names = self.picks.where, self.picks.read
        row = start if where is None else 0
        if stop is not None and stop <= start:
            return
        for batch in guarded(partial(self.origin.batches, names, rows, row), self.name):
            found = batch if where is None else kept_rows(plain(batch, self.picks.tested), where, self.name)
            first = max(0, start - row)
            last = found.num_rows if stop is None else min(found.num_rows, stop - row)
            row += found.num_rows
            if last > first:
                yield found.slice(first, last - first).select(self.picks.names)
            if stop is not None and row >= stop:
                return

    def head(self, n: int) -> Any:
        """The first rows as an Arrow table."""
        batches = list(self.batches(max(n, _HEAD), 0, n))
        if batches:
            return pa.Table.from_batches(batches)
        return self.origin.schema.empty_table().select(self.picks.names)


def plain(batch: Any, names: Sequence[str]) -> Any:
    """The batch with these columns as conditions can look at them: dictionaries decoded, NaN as missing."""
    for name in names:
        column = batch.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        batch = batch.set_column(batch.schema.get_field_index(name), name, column)
    return batch


def partitioned_schema(schema: Any, file: File) -> Any:
    """The schema of a file with the columns that its folders name."""
    for key, value in file.partition:
        at = schema.get_field_index(key)
        schema = schema.remove(at) if at >= 0 else schema
        schema = schema.append(pa.field(key, _value_type(value)))
    return schema


def _value_type(value: int | str | None) -> Any:
    return pa.null() if value is None else pa.int64() if isinstance(value, int) else pa.string()


def with_partition(batch: Any, file: File, names: Sequence[str]) -> Any:
    """A batch with the columns that the folders of its file name, in the order of the names."""
    constants = dict(file.partition)
    columns = [
        pa.repeat(pa.scalar(constants[name], _value_type(constants[name])), batch.num_rows)
        if name in constants
        else batch.column(name)
        for name in names
    ]
    return pa.record_batch(columns, names=list(names))


def row_bytes(schema: Any, names: Sequence[str]) -> int:
    """About what a row of these columns takes in memory."""
    return sum(_value_bytes(schema.field(name).type) for name in names)


def _value_bytes(type_: Any) -> int:
    try:
        return max(1, int(type_.bit_width) // 8)
    except ValueError:
        return _TEXT_BYTES


@dataclass(frozen=True)
class Table:
    """What was found at a place, before any column is picked: its schemas, and where its rows are."""

    schemas: tuple[tuple[str, Any], ...]  # name of a file → its Arrow schema
    origins: tuple[Origin, ...]
    files: tuple[File, ...] = ()
    asked: str = ""  # the query that gives the rows, in its own words

    def kinds(self, wanted: Sequence[str] | None) -> dict[str, Kind | None]:
        """The kinds of the wanted columns, or of all; each must be in all files, and of one kind."""
        fields: dict[str, tuple[Kind | None, str]] = {}
        for place, schema in self.schemas:
            for field in schema:
                if wanted is not None and field.name not in wanted:
                    fields.setdefault(field.name, (None, place))
                    continue
                kind, first = kind_of(field), fields.get(field.name, (None, place))
                if first[0] is not None and not same_kind(kind, first[0]):
                    raise InputError(
                        f"Column {field.name!r} holds {first[0]}s in {first[1]}, but {kind}s in {place}."
                    )
                fields[field.name] = first if first[0] is not None else (kind, place)
        for place, schema in self.schemas:
            names = schema.names
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise InputError(f"{place} has two columns named {twice!r}: rename one.")
            for name in fields:
                if (wanted is None or name in wanted) and name not in names:
                    raise InputError(
                        f"{place} has no column {name!r}, which {fields[name][1]} has: "
                        "leave it out with columns=."
                    )
        return {name: kind for name, (kind, _) in fields.items()}

    @property
    def plain_schema(self) -> Any:
        """The columns of the first file, dictionaries as what they hold: conditions are tried on it."""
        return pa.schema(
            pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type)
            for f in self.schemas[0][1]
        )
