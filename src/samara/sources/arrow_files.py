"""Arrow IPC (Feather) files, a piece each run of record batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.ipc as ipc

from samara.sources.files import File, reading
from samara.sources.tables import Table, partitioned_schema, row_bytes, with_partition

_RUN = 1 << 20  # rows that are worth a piece of their own


@dataclass(frozen=True)
class BatchRun:
    """Some consecutive record batches of an Arrow file."""

    file: File
    first: int  # number of the first batch
    counts: tuple[int, ...]  # rows of each batch
    schema: Any

    @property
    def name(self) -> str:
        last = self.first + len(self.counts) - 1
        numbers = f"batch {self.first}" if last == self.first else f"batches {self.first} to {last}"
        return f"{self.file.path}, record {numbers}"

    @property
    def n_rows(self) -> int:
        return sum(self.counts)

    @property
    def rows_guess(self) -> int:
        return self.n_rows

    def held_bytes(self, names: Sequence[str]) -> int:
        """A record batch can be read only whole."""
        return max(self.counts) * row_bytes(self.schema, names)

    def stored_bytes(self, names: Sequence[str]) -> int:
        return self.n_rows * row_bytes(self.schema, names)

    def batches(self, names: Sequence[str], rows: int, start: int) -> Iterator[Any]:
        """Record batches of these columns, from row ``start`` on; the batches before it are not read."""
        constants = {key for key, _ in self.file.partition}
        with self.file.open() as opened:
            found = ipc.open_file(opened, options=_only(opened, [n for n in names if n not in constants]))
            row = 0
            for number, count in enumerate(self.counts, self.first):
                if row + count > start:
                    batch = found.get_batch(number)
                    batch.validate(full=True)  # the format has no checksums: no offset may lead outside
                    for lo in range(max(0, start - row), count, rows):
                        yield with_partition(batch.slice(lo, rows), self.file, names)
                row += count


def _only(opened: Any, names: Sequence[str]) -> Any:
    """Options that read these columns only, or the first where there are none."""
    schema = ipc.open_file(opened).schema
    opened.seek(0)
    numbers = [schema.get_field_index(name) for name in names] or [0]
    return ipc.IpcReadOptions(included_fields=sorted(numbers), use_threads=False)


def arrow_table(files: Sequence[File]) -> Table:
    """The record batches of the files, in runs; only the first column is read to count the rows."""
    schemas: list[tuple[str, Any]] = []
    runs: list[BatchRun] = []
    for file in files:
        with reading(file.path), file.open() as opened:
            schema = partitioned_schema(ipc.open_file(opened).schema, file)
            opened.seek(0)
            found = ipc.open_file(opened, options=_only(opened, []))
            counts = [found.get_batch(i).num_rows for i in range(found.num_record_batches)]
        schemas.append((file.path, schema))
        first = rows = 0
        for last, count in enumerate(counts, 1):
            rows += count
            if rows and (last == len(counts) or rows >= _RUN):
                runs.append(BatchRun(file, first, tuple(counts[first:last]), schema))
                first, rows = last, 0
    return Table(tuple(schemas), tuple(runs), tuple(files))
