"""Whether a value is what the annotation of a field says: the few forms that occur in what files hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

_NUMBERS = {int: (int, np.integer), float: (int, float, np.integer, np.floating)}  # a whole float is one


@cache
def hints_of(cls: type) -> Mapping[str, Any]:
    """The annotations of a dataclass' fields, read."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


def fits(value: Any, hint: Any) -> bool:
    """Whether the value is of this kind; what is no data, such as a function, never is."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is None or hint is NoneType:
        return value is None
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in inner)
    if origin is tuple:
        return _fits_tuple(value, inner)
    if origin is np.dtype:
        return isinstance(value, np.dtype) and value.kind == "f"
    if origin is Callable:
        return False
    if hint in _NUMBERS:
        return isinstance(value, _NUMBERS[hint]) and not isinstance(value, bool)
    if getattr(hint, "_is_protocol", False):
        return _has_all(value, hint)
    return isinstance(value, origin or hint)


def _fits_tuple(value: Any, inner: tuple[Any, ...]) -> bool:
    if not isinstance(value, tuple):
        return False
    if len(inner) == 2 and inner[1] is Ellipsis:
        return all(fits(one, inner[0]) for one in value)
    return len(value) == len(inner) and all(map(fits, value, inner))


def _has_all(value: Any, protocol: type) -> bool:
    """Whether the class of a value has what a protocol asks for; no property of the value is called."""
    asked = {name for name in vars(protocol) if name == "__call__" or not name.startswith("_")}
    asked |= {name for name in vars(protocol).get("__annotations__", {}) if not name.startswith("_")}
    own = set(dir(type(value))) | set(getattr(type(value), "__dataclass_fields__", {}))
    return asked <= own
