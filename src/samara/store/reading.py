"""From JSON and arrays of a file back to values: nothing in it is trusted, and nothing is executed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from scipy import sparse

from samara.core import Array
from samara.store.annotations import fits, hints_of
from samara.store.heads import RefusedError
from samara.store.records import Json
from samara.store.trees import DEEPEST, DTYPES, LARGEST, LONGEST, SMALLEST, TYPES, WIDEST, Classes


def from_tree(json: Json, arrays: dict[str, Array], classes: Classes, name: str) -> Any:
    """The value that `to_tree` wrote.

    Parameters
    ----------
    json : object
        What the header holds.
    arrays : dict
        The arrays of the file; those used are taken out.
    classes : mapping
        Names to dataclasses.
    name : str
        What the value is called, for messages.

    Returns
    -------
    object
        The value.

    Raises
    ------
    RefusedError
        If there is anything that `to_tree` would not write: unknown classes or fields, values of another type
        than the field's, arrays that are missing or used twice; says where.
    """
    return _Reader(arrays, classes).value(json, name, 0)


_SPECIAL = {text: float(text) for text in ("inf", "-inf", "nan")}


class _Reader:
    """Makes values of nodes."""

    def __init__(self, arrays: dict[str, Array], classes: Classes) -> None:
        self._arrays, self._classes = arrays, classes
        self._kinds: dict[str, Callable[[Any, str, int], Any]] = {
            "float": self._float,
            "tuple": self._tuple,
            "dict": self._dict,
            "range": self._range,
            "array": self._array,
            "texts": self._texts,
            "scalar": self._scalar,
            "dtype": lambda content, where, depth: self._named(DTYPES, content, where),
            "type": lambda content, where, depth: self._named(TYPES, content, where),
            "csr": self._csr,
        }

    def value(self, node: Json, where: str, depth: int) -> Any:
        """The value of a node."""
        if depth > DEEPEST:
            raise RefusedError("it is nested too deeply")
        if node is None or isinstance(node, (bool, str)):
            return node
        if isinstance(node, int):
            if not SMALLEST <= node <= LARGEST:
                raise RefusedError(f"its {where} is too large a number")
            return node
        if isinstance(node, float):
            if not math.isfinite(node):
                raise RefusedError(f"its {where} is not a finite number")
            return node
        if isinstance(node, list):
            return self._items(node, where, depth)
        return self._marked(node, where, depth)

    def _marked(self, node: dict[str, Any], where: str, depth: int) -> Any:
        """An object whose first key says what it is."""
        kind = next(iter(node), "")
        content = node.get(kind)
        if kind == "array" and node in ({kind: content}, {kind: content, "transposed": True}):
            return self._array(content, where, depth, "transposed" in node)
        if len(node) != 1:
            raise RefusedError(f"its {where} is nothing known: {_listed(node) or 'an empty object'}")
        if kind in self._kinds:
            return self._kinds[kind](content, where, depth + 1)
        if kind not in self._classes:
            raise RefusedError(f"its {where} is of an unknown class {_short(kind)}")
        return self._object(self._classes[kind], content, where, depth + 1)

    def _object(self, cls: type, content: Any, where: str, depth: int) -> Any:
        if not isinstance(content, dict):
            raise RefusedError(f"its {where} has no fields")
        known, hints = fields(cls), hints_of(cls)
        refuse_other_names(content, [field.name for field in known], where)
        values = {}
        for field in known:
            place = f"{where}/{field.name}"
            values[field.name] = value = self.value(content[field.name], place, depth)
            if not fits(value, hints[field.name]):
                raise RefusedError(f"its {place} must be {field.type}, got {type(value).__name__}")
        return cls(**values)

    def _items(self, content: Any, where: str, depth: int) -> list[Any]:
        if not isinstance(content, list):
            raise RefusedError(f"its {where} is not a list")
        return [self.value(one, f"{where}/{index}", depth + 1) for index, one in enumerate(content)]

    def _float(self, content: Any, where: str, depth: int) -> float:
        return float(self._named(_SPECIAL, content, where))

    def _tuple(self, content: Any, where: str, depth: int) -> tuple[Any, ...]:
        return tuple(self._items(content, where, depth))

    def _dict(self, content: Any, where: str, depth: int) -> dict[Any, Any]:
        made = {}
        for pair in self._items(content, where, depth):
            if not isinstance(pair, list) or len(pair) != 2:
                raise RefusedError(f"its {where} is not made of pairs")
            if not isinstance(pair[0], (str, int, float, np.generic)) or pair[0] in made:
                raise RefusedError(f"its {where} has a key that can't be")
            made[pair[0]] = pair[1]
        return made

    def _range(self, content: Any, where: str, depth: int) -> range:
        numbers = self._items(content, where, depth)
        if len(numbers) != 3 or not all(type(one) is int for one in numbers) or not numbers[2]:
            raise RefusedError(f"its {where} is not a range")
        start, stop, step = numbers
        if abs(stop - start) // abs(step) > LONGEST:
            raise RefusedError(f"its {where} is too long a range")
        return range(start, stop, step)

    def _array(self, content: Any, where: str, depth: int, transposed: bool = False) -> Array:
        if not isinstance(content, str) or content not in self._arrays:
            raise RefusedError(f"the array of its {where} is missing")
        array = self._arrays.pop(content)  # each belongs to one place
        return array.T if transposed else array

    def _texts(self, content: Any, where: str, depth: int) -> Array:
        shape, width, values = _entries(content, ("shape", "width", "values"), where)
        if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
            raise RefusedError(f"its {where} holds something else than texts")
        longest = max(map(len, values), default=0)
        known = width is None or (type(width) is int and max(1, longest) <= width)
        if not known or max(width or 0, longest) * max(1, len(values)) > WIDEST:
            raise RefusedError(f"its {where} has texts of an impossible width")
        if not _is_shape(shape) or math.prod(shape) != len(values):
            raise RefusedError(f"its {where} has not as many texts as its shape says")
        dtype = np.dtype(object) if width is None else np.dtype(f"U{width}")
        return np.array(values, dtype).reshape(shape)

    def _scalar(self, content: Any, where: str, depth: int) -> Any:
        array = self.value(content, where, depth)
        if not isinstance(array, np.ndarray) or array.ndim or array.dtype == object:
            raise RefusedError(f"its {where} is not one number or text")
        return array[()]

    def _csr(self, content: Any, where: str, depth: int) -> Any:
        names = ("shape", "matrix", "data", "indices", "indptr")
        shape, matrix, *parts = _entries(content, names, where)
        data, indices, indptr = (self.value(part, where, depth) for part in parts)
        arrays = all(isinstance(one, np.ndarray) and one.ndim == 1 for one in (data, indices, indptr))
        if not arrays or not _is_shape(shape) or len(shape) != 2 or not isinstance(matrix, bool):
            raise RefusedError(f"its {where} is not a sparse matrix")
        if not _is_csr(shape, data, indices, indptr):
            raise RefusedError(f"its {where} is a sparse matrix whose entries lie outside of it")
        made = (sparse.csr_matrix if matrix else sparse.csr_array)(tuple(shape), dtype=data.dtype)
        made.data, made.indices, made.indptr = data, indices, indptr
        return made

    def _named(self, table: dict[str, Any], content: Any, where: str) -> Any:
        if not isinstance(content, str) or content not in table:
            raise RefusedError(f"its {where} is an unknown {_short(content)}")
        return table[content]


def refuse_other_names(found: dict[str, Any], known: list[str], where: str) -> None:
    """The names have to be those known, no more and no fewer."""
    unknown = [name for name in found if name not in known]
    missing = [name for name in known if name not in found]
    if unknown:
        raise RefusedError(f"its {where} has the unknown {_listed(unknown)}")
    if missing:
        raise RefusedError(f"its {where} lacks {_listed(missing)}")


def _entries(content: Any, names: tuple[str, ...], where: str) -> list[Any]:
    if not isinstance(content, dict):
        raise RefusedError(f"its {where} has no entries")
    refuse_other_names(content, list(names), where)
    return [content[name] for name in names]


def _is_shape(shape: Any) -> bool:
    return (
        isinstance(shape, list)
        and len(shape) <= 8
        and all(type(length) is int and 0 <= length < 1 << 48 for length in shape)
    )


def _is_csr(shape: list[int], data: Array, indices: Array, indptr: Array) -> bool:
    """Whether the parts of a sparse matrix belong together."""
    if indices.dtype != indptr.dtype or indptr.dtype.name not in ("int32", "int64"):
        return False
    if len(indptr) != shape[0] + 1 or len(data) != len(indices) or data.dtype.kind not in "biuf":
        return False
    rising = indptr[0] == 0 and indptr[-1] == len(data) and bool((indptr[1:] >= indptr[:-1]).all())
    inside = not len(indices) or (indices.min() >= 0 and indices.max() < shape[1])
    return bool(rising and inside)


def _listed(names: Any) -> str:
    return ", ".join(_short(name) for name in list(names)[:3])


def _short(name: Any) -> str:
    """A name from a file: quoted, on one line, and not longer than a line."""
    text = ascii(name)
    return text if len(text) <= 40 else f"{text[:36]}…'"
