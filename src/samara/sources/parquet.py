"""Parquet files, a piece each row group, read in small batches with the page checksums verified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from samara.errors import StoreError
from samara.sources.files import File, reading
from samara.sources.tables import Table, partitioned_schema, with_partition

# A reader streams each column a page at a time. Of a row group of 400 MB (a million rows of 50 numbers) it
# then held 145 MB, against 560 MB where whole column chunks are loaded and 750 MB through pyarrow.dataset.
_BUFFER = 65_536  # bytes read ahead in each column
_PAGE = 1 << 20  # bytes of a page as most writers make them; the footer does not tell
_PAGES = 2.6  # held at a time: a dictionary, a page, and the page as it is stored
_COPIES = 3.0  # of a column chunk that is no larger than a page


@dataclass(frozen=True)
class RowGroup:
    """A row group of a Parquet file."""

    file: File
    number: int
    n_rows: int
    metadata: Any  # the footer, shared by the groups of a file

    @property
    def name(self) -> str:
        return f"{self.file.path}, row group {self.number}"

    @property
    def schema(self) -> Any:
        return partitioned_schema(self.metadata.schema.to_arrow_schema(), self.file)

    @property
    def rows_guess(self) -> int:
        return self.n_rows

    def held_bytes(self, names: Sequence[str]) -> int:
        """For each column a buffer, a page as stored and decoded, and a dictionary."""
        return sum(
            int(min(_COPIES * column.total_uncompressed_size, _PAGES * _PAGE) + _BUFFER)
            for column in self._columns(names)
        )

    def stored_bytes(self, names: Sequence[str]) -> int:
        """The size of the column chunks, compressed."""
        return sum(column.total_compressed_size for column in self._columns(names))

    def _columns(self, names: Sequence[str]) -> Iterator[Any]:
        group, wanted = self.metadata.row_group(self.number), set(names)
        for j in range(group.num_columns):
            column = group.column(j)
            if column.path_in_schema.partition(".")[0] in wanted:
                yield column

    def batches(self, names: Sequence[str], rows: int, start: int) -> Iterator[Any]:
        """Record batches of these columns, from row ``start`` on; a row group can't be entered midway."""
        constants = {key for key, _ in self.file.partition}
        stored = [name for name in names if name not in constants]
        with self.file.open() as opened:
            found = pq.ParquetFile(
                opened,
                metadata=self.metadata,
                read_dictionary=self._texts(stored),
                buffer_size=_BUFFER,
                pre_buffer=False,
                page_checksum_verification=True,
            )
            row = 0
            # Batches without any column have no rows: the first column stands in where all are constants.
            columns = stored or self.metadata.schema.to_arrow_schema().names[:1]
            for batch in found.iter_batches(rows, [self.number], columns, use_threads=False):
                first, row = max(0, start - row), row + batch.num_rows
                if first < batch.num_rows:
                    yield with_partition(batch.slice(first), self.file, names)
        if row != self.n_rows:
            raise StoreError(f"{self.name} holds {row:,} rows, but its footer says {self.n_rows:,}.")

    def _texts(self, names: Sequence[str]) -> list[str]:
        """The columns of text, which are read as codes of a dictionary where they are stored so."""
        schema, wanted = self.metadata.schema.to_arrow_schema(), set(names)
        return [f.name for f in schema if f.name in wanted and pa.types.is_string(f.type)]


def parquet_table(files: Sequence[File]) -> Table:
    """The row groups of the files."""
    schemas: list[tuple[str, Any]] = []
    groups: list[RowGroup] = []
    for file in files:
        with reading(file.path), file.open() as opened:
            metadata = pq.read_metadata(opened)
            schema = partitioned_schema(metadata.schema.to_arrow_schema(), file)
            rows = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        if min(rows, default=0) < 0 or sum(rows) != metadata.num_rows:
            raise StoreError(f"{file.path} can't be read: its footer contradicts itself about its rows.")
        schemas.append((file.path, schema))
        groups += [RowGroup(file, i, n, metadata) for i, n in enumerate(rows) if n > 0]
    return Table(tuple(schemas), tuple(groups), tuple(files))


def pruned(table: Table, where: Any, tested: Sequence[str]) -> Table:
    """The table without the row groups in which no row can fulfil the condition, by their statistics."""
    schemas = dict(table.schemas)
    if not _groups(table):
        return table
    kept: list[RowGroup] = []
    for file, groups in groupby(_groups(table), lambda group: group.file):
        if _hides_nan(where, [schemas[file.path].field(name).type for name in tested]):
            kept += groups
            continue
        with reading(file.path), file.open() as opened:
            fragment = ds.ParquetFileFormat().make_fragment(opened, partition_expression=_partition(file))
            left = fragment.subset(filter=where, schema=schemas[file.path]).row_groups
        numbers = {group.id for group in left}
        kept += [group for group in groups if group.number in numbers]
    return replace(table, origins=tuple(kept))


def _hides_nan(where: Any, types: Sequence[Any]) -> bool:
    """Whether statistics could mislead: they count no NaN, which here is a missing value like any other."""
    return any(pa.types.is_floating(type_) for type_ in types) and any(
        word in str(where) for word in ("is_null", "is_valid", "coalesce", "if_else", "case_when")
    )


def _groups(table: Table) -> list[RowGroup]:
    return [origin for origin in table.origins if isinstance(origin, RowGroup)]


def _partition(file: File) -> Any:
    """What the folders of a file say of all its rows, as an expression."""
    said = [
        ds.field(key).is_null() if value is None else ds.field(key) == value for key, value in file.partition
    ]
    return reduce(lambda a, b: a & b, said) if said else None
