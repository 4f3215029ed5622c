"""From the parameters of an estimator to checked settings of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from samara.core import FeatureMap, Progress
from samara.errors import InputError, unknown_name
from samara.estimators.parameters import (
    read_alphas,
    read_budget,
    read_dtype,
    read_engine,
    read_metric,
    read_missing,
    read_rank,
    read_scale,
    read_seed,
    read_selector,
)
from samara.maps import LAYERS, Additive, Landmarks, LocalFields, Radial
from samara.selection import KFold, Selector
from samara.settings import Layer, Metric, Settings
from samara.shapes import LOW_RANK
from samara.solvers import SOLVERS, Rank, Solver

EXACT = ("gram", "qr", "svd", "dual")
FOLDS_ONLY = ("sketch", "lsqr", "precondition", "tiles", "submodels")  # no spectrum to take other scores from


def make_settings(estimator: Any, progress: Progress | None) -> Settings:
    """Check every parameter; the first that can't be used is named."""
    layer = _layer(estimator.hidden)
    sizes = _sizes(estimator.n_hidden, layer)
    alphas = read_alphas(estimator.alpha)
    given = sizes is not None and len(sizes) == 1 and alphas is not None and len(alphas) == 1
    why = "selection kfold: exact, and comes from the same pass as the model"
    selector, why = read_selector(estimator.selection, given, KFold(), why)
    engine = read_engine(estimator.engine)
    rank = read_rank(estimator.rank, "nodes")
    solver = _solver(estimator.solver, rank, sizes, selector)
    if selector is not None and selector.name == "lcurve" and (sizes is None or len(sizes) > 1):
        raise InputError('selection="lcurve" chooses a ridge, not a size: give one n_hidden.')
    return Settings(
        layer=layer,
        sizes=sizes,
        alphas=alphas,
        solver=solver,
        selector=selector,
        selection_why=why,
        scale=read_scale(estimator.scale),
        direct_link=bool(estimator.direct_link),
        fit_intercept=bool(estimator.fit_intercept),
        budget=read_budget(estimator.memory, engine),
        crew=engine,
        dtype=read_dtype(estimator.dtype),
        entropy=read_seed(estimator.random_state),
        alpha_per_target=bool(estimator.alpha_per_target),
        rank=rank,
        progress=progress or engine.progress,
        missing=read_missing(estimator.missing),
        metric=_metric(estimator, layer),
    )


def _metric(estimator: Any, layer: Layer) -> Metric | None:
    """The metric to be learned; refuses layers that it makes no sense for. A deep model has none."""
    metric = read_metric(getattr(estimator, "metric", None), getattr(estimator, "rounds", 1))
    if metric is None:
        return None
    if not isinstance(layer, Additive | Radial) or getattr(layer, "activation", None) == "hardlim":
        name = layer.activation if isinstance(layer, Additive) else type(layer).__name__
        raise InputError(
            f'metric="{metric.name}" is for random nodes and centres with a derivative, not for {name}: '
            'use another hidden layer, such as "tanh".'
        )
    return metric


def _layer(hidden: Any) -> Layer:
    if isinstance(hidden, str):
        if hidden not in LAYERS:
            raise unknown_name("hidden layer", hidden, LAYERS)
        return LAYERS[hidden]
    if isinstance(hidden, Additive | Radial | LocalFields):
        hidden.validate()
        return hidden
    if callable(hidden) and hasattr(hidden, "n_out"):
        made: FeatureMap = hidden
        return made
    raise InputError(f"hidden must be a name, a layer or a FeatureMap, got {type(hidden).__name__}.")


def _sizes(n_hidden: Any, layer: Layer) -> tuple[int, ...] | None:
    if not isinstance(layer, Additive | Radial | Landmarks):
        return (layer.n_out,)
    if isinstance(n_hidden, str):
        if n_hidden != "auto":
            raise unknown_name("n_hidden", n_hidden, ("auto",))
        return None
    given = list(n_hidden) if isinstance(n_hidden, Sequence | np.ndarray) else [n_hidden]
    if not given or not all(isinstance(size, Integral) and int(size) >= 1 for size in given):
        raise InputError(
            f'n_hidden must be a positive whole number, a list of them or "auto", got {n_hidden!r}.'
        )
    return tuple(sorted({int(size) for size in given}))


def _solver(
    given: Any, rank: Rank, sizes: tuple[int, ...] | None, selector: Selector | None
) -> Solver | None:
    """The solver, None for the plan to choose; refuses what it can't do."""
    if isinstance(given, str) and given not in ("auto", *SOLVERS):
        raise unknown_name("solver", given, ("auto", *SOLVERS))
    made = callable(given) and not isinstance(given, type) and getattr(given, "name", None) in SOLVERS
    if not isinstance(given, str) and not made:
        kind = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
        raise InputError(f"solver must be a name or a solver such as samara.solvers.Rsvd(), got {kind}.")
    if given == "auto" and rank != "auto":
        given = "rsvd"  # what a rank is for
    if given == "auto":
        return None
    solver: Solver = SOLVERS[given]() if isinstance(given, str) else given
    solver.validate()
    if solver.name not in LOW_RANK and rank != "auto":
        raise InputError(f'rank is for {", ".join(LOW_RANK)}; solver="{solver.name}" uses every direction.')
    if solver.name not in EXACT and (sizes is None or len(sizes) > 1):
        raise InputError(f'solver="{solver.name}" does not choose among sizes: give one n_hidden.')
    if solver.name in FOLDS_ONLY and selector is not None and selector.name != "kfold":
        raise InputError(f'solver="{solver.name}" has no {selector.name}: use selection="kfold".')
    return solver
