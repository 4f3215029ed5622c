"""Parameters that several estimators share, read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, Literal, cast

import numpy as np
from sklearn.utils import check_random_state

from samara.calibration import METHODS, Method
from samara.core import Crew, FeatureMap
from samara.costs import format_bytes, parse_memory
from samara.engines import Threads
from samara.engines.clusters import KNOWN, cluster_engine, is_cluster
from samara.errors import InputError, unknown_name
from samara.links import Link, Log, Logit
from samara.plans import Budget
from samara.selection import SELECTORS, Gcv, KFold, LCurve, Loo, Selector
from samara.settings import Metric
from samara.shapes import dtype_name
from samara.solvers import Rank
from samara.thresholds import SCORINGS, Scoring

SCALES = ("standard", "quantile", "unit")
MISSING = ("impute", "flag")
METRICS = ("agop", "agop_diagonal")
DTYPES = ("float32", "float64")
MOST_ENTROPY = 2**31 - 1
LINKS: dict[str, Link] = {"log": Log(), "logit": Logit()}


def read_scale(scale: Any) -> str | FeatureMap | None:
    """How inputs are scaled: a name, or a map that is known already."""
    if scale is None or (isinstance(scale, str) and scale in SCALES):
        return scale
    if callable(scale) and hasattr(scale, "n_out"):
        made: FeatureMap = scale
        return made
    raise unknown_name("scale", scale, (*SCALES, "None", "a FeatureMap"))


def read_calibration(calibration: Any) -> Method | Literal["auto"] | None:
    """How outputs become probabilities."""
    if calibration is None:
        return None
    names = ("auto", *METHODS)
    if not isinstance(calibration, str) or calibration not in names:
        raise unknown_name("calibration", calibration, (*names, "None"))
    return cast(Method | Literal["auto"], calibration)


def read_threshold(threshold: Any) -> Scoring | float | None:
    """What an output has to exceed: a number, or what it is chosen by."""
    if threshold is None:
        return None
    for scoring in SCORINGS:
        if isinstance(threshold, str) and threshold == scoring:
            return scoring
    if isinstance(threshold, bool) or not isinstance(threshold, Real):
        raise unknown_name("threshold", threshold, (*SCORINGS, "None", "a number"))
    if not np.isfinite(float(threshold)):
        raise InputError(f"threshold must be a finite number, got {threshold!r}.")
    return float(threshold)


def read_ordinal(ordinal: Any, threshold: Scoring | float | None) -> None:
    """Refuse what is no yes or no, and a threshold beside it."""
    if not isinstance(ordinal, bool | np.bool_):
        raise InputError(f"ordinal must be True or False, got {ordinal!r}.")
    if ordinal and threshold is not None:
        raise InputError("ordinal=True predicts the median class, without a threshold: use threshold=None.")


def read_link(link: Any) -> Link | None:
    """The function of the targets that a model is fitted to."""
    if link is None or isinstance(link, Log):
        return link
    if isinstance(link, Logit):
        if not -np.inf < link.low < link.high < np.inf:
            raise InputError(f"A logit needs low < high, both finite, got {link!r}.")
        return link
    if not isinstance(link, str) or link not in LINKS:
        raise unknown_name("link", link, (*LINKS, "None", "samara.links.Logit(low, high)"))
    return LINKS[link]


def read_metric(metric: Any, rounds: Any) -> Metric | None:
    """A metric of the inputs that is to be learned."""
    if metric is None:
        return None
    if not isinstance(metric, str) or metric not in METRICS:
        raise unknown_name("metric", metric, (*METRICS, "None"))
    if isinstance(rounds, bool) or not isinstance(rounds, Integral) or int(rounds) < 1:
        raise InputError(f"rounds must be a whole number of 1 or more, got {rounds!r}.")
    return Metric(metric == "agop_diagonal", int(rounds))


def read_missing(missing: Any) -> str | None:
    """What becomes of missing values."""
    if missing is None or (isinstance(missing, str) and missing in MISSING):
        return missing
    raise unknown_name("missing", missing, (*MISSING, "None"))


def read_dtype(given: Any) -> np.dtype[np.floating]:
    """The working precision."""
    try:
        dtype: np.dtype[np.floating] = np.dtype(given)
    except TypeError:
        raise unknown_name("dtype", given, DTYPES) from None
    name = dtype_name(dtype)
    if name not in DTYPES:
        raise unknown_name("dtype", name, DTYPES)
    return dtype


def read_rank(rank: Any, of: str) -> Rank:
    """A number, a share or "auto"."""
    if isinstance(rank, str) and rank == "auto":
        return "auto"
    counts = not isinstance(rank, bool)  # True is not one direction
    whole = counts and isinstance(rank, Integral) and int(rank) >= 1
    share = isinstance(rank, Real) and not isinstance(rank, Integral) and 0 < float(rank) <= 1
    if not (whole or share):
        raise InputError(
            f'rank must be a positive whole number, a share of the {of} in (0, 1] or "auto", got {rank!r}.'
        )
    return int(rank) if whole else float(rank)


def read_alphas(alpha: Any) -> tuple[float, ...] | None:
    """The ridges, None for a grid."""
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


def read_selector(
    selection: Any, nothing_to_choose: bool, auto: Selector, why: str
) -> tuple[Selector | None, str]:
    """The selector, where there is something to choose, and why this one."""
    if isinstance(selection, str):
        if selection not in ("auto", *SELECTORS):
            raise unknown_name("selection", selection, ("auto", *SELECTORS))
    elif not isinstance(selection, KFold | Loo | Gcv | LCurve):
        raise InputError(f"selection must be a name or a selector, got {type(selection).__name__}.")
    if nothing_to_choose:
        return None, "selection none: ridge and size are given"
    if selection == "auto":
        return auto, why
    made: Selector = SELECTORS[selection]() if isinstance(selection, str) else selection
    if made.name == "kfold" and made.n_folds < 2:
        raise InputError(f"K-fold needs at least 2 folds, got {made.n_folds}.")
    return made, f"selection {made.name}: as asked"


def read_budget(memory: Any, crew: Crew) -> Budget:
    """What a fit may use; the workers of a cluster have limits of their own."""
    given = parse_memory(memory)
    processes, room = getattr(crew, "processes", 0), getattr(crew, "room", None)
    if room is None:
        return Budget(given, crew.workers, crew.block_rows, processes=processes)
    limit, held = room()
    why = ""
    if given is None and limit is not None:
        given, why = limit, f"memory {format_bytes(limit)}: the limit of a worker, for none was given"
    return Budget(given, crew.workers, crew.block_rows, held, why=why, processes=processes)


def read_engine(engine: Any) -> Crew:
    """Who merges."""
    if is_cluster(engine):
        return cluster_engine(engine)
    if engine is None or engine == "threads":
        return Threads()
    if not isinstance(engine, Threads):
        raise unknown_name("engine", engine, ("threads", *KNOWN))
    if engine.workers < 1 or engine.block_rows < 0:
        raise InputError(f"An engine needs at least one worker and no negative block, got {engine!r}.")
    return engine


def read_seed(random_state: Any) -> int:
    """A number that all that is drawn follows from; of a generator a new one each time."""
    if isinstance(random_state, int):  # making a generator takes a twentieth of a small fit
        return _drawn_once(random_state)
    return _drawn(random_state)


def _drawn(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(MOST_ENTROPY))


_drawn_once = lru_cache(_drawn)


def read_count(name: str, given: Any) -> int | None:
    """A positive whole number; None for "auto"."""
    if isinstance(given, str) and given == "auto" and name != "max_iter":
        return None
    counts = not isinstance(given, bool)  # True is not one
    if not (counts and isinstance(given, Integral) and int(given) >= 1):
        also = "" if name == "max_iter" else ' or "auto"'
        raise InputError(f"{name} must be a positive whole number{also}, got {given!r}.")
    return int(given)


def read_positive(name: str, given: Any) -> None:
    """Refuse what is no number of 0 or more."""
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 <= float(given) < np.inf:
        raise InputError(f"{name} must be a number of 0 or more, got {given!r}.")
