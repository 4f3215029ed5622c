"""Gaps filled: a learned map from rows with missing values to complete ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg.gaps import Pieces, filled_rows
from samara.maps.columns import Coding, Columns, Levels, Number


@dataclass(frozen=True)
class Fill:
    """Each gap becomes its conditional mean under the pieces; what is there stays, to the bit."""

    mean: Array  # (d,) of the values that are there
    spread: Array  # (d,)
    pieces: Pieces  # of standardised rows

    @property
    def n_out(self) -> int:
        return len(self.mean)

    def scaled(self, X: Array) -> Array:
        """Standardised rows, NaN in the gaps, as the pieces take them."""
        return np.ascontiguousarray((X - self.mean) / self.spread)

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Complete rows."""
        rows = np.asarray(X)
        made = np.empty(rows.shape, rows.dtype if rows.dtype.kind == "f" else np.float64)
        made = made if out is None else out
        made[...] = rows
        gaps = np.isnan(made)
        broken = np.flatnonzero(gaps.any(axis=1))
        if len(broken):
            full = filled_rows(self.scaled(np.asarray(rows[broken], np.float64)), self.pieces)
            made[broken] = np.where(gaps[broken], full * self.spread + self.mean, made[broken])
        return made


@dataclass(frozen=True)
class WithGaps:
    """A raw table as numbers in which a missing value is still NaN: that of a text in all its indicators."""

    columns: Columns

    @property
    def n_out(self) -> int:
        return self.columns.n_out

    def __call__(self, X: Array, out: Array | None = None) -> Array:
        """The rows as numbers."""
        made = self.columns(X, out)
        for j, coding in enumerate(self.columns.codings):
            if isinstance(coding, Number | Levels):
                gone = np.isnan(X[:, j])
                made[gone, self.columns.starts[j] : self.columns.starts[j + 1]] = np.nan
        return made


def unflagged(columns: Columns) -> Columns:
    """The same columns without those that say what is missing."""
    kept: list[Coding] = []
    for column, coding in zip(columns.schema, columns.codings, strict=True):
        if isinstance(coding, Number | Levels):
            kept.append(replace(coding, flag=False))
        elif coding is None:
            kept.append(None)
        else:
            raise InputError(
                f"Column {column.name!r} has too many categories for its gaps to be filled by other columns: "
                'leave the column out, or use missing="flag".'
            )
    return Columns(columns.schema, tuple(kept))


@dataclass(frozen=True)
class FilledColumns(Columns):
    """Raw rows → numbers, the missing ones filled by what the others of the row say."""

    fill: Fill | None = None  # always there; dataclasses want a default behind those of their parents

    @property
    def is_identity(self) -> bool:
        """Never: a row may have gaps."""
        return False

    @cached_property
    def _gaps(self) -> WithGaps:
        return WithGaps(Columns(self.schema, self.codings))

    def __call__(self, X: Array, out: Array | None = None) -> Array:
        """The rows as numbers, none of them missing."""
        assert self.fill is not None
        return self.fill(self._gaps(X, out), out)
