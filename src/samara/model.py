"""The frozen result of a fit: maps, coefficients and an intercept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from samara.core import Array, Engine, FeatureMap, OutputMap, Source, dense, seen_through
from samara.maps import fused
from samara.summaries import Here, Predictions


@dataclass(frozen=True)
class Model:
    """f(x) = h(x)ᵀ coef + intercept."""

    maps: tuple[FeatureMap, ...]
    coef: Array  # (L, t)
    intercept: Array  # (t,)

    def features(self, X: Any) -> Array:
        """H: the hidden rows of X, (n, L)."""
        for feature_map in self.maps:
            X = feature_map(X)
        return dense(X)

    def refuses_non_finite(self, source: Source) -> bool:
        """Whether `predict` looks for NaN and infinity itself, as it reads the rows."""
        maps = fused(self.maps, source.is_sparse)
        return len(maps) == 1 and isinstance(maps[0], OutputMap)

    def seen(self, source: Source) -> Source:
        """The rows of a source behind its maps, several of them as one where they are compiled so."""
        return seen_through(source, fused(self.maps, source.is_sparse))

    def predict(self, source: Source, engine: Engine) -> Array:
        """Outputs (n, t), block by block: never n×L."""
        source = self.seen(source)
        out = np.empty((source.n_rows, self.coef.shape[1]), self.coef.dtype)
        rows = min(engine.block_rows, source.n_rows)
        make = partial(Predictions, Here(out), self.coef, self.intercept, rows)
        done = engine.summarize(source, make, name="predict")
        return out if done.out.array is not None else done.ordered()[0]

    def predictions(self, block_rows: int) -> Callable[[], Predictions]:
        """What makes summaries that keep the outputs of their rows."""
        return partial(Predictions, Here(), self.coef, self.intercept, block_rows)

    def answers(self, source: Source, engine: Engine) -> tuple[Array, Array] | None:
        """Outputs and targets of rows that nobody has counted yet, in their order; None if there are none."""
        made = self.predictions(engine.block_rows)
        done = engine.summarize(self.seen(source), made, name="predict")
        return done.ordered() if done.runs else None
