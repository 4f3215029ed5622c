"""The frozen result of a fit: maps, coefficients and an intercept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array, Engine, FeatureMap, OutputMap, Source, dense, seen_through
from samara.maps import fused
from samara.summaries import Predictions


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
        return isinstance(fused(self.maps, source.is_sparse)[-1], OutputMap)

    def predict(self, source: Source, engine: Engine) -> Array:
        """Outputs (n, t), block by block: never n×L."""
        source = seen_through(source, fused(self.maps, source.is_sparse))
        out = np.empty((source.n_rows, self.coef.shape[1]), self.coef.dtype)
        engine.summarize(
            source, lambda: Predictions(out, self.coef, self.intercept, engine.block_rows), name="predict"
        )
        return out
