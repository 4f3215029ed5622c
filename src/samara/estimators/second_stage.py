"""The second stage: a hidden layer over rows that the first stage has mapped to a few numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samara.core import Array, FeatureMap, seen_through
from samara.errors import InputError
from samara.estimators.embedding import FirstStage
from samara.estimators.regressor import ELMRegressor
from samara.fit import Fitted, fit
from samara.linalg.graph import group_responses
from samara.maps import Project, Radial, RadialNodes
from samara.model import Model
from samara.settings import Settings
from samara.sources import ArraySource

KINDS = ("refit", "paired", "literal")
SHARED = ("n_hidden", "hidden", "alpha", "memory", "engine", "dtype", "verbose", "random_state")


@dataclass(frozen=True)
class Embedding:
    """z = Bᵀh(x), without an intercept (Liu et al. eq. 15): maps, the last of them the product with B."""

    stage: FirstStage
    turn: Array | None  # from outputs to coordinates; None: outputs are the coordinates

    @property
    def model(self) -> Model:
        """The first stage."""
        return self.stage.fitted.model

    @property
    def maps(self) -> tuple[FeatureMap, ...]:
        """What takes rows to their coordinates."""
        return (*self.model.maps, Project(self.turned(self.model.coef)))

    def turned(self, outputs: Array) -> Array:
        """Coordinates of outputs less the intercept."""
        return outputs if self.turn is None else np.asarray(outputs @ self.turn.astype(outputs.dtype))

    def of_rows(self, settings: Settings) -> Array:
        """Coordinates of the rows of the first stage, of each by a model without it where there is one."""
        outputs = self.stage.held_out()
        source, model = self.stage.source, self.model
        if outputs is None:
            engine = settings.crew.planned(settings.budget.workers, settings.budget.block_rows or 4096, None)
            outputs = model.predict(source, engine)
        # What differs in the last bits only shall not differ in its hash: folds and centres hang on that.
        return self.turned(outputs - model.intercept).astype(np.float32).astype(settings.dtype)


def simplex(n_classes: int) -> Array | None:
    """From outputs of ±1 codes to responses of classes that count alike; one output is one already."""
    return None if n_classes <= 2 else group_responses(np.ones(n_classes)) / 2


def second_settings(estimator: Any, progress: Any = None) -> Settings:
    """The settings of a second stage that is fitted."""
    given = {name: getattr(estimator, name) for name in SHARED}
    settings: Settings = ELMRegressor(scale="standard", **given)._settings()
    return replace(settings, progress=progress or settings.progress)


def refitted(embedding: Embedding, settings: Settings) -> Fitted:
    """Nodes over the coordinates, their weights solved for: the model of both stages."""
    source = embedding.stage.source
    if isinstance(source, ArraySource):
        # Two passes over a few columns, instead of two more over the rows and the first layer.
        below = replace(source, X=embedding.of_rows(settings), maps=())
        done = fit(below, settings)
    else:
        done = fit(seen_through(source, embedding.maps), settings)
    model = done.model
    return replace(done, model=Model((*embedding.maps, *model.maps), model.coef, model.intercept), left=None)


def reused(embedding: Embedding, kind: str, seed: int) -> Fitted:
    """Nodes over the coordinates with the weights of the first stage (Table 2, steps 5 and 6)."""
    first, nodes = embedding.stage.fitted, embedding.model.maps[-1]
    if not isinstance(first, Fitted) or not isinstance(nodes, RadialNodes):
        raise InputError(f'second_stage="{kind}" reuses the weights of Gaussian nodes: use embedding="elm".')
    coef = embedding.model.coef
    centres = nodes(nodes.centres) @ embedding.turned(coef)  # rows of the table, as the second stage has them
    drawn = Radial("rbf").draw(len(centres), 0, centres.astype(np.float64), np.random.SeedSequence(seed))
    assert isinstance(drawn, RadialNodes)
    if kind == "literal":
        low, high = centres.min(axis=0), centres.max(axis=0)
        centres = np.random.default_rng(seed).uniform(low, high, centres.shape)
    below = RadialNodes(centres.astype(coef.dtype), drawn.gamma.astype(coef.dtype), "rbf")
    model = Model((*embedding.maps, below), coef, embedding.model.intercept)
    return replace(first, model=model, left=None, left_out=None)
