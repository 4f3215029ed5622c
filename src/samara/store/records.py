"""Records: a JSON header and named arrays in one file, checked before use and never executed.

A record is a safetensors file: the length of the head in 8 bytes, the head in JSON, the bytes of the arrays.
The head names dtype, shape and place of each array, and carries in its metadata

======== ==================================================================================
format   ``samara 1``
header   the JSON header, as text
sha256   of the head with this entry filled with zeros, followed by the bytes of all arrays
======== ==================================================================================

A head has one spelling only. The reader spells anew what it understood and compares, so that a head in which
anything is out of place, repeated, added or unexpected is refused without a rule for each case. It is written
and read here rather than by the safetensors package to have the bytes hashed on their way and copied nowhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeVar

import numpy as np

from samara.core import Array
from samara.errors import InputError, StoreError
from samara.store.files import Path, reason, replace_file, write_all
from samara.store.heads import (
    DTYPES,
    LARGEST_HEAD,
    UNSIGNED,
    RefusedError,
    Spec,
    foreign,
    parsed_head,
    spec_of,
    spelled_head,
)
from samara.store.pieces import pieces, raw

T = TypeVar("T")
Json = None | bool | int | float | str | list[Any] | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """What a file holds: its header, and its arrays, which are the reader's own and may be written to."""

    header: dict[str, Any]
    arrays: dict[str, Array]


def write_record(path: Path, header: Mapping[str, Json], arrays: Mapping[str, Array]) -> None:
    """Write a header and arrays into a file, in the place of what was there.

    A crash or an error at any moment leaves the old file as it was. Equal contents give equal bytes. No
    array is copied whole; of those that don't lie in C order, 4 MB at a time are.

    Parameters
    ----------
    path : str or path-like
        The file; its folder has to exist.
    header : mapping
        Strings to JSON values: None, bool, int, finite float, str, lists and dicts with string keys.
    arrays : mapping
        Names to arrays of booleans, whole numbers or floats, of any shape.

    Raises
    ------
    InputError
        If something can't be kept exactly.
    StoreError
        If the file can't be written.
    """
    text = _header_text(header)
    plain = {name: np.asarray(array) for name, array in arrays.items()}
    specs = sorted((spec_of(name, array) for name, array in plain.items()), key=Spec.place)
    first = spelled_head(text, specs, UNSIGNED)
    if len(first) > LARGEST_HEAD:
        raise InputError(
            f"The header of a file takes {len(first):,} bytes; {LARGEST_HEAD:,} can be read back."
        )

    def write(fd: int) -> None:
        checksum = hashlib.sha256(first)
        write_all(fd, first)
        for spec in specs:
            for piece in pieces(plain[spec.name]):
                _write_piece(fd, piece, DTYPES[spec.code], checksum)
        os.lseek(fd, 0, os.SEEK_SET)
        write_all(fd, spelled_head(text, specs, checksum.hexdigest()))

    replace_file(path, write)


def read_record(path: Path) -> Record:
    """Read what `write_record` wrote, once its length, its structure and its checksum hold.

    Nothing in the file is executed, and no more memory is taken than the file is long.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    Record
        The header and the arrays, which are copies of their own.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    StoreError
        If the file can't be read, is no record, is damaged or was written by a newer version.
    """
    return _opened(path, _read)


def read_header(path: Path) -> tuple[dict[str, Any], dict[str, tuple[str, tuple[int, ...]]]]:
    """Read the header of a record, and dtype and shape of its arrays, but not the arrays.

    The length and the structure of the file are checked; the checksum, which needs all of it, is not.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    header : dict
        As of `read_record`.
    arrays : dict
        Names to dtypes and shapes.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    StoreError
        If the file can't be read, is no record, is of the wrong length or was written by a newer version.
    """

    def read(file: BinaryIO, size: int) -> tuple[dict[str, Any], dict[str, tuple[str, tuple[int, ...]]]]:
        text, specs, _ = _checked_head(file, size)
        return _parsed_header(text), {spec.name: (DTYPES[spec.code].name, spec.shape) for spec in specs}

    return _opened(path, read)


