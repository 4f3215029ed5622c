"""Spark data frames as tables: their partitions come as Arrow record batches, in order.

With Spark as the engine they never leave it; other readers fetch them one after the other. A pass makes the
rows anew, as it would read files anew; what was persisted before is there already.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pyarrow as pa

from samara.errors import InputError
from samara.sources.files import foreign
from samara.sources.frames import is_spark_frame
from samara.sources.tables import Table, row_bytes

_BATCH_ROWS = 10_000  # that Spark hands over at a time, unless it is told otherwise


@dataclass(frozen=True)
class SparkRows:
    """The rows of a data frame, or of one partition of it that Spark has supplied."""

    name: str
    schema: Any = field(repr=False)
    made: Any = field(repr=False)  # the data frame, or the batches of a partition

    n_rows: ClassVar[None] = None  # to be counted they would have to be made
    rows_guess: ClassVar[None] = None
    in_order: ClassVar[bool] = False  # behind a join or a shuffle rows come as their tasks end

    def awaiting(self, names: Sequence[str]) -> Any:
        """The data frame that makes these columns."""
        return _selected(self.made, names)

    def supplied(self, made: tuple[int, Iterable[Any]]) -> SparkRows:
        """The rows of a partition, which has a number."""
        number, batches = made
        return replace(self, name=f"partition {number} of the Spark data frame", made=batches)

    def held_bytes(self, names: Sequence[str]) -> int:
        """A batch in Arrow's form and in transit."""
        return 3 * _BATCH_ROWS * row_bytes(self.schema, names)

    def stored_bytes(self, names: Sequence[str]) -> int:
        return 0

    def batches(self, names: Sequence[str], rows: int, start: int) -> Iterator[Any]:
        """Record batches of these columns, from row ``start`` on."""
        row = 0
        with foreign(self.name):
            for batch in _fetched(self.made, names) if is_spark_frame(self.made) else self.made:
                named = batch.rename_columns(list(names))
                for lo in range(max(0, start - row), batch.num_rows, rows):
                    yield named.slice(lo, rows)
                row += batch.num_rows


def spark_table(frame: Any) -> Table:
    """A data frame as a table of one piece: how many partitions there are shows when it is made."""
    if ".connect." in type(frame).__module__:
        raise InputError("A data frame of Spark Connect can't be read: give one of a session of the driver.")
    names = list(frame.columns)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"The Spark data frame has two columns named {twice!r}: rename one.")
    with foreign("the Spark data frame"):
        schema = frame.limit(0).toArrow().schema
    asked = " ".join(f"{field.name}:{field.type}" for field in schema)
    origin = SparkRows("the Spark data frame", schema, frame)
    return Table((("the Spark data frame", schema),), (origin,), (), asked)


def _selected(frame: Any, names: Sequence[str]) -> ArrowFrame:
    """These columns, by number: Spark takes names with dots in quotes, and mapInArrow sets none."""
    quoted = [f"`{name.replace('`', '``')}`" for name in names]
    return ArrowFrame(frame.select(*(frame[name].alias(f"c{j}") for j, name in enumerate(quoted))))


@dataclass(frozen=True)
class ArrowFrame:
    """A data frame whose partitions go through a function as record batches."""

    frame: Any

    def mapInArrow(self, function: Any, schema: str) -> Any:  # noqa: N802 - Spark's own name
        """The data frame that the function makes; Spark's warning of a pandas it hardly uses is left out."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return self.frame.mapInArrow(function, schema)


def _fetched(frame: Any, names: Sequence[str]) -> Iterator[Any]:
    """The rows, a partition at a time in this process."""

    def written(batches: Iterable[Any]) -> Iterator[Any]:  # nested, so it travels by value
        import pyarrow as pa

        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            yield pa.RecordBatch.from_pydict({"batch": pa.array([sink.getvalue().to_pybytes()], pa.binary())})

    for row in _selected(frame, names).mapInArrow(written, "batch binary").toLocalIterator():
        with pa.ipc.open_stream(bytes(row.batch)) as reader:
            yield from reader
