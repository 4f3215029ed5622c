"""The kernel matrix as a source: parts are pairs of row blocks, tiles are made where they are used.

Only tiles on and above the diagonal are made (Bi et al., Algorithm 2), and each serves for both its places.
The rows travel to a cluster once in a fit, for the parts hold them; what is multiplied with travels in each
pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from samara.core import Array
from samara.maps import Gramian

Index = slice | Array


class Weighted:
    """√wᵢ·K[i, j]·√wⱼ: the kernel matrix of weighted rows."""

    def __init__(self, gramian: Gramian, roots: Array) -> None:
        self._gramian, self._roots = gramian, roots.astype(gramian.dtype)
        self.n, self.dtype, self.shape = gramian.n, gramian.dtype, gramian.shape

    def tile(self, rows: Index, columns: Index, out: Array | None = None) -> Array:
        """Some rows and columns of it."""
        made = self._gramian.tile(rows, columns, out)
        made *= self._roots[rows][:, None]
        made *= self._roots[columns]
        return made

    def diagonal(self) -> Array:
        """Its diagonal."""
        return np.asarray(self._gramian.diagonal() * self._roots**2)


@dataclass(frozen=True)
class Tile:
    """Some rows and columns of the matrix, and their mirror image where they are off the diagonal."""

    rows: slice
    columns: slice
    entries: Array

    def __len__(self) -> int:
        return int(self.entries.size)

    @property
    def mirrored(self) -> bool:
        """Whether it stands for two places."""
        return self.rows != self.columns


@dataclass(frozen=True)
class Tiles:
    """The tiles of a kernel matrix on and above its diagonal; their rows and columns are blocks of rows."""

    gramian: Gramian
    weights: Array | None
    step: int  # rows and columns of a tile
    keep: int = 0  # tiles kept from one pass to the next, by passes of this process
    kept: dict[int, Array] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_rows(self) -> int:
        """Entries, which is what progress is measured in."""
        n, short = self.gramian.n, self.gramian.n % self.step
        whole = n // self.step
        return self.step**2 * whole * (whole + 1) // 2 + short * self.step * whole + short**2

    @property
    def n_features(self) -> int:
        """Numbers that an entry is made of."""
        return int(self.gramian.rows.shape[1])

    @property
    def held(self) -> tuple[object, ...]:
        """The rows: the same in any precision."""
        return self.gramian.rows, self.weights, self.step

    @property
    def matrix(self) -> Any:
        """What tiles are taken of."""
        return self.gramian if self.weights is None else Weighted(self.gramian, np.sqrt(self.weights))

    def shell(self) -> Tiles:
        """Kernel and precision, without any row."""
        bare = Gramian(self.gramian.kernel, self.gramian.rows[:0, :0], self.gramian.dtype)
        return Tiles(bare, None, self.step)

    def pairs(self) -> list[tuple[int, int]]:
        """First rows and columns of the tiles."""
        edges = range(0, self.gramian.n, self.step)
        return [(i, j) for i in edges for j in edges if j >= i]

    def parts(self, count: int) -> list[TilePart]:
        """Every count-th tile, so that the parts take the same time."""
        return [TilePart(self, k, count) for k in range(min(count, len(self.pairs())))]


@dataclass(frozen=True)
class TilePart:
    """Every ``count``-th tile from the one of a number."""

    source: Tiles
    first: int
    count: int

    def alone(self) -> TilePart:
        """All rows, for a tile needs any two blocks of them; no tiles."""
        return replace(self, source=replace(self.source, keep=0, kept={}))

    def within(self, shell: Tiles) -> TilePart:
        """The same rows, with the kernel and precision of another source."""
        rows = Gramian(shell.gramian.kernel, self.source.gramian.rows, shell.gramian.dtype)
        return replace(self, source=replace(self.source, gramian=rows))

    def blocks(self, rows: int) -> Iterator[Tile]:
        """The tiles, each in the place of the last."""
        source, pairs = self.source, self.source.pairs()
        matrix, n = source.matrix, source.gramian.n
        scratch = np.empty((source.step, source.step), matrix.dtype)
        for number in range(self.first, len(pairs), self.count):
            i, j = pairs[number]
            rows_, columns = slice(i, min(i + source.step, n)), slice(j, min(j + source.step, n))
            if number in source.kept:
                yield Tile(rows_, columns, source.kept[number])
                continue
            shape = (rows_.stop - i, columns.stop - j)
            # Every so many tiles one is kept, so that all workers save the same time.
            keep = number * source.keep // len(pairs) != (number + 1) * source.keep // len(pairs)
            out = np.empty(shape, scratch.dtype) if keep else scratch[: shape[0], : shape[1]]
            made = matrix.tile(rows_, columns, out=out)
            if keep:
                source.kept[number] = made
            yield Tile(rows_, columns, made)


class TileProducts:
    """KP, summed over tiles (Bi et al., Algorithm 3, for many columns at once)."""

    def __init__(self, P: Array) -> None:
        self._P: Array | None = P
        self.total = np.zeros(P.shape)

    def update(self, block: Any) -> None:
        """Add what a tile and its mirror image make of P."""
        assert self._P is not None
        tile: Tile = block
        self.total[tile.rows] += tile.entries @ self._P[tile.columns]
        if tile.mirrored:
            self.total[tile.columns] += tile.entries.T @ self._P[tile.rows]

    def merge(self, other: Self) -> None:
        """Add another's sums."""
        self.total += other.total

    def finish(self) -> Self:
        """Let P go: the sums travel, not what they were made with."""
        self._P = None
        return self


class TileGaps:
    """‖K − ABᵀ‖²_F, summed over tiles."""

    def __init__(self, A: Array, B: Array) -> None:
        self._factors: tuple[Array, Array] | None = (A, B)
        self.squares = 0.0

    def update(self, block: Any) -> None:
        """Add the squares of a tile and of its mirror image."""
        assert self._factors is not None
        tile: Tile = block
        A, B = self._factors
        self.squares += _squares(tile.entries - A[tile.rows] @ B[tile.columns].T)
        if tile.mirrored:
            self.squares += _squares(tile.entries - B[tile.rows] @ A[tile.columns].T)

    def merge(self, other: Self) -> None:
        """Add another's sum."""
        self.squares += other.squares

    def finish(self) -> Self:
        """Let the factors go."""
        self._factors = None
        return self


def _squares(gap: Array) -> float:
    return float(np.einsum("ij,ij->", gap, gap, dtype=np.float64))
