"""How far a model is from the targets of some rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from samara.core import TILE_ROWS, Array, Block


class SquaredErrors:
    """Weighted sums over rows of the squared errors of outputs, of the targets, and of their squares."""

    def __init__(self, coef: Array, intercept: Array, centre: Array) -> None:
        self._coef: Array | None = coef
        self._intercept, self._centre = intercept, centre
        self.weight = 0.0
        self.sums = np.zeros((3, len(centre)))  # errors², targets − centre, (targets − centre)²

    def __getstate__(self) -> dict[str, Any]:
        """The sums, without the coefficients."""
        return {**self.__dict__, "_coef": None}

    def update(self, block: Block) -> None:
        """Add the rows of a block, a tile at a time: a kernel model has as many features as rows."""
        for lo in range(0, len(block), TILE_ROWS):
            rows = slice(lo, lo + TILE_ROWS)
            weight = None if block.weight is None else block.weight[rows]
            self._add(replace(block, X=block.X[rows], y=block.y[rows], weight=weight))

    def _add(self, block: Block) -> None:
        assert self._coef is not None
        H = block.features(out=np.empty((len(block), len(self._coef)), self._coef.dtype))
        errors = (H @ self._coef + self._intercept) - block.y
        weight = np.ones(len(block)) if block.weight is None else block.weight
        away = block.y - self._centre
        self.weight += float(weight.sum())
        self.sums = self.sums + np.stack([weight @ errors**2, weight @ away, weight @ away**2])

    def merge(self, other: Self) -> None:
        """Add another's sums."""
        self.weight += other.weight
        self.sums = self.sums + other.sums

    def relative(self) -> float:
        """Mean squared error in units of the targets' variance, the mean over the targets: 1 − R²."""
        errors, first, second = self.sums / (self.weight or 1.0)
        variance = second - first**2
        known = variance > 1e-12 * np.maximum(second, np.finfo(float).tiny)
        return float(np.mean(errors[known] / variance[known])) if known.any() else float("nan")
