"""What a checkpoint of an estimator's fit is known by: its data and its parameters."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from samara import errors
from samara.checkpoints import Checkpoint
from samara.settings import Settings
from samara.sources import ArraySource
from samara.store import Fingerprint, digest, parse_interval

NOT_IN_THE_MODEL = ("verbose", "engine", "memory", "update", "forget", "window")


def with_checkpoint(
    estimator: Any, settings: Settings, source: ArraySource, where: tuple[Any, Any]
) -> Settings:
    """The same settings with a checkpoint, if a path is given; a seed drawn before is taken up again."""
    path, every = where
    seconds = parse_interval(every)
    if path is None:
        return settings
    seed = estimator.random_state
    if seed is not None and not isinstance(seed, (int, np.integer)):
        raise errors.InputError("A checkpoint needs random_state to be a number or None.")
    made = Checkpoint(path, seconds, Fingerprint(_data(estimator, source), _settings(estimator)))
    entropy = made.entropy_of(settings.entropy) if seed is None else settings.entropy
    return replace(settings, checkpoint=made, entropy=entropy)


def _data(estimator: Any, source: ArraySource) -> dict[str, str]:
    names = getattr(estimator, "feature_names_in_", None)
    y = source.y.astype(str) if source.y.dtype == object else source.y
    return {
        "columns": f"{source.X.shape[1]} {'' if names is None else list(names)}",
        "rows": digest(source.X),
        "targets": digest(y),
        "weights": "" if source.weight is None else digest(source.weight),
    }


def _settings(estimator: Any) -> dict[str, str]:
    params = estimator.get_params(deep=False)
    return {name: described(value) for name, value in params.items() if name not in NOT_IN_THE_MODEL}


def described(value: Any) -> str:
    """A text that differs where the value does; arrays by their digest."""
    if isinstance(value, np.ndarray):
        return digest(value)
    if is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(f"{field.name}={described(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__name__}({inner})"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(described, value))}]"
    if value is None or isinstance(value, (str, int, float, np.number, bool, dict)):
        return repr(value)
    return type(value).__qualname__
