"""A pass as tasks on a Dask cluster: parts are summarized and merged where they are.

The parts of a source travel once in a fit, what they share (maps, layout) once in a pass, and both stay with
the scheduler, so a worker that dies is replaced by another that does its tasks anew. Neighbouring parts have
the same worker, so that of all merges only those between workers send a summary.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any
from uuid import uuid4

from samara.core import Crossed, Part, Progress, S, Source, Summary
from samara.engines import dask_tasks as tasks
from samara.engines.connections import (
    address_of,
    connected,
    dashboard_of,
    explained,
    is_client,
    refuse_unfit,
    room_of,
)
from samara.engines.held import Held
from samara.engines.parcels import copied
from samara.engines.tasks import Lazy, Sent, packed
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
        key = f"samara-{name.replace(' ', '-')}-{uuid4().hex[:12]}"
        with explained(self.client), tasks.without_warning():
            leaves = self._leaves(tasks.summarized, source, make, key)
            return self._gathered(leaves, key, (name, source.n_rows)) if leaves else make()

    def hold(self, source: Source, make: Callable[[], Summary], name: str = "pass") -> Held:
        """One summary a part, each with the worker that made it; where that dies another makes it anew."""
        from distributed import as_completed

        key = f"samara-{name.replace(' ', '-')}-{uuid4().hex[:12]}"
        with explained(self.client), tasks.without_warning():
            leaves = self._leaves(tasks.made, source, make, key)
            futures = self.client.compute(leaves, optimize_graph=False)
            try:
                for future in as_completed(futures, loop=self.client.loop):
                    if future.status != "finished":
                        future.result()  # raises; of a summary that is there the result would come home
                    if self.progress and source.n_rows:
                        self.progress(name, source.n_rows // len(futures), source.n_rows)
            except BaseException:
                self._cancel(futures)
                raise
        return Held(tuple(futures))

    def _leaves(self, task: Callable[..., Any], source: Source, make: Any, key: str) -> list[Any]:
        """A task for each part; rows that every part goes through are there already, or travel once."""
        import dask

        shared = self._received((source.shell(), make, self.block_rows), f"{key}-shared")
        others = self._parts(source.rows) if isinstance(source, Crossed) else []
        done, leaves = dask.delayed(task, pure=False), []
        for number, part in enumerate(self._parts(source)):
            with tasks.at(self._sent.places.get(part.key)):
                leaves.append(done(part, shared, others, dask_key_name=f"{key}-{number}"))
        return leaves

    def _cancel(self, futures: Sequence[Any]) -> None:
        with suppress(Exception):  # the scheduler may be gone
            self.client.cancel(futures)

    def _gathered(self, leaves: Sequence[Any], key: str, what: tuple[str, int]) -> Any:
        """Merge as a tree, wait, and take the one summary home."""
        import dask
        from distributed import as_completed

        rows = dask.delayed(itemgetter(0), pure=False)
        counts = [rows(leaf, dask_key_name=f"{key}-rows-{k}") for k, leaf in enumerate(leaves)]
        wanted = [tasks.tree(leaves, self.processes, key), *(counts if self.progress else ())]
        total, *counted = futures = self.client.compute(wanted, optimize_graph=False)
        try:
            if self.progress:
                for _, rows in as_completed(counted, loop=self.client.loop, with_results=True):
                    self.progress(what[0], rows, what[1])
            return copied(total.result()[1:])
        except BaseException:
            self._cancel(futures)
            raise

    def _parts(self, source: Source) -> list[Any]:
        """The parts of a source as tasks or futures."""
        count = self.workers * self.processes
        if isinstance(source, Held):
            return list(source.summaries)
        if isinstance(source, Crossed):  # no more than which part it is
            key = f"samara-parts-{uuid4().hex[:12]}"
            return [self._received(p.alone(), f"{key}-{k}") for k, p in enumerate(source.parts(count))]
        if not self._sent.has(source, count):
            parts, key = source.parts(count), f"samara-rows-{uuid4().hex[:12]}"
            self._sent.parts.clear()  # lets the workers forget the last table
            self._sent.places.clear()
            self._sent.held, self._sent.count = source.held, count
            there = sorted(self.client.nthreads())
            if len(there) < 2:  # a task for one worker alone would wait for it even when it has died
                there = [""]
            self._sent.parts.extend(
                self._placed(part, f"{key}-{k}", there[k * self.processes // len(parts) % len(there)])
                for k, part in enumerate(parts)
            )
        return self._sent.parts

    def _placed(self, part: Part, key: str, place: str) -> Any:
        """A part with its worker, unless it is made of what is somewhere already."""
        alone: Any = part.alone()
        awaited = alone.awaited() if isinstance(alone, Lazy) else []
        if not awaited:
            self._sent.places[key] = place
            return self._received(alone, key, place)
        import dask

        if any(hasattr(made, "mapInArrow") for made in awaited):
            raise InputError('A Spark data frame is read by Spark: use engine="spark", or threads.')
        empty = self._received(alone.supplied([None] * len(awaited)), f"{key}-empty")
        return dask.delayed(tasks.supplied, pure=False)(empty, awaited, dask_key_name=key)

    def _received(self, what: Any, key: str, place: str | None = None) -> Any:
        """Something of ours on the workers: as bytes, which a scheduler passes on without looking inside."""
        where = {"workers": place, "allow_other_workers": True} if place else {}  # it may be gone by then
        return self.client.submit(pickle.loads, packed(what), key=key, pure=False, **where)


def is_dask(given: Any) -> bool:
    """Whether this is a Dask cluster: a client, the address of a scheduler, or an engine of one of them."""
    address = isinstance(given, str) and given.startswith(SCHEMES)
    return address or isinstance(given, DaskEngine) or is_client(given)
