"""Extreme learning machines on the rows of a search: a few cheap passes each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array
from samara.engines import Threads
from samara.fit import fit
from samara.gradients import gradient_outer_product, scaling_maps
from samara.metric_fit import normalized, root_of
from samara.model import Model
from samara.plans import Budget
from samara.search.candidates import Choice, GoesOn, LayerSpec, Tried, scales_in_words
from samara.search.kernel_path import GRADIENT_BLOCK, mean_metric, threads_of_rows
from samara.search.rows import Fold, SearchRows
from samara.search.scales import DOUBLE
from samara.selection import KFold
from samara.settings import Settings
from samara.sources import ArraySource

SEARCH_NODES = 400  # of a candidate; the fit to all rows has more
WHY = "selection kfold: exact, and comes from the same pass as the model"


@dataclass(frozen=True)
class LayerCandidate:
    """Random nodes, the inputs linked to the outputs as well; ridge by folds of its own rows.

    Parameters
    ----------
    spec : LayerSpec
        The nodes.
    scale : {"standard", "quantile"}
        Of the inputs.
    rounds : int
        Of a metric, at most.
    entropy : int
        Seed of the nodes.
    """

    spec: LayerSpec
    scale: str
    rounds: int
    entropy: int

    @property
    def family(self) -> str:
        """Nodes and scaling."""
        return f"{self.spec.name}, {scales_in_words(self.scale)}"

    @property
    def name(self) -> str:
        """The family: there is nothing else to it."""
        return self.family

    def run(self, rows: SearchRows, goes_on: GoesOn) -> list[Tried]:
        """One fit a round and fold."""
        found: list[Tried] = []
        metrics: list[Array | None] = [None for _ in rows.folds]
        for number in range(self.rounds + 1):
            models = [self._fitted(rows, fold, m) for fold, m in zip(rows.folds, metrics, strict=True)]
            P = self._said(rows, models)
            choice = Choice(number, mean_metric(metrics), None)
            found.append(Tried(self, choice, P, rows.error(P)))
            if number == self.rounds or not goes_on(0.0):
                break
            metrics = [
                self._metric(model, rows.source(fold.fit), rows.workers)
                for model, fold in zip(models, rows.folds, strict=True)
            ]
        return found

    def settings(self, n_inputs: int, n_hidden: int, metric: Array | None, budget: Budget) -> Settings:
        """Of a fit; who merges is still to be said."""
        layer = self.spec.made(n_inputs)
        sizes = (n_inputs if self.spec.layer is None else n_hidden,)
        return Settings(
            layer=layer,
            sizes=sizes,
            alphas=None,
            solver=None,
            selector=KFold(),
            selection_why=WHY,
            scale=self.scale,
            direct_link=self.spec.layer is not None,
            fit_intercept=True,
            budget=budget,
            crew=Threads(),
            dtype=DOUBLE,
            entropy=self.entropy,
            root=None if metric is None else root_of(metric),
        )

    def _fitted(self, rows: SearchRows, fold: Fold, metric: Array | None) -> Model:
        source = rows.source(fold.fit)
        nodes = min(SEARCH_NODES, max(10, len(fold.fit)))
        threads = threads_of_rows(source.n_rows, rows.workers)
        asked = self.settings(source.n_features, nodes, metric, Budget(rows.memory, threads))
        return fit(source, replace(asked, crew=Threads(threads))).model

    def _said(self, rows: SearchRows, models: list[Model]) -> Array:
        engine = Threads(1, 1024)
        pairs = zip(models, rows.folds, strict=True)
        return np.concatenate([model.predict(rows.source(fold.scored), engine) for model, fold in pairs])

    def _metric(self, model: Model, source: ArraySource, workers: int) -> Array:
        engine = Threads(threads_of_rows(source.n_rows, workers), GRADIENT_BLOCK)
        inner = scaling_maps(model)
        found = gradient_outer_product(model, source, engine, inner=inner, diagonal=not self.spec.full)
        return normalized(found)
