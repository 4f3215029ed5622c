"""From the parameters of an estimator to checked settings of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from samara.core import FeatureMap
from samara.costs import parse_memory
from samara.engines import Progress, Threads
from samara.errors import InputError, unknown_name
from samara.maps import LAYERS, Additive, Radial
from samara.plan import Budget
from samara.selection import SELECTORS, Gcv, KFold, LCurve, Loo, Selector
from samara.settings import Layer, Settings
from samara.solvers import SOLVERS, Rank, Solver

SCALES = ("standard", "quantile")
DTYPES = ("float32", "float64")
EXACT = ("gram", "qr", "svd", "dual")
LOW_RANK = ("rsvd", "fast_svd", "fast_svd_gradient", "sketch")
FOLDS_ONLY = ("sketch", "lsqr", "precondition")  # no spectrum to take other scores from


def make_settings(estimator: Any, progress: Progress | None) -> Settings:
    """Check every parameter; the first that can't be used is named."""
    layer = _layer(estimator.hidden)
    sizes = _sizes(estimator.n_hidden, layer)
    alphas = _alphas(estimator.alpha)
    selector, why = _selector(estimator.selection, sizes, alphas)
    engine = _engine(estimator.engine)
    rank = _rank(estimator.rank)
    solver = _solver(estimator.solver, rank, sizes, selector)
    if estimator.scale is not None and estimator.scale not in SCALES:
        raise unknown_name("scale", estimator.scale, (*SCALES, "None"))
    if selector is not None and selector.name == "lcurve" and (sizes is None or len(sizes) > 1):
        raise InputError('selection="lcurve" chooses a ridge, not a size: give one n_hidden.')
    return Settings(
        layer=layer,
        sizes=sizes,
        alphas=alphas,
        solver=solver,
        selector=selector,
        selection_why=why,
        scale=estimator.scale,
        direct_link=bool(estimator.direct_link),
        fit_intercept=bool(estimator.fit_intercept),
        budget=Budget(parse_memory(estimator.memory), engine.workers, engine.block_rows),
        dtype=_dtype(estimator.dtype),
        entropy=int(check_random_state(estimator.random_state).randint(2**31 - 1)),
        alpha_per_target=bool(estimator.alpha_per_target),
        rank=rank,
        progress=progress or engine.progress,
    )


def _dtype(given: Any) -> np.dtype[np.floating]:
    try:
        dtype: np.dtype[np.floating] = np.dtype(given)
    except TypeError:
        raise unknown_name("dtype", given, DTYPES) from None
    if dtype.name not in DTYPES:
        raise unknown_name("dtype", dtype.name, DTYPES)
    return dtype


def _layer(hidden: Any) -> Layer:
    if isinstance(hidden, str):
        if hidden not in LAYERS:
            raise unknown_name("hidden layer", hidden, LAYERS)
        return LAYERS[hidden]
    if isinstance(hidden, Additive | Radial):
        hidden.validate()
        return hidden
    if callable(hidden) and hasattr(hidden, "n_out"):
        made: FeatureMap = hidden
        return made
    raise InputError(f"hidden must be a name, a layer or a FeatureMap, got {type(hidden).__name__}.")


def _sizes(n_hidden: Any, layer: Layer) -> tuple[int, ...] | None:
    if not isinstance(layer, Additive | Radial):
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


def _rank(rank: Any) -> Rank:
    if isinstance(rank, str) and rank == "auto":
        return "auto"
    if type(rank) is bool:
        rank = None  # True is not one direction
    whole = isinstance(rank, Integral) and int(rank) >= 1
    share = isinstance(rank, Real) and not isinstance(rank, Integral) and 0 < float(rank) <= 1
    if not (whole or share):
        raise InputError(
            f'rank must be a positive whole number, a share of the nodes in (0, 1] or "auto", got {rank!r}.'
        )
    return int(rank) if whole else float(rank)


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


def _alphas(alpha: Any) -> tuple[float, ...] | None:
    if isinstance(alpha, str):
        if alpha != "auto":
            raise unknown_name("alpha", alpha, ("auto",))
        return None
    given = list(alpha) if isinstance(alpha, Sequence | np.ndarray) else [alpha]
    if not given:
        raise InputError("alpha is an empty list: give at least one ridge.")
    for value in given:
        if type(value) is bool or not isinstance(value, Real) or not 0 <= float(value) < np.inf:
            raise InputError(f"alpha must be 0 or more (0 is the pseudo-inverse), got {value!r}.")
    return tuple(sorted({float(value) for value in given}))


def _selector(
    selection: Any, sizes: tuple[int, ...] | None, alphas: tuple[float, ...] | None
) -> tuple[Selector | None, str]:
    """The selector, where there is something to choose, and why this one."""
    if isinstance(selection, str):
        if selection not in ("auto", *SELECTORS):
            raise unknown_name("selection", selection, ("auto", *SELECTORS))
    elif not isinstance(selection, KFold | Loo | Gcv | LCurve):
        raise InputError(f"selection must be a name or a selector, got {type(selection).__name__}.")
    if sizes is not None and len(sizes) == 1 and alphas is not None and len(alphas) == 1:
        return None, "selection none: ridge and size are given"
    if selection == "auto":
        return KFold(), "selection kfold: exact, and comes from the same pass as the model"
    made: Selector = SELECTORS[selection]() if isinstance(selection, str) else selection
    if made.name == "kfold" and made.n_folds < 2:
        raise InputError(f"K-fold needs at least 2 folds, got {made.n_folds}.")
    return made, f"selection {made.name}: as asked"


def _engine(engine: Any) -> Threads:
    if engine is None or engine == "threads":
        return Threads()
    if not isinstance(engine, Threads):
        raise unknown_name("engine", engine, ("threads",))
    if engine.workers < 1 or engine.block_rows < 0:
        raise InputError(f"An engine needs at least one worker and no negative block, got {engine!r}.")
    return engine
