"""What a task of Spark does: a part summarized, or neighbours merged, and how it ended told."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from samara.core import Part
from samara.engines.held import HeldPart
from samara.engines.spark_jobs import Teller
from samara.engines.tasks import Shared, counted
from samara.errors import ClusterError, InputError
from samara.linalg.workers import single_blas_thread

FAN_IN = 4  # summaries merged by one task: two rounds of the tree for the price of one stage
LARGEST = (1 << 31) - (1 << 20)  # bytes of a summary: Java has no longer arrays
Told = tuple[int, bytes]  # rows, and the summary of them
Numbered = tuple[int, Any]  # a part, or the group it belongs to, and what there is of it


@dataclass(frozen=True)
class Summarizing:
    """What a task does with one part; an error is told, not raised, for raised it would be tried again."""

    shared: bytes = field(repr=False)
    version: str
    tell: Teller
    part: bytes = field(default=b"", repr=False)  # a part of a data frame, without rows

    def of_slices(self, number: int, records: Iterable[Numbered]) -> Iterator[Numbered]:
        """A part that was sent."""
        return self._done(number, lambda: pickle.loads(_joined(records)))

    def of_summary(self, number: int, records: Iterable[Numbered]) -> Iterator[Numbered]:
        """A summary that was held."""
        ((_, (_, (_, summary))),) = records
        return self._done(number, lambda: HeldPart(pickle.loads(summary)))

    def of_batches(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The rows of a partition of a data frame."""
        import pyarrow as pa
        from pyspark import TaskContext

        task = TaskContext.get()
        assert task is not None
        number = task.partitionId()

        def open_part() -> Any:
            return pickle.loads(self.part).numbered(number).supplied([(number, batches)])

        for _, (part, (rows, summary)) in self._done(number, open_part):
            columns = {"part": [part], "rows": [rows], "summary": pa.array([summary], pa.binary())}
            yield pa.RecordBatch.from_pydict(columns)

    def _done(self, number: int, open_part: Callable[[], Any]) -> Iterator[Numbered]:
        try:
            found = samara_version()
            if self.version != found:
                raise ClusterError(
                    f"The workers have samara {found}, this process {self.version}: install the same."
                )
            told = summarized(open_part(), *pickle.loads(self.shared))
            refuse_large(told)
        except Exception as error:
            self.tell(number, 0, error)
            return
        self.tell(number, told[0])
        yield number // FAN_IN, (number, told)


def refuse_large(told: Told, largest: int = LARGEST) -> None:
    """A summary that can travel."""
    if len(told[1]) > largest:
        raise InputError(
            f"A summary takes {len(told[1]) / 1e9:.1f} GB, and Spark moves at most {largest / 1e9:.1f} GB in "
            "one piece: use fewer nodes, a given alpha, which needs no folds, or another engine."
        )


@dataclass(frozen=True)
class Merging:
    """What a task does with summaries of neighbours."""

    tell: Teller

    def __call__(self, number: int, records: Iterable[Numbered]) -> Iterator[Numbered]:
        """One summary, numbered for the next round."""
        told = [one for _, (_, one) in sorted(records, key=lambda record: record[1][0])]
        try:
            total = merged(*told)
            refuse_large(total)
        except Exception as error:
            self.tell(-1 - number, 0, error)
            return
        yield number // FAN_IN, (number, total)


def summarized(part: Part, shared: Shared, others: Sequence[Part] = ()) -> Told:
    """The summary of one part, as bytes."""
    from cloudpickle import dumps

    rows, summary = counted(part, shared, others)
    return rows, dumps(summary)


def merged(*told: Told) -> Told:
    """Summaries as one, in their order: neighbours first, the same tree in however many steps."""
    from cloudpickle import dumps

    with single_blas_thread():
        total = _added([summary for _, summary in told])
    return sum(rows for rows, _ in told), dumps(total)


def _added(told: list[bytes]) -> Any:
    """The sum of the first half, a whole tree, and of the rest."""
    if len(told) == 1:
        return pickle.loads(told[0])
    half = 1 << (len(told) - 1).bit_length() - 1
    total = _added(told[:half])
    total.merge(_added(told[half:]))
    return total


def samara_version() -> str:
    """Of the package this file is in, which no room may import by name."""
    return str(sys.modules["samara"].__version__)


def _joined(records: Iterable[Numbered]) -> bytes:
    """A part out of its slices."""
    return b"".join(piece for _, piece in sorted(slice_ for _, slice_ in records))


def from_row(row: Any) -> Numbered:
    """A summary that came out of a data frame."""
    return row.part // FAN_IN, (row.part, (row.rows, bytes(row.summary)))
