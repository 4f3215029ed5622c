"""Rows held in memory (or memory-mapped): dense arrays of any number type, and SciPy CSR matrices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from samara.core import Array, Block, FeatureMap, Labels, dense
from samara.rowkeys import fold_of, row_keys

# Rows sorted by fold at a time: long runs of one fold keep the blocks full and are seldom carried over;
# what sorts them takes 6 MB.
FOLD_CHUNK = 131_072
KEY_CELLS = 65_536  # values keyed at a time: half a megabyte stays in the core's cache
SMALLEST_PART = 256  # rows for which it is worth waking a worker


@dataclass(frozen=True)
class Reconstructed:
    """Targets that are the inputs themselves behind some maps: those of an autoencoder."""

    maps: tuple[FeatureMap, ...]
    n_out: int

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Target rows of raw input rows."""
        for feature_map in self.maps:
            X = feature_map(X)
        return dense(X)


@dataclass(frozen=True)
class ArraySource:
    """A table in memory; nothing of it is copied beyond a block."""

    X: Any  # (n, d)
    y: Array  # (n, t), or (n, 1) raw labels when a target map is set
    weight: Array | None = None
    maps: tuple[FeatureMap, ...] = ()
    target: FeatureMap | None = None
    n_folds: int = 1
    labels: Labels | None = None  # the texts behind codes: the first block of a part carries them

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return self.maps[-1].n_out if self.maps else int(self.X.shape[1])

    @property
    def n_targets(self) -> int:
        return self.target.n_out if self.target else int(self.y.shape[1])

    @property
    def is_sparse(self) -> bool:
        return hasattr(self.X, "indptr")

    @property
    def held(self) -> tuple[object, ...]:
        return self.X, self.y, self.weight

    @property
    def sent_bytes(self) -> int:
        """What its rows take when they are sent to a cluster."""
        X = self.X
        stored = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if self.is_sparse else X.nbytes
        return int(stored + self.y.nbytes + (0 if self.weight is None else self.weight.nbytes))

    def _with(self, **fields: Any) -> ArraySource:
        """The same table but for these fields: `replace` takes 4 µs, and a small fit asks five times."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, **fields)
        return made

    def shell(self) -> ArraySource:
        """What its parts share, without any row."""
        return replace(self, X=self.X[:0], y=self.y[:0], weight=None)

    def map(self, feature_map: FeatureMap) -> ArraySource:
        """The same rows, seen through one more map."""
        return self._with(maps=(*self.maps, feature_map))

    def with_targets(self, target: FeatureMap) -> ArraySource:
        """The same rows with their targets seen through a map."""
        return self._with(target=target)

    def reconstructing(self) -> ArraySource:
        """The same rows; what they are to be mapped to is what the maps so far give."""
        return replace(self, target=Reconstructed(self.maps, self.n_features))

    def targets(self, index: slice | Array) -> Array:
        """Targets of some rows."""
        if isinstance(self.target, Reconstructed):
            return self.target(self.X[index])
        return self.target(self.y[index]) if self.target else self.y[index]

    def folded(self, n_folds: int) -> ArraySource:
        """The same rows, each block of one fold only."""
        return self if n_folds == self.n_folds else self._with(n_folds=n_folds)

    def cut(self, start: int, stop: int) -> ArraySource:
        """Some of the rows, in arrays of their own: what the user does to the table does not reach them."""
        rows = slice(start, stop)
        weight = None if self.weight is None else self.weight[rows].copy()
        return self._with(X=self.X[rows].copy(), y=self.targets(rows).copy(), weight=weight, target=None)

    def weighted(self, weight: Array) -> ArraySource:
        """The same rows, their weights multiplied."""
        return replace(self, weight=weight if self.weight is None else weight * self.weight)

    def padded(self, n_targets: int) -> ArraySource:
        """The same rows with more targets, all 0."""
        return replace(self, y=np.pad(self.y, ((0, 0), (0, n_targets - self.y.shape[1]))))

    def parts(self, count: int) -> Sequence[ArrayPart]:
        """Up to ``count`` runs of consecutive rows, as equal as can be, none much shorter than a block."""
        count = max(1, min(count, self.n_rows // SMALLEST_PART))
        if count == 1:
            return [ArrayPart(self, 0, self.n_rows)]
        edges = (self.n_rows * k // count for k in range(count + 1))
        return [ArrayPart(self, a, b) for a, b in pairwise(edges)]


@dataclass(frozen=True)
class ArrayPart:
    """Rows ``start`` to ``stop`` of a source."""

    source: ArraySource
    start: int
    stop: int
    first: int = 0  # global number of row 0 of the source

    def alone(self) -> ArrayPart:
        """Its rows as a table of their own, in which nothing else of the whole table is left."""
        X, y, weight = self.source.X, self.source.y, self.source.weight
        rows = slice(self.start, self.stop)
        own = ArraySource(X[rows], y[rows], None if weight is None else weight[rows])
        return ArrayPart(own, 0, self.stop - self.start, self.first + self.start)

    def within(self, shell: ArraySource) -> ArrayPart:
        """The same rows with the maps, targets and folds of another source."""
        own = self.source
        return replace(self, source=replace(shell, X=own.X, y=own.y, weight=own.weight))

    def blocks(self, rows: int) -> Iterator[Block]:
        """Blocks of at most ``rows`` rows; rows of weight 0 are left out."""
        labels = self.source.labels
        if labels is None:
            yield from self._blocks(rows)
            return
        for block in self._blocks(rows):
            yield block if labels is None else replace(block, labels=labels)
            labels = None  # the texts of a table belong to all of its blocks; once is enough

    def _blocks(self, rows: int) -> Iterator[Block]:
        weight = self.source.weight
        if self.source.n_folds == 1 and (weight is None or (weight[self.start : self.stop] > 0).all()):
            for lo in range(self.start, self.stop, rows):
                yield self._block(slice(lo, min(lo + rows, self.stop)), lo, 0)
            return
        chunk = FOLD_CHUNK if self.source.n_folds > 1 else rows
        for lo in range(self.start, self.stop, chunk):
            for fold, index in self._by_fold(lo, min(lo + chunk, self.stop)):
                # Equal pieces: a remainder of a few rows would waste a whole product.
                for piece in np.array_split(index, -(-len(index) // rows)):
                    yield self._block(piece, lo, fold)

    def _by_fold(self, lo: int, hi: int) -> Iterator[tuple[int, Array]]:
        """The row numbers of each fold that has any, without the rows of weight 0."""
        source = self.source
        rows = np.arange(lo, hi)
        alive = None if source.weight is None else source.weight[lo:hi] > 0
        if source.n_folds == 1:
            folds = np.zeros(hi - lo, np.intp)
        else:
            step = max(16, KEY_CELLS // source.X.shape[1])
            pieces = (source.X[a : min(a + step, hi)] for a in range(lo, hi, step))
            folds = np.concatenate([fold_of(row_keys(piece), source.n_folds) for piece in pieces])
        for fold in range(source.n_folds):
            chosen = folds == fold if alive is None else (folds == fold) & alive
            if chosen.any():
                yield fold, rows[chosen]

    def _block(self, index: slice | Array, start: int, fold: int) -> Block:
        source = self.source
        return Block(
            X=source.X[index],
            y=source.targets(index),
            weight=None if source.weight is None else source.weight[index],
            start=self.first + start,
            fold=fold,
            maps=source.maps,
        )
