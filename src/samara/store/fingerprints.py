"""Fingerprints of data and settings, by which a file knows what it was written for."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from samara.core import Array
from samara.errors import InputError, StoreError
from samara.store.files import Path
from samara.store.pieces import PIECE, pieces, raw

_WORTH_THREADS = 8 * PIECE  # bytes; one thread takes 60 ms, two half of it
_THREADS = 4


def digest(*arrays: Any) -> str:
    """BLAKE2b over kinds, dtypes, shapes and values of arrays, in their order.

    The pieces of an array are hashed one by one, and then their hashes: threads can share the work, and the
    result depends neither on their number nor on how the array lies in memory. Beyond the arrays 4 MB are
    needed a thread, where they don't lie in C order, and nothing otherwise.

    Parameters
    ----------
    *arrays : array or sparse matrix in CSR or CSC format
        Memory maps and views are read as they are. A sparse matrix is hashed as stored: another order of its
        entries, or a zero among them, is another matrix.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    InputError
        If an array holds Python objects, or a sparse matrix has another format.
    """
    plain = [part for given in arrays for part in _parts(given)]
    if sum(part.nbytes for part in plain) < _WORTH_THREADS:
        return _combined(plain, map(_hash, _all_pieces(plain)))
    with ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1)) as pool:
        return _combined(plain, pool.map(_hash, _all_pieces(plain)))


def compare(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Names of the entries that differ.

    Parameters
    ----------
    old, new : mapping
        Names to digests or other texts. What only one of them has differs.

    Returns
    -------
    list of str
        In the order of ``old``, then of ``new``.
    """
    names = dict.fromkeys([*old, *new])
    return [name for name in names if old.get(name) != new.get(name)]


@dataclass(frozen=True)
class Fingerprint:
    """What a file was written for.

    Parameters
    ----------
    data : mapping
        Digests by what they are of, in the plural: rows, columns, targets, weights.
    settings : mapping
        Values as texts, by the names of the parameters.
    """

    data: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)

    def as_header(self) -> dict[str, Any]:
        """The fingerprint as an entry of a record's header."""
        return {"data": dict(self.data), "settings": dict(self.settings)}

    @classmethod
    def from_header(cls, entry: Any) -> Self:
        """The fingerprint that `as_header` gave; an empty one where it gave none."""
        kinds = [entry.get(kind) if isinstance(entry, dict) else None for kind in ("data", "settings")]
        data, settings = (kind if isinstance(kind, dict) else {} for kind in kinds)
        return cls(data, settings)

    def check(self, written: Fingerprint, path: Path) -> None:
        """Refuse a file that was written for something else.

        Parameters
        ----------
        written : Fingerprint
            The one in the file.
        path : str or path-like
            The file, for the message.

        Raises
        ------
        StoreError
            Naming everything that differs.
        """
        data, settings = compare(written.data, self.data), compare(written.settings, self.settings)
        if not data and not settings:
            return
        things = [f"the {name}" for name in data]
        if settings:
            things.append(f"the setting{'s' * (len(settings) > 1)} {_listed(settings)}")
        verb = "differs" if not data and len(settings) == 1 else "differ"
        other, same = ("for", "fit the same data") if data else ("with", "use the same settings")
        raise StoreError(
            f"{os.fspath(path)} was written {other} other {'data' if data else 'settings'}: "
            f"{', '.join(things)} {verb}. Delete it or {same}."
        )


def _listed(names: list[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _parts(given: Any) -> list[Array]:
    """The arrays that an array or a sparse matrix consists of, the kind first."""
    if not hasattr(given, "toarray"):
        array = np.asarray(given)
        if array.dtype.hasobject:
            raise InputError("An array of Python objects has no fingerprint: its bytes are only addresses.")
        return [array]
    if given.format not in ("csr", "csc"):
        raise InputError(f"A sparse matrix in {given.format.upper()} format has no fingerprint. Use CSR.")
    kind = np.array([given.format])
    return [kind, np.array(given.shape, np.int64), given.indptr, given.indices, given.data]


def _all_pieces(arrays: list[Array]) -> Iterator[Array]:
    """The pieces of each array."""
    for array in arrays:
        yield from pieces(array)


def _hash(piece: Array) -> bytes:
    """The hash of a piece; the interpreter's lock is released meanwhile."""
    return hashlib.blake2b(raw(piece).data, digest_size=32).digest()


def _combined(arrays: list[Array], hashes: Iterator[bytes]) -> str:
    """The hash over all dtypes and shapes, then all hashes."""
    total = hashlib.blake2b(digest_size=32)
    total.update(repr([(str(array.dtype), array.shape) for array in arrays]).encode())
    for piece in hashes:
        total.update(piece)
    return total.hexdigest()
