"""The constitution: what a row block is, and the seams between the rooms.

A fit is a mergeable *summary* of row *blocks*, turned once into a *factor*, from which every ridge,
every model size and every held-out score is cheap. Who merges (threads, a stream, a cluster) is the
business of the *engine* alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# Rows pushed through the maps at a time: 256 rows of 1000 nodes are 1 or 2 MB, so the element-wise steps of
# an activation find the rows still in the core's own cache. Shorter tiles mean more calls, at each of which
# two threads wait for the interpreter: 128 rows took a sixth longer to fill in float32.
TILE_ROWS = 256


class FeatureMap(Protocol):
    """h(x): already drawn, or already learned from a summary; never changes again."""

    @property
    def n_out(self) -> int:
        """Number of columns it gives."""
        ...

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """The features of the rows of X, written into ``out`` where given."""
        ...


@runtime_checkable
class BlockMap(Protocol):
    """A map that takes the shift off as it makes its features."""

    by_tiles: ClassVar[bool]  # it is given a tile at a time, still in the cache; else the whole block

    def fill(self, X: Any, out: Array, shift: Array | None) -> Array:
        """The features of the rows of X, less the shift, written into ``out``."""
        ...


@runtime_checkable
class OutputMap(Protocol):
    """A map that multiplies its features with coefficients as it makes them, and keeps none."""

    def outputs(self, X: Any, coef: Array, intercept: Array, out: Array) -> None:
        """h(x)·coef + intercept of the rows of X, written into ``out``; refuses rows that are not finite."""
        ...


Labels = Mapping[str, Mapping[float, str]]  # name of a column of text → code → text


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows as they are read: texts as the code of `schema.text_code`, missing values as NaN."""

    X: Any  # (b, d) float array in C order, or a CSR matrix; missing values are np.nan, of one bit pattern
    y: Array  # (b, t), coded in the same way; t may be 0
    weight: Array | None = None  # (b,)
    labels: Labels | None = None  # of the texts in these rows, inputs and targets, where asked for


