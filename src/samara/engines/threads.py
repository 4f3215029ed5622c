"""Row blocks in a thread pool, BLAS held to one thread a worker.

About twice as fast as threaded BLAS between serial activations: each core maps its rows and multiplies
them while they are still in its cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from samara.core import Engine, Part, Progress, S, Source
from samara.linalg.blas import available_cores, single_blas_thread


@dataclass(frozen=True)
class Threads:
    """Each worker summarizes one run of the parts; the summaries are merged in order.

    The runs are cut beforehand, so the same number of workers always adds in the same order and gives
    the same bits. At most ``workers`` summaries are alive.

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
        return replace(self, workers=workers, block_rows=block_rows, progress=progress)

    def lanes(self, source: Source) -> list[Sequence[Part]]:
        """The runs of parts, one for each worker that gets any."""
        parts = source.parts(self.workers)
        size = max(1, -(-len(parts) // self.workers))
        return [parts[i : i + size] for i in range(0, len(parts), size)]

    def summarize(self, source: Source, make: Callable[[], S], name: str = "pass") -> S:
        """Summarize the rows of a source, each worker its own run of parts."""
        lanes = self.lanes(source)

        def run(lane: Sequence[Part]) -> S:
            summary = make()
            for part in lane:
                for block in part.blocks(self.block_rows):
                    summary.update(block)
                    if self.progress:
                        self.progress(name, len(block), source.n_rows)
            return summary

        if len(lanes) < 2:  # a few rows, or one worker: no thread is worth starting
            with single_blas_thread():
                return run(lanes[0])
        with single_blas_thread(), ThreadPoolExecutor(len(lanes)) as pool:
            pending = [pool.submit(run, lane) for lane in lanes]
            total = pending.pop(0).result()
            while pending:
                total.merge(pending.pop(0).result())
        return total


class Counted:
    """An engine that counts the passes over the rows."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.passes = engine, 0

    @property
    def block_rows(self) -> int:
        """Rows a worker holds at a time."""
        return self.engine.block_rows

    def summarize(self, source: Source, make: Callable[[], S], name: str = "pass") -> S:
        """One more pass."""
        self.passes += 1
        return self.engine.summarize(source, make, name)
