"""A pass as tasks on a Dask cluster: parts are summarized and merged where they are.

The parts of a source travel once in a fit, what they share (maps, layout) once in a pass, and both stay with
the scheduler, so a worker that dies is replaced by another that does its tasks anew. Neighbouring parts have
the same worker, so that of all merges only those between workers send a summary. It travels as a parcel: a
task never changes what another may still have to read.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Protocol, runtime_checkable
from uuid import uuid4

from samara.core import Part, Progress, S, Source
from samara.engines.connections import address_of, connected, explained, is_client, refuse_missing
from samara.engines.parcels import copied, opened, wrapped
from samara.errors import ClusterError, InputError
from samara.linalg.blas import single_blas_thread

Told = tuple[int, bytes, list[Any]]  # rows, and the summary of them as a parcel
SCHEMES = ("dask://", "tcp://", "tls://")


@runtime_checkable
class Lazy(Protocol):
    """A part whose rows may be made by tasks of the cluster itself."""

    def awaited(self) -> list[Any]:
        """The tasks that make its rows."""
        ...

    def supplied(self, made: Sequence[Any]) -> Any:
        """The part with what they have made."""
        ...


@dataclass
class Sent:
    """The parts of the table last worked on, as futures: they travel once, not in every pass."""

    held: tuple[object, ...] = ()
    count: int = 0
    parts: list[Any] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)  # key → the worker that is to have the part

    def has(self, source: Source, count: int) -> bool:
        """Whether these are the parts of a source."""
        same = len(self.held) == len(source.held) and all(
            a is b for a, b in zip(self.held, source.held, strict=True)
        )
        return same and self.count == count and bool(self.parts)


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
            refuse_missing(client)
        workers, processes = self.workers or max(threads), self.processes or len(threads)
        return replace(self, client=client, workers=workers, processes=processes)

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
            done = dask.delayed(_summarized, pure=False)
            leaves = []
            for number, part in enumerate(self._parts(source)):
                with _at(self._sent.places.get(part.key)):
                    leaves.append(done(part, shared, dask_key_name=f"{key}-{number}"))
            return self._gathered(leaves, key, (name, source.n_rows)) if leaves else make()

    def _gathered(self, leaves: Sequence[Any], key: str, what: tuple[str, int]) -> Any:
        """Merge as a tree, wait, and take the one summary home."""
        import dask
        from distributed import as_completed

        rows = dask.delayed(itemgetter(0), pure=False)
        counts = [rows(leaf, dask_key_name=f"{key}-rows-{k}") for k, leaf in enumerate(leaves)]
        wanted = [_tree(leaves, self.processes, key), *(counts if self.progress else ())]
        total, *counted = futures = self.client.compute(wanted, optimize_graph=False)
        try:
            if self.progress:
                for _, rows in as_completed(counted, with_results=True):
                    self.progress(what[0], rows, what[1])
            return copied(total.result()[1:])
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
            self._sent.places.clear()
            self._sent.held, self._sent.count = source.held, count
            there = sorted(self.client.nthreads()) or [""]  # none left: whoever comes
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

        empty = self._received(alone.supplied([None] * len(awaited)), f"{key}-empty")
        return dask.delayed(_supplied, pure=False)(empty, awaited, dask_key_name=key)

    def _received(self, what: Any, key: str, place: str | None = None) -> Any:
        """Something of ours on the workers: as bytes, which a scheduler passes on without looking inside."""
        from cloudpickle import dumps

        try:
            sent = dumps(what)
        except Exception as error:
            raise InputError(f"What the workers need can't be sent to them: {error}.") from error
        where = {"workers": place, "allow_other_workers": True} if place else {}  # it may be gone by then
        return self.client.submit(pickle.loads, sent, key=key, pure=False, **where)


def _at(place: str | None) -> AbstractContextManager[None]:
    """Tasks made meanwhile are for this worker, if it is there."""
    import dask

    return dask.annotate(workers=[place], allow_other_workers=True) if place else nullcontext()


def _tree(leaves: Sequence[Any], workers: int, key: str) -> Any:
    """The runs of leaves of each worker merged there, then what they come to."""
    runs: list[list[Any]] = [[] for _ in range(workers)]
    for k, leaf in enumerate(leaves):
        runs[k * workers // len(leaves)].append(leaf)
    tops = [_merged_up(run, f"{key}-merge-{k}") for k, run in enumerate(runs) if run]
    return _merged_up(tops, f"{key}-merge")


def _merged_up(level: list[Any], key: str) -> Any:
    """Neighbours merged until one is left."""
    import dask

    merge, depth = dask.delayed(_merged, pure=False), 0
    while len(level) > 1:
        pairs = [level[k : k + 2] for k in range(0, len(level), 2)]
        level = [
            merge(*pair, dask_key_name=f"{key}-{depth}-{k}") if len(pair) == 2 else pair[0]
            for k, pair in enumerate(pairs)
        ]
        depth += 1
    return level[0]


def _supplied(part: Lazy, made: Sequence[Any]) -> Any:
    """A part with its rows, made on the worker or sent there by another."""
    return part.supplied(made)


def _summarized(part: Part, shared: tuple[Source, Callable[[], Any], int]) -> Told:
    """The summary of one part, made on a worker."""
    shell, make, block_rows = shared
    summary, rows = make(), 0
    with single_blas_thread():
        for block in part.within(shell).blocks(block_rows):
            summary.update(block)
            rows += len(block)
    if hasattr(summary, "finish"):  # what is only half added up would be twice as large
        summary.finish()
    return rows, *wrapped(summary)


def _merged(one: Told, other: Told) -> Told:
    """Two summaries as one, in their order."""
    total = copied(one[1:])
    with single_blas_thread():
        total.merge(opened(other[1:]))
    return one[0] + other[0], *wrapped(total)


def is_cluster(given: Any) -> bool:
    """Whether this is a cluster: a client, the address of a scheduler, or an engine of one of them."""
    address = isinstance(given, str) and given.startswith(SCHEMES)
    return address or isinstance(given, DaskEngine) or is_client(given)
