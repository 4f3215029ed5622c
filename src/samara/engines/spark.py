"""A pass as one job of Spark: parts are summarized and merged by the executors' Python workers.

Parts travel as bytes, what they share (maps, layout) in the closure of a pass, which Spark broadcasts where
it is large. Summaries are merged as a tree of shuffles, neighbours first, in the order of their parts. All of
it is lineage, so what is lost with an executor is made anew.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from samara.core import Crossed, Progress, S, Source, Summary
from samara.engines.held import Held
from samara.engines.sessions import explained, is_session, is_stopped, opened
from samara.engines.spark_jobs import Teller, followed
from samara.engines.spark_tasks import FAN_IN, Merging, Summarizing, Told, from_row, samara_version
from samara.engines.tasks import Lazy, Sent, packed
from samara.errors import ClusterError, InputError

# A part this large travels with each of its tasks; larger ones are cut, sent once and kept by the executors,
# for a task may not be larger than spark.rpc.message.maxSize, 128 MB.
TASK_BYTES = 1 << 20
SLICE_BYTES = 1 << 23


@dataclass(frozen=True)
class SparkEngine:
    """Executors of a Spark session summarize the parts; the summaries are merged there, as a tree, in order.

    Parts are cut as soon as the executors' cores are counted, so a rerun on as many cores adds in the same
    order and gives the same bits, and so does one in which a worker dies.

    Parameters
    ----------
    session : pyspark.sql.SparkSession or "spark"
        The session. ``"spark"`` is the one that is active, or else one on this machine with all its cores.
    block_rows : int
        Rows a Python worker holds at a time; 0 leaves it to the plan.
    progress : callable, optional
        Called with the name of the pass, the rows just done and the rows in all, when a part is done.
    processes : int
        Python workers that rows are cut for; one for each core, unless given.
    """

    session: Any = "spark"
    block_rows: int = 0
    progress: Progress | None = None
    processes: int = 0
    _sent: Sent = field(default_factory=Sent, init=False, repr=False, compare=False)

    workers = 1  # a Python worker is a process of one thread

    def __deepcopy__(self, memo: dict[int, Any]) -> SparkEngine:
        """Itself: a session can't be copied."""
        return self

    def __reduce__(self) -> tuple[type[SparkEngine], tuple[Any, ...]]:
        """Without the session, which stays in its process."""
        return SparkEngine, ("spark", self.block_rows, None, self.processes)

    def ready(self) -> SparkEngine:
        """With a session, its cores counted; refuses one that can't do the work."""
        if self.block_rows < 0 or self.processes < 0:
            raise InputError(f"An engine needs no negative numbers, got {self!r}.")
        session = opened(self.session)
        context = session.sparkContext
        if is_stopped(context):
            raise ClusterError("The Spark session was stopped: start another.")
        with explained(context):
            return replace(self, session=session, processes=self.processes or context.defaultParallelism)

    def planned(self, workers: int, block_rows: int, progress: Progress | None) -> SparkEngine:
        """Python workers that hold so many rows each; what was sent is there."""
        made = replace(self, block_rows=block_rows, progress=progress)
        object.__setattr__(made, "_sent", self._sent)
        return made

    def summarize(self, source: Source, make: Callable[[], S], name: str = "pass") -> S:
        """Summarize the rows of a source, each part by a task; one summary comes home."""

        def work(tell: Teller) -> list[Told]:
            leaves = self._leaves(source, make, tell)
            return [] if leaves is None else [told for _, (_, told) in _tree(leaves, tell).collect()]

        found = self._run(work, source, name)
        if not found:
            return make()
        total: S = pickle.loads(found[0][1])
        return total

    def hold(self, source: Source, make: Callable[[], Summary], name: str = "pass") -> Held:
        """One summary a part, left with the executors until the source is let go."""

        def work(tell: Teller) -> Any:
            leaves = self._leaves(source, make, tell)
            if leaves is not None:
                leaves = _kept(leaves)
                leaves.foreachPartition(_passed_over)
            return leaves

        kept = self._run(work, source, name)
        if kept is None:
            raise InputError("A table without parts has no summaries to hold.")
        held = Held((kept,))
        _forgotten_with(held, kept)
        return held

    def _run(self, work: Callable[[Teller], Any], source: Source, name: str) -> Any:
        progress, n_rows = self.progress, source.n_rows
        done = None if progress is None or not n_rows else lambda rows: progress(name, rows, n_rows)
        context = self.session.sparkContext
        with explained(context):
            return followed(context, work, name, done)

    def _leaves(self, source: Source, make: Callable[[], Any], tell: Teller) -> Any:
        """The summary of each part, yet to be made."""
        crossed = source.rows.parts(self.processes) if isinstance(source, Crossed) else []
        others = [part.alone() for part in crossed]
        task = Summarizing(packed(((source.shell(), make, self.block_rows), others)), samara_version(), tell)
        if isinstance(source, Held):
            (there,) = source.summaries
            return there.mapPartitionsWithIndex(task.of_summary)
        parts = source.parts(self.processes)
        alone: Any = parts[0].alone() if len(parts) == 1 else None
        awaited = alone.awaited() if isinstance(alone, Lazy) else []
        if awaited and hasattr(awaited[0], "mapInArrow"):
            empty = replace(task, part=packed(alone.supplied([(0, ())])))
            made = awaited[0].mapInArrow(empty.of_batches, "part bigint, rows bigint, summary binary")
            return made.rdd.map(from_row)
        rows = self._parts(source)
        return rows and rows.mapPartitionsWithIndex(task.of_slices)

    def _parts(self, source: Source) -> Any:
        """The parts of a source as bytes, one in each partition; None where there is none."""
        sent, context = self._sent, self.session.sparkContext
        if isinstance(source, Crossed) or not sent.has(source, self.processes):
            parts = [packed(part.alone()) for part in source.parts(self.processes)]
            if not parts:
                return None
            if isinstance(source, Crossed):  # no more than which part it is
                return _placed(context, parts)
            for last in sent.parts:
                _forget(last)
            sent.held, sent.count = source.held, self.processes
            sent.parts[:] = [_placed(context, parts)]
            _forgotten_with(sent, sent.parts[0])
        return sent.parts[0]


