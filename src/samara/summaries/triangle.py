"""The square-root form: a triangle of each fold (TSQR), or simply its rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from samara.core import Array, Block
from samara.linalg.triangular import packed, triangle, unpacked
from samara.rowkeys import keys_with_targets
from samara.summaries.layout import Layout, Scratch


class Triangle(Scratch):
    """R of each fold with RᵀR = ZᵀZ; never squares the condition number.

    A fold with fewer rows than columns keeps a trapezoid, so nothing is special about n < L.
    """

    def __init__(self, layout: Layout, n_folds: int, block_rows: int) -> None:
        self.layout = layout
        self.folds: list[Array] = [np.zeros((0, layout.width), layout.dtype) for _ in range(n_folds)]
        self.block_rows = block_rows

    def __getstate__(self) -> dict[str, Any]:
        """Without the workspace and the zeros below the triangles: half as much travels."""
        return {**super().__getstate__(), "folds": [packed(R) for R in self.folds]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.folds = [unpacked(flat, self.layout.width) for flat in self.folds]

    def update(self, block: Block) -> None:
        """Fold the rows of a block into the triangle."""
        self._stack(block.fold, self._filled(block, self.block_rows))

    def merge(self, other: Self) -> None:
        """Fold in another's triangles."""
        for fold, R in enumerate(other.folds):
            if len(R):
                self._stack(fold, R)

    def finish(self) -> Self:
        """Let the workspace go."""
        self._workspace = None
        return self

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What is there between two blocks."""
        return {}, {str(fold): R for fold, R in enumerate(self.folds)}

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Go on from a state."""
        self.folds = [arrays[str(fold)] for fold in range(len(self.folds))]

    def _stack(self, fold: int, rows: Array) -> None:
        self.folds[fold] = triangle(np.vstack([self.folds[fold], rows]))


class Rows:
    """The augmented rows themselves, for problems small enough to keep them (n < L, or the plain SVD)."""

    def __init__(self, layout: Layout, n_folds: int, block_rows: int) -> None:
        self.layout = layout
        self.n_folds = n_folds
        self.block_rows = block_rows
        self._rows: list[Array] = []
        self._folds: list[Array] = []
        self._keys: list[Array] = []

    def update(self, block: Block) -> None:
        """Keep the rows of a block."""
        self._rows.append(
            self.layout.fill(block, np.empty((len(block), self.layout.width), self.layout.dtype))
        )
        self._folds.append(np.full(len(block), block.fold))
        self._keys.append(keys_with_targets(block.X, block.y))

    def merge(self, other: Self) -> None:
        """Append another's rows."""
        self._rows += other._rows
        self._folds += other._folds
        self._keys += other._keys

    def finish(self) -> Self:
        """Put the rows into one array, in place of the pieces."""
        while len(self._rows) > 1:
            self._rows = [np.concatenate(self._rows)]
            self._folds = [np.concatenate(self._folds)]
            self._keys = [np.concatenate(self._keys)]
        return self

    @property
    def rows(self) -> Array:
        return self.finish()._rows[0]

    @property
    def folds(self) -> Array:
        return self.finish()._folds[0]

    @property
    def keys(self) -> Array:
        """Of the rows' inputs, and of inputs and targets (n, 2)."""
        return self.finish()._keys[0]
