"""What a solver is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from samara.core import Engine, Source
from samara.errors import InputError
from samara.shapes import is_tiny
from samara.summaries import Layout

Rank = int | float | Literal["auto"]


@dataclass(frozen=True)
class Task:
    """Rows to be summarized, and what will be asked of the factor."""

    source: Source  # seen through the hidden layer
    engine: Engine
    layout: Layout
    n_folds: int = 1
    fit_intercept: bool = True
    alphas: Sequence[float] | None = None  # the ridges; None: a grid in proportion to the trace
    trace: float = 1.0  # estimate of that of the Gram
    rank: Rank = "auto"
    entropy: int = 0  # of the seed

    @property
    def n_columns(self) -> int:
        """Columns of H."""
        return self.layout.n_features

    @property
    def tiny_ridge(self) -> bool:
        """Whether HᵀH can't carry the smallest ridge."""
        return self.alphas is not None and is_tiny(min(self.alphas), self.trace, self.layout.dtype.name)

    @property
    def most(self) -> int:
        """The largest rank H can have."""
        return min(self.n_columns, self.source.n_rows)

    def rng(self) -> np.random.Generator:
        """Randomness of the solver alone: the nodes are drawn from another stream."""
        return np.random.default_rng(np.random.SeedSequence([self.entropy, 2]))

    def given_rank(self) -> int | None:
        """The rank as a number of columns; None where it is to be found."""
        return checked_columns(self.rank, self.source.n_rows, self.n_columns)


def checked_columns(rank: Rank, n_rows: int, n_columns: int) -> int | None:
    """A rank as a number of columns, None where it is to be found; refuses more than H can have."""
    if isinstance(rank, str):
        return None
    columns = max(1, round(rank * n_columns) if isinstance(rank, float) else int(rank))
    if columns > min(n_rows, n_columns):
        raise InputError(
            f"rank {columns:,} is above {min(n_rows, n_columns):,}, the smaller of {n_rows:,} rows and "
            f"{n_columns:,} columns of H."
        )
    return columns