class Piece(Protocol):
    """A picklable piece of a file (a row group, a file, a run of rows), opened where it is read."""

    @property
    def name(self) -> str:
        """Which piece, in words: ``"2024.parquet, row group 3"``."""
        ...

    @property
    def n_rows(self) -> int | None:
        """Its rows; None where they have to be read to be counted."""
        ...

    def chunks(
        self, rows: int, start: int = 0, stop: int | None = None, labels: bool = False
    ) -> Iterator[Chunk]:
        """The rows from ``start`` to ``stop`` in chunks of at most ``rows``."""
        ...


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows, not yet mapped: raw inputs, targets, weights, and the maps they will go through."""

    X: Any  # (b, d) array or CSR matrix, as stored
    y: Array  # (b, t)
    weight: Array | None  # (b,), positive; None means 1 each
    start: int  # global number of the first row; the rows of a fold's block are not consecutive
    fold: int = 0  # all rows of a block belong to one fold
    maps: tuple[FeatureMap, ...] = ()
    labels: Labels | None = None  # the texts behind codes, where a look asked for them

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def inputs(self) -> Any:
        """The rows behind all maps, where these give numbers that are not many more than were read."""
        return reduce(lambda X, feature_map: feature_map(X), self.maps, self.X)

    def before(self) -> Any:
        """The rows behind all maps but the last: a raw table becomes numbers, nothing as wide as H."""
        return replace(self, maps=self.maps[:-1]).inputs()

    def features(self, out: Array, shift: Array | None = None) -> Array:
        """Push the rows through the maps, a cache-sized tile at a time, into ``out``, less the shift.

        A tile is worked on where its rows lie back to back, which element-wise steps take at three times
        the speed of rows with gaps; the subtraction of the shift is also the move to ``out``.
        """
        last: Any = self.maps[-1] if self.maps else None
        by_tiles = getattr(last, "by_tiles", None)  # None: no BlockMap; the protocol is slower to ask for
        if by_tiles is False:
            return cast("Array", last.fill(self.before(), out, shift))
        scratch = np.empty((0 if by_tiles else min(TILE_ROWS, len(self)), out.shape[1]), out.dtype)
        for lo in range(0, len(self), TILE_ROWS):
            room, rows = out[lo : lo + TILE_ROWS], self.X[lo : lo + TILE_ROWS]
            tile = reduce(lambda X, feature_map: feature_map(X), self.maps[:-1], rows)
            if by_tiles:
                last.fill(tile, room, shift)
            else:
                made = tile if last is None else last(tile, out=scratch[: len(room)])
                np.subtract(dense(made), 0 if shift is None else shift, out=room)
        return out


class Part(Protocol):
    """A picklable run of rows, opened where it is read."""

    def blocks(self, rows: int) -> Iterator[Block]:
        """The rows in blocks of at most ``rows``."""
        ...

    def alone(self) -> Part:
        """Its own rows, or where they are found, without what all parts share: what travels once."""
        ...

    def within(self, shell: Any) -> Part:
        """The same rows with what all parts share, the shell of their source."""
        ...


class Source(Protocol):
    """Where rows come from. All is lazy but ``cut``, which reads or copies."""

    @property
    def held(self) -> tuple[object, ...]:
        """The arrays or pieces its rows are in: the same objects, the same rows in the same parts."""
        ...

    def shell(self) -> Source:
        """What its parts share, maps above all, without any row."""
        ...

    @property
    def n_rows(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_targets(self) -> int: ...
    @property
    def is_sparse(self) -> bool: ...
    def parts(self, count: int) -> Sequence[Part]: ...
    def map(self, feature_map: FeatureMap) -> Source: ...
    def with_targets(self, target: FeatureMap) -> Source: ...
    def reconstructing(self) -> Source: ...
    def folded(self, n_folds: int) -> Source: ...
    def cut(self, start: int, stop: int) -> Batch: ...


class Batch(Source, Protocol):
    """Rows in memory, of which a stream keeps some."""

    def weighted(self, weight: Array) -> Batch: ...
    def padded(self, n_targets: int) -> Batch: ...


class Summary(Protocol):
    """A monoid over blocks: updating then merging is the same as one long update."""

    def update(self, block: Block) -> None: ...
    def merge(self, other: Self) -> None: ...


S = TypeVar("S", bound=Summary)


class Engine(Protocol):
    """Who merges. One verb; parts are merged in their order, so a rerun gives the same bits."""

    @property
    def block_rows(self) -> int: ...
    def summarize(self, source: Source, make: Callable[[], S], name: str = "pass") -> S: ...


@runtime_checkable
class Holder(Engine, Protocol):
    """An engine that can leave summaries where they were made."""

    def hold(self, source: Source, make: Callable[[], Summary], name: str = "pass") -> Source:
        """One summary a part, not merged: a source that has them, for the passes that follow.

        A part gives its summary as the one item of ``blocks``; it stays with whoever made it.
        """
        ...


@runtime_checkable
class Crossed(Protocol):
    """A source each part of which goes through all the rows of another."""

    @property
    def rows(self) -> Source: ...
    def over(self, parts: Sequence[Part]) -> Source:
        """The same parts, over rows that are cut already."""
        ...


Progress = Callable[[str, int, int], None]  # name of the pass, rows just done, rows in all


class Crew(Engine, Protocol):
    """An engine as the user gives it: a plan says how much of it is used."""

    @property
    def workers(self) -> int:
        """Threads of a process that work at the same time."""
        ...

    @property
    def progress(self) -> Progress | None: ...
    def planned(self, workers: int, block_rows: int, progress: Progress | None) -> Crew:
        """The engine with so many threads a process, which hold so many rows each."""
        ...


class System(Protocol):
    """Ridge problems over one set of rows, in the coordinates of the summary."""

    weight: float  # total weight of the rows
    means: Array  # of features and targets; zero without an intercept
    target_squares: Array  # (t,) centred
    fit_intercept: bool

    @property
    def trace(self) -> float:
        """Trace of the centred Gram matrix: the scale a ridge is measured in."""
        ...

    def solve(self, alpha: float, sizes: Sequence[int]) -> Array:
        """Solutions for each leading block of columns, (1 + L, S, t), intercept first."""
        ...

    def spectrum(self, size: int | None = None) -> tuple[Array, Array, Array]:
        """Eigenvalues (descending) and eigenvectors of the leading centred Gram, rotated cross moments."""
        ...

    def condition(self, alpha: float) -> float:
        """Estimate of the condition number of the regularised H."""
        ...

    def rank(self, alpha: float, size: int) -> int:
        """Columns of H that the solution uses: its numerical rank where that was worked out."""
        ...


class Factor(Protocol):
    """What a solver makes of a summary: the system of all rows, of all but a fold, and of a fold alone."""

    @property
    def n_folds(self) -> int: ...
    @property
    def fold_weights(self) -> Array: ...
    def system(self, without: int | None = None) -> System: ...
    def squared_errors(self, solutions: Array, fold: int | None = None) -> Array:
        """Weighted squared errors (S, t) of solutions (1 + L, S, t) on a fold, or on all rows."""
        ...


def seen_through(source: Source, maps: Sequence[FeatureMap]) -> Source:
    """The rows of a source after all the maps."""
    for feature_map in maps:
        source = source.map(feature_map)
    return source


def dense(X: Any) -> Array:
    """A dense view or copy of a tile that may be sparse."""
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)
