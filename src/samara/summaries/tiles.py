"""Tiles of the Gram matrix: two groups of nodes each, made from all rows and left where they were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from samara.core import Array, Block
from samara.linalg.blas import add_product, mirror_upper
from samara.linalg.room import copied, room
from samara.summaries.layout import Layout
from samara.summaries.moments import Moments

Pair = tuple[int, int]  # which two groups of nodes


@dataclass(frozen=True, slots=True)
class TileBlock(Block):
    """Rows whose last map gives the nodes of two groups, or of one, alone."""

    tile: Pair = (0, 0)


def columns_of_tile(edges: Sequence[int], tile: Pair) -> Array:
    """The columns of H that a tile sees; the groups of nodes begin and end at the edges."""
    return np.concatenate([np.arange(edges[g], edges[g + 1]) for g in dict.fromkeys(tile)])


class CrossMoments(Moments):
    """HᵢᵀHⱼ of the rows of each fold; the first ``known`` features are those of group i."""

    def __init__(self, layout: Layout, n_folds: int, block_rows: int, known: int) -> None:
        super().__init__(layout, n_folds, block_rows, known)
        self._shape = (known, layout.n_features - known)

    def _add(self, Z: Array, gram: Array) -> None:
        between = 1 + self.known
        add_product(Z[:, 1:between], Z[:, between : 1 + self.layout.n_features], gram)


class Tile:
    """HᵢᵀHⱼ of all rows and of each fold; on the diagonal the moments of [1, Hᵢ, T].

    Which tile it is it learns from its rows, so that an engine needs to know nothing of tiles.
    """

    def __init__(self, layout: Layout, edges: Sequence[int], n_folds: int, block_rows: int) -> None:
        self._layout, self._edges = layout, tuple(edges)
        self._n_folds, self._block_rows = n_folds, block_rows
        self.tile: Pair = (0, 0)
        self._moments: Moments | None = None
        self.grams: list[Array] = []  # all rows, then the folds where there are several

    def update(self, block: Any) -> None:
        """Add the rows of a block."""
        if self._moments is None:
            self._begin(block.tile)
        assert self._moments is not None
        self._moments.update(block)

    def _begin(self, tile: Pair) -> None:
        layout = replace(self._layout, shift=self._layout.shift[columns_of_tile(self._edges, tile)])
        self.tile, (first, second) = tile, tile
        settings = layout, self._n_folds, self._block_rows
        if first == second:
            self._moments = Moments(*settings)
        else:
            self._moments = CrossMoments(*settings, self._edges[first + 1] - self._edges[first])

    def merge(self, other: Self) -> None:
        """Add another's rows of the same tile."""
        if self._moments is None:
            self.tile, self._moments = other.tile, other._moments
        elif other._moments is not None:
            self._moments.merge(other._moments)

    def finish(self) -> Self:
        """Add up the folds, and let the workspace go."""
        if self._moments is None:
            return self
        moments, self._moments = self._moments.finish(), None
        shape = moments._shape
        self.grams = [room(shape) if gram is None else gram for gram in moments.grams]
        if self.on_diagonal:
            self.grams = [mirror_upper(gram) for gram in self.grams]
        if len(self.grams) > 1:
            total = copied(self.grams[0])
            for gram in self.grams[1:]:
                total += gram
            self.grams.insert(0, total)
        return self

    @property
    def on_diagonal(self) -> bool:
        return self.tile[0] == self.tile[1]

    def nodes(self, number: int) -> Array:
        """HᵢᵀHⱼ of all rows (0), or of a fold (1, …)."""
        gram, size = self.grams[number], self._edges[self.tile[0] + 1] - self._edges[self.tile[0]]
        return gram[1 : 1 + size, 1 : 1 + size] if self.on_diagonal else gram

    def __sizeof__(self) -> int:
        """What it takes, for a cluster that looks after its memory."""
        return object.__sizeof__(self) + sum(gram.nbytes for gram in self.grams)


class TileSums:
    """[1, Hᵢ, T]ᵀ[1, T] and ‖Hᵢ‖² of the diagonal tiles, of all rows and of each fold."""

    def __init__(self, n_targets: int) -> None:
        self._n_targets = n_targets
        self.sums: dict[int, Array] = {}  # group → (1 + folds, 1 + |i| + t, 1 + t)
        self.energy = 0.0

    def update(self, tile: Any) -> None:
        """Add a tile."""
        if tile.on_diagonal:
            width = len(tile.grams[0])
            kept = [0, *range(width - self._n_targets, width)]
            self.sums[tile.tile[0]] = np.stack([gram[:, kept] for gram in tile.grams])
            self.energy += float(np.trace(tile.nodes(0)))

    def merge(self, other: Self) -> None:
        """Add another's tiles."""
        self.sums |= other.sums
        self.energy += other.energy


class TileProducts:
    """GV, group by group, from the tiles of the upper triangle.

    ``which[j]`` says over which rows: 0 all, k ≥ 1 all but those of fold k − 1, −k only those of it.
    """

    def __init__(self, edges: Sequence[int], V: Array, which: Array) -> None:
        self._edges, self._V, self._which = tuple(edges), np.ascontiguousarray(V), which
        self.products: dict[int, Array] = {}

    def update(self, tile: Any) -> None:
        """Add what a tile and its mirror image give."""
        first, second = tile.tile
        self._add(first, self._times(tile, second, mirrored=False))
        if not tile.on_diagonal:
            self._add(second, self._times(tile, first, mirrored=True))

    def _times(self, tile: Tile, group: int, mirrored: bool) -> Array:
        """The tile times its share of V."""
        V = self._V[self._edges[group] : self._edges[group + 1]]

        def product(number: int, columns: Array) -> Array:
            A = tile.nodes(number)
            return np.asarray((A.T if mirrored else A) @ V[:, columns])

        whole = self._which >= 0
        if whole.all() and len(tile.grams) == 1:
            return product(0, whole)
        made = np.zeros((tile.nodes(0).shape[int(mirrored)], V.shape[1]))
        made[:, whole] = product(0, whole)
        for case in np.unique(self._which[self._which != 0]):
            columns = self._which == case
            made[:, columns] -= np.sign(case) * product(abs(int(case)), columns)
        return made

    def _add(self, group: int, product: Array) -> None:
        self.products[group] = self.products[group] + product if group in self.products else product

    def merge(self, other: Self) -> None:
        """Add another's products."""
        for group, product in other.products.items():
            self._add(group, product)

    def whole(self) -> Array:
        """GV, (L, m)."""
        return np.concatenate([self.products[group] for group in sorted(self.products)])
