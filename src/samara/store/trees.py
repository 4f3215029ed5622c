"""Trees of values as JSON and named arrays, and back: only data, of classes from a table, all of it checked.

None, booleans, whole numbers, finite floats, texts and lists are JSON as they are. All else is an object with
one key, which says what it is:

=========== ==========================================================================================
``float``   ``"inf"``, ``"-inf"`` or ``"nan"``
``tuple``   a list
``dict``    pairs of key and value
``range``   start, stop and step
``array``   the name of an array of numbers or booleans in the file; ``transposed`` if columns lie together
``texts``   an array of texts: ``shape``, ``width`` (null: an array of objects) and ``values``
``scalar``  a NumPy scalar: an array or texts without dimensions
``dtype``   the name of a dtype
``type``    the name of a type of numbers
``csr``     a sparse matrix: ``shape``, ``matrix``, ``data``, ``indices``, ``indptr``
a class     its fields by name
=========== ==========================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from scipy import sparse

from samara.core import Array
from samara.errors import InputError
from samara.store.annotations import fits, hints_of
from samara.store.records import Json

Classes = Mapping[str, type]  # what a file may hold, by the names it has there

DEEPEST = 32  # objects within each other
LONGEST = 100_000  # numbers of a range
WIDEST = 1 << 24  # letters of an array of texts, the shorter ones padded: 64 MB
SMALLEST, LARGEST = -(1 << 63), (1 << 64) - 1
DTYPES = {name: np.dtype(name) for name in ("float16", "float32", "float64", "int32", "int64", "bool")}
TYPES: dict[str, type] = {"float": float, "int": int, "bool": bool}
TYPES |= {f"numpy.{name}": dtype.type for name, dtype in DTYPES.items()}
_TYPE_NAMES = {kind: name for name, kind in TYPES.items()}


def to_tree(value: Any, classes: Classes, name: str) -> tuple[Json, dict[str, Array]]:
    """A value as JSON and arrays.

    Parameters
    ----------
    value : object
        None, numbers, texts, tuples, lists, dicts, arrays, CSR matrices and objects of the classes.
    classes : mapping
        Names to dataclasses. Nothing else is written.
    name : str
        What the value is called, for messages and for the names of the arrays.

    Returns
    -------
    json : object
        To be kept in the header of a record.
    arrays : dict
        To be kept beside it.

    Raises
    ------
    InputError
        If something in it is none of these; says where.
    """
    writer = _Writer(classes)
    return writer.node(value, name), writer.arrays


class _Writer:
    """Makes nodes of values, and collects the arrays."""

    def __init__(self, classes: Classes) -> None:
        self._names = {cls: name for name, cls in classes.items()}
        self.arrays: dict[str, Array] = {}

    def node(self, value: Any, where: str) -> Json:
        """The value as JSON."""
        kind = type(value)
        if value is None or kind in (bool, str):
            return value  # type: ignore[no-any-return]
        if kind in (int, float):
            return self._number(value, where)
        if kind in (list, tuple):
            made = [self.node(one, f"{where}/{index}") for index, one in enumerate(value)]
            return made if kind is list else {"tuple": made}
        if kind is dict:
            return {"dict": [self._pair(index, pair, where) for index, pair in enumerate(value.items())]}
        if kind is range and len(value) <= LONGEST:
            return {"range": [value.start, value.stop, value.step]}
        if kind in self._names:
            return self._object(value, where)
        return self._numeric(value, where)

    def _numeric(self, value: Any, where: str) -> Json:
        """What NumPy and SciPy make."""
        if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray):
            return self._array(value, where)
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value), where)}
        if isinstance(value, np.dtype) and value.name in DTYPES:
            return {"dtype": value.name}
        if isinstance(value, type) and value in _TYPE_NAMES:
            return {"type": _TYPE_NAMES[value]}
        if sparse.issparse(value) and value.format == "csr":
            parts = {name: getattr(value, name) for name in ("data", "indices", "indptr")}
            made = {name: self._array(part, f"{where}/{name}") for name, part in parts.items()}
            whole = [int(length) for length in value.shape]
            return {"csr": {"shape": whole, "matrix": isinstance(value, sparse.csr_matrix), **made}}
        raise _unsavable(value, where)

    def _number(self, value: Any, where: str) -> Json:
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": repr(value)}
        if not SMALLEST <= value <= LARGEST:
            raise InputError(f"{where} can't be saved: {value:.3g} is too large a number.")
        return value  # type: ignore[no-any-return]

    def _pair(self, index: int, pair: tuple[Any, Any], where: str) -> Json:
        key, value = pair
        if not isinstance(key, (str, int, float, np.generic)):
            raise _unsavable(key, f"a key of {where}")
        return [self.node(key, f"{where}/{index}/key"), self.node(value, f"{where}/{index}")]

    def _object(self, value: Any, where: str) -> Json:
        cls: Any = type(value)
        made = {}
        hints = hints_of(cls)
        for field in fields(cls):
            inner, place = getattr(value, field.name), f"{where}/{field.name}"
            made[field.name] = self.node(inner, place)
            if not fits(inner, hints[field.name]):
                raise InputError(
                    f"{place} can't be saved: it must be {field.type}, got {type(inner).__name__}."
                )
        return {self._names[cls]: made}

    def _array(self, array: Array, where: str) -> Json:
        if array.dtype.kind in "UO":
            return _texts(array, where)
        if array.dtype.kind not in "biuf":
            raise InputError(f"{where} can't be saved: a file keeps no array of {array.dtype}.")
        # Products of arrays whose rows lie together and of others may differ in their last bits.
        turned = array.flags.f_contiguous and not array.flags.c_contiguous
        self.arrays[where] = np.asarray(array.T if turned else array)
        return {"array": where, "transposed": True} if turned else {"array": where}


def _texts(array: Array, where: str) -> Json:
    values: list[Any] = array.ravel().tolist()
    if any(type(one) is not str for one in values):
        raise InputError(f"{where} can't be saved: an array of Python objects is kept if all are texts.")
    width = array.itemsize // 4 if array.dtype.kind == "U" else None
    if max(width or 0, *map(len, values), 0) * max(1, len(values)) > WIDEST:
        raise InputError(f"{where} can't be saved: its texts are too long.")
    return {"texts": {"shape": list(array.shape), "width": width, "values": values}}


def _unsavable(value: Any, where: str) -> InputError:
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        why = "a random generator, which goes on as it is used; give a number as the seed"
    elif isinstance(value, type) or not callable(value) or not hasattr(value, "__code__"):
        name = value.__name__ if isinstance(value, type) else type(value).__name__
        why = f"of the class {name}, and a file holds Samara's own classes and plain data only"
    else:
        why = "a function, and a file holds no code"
    return InputError(f"{where} can't be saved: it is {why}.")
