"""Rows made from a seed where they are read: a table of any length that nobody has to store or send."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Chunk
from samara.schema import Column
from samara.sources import Scan
from samara.sources.picks import Picks

CELL = 8192  # rows drawn at a time: the same ones however a table is cut
N_INPUTS = 40


@dataclass(frozen=True)
class Drawn:
    """A run of rows: standardised inputs, and a smooth target of five of them with noise."""

    n_rows: int
    n_inputs: int = N_INPUTS
    seed: int = 0

    @property
    def name(self) -> str:
        return f"{self.n_rows:,} rows drawn from seed {self.seed}"

    @property
    def rows_guess(self) -> int:
        return self.n_rows

    @property
    def held_bytes(self) -> int:
        return 16 * CELL * (self.n_inputs + 1)

    @property
    def stored_bytes(self) -> int:
        return 0

    def picking(self, _: Picks) -> "Drawn":
        """All columns are there, and in order."""
        return self

    def chunks(
        self, rows: int, start: int = 0, stop: int | None = None, labels: bool = False
    ) -> Iterator[Chunk]:
        """The rows from ``start`` to ``stop``, a cell or a part of it at a time."""
        stop = self.n_rows if stop is None else min(stop, self.n_rows)
        for cell in range(start // CELL, -(-stop // CELL)):
            X, y = self._cell(cell)
            low, high = max(start - cell * CELL, 0), min(stop - cell * CELL, CELL)
            for lo in range(low, high, rows):
                here = slice(lo, min(lo + rows, high))
                yield Chunk(X[here], y[here])

    def _cell(self, cell: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng([self.seed, cell])
        X = rng.standard_normal((CELL, self.n_inputs))
        y = np.sin(X[:, :5]).sum(axis=1, keepdims=True) + 0.1 * rng.standard_normal((CELL, 1))
        return X, y


def drawn(n_rows: int, n_inputs: int = N_INPUTS) -> Any:
    """A scan of such rows."""
    inputs = tuple(Column(f"x{j}", "number") for j in range(n_inputs))
    return Scan(Picks(inputs, (Column("y", "number"),)), (Drawn(n_rows, n_inputs),))
