"""What tasks of a cluster do, whichever cluster it is: one part summarized, two summaries merged."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from samara.core import FeatureMap, Part, Source
from samara.errors import InputError
from samara.linalg.blas import single_blas_thread

Told = tuple[int, bytes]  # rows, and the summary of them
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


def summarized(part: Part, shared: Shared) -> Told:
    """The summary of one part, made on a worker."""
    from cloudpickle import dumps

    shell, make, block_rows = shared
    summary, rows = make(), 0
    with single_blas_thread():
        for block in part.within(shell).blocks(block_rows):
            summary.update(block)
            rows += len(block) if hasattr(block, "__len__") else 1  # a summary that was held is one row
    if hasattr(summary, "finish"):  # what is only half added up would be twice as large
        summary.finish()
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


@dataclass(frozen=True)
class HeldPart:
    """A summary that stayed on a worker."""

    summary: bytes = field(repr=False)

    def blocks(self, rows: int) -> Iterator[Any]:
        """The summary, as the one block there is."""
        yield pickle.loads(self.summary)

    def alone(self) -> HeldPart:
        """Itself: it shares nothing."""
        return self

    def within(self, shell: Any) -> HeldPart:
        """Itself: a summary is seen through no map."""
        return self


@dataclass(frozen=True, eq=False)
class HeldSource:
    """Summaries that stayed on the workers of a cluster, one a part."""

    there: Any = field(repr=False)  # what the cluster knows them by
    count: int
    n_features: int
    n_targets: int

    is_sparse = False

    @property
    def n_rows(self) -> int:
        """The summaries: each counts as a row."""
        return self.count

    @property
    def held(self) -> tuple[object, ...]:
        return (self.there,)

    def shell(self) -> HeldSource:
        """Nothing is shared."""
        return HeldSource(None, self.count, self.n_features, self.n_targets)

    def parts(self, count: int) -> Sequence[Part]:
        """None of them is here."""
        raise InputError("Summaries that were held on a cluster can be gone through by that cluster only.")

    def map(self, feature_map: FeatureMap) -> HeldSource:
        """Not for summaries."""
        raise InputError("Summaries that were held are seen through no map.")

    def with_targets(self, target: FeatureMap) -> HeldSource:
        """Not for summaries."""
        raise InputError("Summaries that were held have no targets.")

    def folded(self, n_folds: int) -> HeldSource:
        """Not for summaries."""
        raise InputError("Summaries that were held have no folds.")

    def cut(self, start: int, stop: int) -> Any:
        """Not for summaries."""
        raise InputError("Summaries that were held are cut into no rows.")
