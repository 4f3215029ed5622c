"""Row blocks in a thread pool, BLAS held to one thread a worker.

About twice as fast as threaded BLAS between serial activations: each core maps its rows and multiplies
them while they are still in its cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from samara.core import Engine, Holder, Part, Progress, S, Source, Summary
from samara.engines.held import Held, finished
from samara.linalg.workers import available_cores, in_threads, threads_for

PER_VALUE, FROM_FILE = 100.0, 2_500.0  # flops in the time of which a value is mapped, and read from a file
# Where a summary only adds up, two threads mostly wait for the interpreter, and then merge: it takes so many
# times the work that is worth threads elsewhere: 5000 rows of 166 columns took 4.8 ms in one, 5.3 in two,
# 20,000 rows of 100 nodes 6.2 and 4.8.
SHARED = 8.0


@dataclass(frozen=True)
class Threads:
    """Each worker summarizes one run of the parts; the summaries are merged in order.

    The runs are cut beforehand, so the same number of workers always adds in the same order and gives
    the same bits. At most ``workers`` summaries are alive; little work is one run, in the calling thread.

    Parameters
    ----------
    workers : int
        Threads; all the cores this process may use, unless given.
    block_rows : int
        Rows a worker holds at a time; 0 leaves it to the plan.
    progress : callable, optional
        Called with the name of the pass, the rows just done and the rows in all.
    """

    workers: int = field(default_factory=available_cores)
    block_rows: int = 0  # 0: as planned
    progress: Progress | None = None

    def planned(self, workers: int, block_rows: int, progress: Progress | None) -> Threads:
        """So many threads, which hold so many rows each."""
        return Threads(workers, block_rows, progress)

    def lanes(self, source: Source, summary: object = None) -> list[Sequence[Part]]:
        """The runs of parts for such a summary, one for each worker that gets any."""
        workers = threads_for(_flops(source, summary), self.workers)
        parts = source.parts(workers)
        size = max(1, -(-len(parts) // workers))
        return [parts[i : i + size] for i in range(0, len(parts), size)]

    def summarize(self, source: Source, make: Callable[[], S], name: str = "pass") -> S:
        """Summarize the rows of a source, each worker its own run of parts."""
        first = make()
        lanes = self.lanes(source, first)

        def run(lane: Sequence[Part]) -> S:
            return self._summarized(lane, first if lane is lanes[0] else make(), name, source.n_rows)

        total, *others = in_threads(run, lanes, len(lanes))
        for other in others:
            total.merge(other)
        return total

    def hold(self, source: Source, make: Callable[[], Summary], name: str = "pass") -> Held:
        """One summary a part, all of them in this process; who is free takes the next part."""

        def run(part: Part) -> Summary:
            return finished(self._summarized([part], make(), name, source.n_rows))

        return Held(tuple(in_threads(run, source.parts(self.workers), self.workers)))

    def _summarized(self, parts: Sequence[Part], summary: S, name: str, n_rows: int) -> S:
        """A summary brought up to date with some parts."""
        for part in parts:
            for block in part.blocks(self.block_rows):
                summary.update(block)
                if self.progress and n_rows:  # held summaries are no rows
                    self.progress(name, len(block), n_rows)
        return summary


def _flops(source: Source, summary: object) -> float:
    """What a pass takes, about; of what is held nothing is known."""
    n, d = source.n_rows, source.n_features
    if not n or not d:
        return np.inf
    work = d * (d + PER_VALUE) / (SHARED if getattr(summary, "ADDS_ONLY", False) else 1.0)
    # Rows that lie in memory could be sent; those of files, or made as they are read, could not.
    return n * (work if getattr(source, "sent_bytes", 0) else work + d * FROM_FILE)


class Counted:
    """An engine that counts the passes over the rows."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.passes = engine, 0

    @property
    def block_rows(self) -> int:
        """Rows a worker holds at a time."""
        return self.engine.block_rows

    def summarize(self, source: Source, make: Callable[[], S], name: str = "pass") -> S:
        """One more pass, unless it is over summaries that are held."""
        self.passes += not isinstance(source, Held)
        return self.engine.summarize(source, make, name)

    def hold(self, source: Source, make: Callable[[], Summary], name: str = "pass") -> Source:
        """One more pass, whose summaries stay where they are."""
        assert isinstance(self.engine, Holder)
        self.passes += not isinstance(source, Held)
        return self.engine.hold(source, make, name)
