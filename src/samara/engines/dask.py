"""A pass as tasks on a Dask cluster: parts are summarized and merged where they are.

The parts of a source travel once in a fit, what they share (maps, layout) once in a pass, and both stay with
the scheduler, so a worker that dies is replaced by another that does its tasks anew. Summaries travel as
bytes: a task never changes what another may still have to read.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any
from uuid import uuid4

from samara.core import Part, Progress, S, Source
from samara.engines.connections import (
    address_of,
    connected,
    dashboard_of,
    explained,
    is_client,
    refuse_unfit,
    room_of,
)
from samara.engines.tasks import Lazy, Sent, merged, packed, summarized
from samara.errors import ClusterError, InputError
from samara.resident import peak_resident_bytes, reset_peak

SCHEMES = ("dask://", "tcp://", "tls://")


@dataclass(frozen=True)
class DaskEngine:
    """Workers of a Dask cluster summarize the parts; the summaries are merged there, as a tree, in order.

    Parts are cut as soon as the workers are counted, so a rerun on as many workers adds in the same order and
    gives the same bits, and so does one in which a worker dies.

    Parameters
    ----------
    client : distributed.Client or str
        The cluster, or the address of its scheduler, such as ``"tcp://127.0.0.1:8786"``.
    workers : int
        Threads of each worker process that are used; all of them, unless given.
    block_rows : int
        Rows a thread holds at a time; 0 leaves it to the plan.
    progress : callable, optional
        Called with the name of the pass, the rows just done and the rows in all, when a part is done.
    processes : int
        Worker processes that rows are cut for; those there are, unless given.
    """

    client: Any
    workers: int = 0
    block_rows: int = 0
    progress: Progress | None = None
    processes: int = 0
    _sent: Sent = field(default_factory=Sent, init=False, repr=False, compare=False)

    def __deepcopy__(self, memo: dict[int, Any]) -> DaskEngine:
        """Itself: a connection can't be copied."""
        return self

    def ready(self) -> DaskEngine:
        """Connected, and its workers counted; refuses a cluster that can't do the work."""
        if self.workers < 0 or self.block_rows < 0 or self.processes < 0:
            raise InputError(f"An engine needs no negative numbers, got {self!r}.")
        client = connected(self.client)
        with explained(client):
            if client.scheduler is None:
                raise ClusterError(f"The Dask scheduler at {address_of(client)} is gone: connect to another.")
            threads = list(client.nthreads().values())
            if not threads:
                raise ClusterError(f"The cluster at {address_of(client)} has no workers: start some.")
            refuse_unfit(client)
        workers, processes = self.workers or max(threads), self.processes or len(threads)
        return replace(self, client=client, workers=workers, processes=processes)

    @property
    def dashboard(self) -> str | None:
        """The page on which the cluster shows its work."""
        return dashboard_of(connected(self.client))

    def room(self) -> tuple[int | None, int]:
        """What the worker process with the least room may hold, None without a limit; and what one holds."""
        with explained(self.client):
            return room_of(self.client)

    def reset_peak(self) -> None:
        """Count the most memory of the workers from now on."""
        with explained(self.client):
            self.client.run(reset_peak)

    def peak_bytes(self) -> int | None:
        """The most memory that a worker process has held; None where nobody tells."""
        with explained(self.client):
            peaks = self.client.run(peak_resident_bytes).values()
        return max((peak for peak in peaks if peak is not None), default=None)

    def planned(self, workers: int, block_rows: int, progress: Progress | None) -> DaskEngine:
        """So many threads a process, which hold so many rows each; what was sent is there."""
        made = replace(self, workers=workers, block_rows=block_rows, progress=progress)
        object.__setattr__(made, "_sent", self._sent)
        return made

    def summarize(self, source: Source, make: Callable[[], S], name: str = "pass") -> S:
        """Summarize the rows of a source, each part by a task; one summary comes home."""
        import dask

        key = f"samara-{name.replace(' ', '-')}-{uuid4().hex[:12]}"
        quiet = {"distributed.admin.large-graph-warning-threshold": "1 PB"}  # rows do travel with their tasks
        with explained(self.client), dask.config.set(quiet):
            shared = self._received((source.shell(), make, self.block_rows), f"{key}-shared")
            done = dask.delayed(summarized, pure=False)
            leaves = [
                done(part, shared, dask_key_name=f"{key}-{number}")
                for number, part in enumerate(self._parts(source))
            ]
            return self._gathered(leaves, key, (name, source.n_rows)) if leaves else make()

    def _gathered(self, leaves: Sequence[Any], key: str, what: tuple[str, int]) -> Any:
        """Merge as a tree, wait, and take the one summary home."""
        import dask
        from distributed import as_completed

        rows = dask.delayed(itemgetter(0), pure=False)
        counts = [rows(leaf, dask_key_name=f"{key}-rows-{k}") for k, leaf in enumerate(leaves)]
        wanted = [_tree(leaves, key), *(counts if self.progress else ())]
        total, *counted = futures = self.client.compute(wanted, optimize_graph=False)
        try:
            if self.progress:
                for _, rows in as_completed(counted, loop=self.client.loop, with_results=True):
                    self.progress(what[0], rows, what[1])
            return pickle.loads(total.result()[1])
        except BaseException:
            with suppress(Exception):  # the scheduler may be gone
                self.client.cancel(futures)
            raise

    def _parts(self, source: Source) -> list[Any]:
        """The parts of a source as tasks or futures."""
        count = self.workers * self.processes
        if not self._sent.has(source, count):
            parts, key = source.parts(count), f"samara-rows-{uuid4().hex[:12]}"
            self._sent.parts.clear()  # lets the workers forget the last table
            self._sent.held, self._sent.count = source.held, count
            self._sent.parts.extend(self._placed(part, f"{key}-{k}") for k, part in enumerate(parts))
        return self._sent.parts

    def _placed(self, part: Part, key: str) -> Any:
        alone: Any = part.alone()
        awaited = alone.awaited() if isinstance(alone, Lazy) else []
        if not awaited:
            return self._received(alone, key)
        import dask

        if any(hasattr(made, "mapInArrow") for made in awaited):
            raise InputError('A Spark data frame is read by Spark: use engine="spark", or threads.')
        empty = self._received(alone.supplied([None] * len(awaited)), f"{key}-empty")
        return dask.delayed(_supplied, pure=False)(empty, awaited, dask_key_name=key)

    def _received(self, what: Any, key: str) -> Any:
        """Something of ours on the workers: as bytes, which a scheduler passes on without looking inside."""
        return self.client.submit(pickle.loads, packed(what), key=key, pure=False)


def _tree(leaves: Sequence[Any], key: str) -> Any:
    """Neighbours merged until one is left."""
    import dask

    merge, level, depth = dask.delayed(merged, pure=False), list(leaves), 0
    while len(level) > 1:
        pairs = [level[k : k + 2] for k in range(0, len(level), 2)]
        level = [
            merge(*pair, dask_key_name=f"{key}-merge-{depth}-{k}") if len(pair) == 2 else pair[0]
            for k, pair in enumerate(pairs)
        ]
        depth += 1
    return level[0]


def _supplied(part: Lazy, made: Sequence[Any]) -> Any:
    """A part with its rows, made on the worker or sent there by another."""
    return part.supplied(made)


def is_dask(given: Any) -> bool:
    """Whether this is a Dask cluster: a client, the address of a scheduler, or an engine of one of them."""
    address = isinstance(given, str) and given.startswith(SCHEMES)
    return address or isinstance(given, DaskEngine) or is_client(given)