def _placed(context: Any, parts: list[bytes]) -> Any:
    """Bytes as a distributed collection, a partition each."""
    slices = [
        (number, (lo, part[lo : lo + SLICE_BYTES]))
        for number, part in enumerate(parts)
        for lo in range(0, len(part), SLICE_BYTES)
    ]
    sent = context.parallelize(slices, len(slices))
    if max(map(len, parts)) <= TASK_BYTES:
        return sent
    return _kept(sent.partitionBy(len(parts), int))


def _kept(collection: Any) -> Any:
    """A collection that the executors keep, on disk where their memory is full."""
    from pyspark import StorageLevel

    return collection.persist(StorageLevel.MEMORY_AND_DISK)


def _forget(collection: Any) -> None:
    with suppress(Exception):  # the session may be stopped
        collection.unpersist()


def _forgotten_with(owner: Any, collection: Any) -> None:
    """The executors forget a collection when nobody here has its owner any more."""
    weakref.finalize(owner, _forget, collection).atexit = False


def _passed_over(records: Iterable[Any]) -> None:
    """Have a partition made. It is read to its end, or Spark would not use the Python worker again."""
    for _ in records:
        pass


def _tree(leaves: Any, tell: Teller) -> Any:
    """Neighbours merged until one is left."""
    level, count = leaves, leaves.getNumPartitions()
    while count > 1:
        count = -(-count // FAN_IN)
        level = level.partitionBy(count, int).mapPartitionsWithIndex(Merging(tell))
    return level


def is_spark(given: Any) -> bool:
    """Whether this is Spark: its name, a session or an engine of one."""
    return (
        (isinstance(given, str) and given == "spark") or isinstance(given, SparkEngine) or is_session(given)
    )
