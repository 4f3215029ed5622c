"""The head of a record: what a safetensors file says about itself, in one spelling only."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import InputError

VERSION = 1
LARGEST_HEAD = 100_000_000  # bytes; the safetensors package reads no larger one
UNSIGNED = "0" * 64
_CODES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "F16": "float16",
    "U32": "uint32", "I32": "int32", "F32": "float32", "U64": "uint64", "I64": "int64", "F64": "float64",
}  # fmt: skip
DTYPES = {code: np.dtype(name).newbyteorder("<") for code, name in _CODES.items()}
_CODE_OF = {dtype: code for code, dtype in DTYPES.items()}
_FOREIGN = {
    b"\x93NUMPY": "a NumPy .npy file",
    b"PK": "a zip archive",
    b"\x89HDF": "an HDF5 file",
    b"PAR1": "a Parquet file",
    b"\x80": "a pickle, which Samara never opens, for it could run any code",
}


class RefusedError(Exception):
    """What is wrong with a file that isn't named here."""


@dataclass(frozen=True, slots=True)
class Spec:
    """Name, dtype and shape of an array in a file."""

    name: str
    code: str
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * DTYPES[self.code].itemsize

    def place(self) -> tuple[int, str]:
        """Where it comes in a file: wide numbers first, so that each array is aligned."""
        return -DTYPES[self.code].itemsize, self.name


def spec_of(name: str, array: Array) -> Spec:
    """The entry of an array that can be kept exactly."""
    code = _CODE_OF.get(array.dtype.newbyteorder("<"))
    if code is None:
        raise InputError(
            f"The array {name!r} of dtype {array.dtype} can't be kept in a file. "
            f"Use {', '.join(_CODES.values())}."
        )
    if name == "__metadata__" or not name.isprintable():
        raise InputError(f"An array can't be called {name!r} in a file.")
    return Spec(name, code, array.shape)


def spelled_head(text: str, specs: list[Spec], checksum: str) -> bytes:
    """The one spelling of a head, its length included."""
    metadata = {"format": f"samara {VERSION}", "header": text, "sha256": checksum}
    entries: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for spec in specs:
        start, end = end, end + spec.nbytes
        entries[spec.name] = {"dtype": spec.code, "shape": spec.shape, "data_offsets": (start, end)}
    head = json.dumps(entries, separators=(",", ":")).encode("ascii")
    head += b" " * (-len(head) % 8)  # the arrays start at a multiple of 8
    return len(head).to_bytes(8, "little") + head


def foreign(start: bytes) -> str:
    """What a file with this start is, since it isn't a record."""
    for magic, kind in _FOREIGN.items():
        if start.startswith(magic):
            return f"it is {kind}"
    return "it is not a file of Samara, or its start is damaged"


def parsed_head(head: bytes) -> tuple[str, list[Spec], str]:
    """Header text, arrays and checksum, as far as the head can be understood."""
    try:
        entries = json.loads(head)
        metadata = entries.pop("__metadata__", {})
        version = re.fullmatch(r"samara ([1-9][0-9]{0,8})", metadata.get("format", ""))
        if version is None:
            raise RefusedError("it is a safetensors file, but not one of Samara")
        if int(version[1]) > VERSION:
            raise RefusedError(
                f"it is of format {version[1]}, and this Samara reads formats up to {VERSION}; update Samara"
            )
        specs = [_parsed_spec(name, entry["dtype"], entry["shape"]) for name, entry in entries.items()]
        text, checksum = metadata["header"], metadata["sha256"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise RefusedError("its head is damaged") from None
    if not isinstance(text, str) or not isinstance(checksum, str):
        raise RefusedError("its head is damaged")
    return text, specs, checksum


def _parsed_spec(name: str, code: Any, shape: Any) -> Spec:
    """The entry of an array, if it describes one that can be."""
    if code not in DTYPES or not isinstance(shape, list) or len(shape) > 64:
        raise ValueError
    if not all(type(length) is int and 0 <= length < 1 << 62 for length in shape):
        raise ValueError
    return Spec(name, code, tuple(shape))
