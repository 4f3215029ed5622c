"""`submodels`: groups of nodes fitted apart and averaged, the paper's form of MPR-ELM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg.ranges import checked_count
from samara.solvers.normal import IllConditionedError, NormalSystem
from samara.solvers.task import Task
from samara.solvers.tiled_rows import TileRows, even_edges
from samara.solvers.tiles import TiledGram
from samara.solvers.training_sets import IterativeFactor, IterativeSystem


class SubSolutions:
    """The ridge solutions of each group of nodes on its own, solved where its tile is."""

    def __init__(self, alphas: Sequence[float], which: int, fit_intercept: bool, dtype: str) -> None:
        self._alphas, self._which = tuple(alphas), which
        self._fit_intercept, self._dtype = fit_intercept, dtype
        self.coefs: dict[int, Array] = {}  # group → (|i|, A, t)
        self.condition = 1.0  # the largest, at the smallest ridge

    def update(self, tile: Any) -> None:
        """Solve the system of a tile."""
        moments = tile.grams[0].copy()
        if self._which:
            moments -= tile.grams[self._which]
        size = len(tile.nodes(0))
        system = NormalSystem(moments, size, self._fit_intercept, self._dtype)
        try:
            solved = [system.solve(alpha, [size])[1:, 0] for alpha in self._alphas]
            self.condition = max(self.condition, system.condition(min(self._alphas)))
        except IllConditionedError as error:
            raise InputError(
                f"A sub-model of {size:,} nodes has a condition number of about {error.condition:.1e}: too "
                f"large for ridge {min(self._alphas):.1e}. Use a larger alpha, or more sub-models."
            ) from None
        self.coefs[tile.tile[0]] = np.stack(solved, axis=1)

    def merge(self, other: Self) -> None:
        """Add another's groups."""
        self.coefs |= other.coefs
        self.condition = max(self.condition, other.condition)


class SubmodelsFactor(IterativeFactor):
    """Moments of each group of nodes, held where they were made."""

    def __init__(self, gram: TiledGram) -> None:
        super().__init__(gram.training_sets())
        self.gram = gram

    def system(self, without: int | None = None) -> SubmodelsSystem:
        """The systems of all rows."""
        return SubmodelsSystem(self, "submodels")

    def solved(self, which: int, alphas: Sequence[float]) -> SubSolutions:
        """Every group's solutions on a training set."""
        task = self.gram.task
        made = partial(SubSolutions, alphas, which, task.fit_intercept, self.layout.dtype.name)
        return task.engine.summarize(self.gram.tiles, made, name="sub-models")

    def solutions(self, which: int, alphas: Sequence[float]) -> Array:
        """The averaged models as one: solutions (1 + L, A, t) of a training set."""
        coefs = self.solved(which, alphas).coefs
        X = np.concatenate([coefs[group] for group in sorted(coefs)]) / len(coefs)
        made = [self.training.with_intercept(which, X[:, k]) for k in range(len(alphas))]
        return np.stack(made, axis=1)


class SubmodelsSystem(IterativeSystem):
    """All sub-models together."""

    _factor: SubmodelsFactor

    def condition(self, alpha: float) -> float:
        """Of the worst sub-model's H with the ridge in it."""
        return self._factor.solved(0, [alpha]).condition

    def rank(self, alpha: float, size: int) -> int:
        """All columns."""
        return size


@dataclass(frozen=True)
class Submodels:
    """Sub-models of some nodes each, fitted on all rows and averaged: MPR-ELM as published.

    Schindler section 2.5, after the parallel regularized ELM that it cites. It is the ridge solution for a
    Gram matrix of which only the diagonal blocks are kept, divided by their number: cheaper than the whole
    by that number in arithmetic and memory, and another model, usually a worse one.
    All sub-models have one ridge. With several to choose from, K-fold scores their average on rows that none
    of them saw, in one more pass.

    Parameters
    ----------
    count : int
        Sub-models; the nodes are dealt out in their order, as evenly as can be.
    """

    count: int = 4
    name = "submodels"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        if checked_count("count", self.count) < 1:
            raise InputError(f"count must be at least 1, got {self!r}.")

    def __call__(self, task: Task) -> SubmodelsFactor:
        """One pass: the moments of each group."""
        edges = even_edges(task.n_columns, self.count)
        return SubmodelsFactor(TiledGram(task, edges, TileRows.diagonal(task, edges)))
