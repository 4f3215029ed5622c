"""Passes that read a finished model: predictions and leave-one-out scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from samara.core import Array, Block, OutputMap
from samara.summaries.layout import Layout

Press = Callable[[Array], Array]


class Predictions:
    """Writes h(x)·coef + intercept of each row to its place in a shared array."""

    def __init__(self, out: Array, coef: Array, intercept: Array, block_rows: int) -> None:
        self.out, self.coef, self.intercept = out, coef, intercept
        self._block_rows = min(block_rows, len(out))
        self._workspace: Array | None = None

    def update(self, block: Block) -> None:
        """Predict the rows of a block."""
        rows = self.out[block.start : block.start + len(block)]
        if block.maps and isinstance(block.maps[-1], OutputMap):
            block.maps[-1].outputs(block.before(), self.coef, self.intercept, rows)
            return
        if self._workspace is None:
            self._workspace = np.empty((self._block_rows, len(self.coef)), self.coef.dtype)
        H = block.features(out=self._workspace[: len(block)])
        np.matmul(H, self.coef, out=rows)
        rows += self.intercept

    def merge(self, other: Self) -> None:
        """Nothing to do: all workers write into one array."""


class LeaveOneOut:
    """Weighted sums of squared and of fourth powers of leave-one-out errors (PRESS, Schindler eq. 2.22).

    ``press`` turns the augmented rows of a block into their leave-one-out errors (b, cases, t).
    """

    def __init__(self, layout: Layout, press: Press, block_rows: int) -> None:
        self.layout, self._press = layout, press
        self._block_rows = block_rows
        self._workspace: Array | None = None
        self.weight = 0.0
        self.rows = 0
        self.squares: Array | float = 0.0
        self.fourths: Array | float = 0.0

    def update(self, block: Block) -> None:
        """Add the leave-one-out errors of a block."""
        if self._workspace is None:
            self._workspace = self.layout.workspace(self._block_rows)
        Z = self.layout.fill(block, self._workspace)
        errors = self._press(Z)
        np.multiply(errors, errors, out=errors)
        self.squares = self.squares + errors.sum(axis=0)
        self.fourths = self.fourths + np.einsum("ict,ict->ct", errors, errors)
        self.weight += float(len(block) if block.weight is None else block.weight.sum())
        self.rows += len(block)

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What is there between two blocks."""
        numbers = {"weight": self.weight, "rows": self.rows}
        return numbers, {"squares": np.asarray(self.squares), "fourths": np.asarray(self.fourths)}

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Go on from a state."""
        self.weight, self.rows = float(numbers["weight"]), int(numbers["rows"])
        self.squares, self.fourths = arrays["squares"], arrays["fourths"]

    def merge(self, other: Self) -> None:
        """Add another's sums."""
        self.squares = self.squares + other.squares
        self.fourths = self.fourths + other.fourths
        self.weight += other.weight
        self.rows += other.rows
