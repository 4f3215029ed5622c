"""What the tasks of every cluster have in common: the parts that were sent, and the summary of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from samara.core import Crossed, Part, Source
from samara.engines.held import Held, finished
from samara.errors import InputError
from samara.linalg.workers import single_blas_thread

Shared = tuple[Source, Callable[[], Any], int]  # shell of the source, who makes summaries, rows at a time


@runtime_checkable
class Lazy(Protocol):
    """A part whose rows may be made by the cluster itself."""

    def awaited(self) -> list[Any]:
        """What makes its rows: tasks of Dask, or a data frame of Spark; nothing where files are read."""
        ...

    def supplied(self, made: Sequence[Any]) -> Any:
        """The part with what they have made."""
        ...

    def numbered(self, number: int) -> Any:
        """The part as the one of that number among several."""
        ...


@dataclass
class Sent:
    """The parts of the table last worked on: they travel once, not in every pass."""

    held: tuple[object, ...] = ()
    count: int = 0
    parts: list[Any] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)  # of Dask: key → the worker that is to have the part

    def has(self, source: Source, count: int) -> bool:
        """Whether these are the parts of a source."""
        same = len(self.held) == len(source.held) and all(
            a is b for a, b in zip(self.held, source.held, strict=True)
        )
        return same and self.count == count and bool(self.parts)


def packed(what: Any) -> bytes:
    """Something of ours, or of the user's, as bytes."""
    from cloudpickle import dumps

    try:
        made: bytes = dumps(what)
    except Exception as error:
        raise InputError(f"What the workers need can't be sent to them: {error}.") from error
    return made


def counted(part: Part, shared: Shared, others: Sequence[Part] = ()) -> tuple[int, Any]:
    """The rows and the summary of one part, made on a worker; of a crossed source, over all its rows."""
    shell, make, block_rows = shared
    summary, rows = make(), 0
    if isinstance(shell, Crossed):
        shell = shell.over([other.within(shell.rows) for other in others])
    with single_blas_thread():
        for block in part.within(shell).blocks(block_rows):
            summary.update(block)
            rows += 0 if isinstance(shell, Held) else len(block)  # a summary that was held is no row
    return rows, finished(summary)
