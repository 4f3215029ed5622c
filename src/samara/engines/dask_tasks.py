"""What a task of Dask does: a part summarized, two summaries merged; and the tree of these merges.

Summaries travel as parcels: a task never changes what another may still have to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from samara.core import Part
from samara.engines.held import Held, HeldPart
from samara.engines.parcels import copied, opened, wrapped
from samara.engines.tasks import Lazy, Shared, counted
from samara.linalg.workers import single_blas_thread

Told = tuple[int, bytes, list[Any]]  # rows, and the summary of them as a parcel


def made(part: Any, shared: Shared, others: Sequence[Part]) -> Any:
    """The summary of one part as it is: nobody changes it any more."""
    return _counted(part, shared, others)[1]


def summarized(part: Any, shared: Shared, others: Sequence[Part]) -> Told:
    """The summary of one part, to be merged."""
    rows, summary = _counted(part, shared, others)
    return rows, *wrapped(summary)


def _counted(part: Any, shared: Shared, others: Sequence[Part]) -> tuple[int, Any]:
    return counted(HeldPart(part) if isinstance(shared[0], Held) else part, shared, others)


def supplied(part: Lazy, rows: Sequence[Any]) -> Any:
    """A part with its rows, made on the worker or sent there by another."""
    return part.supplied(rows)


def _merged(one: Told, other: Told) -> Told:
    """Two summaries as one, in their order."""
    total = copied(one[1:])
    with single_blas_thread():
        total.merge(opened(other[1:]))
    return one[0] + other[0], *wrapped(total)


def tree(leaves: Sequence[Any], workers: int, key: str) -> Any:
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


def at(place: str | None) -> AbstractContextManager[None]:
    """Tasks made meanwhile are for this worker, if it is there."""
    import dask

    return dask.annotate(workers=[place], allow_other_workers=True) if place else nullcontext()


def without_warning() -> AbstractContextManager[Any]:
    """No warning that rows travel with their tasks: they do."""
    import dask

    quiet: AbstractContextManager[Any] = dask.config.set(
        {"distributed.admin.large-graph-warning-threshold": "1 PB"}
    )
    return quiet
