"""CSV and TSV files, packed or not, a piece each file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv

from samara.errors import InputError, unknown_name
from samara.schema import KINDS
from samara.sources.files import File, reading
from samara.sources.tables import Table, partitioned_schema, with_partition

_BLOCK = 1 << 20  # bytes parsed together; the kinds of the columns are those of the first block
_PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_PACKING = 4  # how much longer a packed file is unpacked, about
_TYPES = {
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.timestamp("us"),
    "text": pa.string(),
}


@dataclass(frozen=True)
class Dialect:
    """How a file of delimited text is read."""

    delimiter: str
    encoding: str = "utf8"
    kinds: Mapping[str, str] | None = None  # of columns, where the first block would mislead

    def open(self, file: File, opened: Any, columns: Any = None, types: Any = None) -> Any:
        """A reader of record batches, each of a block of the file."""
        packing = next((name for suffix, name in _PACKED.items() if file.path.lower().endswith(suffix)), None)
        return csv.open_csv(
            pa.CompressedInputStream(opened, packing) if packing else opened,
            csv.ReadOptions(use_threads=False, block_size=_BLOCK, encoding=self.encoding),
            csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            csv.ConvertOptions(
                include_columns=columns,
                column_types=types,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )


@dataclass(frozen=True)
class TextFile:
    """A file of delimited text."""

    file: File
    dialect: Dialect
    schema: Any
    rows_guess: int

    @property
    def name(self) -> str:
        return self.file.path

    @property
    def n_rows(self) -> None:
        return None

    def held_bytes(self, names: Sequence[str]) -> int:
        """Blocks read, parsed and converted."""
        return 6 * _BLOCK

    def stored_bytes(self, names: Sequence[str]) -> int:
        return self.file.size

    def batches(self, names: Sequence[str], rows: int, start: int) -> Iterator[Any]:
        """Record batches of these columns, from row ``start`` on; the lines before it are parsed too."""
        constants = {key for key, _ in self.file.partition}
        stored = [name for name in names if name not in constants]
        types = {name: self.schema.field(name).type for name in stored}
        with self.file.open() as opened:
            # Without a column of the file a batch would have no rows.
            found = self.dialect.open(self.file, opened, stored or self.schema.names[:1], types)
            row = 0
            for batch in found:
                for lo in range(max(0, start - row), batch.num_rows, rows):
                    yield with_partition(batch.slice(lo, rows), self.file, names)
                row += batch.num_rows


def delimited_table(files: Sequence[File], dialect: Dialect) -> Table:
    """The files, their columns of the kinds that the first block tells."""
    schemas: list[tuple[str, Any]] = []
    found: list[TextFile] = []
    for file in files:
        with reading(file.path), file.open() as opened:
            reader = dialect.open(file, opened)
            first = next(iter(reader), None)
            schema = pa.schema([_lenient(field, dialect.kinds or {}) for field in reader.schema])
        packed = file.path.lower().endswith(tuple(_PACKED))
        size = file.size * (_PACKING if packed else 1)
        rows = 0 if first is None else first.num_rows
        if size > _BLOCK:
            rows = round(rows * size / _BLOCK)
        schema = partitioned_schema(schema, file)
        schemas.append((file.path, schema))
        found.append(TextFile(file, dialect, schema, rows))
    for name in dialect.kinds or {}:
        if not any(name in schema.names for _, schema in schemas):
            raise unknown_name("column in kinds", name, schemas[0][1].names)
    return Table(tuple(schemas), tuple(found), tuple(files))


def _lenient(field: Any, kinds: Mapping[str, str]) -> Any:
    """A type that also takes what later blocks may hold: fractions after whole numbers, times after dates."""
    kind = kinds.get(field.name)
    if kind is not None:
        if kind not in _TYPES:
            raise unknown_name("kind", kind, KINDS)
        return pa.field(field.name, _TYPES[kind])
    if pa.types.is_integer(field.type) or pa.types.is_null(field.type):
        return pa.field(field.name, pa.float64())
    if pa.types.is_date(field.type) or pa.types.is_timestamp(field.type):
        return pa.field(field.name, pa.timestamp("us", getattr(field.type, "tz", None)))
    return field


def dialect_of(files: Sequence[File], options: Mapping[str, Any]) -> Dialect:
    """How the files are read, of the options and the suffix of the first."""
    stem = files[0].path.lower()
    for suffix in _PACKED:
        stem = stem.removesuffix(suffix)
    delimiter = options.get("delimiter", "\t" if stem.endswith((".tsv", ".tab")) else ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise InputError(f"delimiter must be one character, got {delimiter!r}.")
    return Dialect(delimiter, options.get("encoding", "utf8"), options.get("kinds"))
