"""Moments of rows with gaps, filled by what is known so far: what one step of an imputation keeps."""

from __future__ import annotations

from typing import Self

import numpy as np

from samara.core import Array, Block
from samara.errors import NonFiniteError
from samara.linalg.gaps import PieceMoments, Pieces, add_moments
from samara.rowkeys import row_keys
from samara.summaries.present import PresentMoments
from samara.summaries.sampling import RowSample


class GapLook:
    """Means and spreads of what is there, and a sample of rows, gaps and all."""

    def __init__(self, n_columns: int, sample_rows: int, salt: int) -> None:
        self.n_rows = 0
        self.inputs = PresentMoments(n_columns)
        self.drawn = RowSample(sample_rows)
        self._salt = salt

    def update(self, block: Block) -> None:
        """Look at a block; infinities are refused."""
        X = np.asarray(block.inputs())
        if np.isinf(X).any():
            raise NonFiniteError("X contains infinity")
        self.n_rows += len(X)
        self.inputs.merge(PresentMoments.of(X, block.weight))
        self.drawn.draw(row_keys(X, self._salt), X)

    def merge(self, other: Self) -> None:
        """Add another's look."""
        self.n_rows += other.n_rows
        self.inputs.merge(other.inputs)
        self.drawn.merge(other.drawn)


class FilledMoments(PieceMoments):
    """Moments of standardised rows under pieces, each gap filled."""

    def __init__(self, pieces: Pieces, mean: Array, spread: Array, uncertain: bool) -> None:
        super().__init__(pieces)
        self._pieces, self._mean, self._spread, self._uncertain = pieces, mean, spread, uncertain

    def update(self, block: Block) -> None:
        """Fill the rows of a block and add them up."""
        Z = np.asarray(block.inputs(), np.float64) - self._mean
        Z /= self._spread
        add_moments(np.ascontiguousarray(Z), self._pieces, self, self._uncertain)

    def merge(self, other: Self) -> None:
        """Add another's."""
        self.add(other)
