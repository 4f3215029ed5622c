"""Some of the rows of a source, chosen by the hash of their content: the same in every pass and process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samara.core import Batch, Block, FeatureMap, Part, Source
from samara.rowkeys import row_keys


@dataclass(frozen=True)
class Lot:
    """Which rows: those whose hash, as a share of all hashes, is from ``low`` up to ``high``."""

    salt: int
    low: float
    high: float

    def drawn(self, block: Block) -> Block | None:
        """These rows of a block; None where there are none."""
        shares = row_keys(block.X, self.salt) / 2.0**64
        mine = np.flatnonzero((shares >= self.low) & (shares < self.high))
        if len(mine) in (0, len(block)):
            return block if len(mine) else None
        weight = None if block.weight is None else block.weight[mine]
        return replace(block, X=block.X[mine], y=block.y[mine], weight=weight)


@dataclass(frozen=True)
class Share:
    """A source with some of its rows left out; how many it has is only known to be no more than all."""

    whole: Source
    lot: Lot

    @property
    def held(self) -> tuple[object, ...]:
        return (self.lot, *self.whole.held)

    @property
    def n_rows(self) -> int:
        return self.whole.n_rows

    @property
    def n_features(self) -> int:
        return self.whole.n_features

    @property
    def n_targets(self) -> int:
        return self.whole.n_targets

    @property
    def is_sparse(self) -> bool:
        return self.whole.is_sparse

    @property
    def sent_bytes(self) -> int:
        """What its rows take when they are sent to a cluster."""
        return int(getattr(self.whole, "sent_bytes", 0))

    def shell(self) -> Share:
        """What its parts share, without any row."""
        return replace(self, whole=self.whole.shell())

    def map(self, feature_map: FeatureMap) -> Share:
        """The same rows, seen through one more map."""
        return replace(self, whole=self.whole.map(feature_map))

    def with_targets(self, target: FeatureMap) -> Share:
        """The same rows with their targets seen through a map."""
        return replace(self, whole=self.whole.with_targets(target))

    def reconstructing(self) -> Share:
        """The same rows; what they are to be mapped to is what the maps so far give."""
        return replace(self, whole=self.whole.reconstructing())

    def folded(self, n_folds: int) -> Share:
        """The same rows, each block of one fold only."""
        return replace(self, whole=self.whole.folded(n_folds))

    def cut(self, start: int, stop: int) -> Batch:
        """Some rows of the whole, for their kind: which of them are chosen is not looked at."""
        return self.whole.cut(start, stop)

    def parts(self, count: int) -> Sequence[SharePart]:
        """The parts of the whole."""
        return [SharePart(part, self.lot) for part in self.whole.parts(count)]


@dataclass(frozen=True)
class SharePart:
    """The chosen rows of a part."""

    part: Part
    lot: Lot

    def alone(self) -> SharePart:
        """Its rows without what all parts share."""
        return replace(self, part=self.part.alone())

    def within(self, shell: Share) -> SharePart:
        """The same rows with what the parts of another source share."""
        return SharePart(self.part.within(shell.whole), shell.lot)

    def blocks(self, rows: int) -> Iterator[Block]:
        """The chosen rows, in blocks of at most ``rows``."""
        for block in self.part.blocks(rows):
            drawn = self.lot.drawn(block)
            if drawn is not None:
                yield drawn
