"""All rows, once for each tile of the Gram matrix: the source that tiles are made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samara.core import Block, Part, Source
from samara.engines import Unmapped
from samara.maps import chosen
from samara.solvers.task import Task
from samara.summaries import TileBlock, columns_of_tile

Pair = tuple[int, int]


def even_edges(n_columns: int, groups: int) -> tuple[int, ...]:
    """Where groups of columns, as equal as can be, begin and end."""
    return tuple(int(edge) for edge in np.linspace(0, n_columns, groups + 1).round())


@dataclass(frozen=True)
class TileRows(Unmapped):
    """A part for each tile; it goes through all rows, with the nodes of its two groups alone."""

    rows: Source
    edges: tuple[int, ...]
    pairs: tuple[Pair, ...]
    given: tuple[Part, ...] = ()  # the rows, where they are cut already

    @classmethod
    def upper(cls, task: Task, edges: tuple[int, ...]) -> TileRows:
        """The tiles of the upper triangle."""
        groups = range(len(edges) - 1)
        pairs = tuple((i, j) for i in groups for j in groups if i <= j)
        return cls(task.source.folded(task.n_folds), edges, pairs)

    @classmethod
    def diagonal(cls, task: Task, edges: tuple[int, ...]) -> TileRows:
        """The tiles on the diagonal."""
        pairs = tuple((i, i) for i in range(len(edges) - 1))
        return cls(task.source.folded(task.n_folds), edges, pairs)

    @property
    def n_rows(self) -> int:
        return self.rows.n_rows * len(self.pairs)

    @property
    def n_features(self) -> int:
        return self.rows.n_features

    @property
    def n_targets(self) -> int:
        return self.rows.n_targets

    @property
    def is_sparse(self) -> bool:
        return self.rows.is_sparse

    @property
    def held(self) -> tuple[object, ...]:
        return self.rows.held

    def shell(self) -> TileRows:
        """Maps and groups, without any row."""
        return replace(self, rows=self.rows.shell(), given=())

    def over(self, parts: Sequence[Part]) -> TileRows:
        """The same tiles, over rows that are cut already."""
        return replace(self, given=tuple(parts))

    def parts(self, count: int) -> Sequence[TilePart]:
        """A part for each tile, however many workers there are."""
        return [TilePart(self, pair) for pair in self.pairs]


@dataclass(frozen=True)
class TilePart:
    """All rows with the nodes of one tile."""

    source: TileRows | None
    pair: Pair

    def alone(self) -> TilePart:
        """Which tile."""
        return TilePart(None, self.pair)

    def within(self, shell: Any) -> TilePart:
        """The same tile of another source."""
        return TilePart(shell, self.pair)

    def blocks(self, rows: int) -> Iterator[Block]:
        """All rows, in blocks of at most ``rows``."""
        assert self.source is not None
        columns, nodes = columns_of_tile(self.source.edges, self.pair), None
        for part in self.source.given or self.source.rows.parts(1):
            for block in part.blocks(rows):
                *before, last = block.maps
                nodes = nodes or chosen(last, columns)  # the maps of all blocks are the same
                maps = (*before, nodes)
                yield TileBlock(block.X, block.y, block.weight, block.start, block.fold, maps, tile=self.pair)