def _opened(path: Path, read: Callable[[BinaryIO, int], T]) -> T:
    """What is read of a file, or why it can't be, in the name of the file."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its writer
            raise RefusedError("it is a folder or a device, not a file")
        with open(path, "rb", buffering=0) as file:
            return read(file, os.fstat(file.fileno()).st_size)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"{os.fspath(path)} can't be read: {reason(error)}.") from error
    except RefusedError as refusal:
        raise StoreError(f"{os.fspath(path)} can't be used: {refusal}.") from None


def _write_piece(fd: int, piece: Array, dtype: np.dtype[Any], checksum: Any) -> None:
    """Write a piece, and hash it; a copy of it is gone before the next one is made."""
    data = raw(piece, dtype).data
    checksum.update(data)
    write_all(fd, data)


def _header_text(header: Mapping[str, Json]) -> str:
    """The header as JSON that comes back as it was."""
    try:
        text = json.dumps(dict(header), allow_nan=False)
        exact = json.loads(text) == header
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"The header of a file can't be written as JSON: {error}.") from error
    if not exact:
        raise InputError("The header of a file has to be plain JSON: lists, not tuples, and strings as keys.")
    return text


def _read(file: BinaryIO, size: int) -> Record:
    """The record, every byte of it checked."""
    text, specs, checksum = _checked_head(file, size)
    found = hashlib.sha256(spelled_head(text, specs, UNSIGNED))
    arrays = {spec.name: _read_array(file, spec, found) for spec in specs}
    if found.hexdigest() != checksum:
        raise RefusedError("it is damaged, for its checksum doesn't fit")
    return Record(_parsed_header(text), arrays)


def _checked_head(file: BinaryIO, size: int) -> tuple[str, list[Spec], str]:
    """Header text, arrays and checksum, if the head is spelled as it has to be and the length fits."""
    head = _read_head(file, size)
    text, specs, checksum = parsed_head(head[8:])
    if spelled_head(text, specs, checksum) != head:
        raise RefusedError("its head is damaged")
    missing = len(head) + sum(spec.nbytes for spec in specs) - size
    if missing:
        raise RefusedError(f"it is {abs(missing):,} bytes too {'short' if missing > 0 else 'long'}")
    return text, specs, checksum


def _read_head(file: BinaryIO, size: int) -> bytes:
    """The head and its length, unless the file is something else."""
    start = file.read(9)
    length = int.from_bytes(start[:8], "little")
    if len(start) < 9:
        raise RefusedError("it is empty" if not start else "it is too short for a file of Samara")
    if start[8:] != b"{" or length > LARGEST_HEAD:
        raise RefusedError(foreign(start))
    if length > size - 8:
        raise RefusedError(f"it is {length + 8 - size:,} bytes too short for its head")
    head = bytearray(start)
    while len(head) < 8 + length:
        more = file.read(8 + length - len(head))
        if not more:
            raise RefusedError("it became shorter while it was read")
        head += more
    return bytes(head)


def _parsed_header(text: str) -> dict[str, Any]:
    """The header, once the checksum holds."""
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise RefusedError("its header is not a JSON object")
    return header


def _read_array(file: BinaryIO, spec: Spec, checksum: Any) -> Array:
    """An array of its own, hashed while it is read."""
    try:
        array = np.empty(spec.shape, DTYPES[spec.code])
    except (ValueError, MemoryError) as error:
        raise RefusedError(f"its array {spec.name!r} can't be held: {error}") from None
    for piece in pieces(raw(array)):
        left = piece.data
        while left:
            count = file.readinto(left)  # type: ignore[attr-defined]
            if not count:
                raise RefusedError("it became shorter while it was read")
            left = left[count:]
        checksum.update(piece)
    if spec.code == "BOOL" and raw(array).max(initial=0) > 1:
        raise RefusedError(f"its array {spec.name!r} holds booleans that are neither true nor false")
    return array
