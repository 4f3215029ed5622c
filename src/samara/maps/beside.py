"""Several models side by side: what their maps make of the same rows, as the features of one model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import TILE_ROWS, Array, FeatureMap, dense
from samara.errors import NonFiniteError
from samara.maps.compiled import fused
from samara.maps.leaves import LeafRows


@dataclass(frozen=True)
class Beside:
    """[h₁(x), h₂(x), …]: the features of several chains of maps next to each other.

    A sum of models is then a model: its coefficients are theirs, one below the other.
    """

    chains: tuple[tuple[FeatureMap, ...], ...]

    @property
    def n_out(self) -> int:
        return sum(chain[-1].n_out for chain in self.chains)

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """The features of the rows."""
        made = np.empty((X.shape[0], self.n_out)) if out is None else out
        for chain, columns in self.parts():
            made[:, columns] = _through(chain, X)
        return made

    def parts(self) -> Iterator[tuple[tuple[FeatureMap, ...], slice]]:
        """Each chain, and the columns that are its own."""
        start = 0
        for chain in self.chains:
            stop = start + chain[-1].n_out
            yield chain, slice(start, stop)
            start = stop

    def outputs(self, X: Any, coef: Array, intercept: Array, out: Array) -> None:
        """h(x)·coef + intercept into ``out``, one chain at a time; refuses rows that are not finite."""
        if not np.isfinite(X.data if hasattr(X, "indptr") else X).all():
            raise NonFiniteError("X contains NaN or infinity")
        out[...] = intercept
        for chain, columns in self.parts():
            maps = fused(chain, hasattr(X, "indptr"))
            if isinstance(maps[-1], LeafRows):  # all rows of a leaf together
                made = np.empty_like(out)
                maps[-1].outputs(_through(maps[:-1], X), coef[columns], np.zeros_like(intercept), made)
                out += made
                continue
            for lo in range(0, X.shape[0], TILE_ROWS):
                out[lo : lo + TILE_ROWS] += _through(maps, X[lo : lo + TILE_ROWS]) @ coef[columns]


def _through(maps: tuple[FeatureMap, ...], X: Any) -> Array:
    for feature_map in maps:
        X = feature_map(X)
    return dense(X)
