"""The first stage: rows mapped to a few numbers by ridge regression, linear, with a kernel or with nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samara.centre_fit import KernelFitted
from samara.core import Array, Progress, Source
from samara.errors import InputError, unknown_name
from samara.estimators.given import Given, GivenTable, budgeted
from samara.estimators.kernel import KernelELMRegressor
from samara.estimators.regressor import ELMRegressor
from samara.fit import Fitted, fit
from samara.held_out import fold_models
from samara.kernel_fit import fit_kernel
from samara.kernel_settings import KernelSettings
from samara.maps import Additive, Kernel, Radial
from samara.rowkeys import fold_of, row_keys
from samara.settings import Settings
from samara.sources import ArraySource

NAMES = ("auto", "linear", "kernel", "elm")
TRIED = ("linear", "kernel")  # by "auto", in this order
WIDE = 2  # columns a row from which on a linear map reaches every response, and is the only one tried
WIDER = 0.1  # of "scale": a kernel nearly linear where rows lie, which "auto" tries too
MOST_ROWS = 5000  # up to which "auto" writes kernel matrices out; nodes take over beyond
SHARED = ("alpha", "scale", "memory", "engine", "dtype", "verbose", "random_state")


@dataclass(frozen=True)
class FirstStage:
    """A map of rows to a few numbers, and how it came about."""

    name: str  # linear, kernel or elm
    fitted: Fitted | KernelFitted
    source: Source
    scale: Any = None  # of the inputs, as it was asked for

    def held_out(self) -> Array | None:
        """What the rows are mapped to by models that have not seen them; None where there are none."""
        if isinstance(self.fitted, KernelFitted):
            outputs = None if self.fitted.held_out is None else self.fitted.held_out()
        else:
            outputs = self._of_folds(self.fitted)
        return outputs if outputs is not None and np.isfinite(outputs).all() else None

    def _of_folds(self, fitted: Fitted) -> Array | None:
        left, source = fitted.left, self.source
        if left is None or left.factor.n_folds < 2 or not isinstance(source, ArraySource):
            return None
        folds = fold_of(row_keys(source.X), left.factor.n_folds)
        made = np.empty((source.n_rows, fitted.model.coef.shape[1]))
        engine = left.settings.engine(left.plan)
        for fold, model in enumerate(fold_models(left, fitted.model, fitted.alpha)):
            rows = np.flatnonzero(folds == fold)
            if len(rows):
                some = ArraySource(source.X[rows], np.empty((len(rows), 0)), maps=source.maps)
                made[rows] = model.predict(some, engine)
        return made


def first_settings(estimator: Any) -> Settings | KernelSettings:
    """The settings of the first map that is tried."""
    made: Settings | KernelSettings = _regressor(
        estimator, names_of(estimator.embedding, (1, 1))[0], 1
    )._settings()
    return made


def names_of(embedding: Any, shape: tuple[int, int]) -> tuple[str, ...]:
    """What an embedding is called; "auto" tries two kinds where a linear map may not reach every response."""
    if isinstance(embedding, Kernel):
        return (("linear" if embedding.name == "linear" else "kernel"),)
    if isinstance(embedding, Additive | Radial):
        return ("elm",)
    if not isinstance(embedding, str) or embedding not in NAMES:
        raise unknown_name("embedding", embedding, (*NAMES, "a Kernel", "an Additive or Radial layer"))
    if embedding != "auto":
        return (embedding,)
    if WIDE * shape[0] <= shape[1]:
        return ("linear",)
    return TRIED if shape[0] <= MOST_ROWS else ("elm",)


def _regressor(estimator: Any, name: str, n_rows: int, **other: Any) -> Any:
    """The regressor that maps rows to responses."""
    shared = {key: other.get(key, getattr(estimator, key)) for key in SHARED}
    shared["fit_intercept"] = getattr(estimator, "second_stage", "refit") == "refit"  # reused as printed
    given = estimator.embedding
    if name == "elm":
        layer = "rbf" if isinstance(given, str) else given
        n_hidden = estimator.n_hidden
        if (layer == "rbf" or isinstance(layer, Radial)) and not isinstance(n_hidden, str):
            # Rows are the centres: beyond one a row they would serve again, at half the width.
            n_hidden = np.minimum(n_hidden, n_rows).tolist()
        return ELMRegressor(n_hidden, hidden=layer, **shared)
    kernel = given if isinstance(given, Kernel) else {"linear": "linear", "kernel": "rbf"}[name]
    return KernelELMRegressor(kernel, gamma=other.get("gamma", estimator.gamma), **shared)


class FirstStages:
    """The maps that can be tried for some rows, which are looked at once."""

    def __init__(self, estimator: Any, given: Given, progress: Progress | None) -> None:
        self._estimator, self._given, self._progress = estimator, given, progress
        rows = given.table.rows if isinstance(given, GivenTable) else given.source  # type: ignore[attr-defined]
        self._n_rows = _distinct(rows)
        self.names = names_of(estimator.embedding, (self._n_rows, rows.n_features))
        self._seen: tuple[Source, Any] | None = None

    def fitted(self, name: str, **other: Any) -> FirstStage:
        """The map of this name, with the estimator's parameters but for these."""
        settings = _regressor(self._estimator, name, self._n_rows, **other)._settings()
        asked = budgeted(replace(settings, progress=self._progress or settings.progress), self._given)
        self._seen = self._seen or self._given.seen(asked)
        source, profile = _alive(self._seen[0]), self._seen[1]
        done: Fitted | KernelFitted
        if isinstance(asked, KernelSettings):
            done = fit_kernel(source, asked, profile)
        else:
            done = fit(source, asked, profile)
        return FirstStage(name, done, source, other.get("scale", self._estimator.scale))

    def each(self) -> Iterator[FirstStage]:
        """One of each name, with the estimator's parameters."""
        return (self.fitted(name) for name in self.names)


def held_out_error(fitted: Fitted | KernelFitted) -> float:
    """The smallest that was found; where nothing was held out there is none."""
    return np.inf if fitted.selection is None else float(np.nanmin(fitted.selection.scores))


def best_of(stages: Iterable[FirstStage]) -> FirstStage:
    """The map with the smallest held-out error."""
    return min(stages, key=lambda stage: held_out_error(stage.fitted))


def _distinct(source: Source) -> int:
    """Different rows that count; of a stream all are taken for different."""
    if not isinstance(source, ArraySource):
        return source.n_rows
    alive = _alive(source)
    assert isinstance(alive, ArraySource)
    return len(np.unique(row_keys(alive.X)))


def _alive(source: Source) -> Source:
    """Without rows of weight 0 where rows are in memory: what they are mapped to goes with those left."""
    if not isinstance(source, ArraySource) or source.weight is None or (source.weight > 0).all():
        return source
    rows = np.flatnonzero(source.weight > 0)
    return replace(source, X=source.X[rows], y=source.y[rows], weight=source.weight[rows])


def refuse_count(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least so much."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    return int(value)
