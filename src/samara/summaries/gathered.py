"""All rows brought together: what a model that keeps its rows begins with."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse

from samara.core import Array, Block
from samara.rowkeys import row_keys


class Gathered:
    """The rows behind their maps, or as they are, in their order, with keys of their content."""

    def __init__(self, as_they_are: bool = False) -> None:
        self._as_they_are = as_they_are
        self.inputs: list[Any] = []
        self.targets: list[Array] = []
        self.weights: list[Array] = []  # none where all are 1
        self.keys: list[Array] = []

    def update(self, block: Block) -> None:
        """Keep the rows of a block."""
        self.inputs.append(block.X if self._as_they_are else block.inputs())
        self.targets.append(block.y)
        if block.weight is not None:
            self.weights.append(block.weight)
        self.keys.append(row_keys(block.X))

    def merge(self, other: Self) -> None:
        """The rows that come after."""
        self.inputs += other.inputs
        self.targets += other.targets
        self.weights += other.weights
        self.keys += other.keys

    def joined(self) -> tuple[Any, Array, Array | None, Array]:
        """Inputs, CSR where they are sparse, targets, weights (None where all are 1) and keys of all rows."""
        pieces = self.inputs
        X = sparse.vstack(pieces, format="csr") if sparse.issparse(pieces[0]) else np.concatenate(pieces)
        weights = np.concatenate(self.weights) if self.weights else None
        return X, np.concatenate(self.targets), weights, np.concatenate(self.keys)
