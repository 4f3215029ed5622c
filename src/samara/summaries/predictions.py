"""Passes that read a finished model: predictions and leave-one-out scores."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, Self

import numpy as np

from samara.core import Array, Block, OutputMap
from samara.summaries.layout import Layout, Scratch

Press = Callable[[Array], Array]


class Here:
    """An array of this process: what is sent to another comes without it."""

    def __init__(self, array: Array | None = None) -> None:
        self.array = array

    def __reduce__(self) -> tuple[type[Here], tuple[()]]:
        return Here, ()


class Predictions:
    """h(x)·coef + intercept of each row: written to its place in a shared array, or kept until it gets there.

    Threads write into one array. A process that can't reach it keeps what it has predicted, and the targets,
    with the number of the first row of each run of rows.
    """

    def __init__(self, out: Here, coef: Array, intercept: Array, block_rows: int) -> None:
        self.out, self.coef, self.intercept, self._block_rows = out, coef, intercept, block_rows
        self.runs: list[tuple[int, Array, Array]] = []
        self._workspace: Array | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What was predicted, without the model."""
        return {**self.__dict__, "coef": None, "intercept": None, "_workspace": None}

    def update(self, block: Block) -> None:
        """Predict the rows of a block."""
        if self.out.array is None:
            rows = np.empty((len(block), self.coef.shape[1]), self.coef.dtype)
            self.runs.append((block.start, rows, block.y))
        else:
            rows = self.out.array[block.start : block.start + len(block)]
        if block.maps and isinstance(block.maps[-1], OutputMap):
            block.maps[-1].outputs(block.before(), self.coef, self.intercept, rows)
            return
        if self._workspace is None:
            self._workspace = np.empty((self._block_rows, len(self.coef)), self.coef.dtype)
        H = block.features(out=self._workspace[: len(block)])
        np.matmul(H, self.coef, out=rows)
        rows += self.intercept

    def merge(self, other: Self) -> None:
        """Add the rows that another has kept."""
        self.runs += other.runs

    def ordered(self) -> tuple[Array, Array]:
        """Outputs and targets that were kept, in the order of the rows."""
        runs = sorted(self.runs, key=itemgetter(0))
        return np.concatenate([rows for _, rows, _ in runs]), np.concatenate([y for _, _, y in runs])


class LeaveOneOut(Scratch):
    """Weighted sums of squared and of fourth powers of leave-one-out errors (PRESS, Schindler eq. 2.22).

    ``press`` turns the augmented rows of a block into their leave-one-out errors (b, cases, t).
    """

    def __init__(self, layout: Layout, press: Press, block_rows: int) -> None:
        self.layout, self._press = layout, press
        self._block_rows = block_rows
        self.weight = 0.0
        self.rows = 0
        self.squares: Array | float = 0.0
        self.fourths: Array | float = 0.0

    def __getstate__(self) -> dict[str, Any]:
        """The sums, without what turns rows into errors: that is as large as a Gram matrix."""
        return {**super().__getstate__(), "_press": None}

    def update(self, block: Block) -> None:
        """Add the leave-one-out errors of a block."""
        Z = self._filled(block, self._block_rows)
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
