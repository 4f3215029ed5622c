"""Arrays on disk as tables: a vector is a column, a matrix a run of numbered columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samara.core import Array, Chunk
from samara.errors import InputError, unknown_name
from samara.schema import Column, Kind, Schema
from samara.sources.arrays_on_disk import StoredArray, stored_arrays
from samara.sources.columns import refuse_infinity
from samara.sources.files import File, find_files, foreign
from samara.sources.picks import Picks, Place, Request, check_weight, listed

Opened = Mapping[str, Callable[[int, int], Array]]  # name of an array → what reads its rows

_PIECE = 1 << 18  # rows of a piece
_READ = 1 << 22  # bytes of an array read together where only some of its columns are wanted


@dataclass(frozen=True)
class MatrixPiece:
    """Some consecutive rows of arrays."""

    file: File
    arrays: Mapping[str, tuple[StoredArray, int]]  # name of a column → its array, and which column of it
    start: int
    stop: int
    picks: Picks

    @property
    def name(self) -> str:
        return f"{self.file.path}, rows {self.start} to {self.stop - 1}"

    @property
    def n_rows(self) -> int:
        return self.stop - self.start

    @property
    def rows_guess(self) -> int:
        return self.n_rows

    @property
    def held_bytes(self) -> int:
        """What is unpacked whole, and the rows of the other columns of an array."""
        return sum(array.held_bytes or _READ for array in self._stored())

    @property
    def stored_bytes(self) -> int:
        return self.n_rows * sum(int(self.arrays[name][0].dtype.itemsize) for name in self.picks.names)

    def _stored(self) -> list[StoredArray]:
        return list({self.arrays[name][0].name: self.arrays[name][0] for name in self.picks.names}.values())

    def picking(self, picks: Picks) -> MatrixPiece:
        """The same rows, read as other columns."""
        return replace(self, picks=picks)

    def chunks(
        self, rows: int, start: int = 0, stop: int | None = None, labels: bool = False
    ) -> Iterator[Chunk]:
        """The rows from ``start`` to ``stop`` in chunks of at most ``rows``."""
        end = self.stop if stop is None else min(self.stop, self.start + stop)
        with foreign(self.name):
            opened = {array.name: array.opened() for array in self._stored()}
        for lo in range(self.start + start, end, rows):
            hi = min(lo + rows, end)
            with foreign(self.name):
                X = self._matrix(self.picks.inputs, opened, lo, hi)
                y = self._matrix(self.picks.targets, opened, lo, hi)
                weight = None
                if self.picks.weight is not None:
                    weight = self._matrix((Column(self.picks.weight, "number"),), opened, lo, hi)[:, 0]
            place = Place(self.file.path, lo)
            refuse_infinity(X, [column.name for column in self.picks.inputs], place.name, lo)
            refuse_infinity(y, [column.name for column in self.picks.targets], place.name, lo)
            if weight is not None:
                weight = weight.astype(np.float64)
                check_weight(weight, str(self.picks.weight), place)
            yield Chunk(X, y, weight, {} if labels else None)

    def _matrix(self, schema: Schema, opened: Opened, lo: int, hi: int) -> Array:
        """The columns side by side, in single precision if all of them are stored so."""
        single = bool(schema) and all(self.arrays[c.name][0].dtype == np.float32 for c in schema)
        made = np.empty((hi - lo, len(schema)), np.float32 if single else np.float64)
        j = 0
        while j < len(schema):
            array, first = self.arrays[schema[j].name]
            k = j + 1
            while k < len(schema) and self.arrays[schema[k].name] == (array, first + k - j):
                k += 1
            step = max(1, _READ // max(1, array.row_bytes))
            for at in range(lo, hi, step):
                values = opened[array.name](at, min(at + step, hi))
                made[at - lo : at - lo + len(values), j:k] = values[:, first : first + k - j]
            j = k
        missing = np.isnan(made)
        if missing.any():
            made[missing] = np.nan  # of one bit pattern
        return made

    def head(self, n: int) -> Any:
        """The first rows as an Arrow table."""
        import pyarrow as pa

        picks = self.picks
        for chunk in self.chunks(n, 0, n):
            values = np.column_stack([chunk.X, chunk.y])
            names = [column.name for column in (*picks.inputs, *picks.targets)]
            return pa.table(
                {
                    **{name: values[:, j] for j, name in enumerate(names)},
                    **({} if chunk.weight is None else {str(picks.weight): chunk.weight}),
                }
            )
        return pa.table({name: np.empty(0) for name in picks.names})


def matrix_pieces(
    file: File, format_: str, request: Request
) -> tuple[Picks, tuple[MatrixPiece, ...], tuple[File, ...]]:
    """The columns asked for, and the pieces they are read in; all files that they lie in."""
    arrays = {array.name: array for array in stored_arrays(file, format_)}
    files = [file]
    if format_ == "npy":
        files += _beside(file, request, arrays)
    if request.where is not None:
        raise InputError(f"where works for tables, not for arrays ({file.path}).")
    grouped = {name: _columns_of(array) for name, array in arrays.items() if _is_table(array)}
    targets, weight = _named(listed(request.target, "target"), grouped), request.weight
    if request.columns is None:
        taken = {*targets, weight}
        odd = [name for name, array in arrays.items() if not _is_table(array) and name != weight]
        if odd:
            array = arrays[odd[0]]
            raise InputError(
                f"{file.path}: the array {odd[0]!r} of {array.dtype} with shape {array.shape} is no column "
                "or matrix of numbers: leave it out with columns=."
            )
        inputs = [name for columns in grouped.values() for name in columns if name not in taken]
    else:
        inputs = _named(listed(request.columns, "columns"), grouped)
    places = {name: place for columns in grouped.values() for name, place in columns.items()}
    kinds = {name: _kind(array) for name, (array, _) in places.items()}
    picks = replace(request, target=targets, columns=inputs, weight=weight).picks(kinds)
    lengths = {places[name][0].name: places[name][0].shape[0] for name in picks.names}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name or 'array'}: {n:,}" for name, n in lengths.items())
        raise InputError(f"{file.path}: the arrays differ in their rows ({said}): pick with columns=.")
    n = next(iter(lengths.values()))
    pieces = tuple(MatrixPiece(file, places, lo, min(lo + _PIECE, n), picks) for lo in range(0, n, _PIECE))
    return picks, pieces, tuple(files)


def _beside(file: File, request: Request, arrays: dict[str, StoredArray]) -> list[File]:
    """Targets and weights of a matrix that are files of their own, added to its arrays."""
    found: list[File] = []
    weight = [] if request.weight is None else [request.weight]
    for name in (*listed(request.target, "target"), *weight):
        if not name.endswith(".npy"):
            continue
        path = name if os.path.exists(name) else os.path.join(os.path.dirname(file.path), name)
        (other,) = find_files(path, {})
        (array,) = stored_arrays(other, "npy")
        arrays[name] = replace(array, name=name)
        found.append(other)
    return found


def _is_table(array: StoredArray) -> bool:
    return len(array.shape) in (1, 2) and array.dtype.kind in "biuf"


def _columns_of(array: StoredArray) -> dict[str, tuple[StoredArray, int]]:
    """The names of an array's columns: its own for a vector, numbered for a matrix."""
    if len(array.shape) == 1:
        return {array.name or "x0": (array, 0)}
    name = array.name or "x"
    return {f"{name}{j}": (array, j) for j in range(array.width)}


def _named(names: Sequence[str], grouped: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The columns that names stand for: a column, or all those of an array."""
    found: list[str] = []
    known = {name for columns in grouped.values() for name in columns}
    for name in names:
        if name in known:
            found.append(name)
        elif name in grouped:
            found += grouped[name]
        else:
            raise unknown_name("column or array", name, {*known, *grouped})
    return found


def _kind(array: StoredArray) -> Kind:
    return "boolean" if array.dtype.kind == "b" else "number"
