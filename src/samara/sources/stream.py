"""Rows read from files as they are needed: pieces cut into even runs, and runs into blocks of one fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from samara.core import Array, Block, Chunk, FeatureMap, Labels, Piece
from samara.sources.arrays import FOLD_CHUNK, SMALLEST_PART, ArraySource, Reconstructed

# Values read at a time: 4 MB in float64, of which a worker holds several copies for a moment. With 50 columns
# they are 10,000 rows, two blocks for each of five folds. Wide tables: every column costs a few calls.
CHUNK_CELLS = 1 << 19
FEWEST_ROWS = 2048


@dataclass(frozen=True)
class Width:
    """Columns as they are read."""

    inputs: int
    targets: int
    is_sparse: bool = False


@dataclass(frozen=True)
class ClassWeights:
    """What a row weighs by its class, as the class is read."""

    codes: Array  # (k,) increasing
    factors: Array  # (k,)

    def __call__(self, y: Array) -> Array:
        """The weights of rows whose first target is their class."""
        place = np.searchsorted(self.codes, y[:, 0]).clip(max=len(self.codes) - 1)
        return np.asarray(self.factors[place])


@dataclass(frozen=True)
class StreamSource:
    """Pieces of files, in order; of their rows no more than a chunk a worker is in memory."""

    pieces: tuple[Piece, ...]
    width: Width
    guess: int = 0  # rows, where they were not counted yet
    counts: tuple[int, ...] | None = None  # rows of each piece
    maps: tuple[FeatureMap, ...] = ()
    target: FeatureMap | None = None
    n_folds: int = 1
    labelled: bool = False  # whether blocks carry the texts behind their codes
    class_weights: ClassWeights | None = None

    @property
    def n_rows(self) -> int:
        return sum(self.counts) if self.counts is not None else self.guess

    @property
    def n_features(self) -> int:
        return self.maps[-1].n_out if self.maps else self.width.inputs

    @property
    def n_targets(self) -> int:
        return self.target.n_out if self.target else self.width.targets

    @property
    def is_sparse(self) -> bool:
        return self.width.is_sparse and not self.maps

    @property
    def held(self) -> tuple[object, ...]:
        return self.pieces, self.counts

    def shell(self) -> StreamSource:
        """What its parts share, without any piece."""
        return replace(self, pieces=(), counts=None)

    @property
    def chunk_rows(self) -> int:
        """Rows read at a time."""
        return max(FEWEST_ROWS, min(FOLD_CHUNK, CHUNK_CELLS // max(1, self.width.inputs)))

    @property
    def held_bytes(self) -> int:
        """What a worker holds to read its rows: the reader, and six times a chunk.

        For Arrow's allocator rounds up and keeps what it frees; as stored, as columns, side by side, twice.
        """
        reader = max((getattr(piece, "held_bytes", 0) for piece in self.pieces), default=0)
        rows = min(self.chunk_rows, self.n_rows)
        return int(1.15 * reader + 48 * rows * (self.width.inputs + self.width.targets))

    def map(self, feature_map: FeatureMap) -> StreamSource:
        """The same rows, seen through one more map."""
        return replace(self, maps=(*self.maps, feature_map))

    def with_targets(self, target: FeatureMap) -> StreamSource:
        """The same rows with their targets seen through a map."""
        return replace(self, target=target)

    def reconstructing(self) -> StreamSource:
        """The same rows; what they are to be mapped to is what the maps so far give."""
        return replace(self, target=Reconstructed(self.maps, self.n_features))

    def folded(self, n_folds: int) -> StreamSource:
        """The same rows, each block of one fold only."""
        return replace(self, n_folds=n_folds)

    def cut(self, start: int, stop: int) -> ArraySource:
        """Some of the rows, read into arrays of their own."""
        return self.batch(joined(list(self._read(start, stop)) or [self._no_rows()]))

    def batch(self, chunk: Chunk) -> ArraySource:
        """Rows that were read, as a table in memory."""
        made = ArraySource(chunk.X, chunk.y, self._weighed(chunk), self.maps, self.target, self.n_folds)
        return replace(made, labels=chunk.labels)

    def parts(self, count: int) -> Sequence[StreamPart]:
        """Up to ``count`` runs of consecutive rows, as equal as can be.

        Pieces whose rows nobody counted are a part each; where they are few, several read each and take turns
        with its chunks. Rows that may come in another order the next time have one reader, not to come twice.
        """
        if not all(getattr(piece, "in_order", True) for piece in self.pieces):
            count = 1
        if self.counts is None:
            turns = 1 if len(self.pieces) >= count else count
            return [
                StreamPart(self, ((piece, 0, None),), number << 40, (turn, turns))
                for number, piece in enumerate(self.pieces)
                for turn in range(turns)
            ]
        count = max(1, min(count, self.n_rows // SMALLEST_PART))
        edges = np.linspace(0, self.n_rows, count + 1).astype(int).tolist()
        return [StreamPart(self, self._spans(a, b), a) for a, b in pairwise(edges)]

    def _spans(self, start: int, stop: int) -> tuple[tuple[Piece, int, int], ...]:
        """Which rows of which pieces are the rows from ``start`` to ``stop`` of all."""
        spans, first = [], 0
        for piece, count in zip(self.pieces, self.counts or (), strict=True):
            a, b = max(start - first, 0), min(stop - first, count)
            if a < b:
                spans.append((piece, a, b))
            first += count
        return tuple(spans)

    def _read(self, start: int, stop: int) -> Iterator[Chunk]:
        """The rows from ``start`` to ``stop`` of all; pieces that nobody counted are read from the top."""
        if self.counts is not None:
            for piece, a, b in self._spans(start, stop):
                yield from piece.chunks(self.chunk_rows, a, b)
            return
        row = 0
        for piece in self.pieces:
            for chunk in piece.chunks(self.chunk_rows, 0, stop - row):
                first, row = max(0, start - row), row + len(chunk.y)
                if first < len(chunk.y):
                    weight = None if chunk.weight is None else chunk.weight[first:]
                    yield Chunk(chunk.X[first:], chunk.y[first:], weight)
            if row >= stop:
                return

    def _no_rows(self) -> Chunk:
        made = sparse.csr_matrix if self.width.is_sparse else np.zeros
        return Chunk(made((0, self.width.inputs)), np.zeros((0, self.width.targets)))

    def _weighed(self, chunk: Chunk) -> Array | None:
        if self.class_weights is None:
            return chunk.weight
        factors = self.class_weights(chunk.y)
        return factors if chunk.weight is None else np.asarray(factors * chunk.weight)


@dataclass(frozen=True)
class StreamPart:
    """A run of rows, in spans of pieces."""

    source: StreamSource
    spans: tuple[tuple[Piece, int, int | None], ...]
    start: int
    turn: tuple[int, int] = (0, 1)  # which of how many readers of these rows

    def alone(self) -> StreamPart:
        """Where its rows are found."""
        return replace(self, source=StreamSource((), self.source.width))

    def within(self, shell: StreamSource) -> StreamPart:
        """The same rows with the maps, targets and folds of another source."""
        return replace(self, source=shell)

    def awaited(self) -> list[Any]:
        """What makes its rows on a cluster, for each piece; nothing where files are read."""
        return [task for piece, _, _ in self.spans if (task := getattr(piece, "awaits", None)) is not None]

    def supplied(self, made: Sequence[Any]) -> StreamPart:
        """The part with the rows that it awaits."""
        pieces: list[Any] = [piece for piece, _, _ in self.spans]
        spans = [(p.supplied(m), a, b) for p, m, (_, a, b) in zip(pieces, made, self.spans, strict=True)]
        return replace(self, spans=tuple(spans))

    def numbered(self, number: int) -> StreamPart:
        """The part as the one of that number, its rows behind those of all parts before."""
        return replace(self, start=number << 40)

    def chunks(self) -> Iterator[tuple[int, Chunk]]:
        """The rows as they are read, each chunk with the number of its first row."""
        first, (turn, turns) = self.start, self.turn
        for number, chunk in enumerate(self._full()):
            if number % turns == turn:
                yield first, chunk
            first += len(chunk.y)

    def _full(self) -> Iterator[Chunk]:
        """Chunks of full length: what small files give is put together."""
        rows, held = self.source.chunk_rows, 0
        waiting: list[Chunk] = []
        for piece, start, stop in self.spans:
            for chunk in piece.chunks(rows, start, stop, self.source.labelled):
                if held and held + len(chunk.y) > rows:
                    yield joined(waiting)
                    waiting, held = [], 0
                waiting.append(chunk)
                held += len(chunk.y)
                del chunk  # or it would still be there while the next one is read
        if held:
            yield joined(waiting)

    def blocks(self, rows: int) -> Iterator[Block]:
        """Blocks of at most ``rows`` rows of one fold; rows of weight 0 are left out."""
        for first, chunk in self.chunks():
            labels = chunk.labels
            for block in self.source.batch(chunk).parts(1)[0].blocks(rows):
                # The texts of a chunk belong to all of its blocks; once is enough.
                yield replace(block, start=block.start + first, labels=labels)
                labels = None


@dataclass(frozen=True)
class WeightAsTarget:
    """A piece whose weights are one more target, so that rows of weight 0 are not left out."""

    piece: Piece

    @property
    def name(self) -> str:
        return self.piece.name

    @property
    def n_rows(self) -> int | None:
        return self.piece.n_rows

    @property
    def in_order(self) -> bool:
        return getattr(self.piece, "in_order", True)

    @property
    def awaits(self) -> Any:
        return getattr(self.piece, "awaits", None)

    def supplied(self, made: Any) -> WeightAsTarget:
        """The piece with the rows that it awaits."""
        piece: Any = self.piece
        return WeightAsTarget(piece.supplied(made))

    def chunks(
        self, rows: int, start: int = 0, stop: int | None = None, labels: bool = False
    ) -> Iterator[Chunk]:
        """The rows from ``start`` to ``stop`` in chunks of at most ``rows``."""
        for chunk in self.piece.chunks(rows, start, stop, labels):
            assert chunk.weight is not None
            yield replace(chunk, y=np.column_stack([chunk.y, chunk.weight]), weight=None)


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Chunks one after the other, as one."""
    if len(chunks) == 1:
        return chunks[0]
    weights = [chunk.weight for chunk in chunks if chunk.weight is not None]
    return Chunk(
        X=_stacked([chunk.X for chunk in chunks]),
        y=np.concatenate([chunk.y for chunk in chunks]),
        weight=np.concatenate(weights) if weights else None,
        labels=_together([chunk.labels for chunk in chunks if chunk.labels]),
    )


def _stacked(pieces: list[Any]) -> Any:
    return sparse.vstack(pieces, format="csr") if sparse.issparse(pieces[0]) else np.concatenate(pieces)


def _together(pieces: list[Labels]) -> Labels | None:
    """All texts of several chunks."""
    if not pieces:
        return None
    names = {name for piece in pieces for name in piece}
    return {name: {k: v for piece in pieces for k, v in piece.get(name, {}).items()} for name in names}
