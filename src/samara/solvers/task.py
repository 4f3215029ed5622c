"""What a solver is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from samara.core import Engine, Source
from samara.errors import InputError
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
    def most(self) -> int:
        """The largest rank H can have."""
        return min(self.n_columns, self.source.n_rows)

    def rng(self) -> np.random.Generator:
        """Randomness of the solver alone: the nodes are drawn from another stream."""
        return np.random.default_rng(np.random.SeedSequence([self.entropy, 2]))

    def given_rank(self) -> int | None:
        """The rank as a number of columns; None where it is to be found."""
        if isinstance(self.rank, str):
            return None
        rank = round(self.rank * self.n_columns) if isinstance(self.rank, float) else int(self.rank)
        if rank > self.most:
            raise InputError(
                f"rank {rank:,} is above {self.most:,}, the smaller of {self.source.n_rows:,} rows and "
                f"{self.n_columns:,} columns of H."
            )
        return max(1, rank)
