"""What a checkpoint of an estimator's fit is known by: its data and its parameters."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from importlib.metadata import version
from typing import Any, TypeVar

import numpy as np

from samara.checkpoints import Checkpoint
from samara.errors import InputError
from samara.estimators.given import Given
from samara.kernel_settings import KernelSettings
from samara.settings import Settings
from samara.store import Fingerprint, digest, parse_interval

NOT_IN_THE_MODEL = ("verbose", "engine", "memory", "update", "forget", "window")
T = TypeVar("T", Settings, KernelSettings)


@contextmanager
def checkpointed(estimator: Any, settings: T, given: Given, where: tuple[Any, Any]) -> Iterator[T]:
    """The same settings with a checkpoint, if a path is given; a seed drawn before is taken up again."""
    path, every = where
    seconds = parse_interval(every)
    if path is None:
        yield settings
        return
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"checkpoint must be the name of a file, got {path!r}.")
    seed = estimator.random_state
    if seed is not None and not isinstance(seed, (int, np.integer)):
        raise InputError(
            "A checkpoint needs random_state to be a number or None: of a generator, a second "
            "process can't know where it stood."
        )
    data = given.known_by(getattr(estimator, "feature_names_in_", None))
    made = Checkpoint(path, seconds, Fingerprint(data, _settings(estimator)))
    with made.guarding(settings.entropy, seed is not None) as entropy:
        yield replace(settings, checkpoint=made, entropy=entropy)


def _settings(estimator: Any) -> dict[str, str]:
    params = estimator.get_params(deep=False)
    told = {name: described(value) for name, value in params.items() if name not in NOT_IN_THE_MODEL}
    return {"estimator": type(estimator).__name__, **told, "version of Samara": version("samara")}


def described(value: Any) -> str:
    """A text that differs where the value does: of arrays their digest, of unknown things their pickle's."""
    if value is None or isinstance(value, (str, int, float, np.number, bool, range)):
        return repr(value)
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return digest(value)
    if is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(f"{field.name}={described(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__qualname__}({inner})"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(described, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{described(key)}: {described(one)}' for key, one in value.items())}}}"
    try:
        return hashlib.sha256(pickle.dumps(value, protocol=4)).hexdigest()
    except Exception as error:
        raise InputError(
            f"A checkpoint could not tell {value!r} from another one, for it can't be pickled: {error}."
        ) from None
