"""Which columns of a table are read, as what, and the chunks made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from samara.core import Array, Chunk
from samara.errors import InputError, unknown_name
from samara.schema import Column, Kind, Schema, names_of
from samara.sources.columns import Memo, raw_column, refuse_infinity, same_kind

TILE_ROWS = 1024  # put side by side at a time
Kinds = Mapping[str, Kind | None]  # of the columns of a file; None fits any kind


@dataclass(frozen=True)
class Picks:
    """The columns that are read: inputs, targets, a weight, and those that only ``where`` speaks of."""

    inputs: Schema
    targets: Schema = ()
    weight: str | None = None
    where: Any = field(default=None, compare=False)  # comparing two Arrow expressions makes a third
    tested: tuple[str, ...] = ()  # the columns that where speaks of

    @property
    def names(self) -> list[str]:
        """The columns of which chunks are made, each once."""
        weight = [] if self.weight is None else [self.weight]
        return list(dict.fromkeys([*names_of(self.inputs), *names_of(self.targets), *weight]))

    @property
    def read(self) -> list[str]:
        """All columns that have to be read."""
        return list(dict.fromkeys([*self.names, *self.tested]))

    def chunk(self, columns: Mapping[str, Any], memos: dict[str, Memo], labels: bool, place: Place) -> Chunk:
        """Arrow columns as a chunk of raw numbers."""
        found: dict[str, dict[float, str]] | None = {} if labels else None
        X, y = (self._matrix(schema, columns, memos, found) for schema in (self.inputs, self.targets))
        refuse_infinity(X, names_of(self.inputs), place.name, place.row)
        refuse_infinity(y, names_of(self.targets), place.name, place.row)
        weight = None
        if self.weight is not None:
            weight = np.array(raw_column(columns[self.weight], "number", Memo()))
            check_weight(weight, self.weight, place)
        return Chunk(X, y, weight, found)

    @staticmethod
    def _matrix(
        schema: Schema,
        columns: Mapping[str, Any],
        memos: dict[str, Memo],
        found: dict[str, dict[float, str]] | None,
    ) -> Array:
        """The columns side by side; the texts met are put into ``found``, where it is given."""
        n, raw = len(next(iter(columns.values()))), []
        for column in schema:
            seen = None
            if found is not None and column.kind == "text":
                seen = found.setdefault(column.name, {})
            memo = memos.setdefault(column.name, Memo())
            raw.append(raw_column(columns[column.name], column.kind, memo, seen))
        return side_by_side(raw, n)


def side_by_side(columns: Sequence[Array], n: int) -> Array:
    """Columns of n values as those of a matrix in C order.

    A few rows at a time: the lines of the matrix that a column touches are then still in the cache when the
    next column comes.
    """
    X = np.empty((n, len(columns)))
    for lo in range(0, n, TILE_ROWS):
        rows = slice(lo, lo + TILE_ROWS)
        for j, values in enumerate(columns):
            X[rows, j] = values[rows]
    return X


@dataclass(frozen=True)
class Place:
    """Where rows were read, for the error messages."""

    name: str
    row: int  # of the first one


def check_weight(weight: Array, name: str, place: Place) -> None:
    """Refuse a weight that is missing, negative or infinite."""
    bad = ~np.isfinite(weight) | (weight < 0)
    if bad.any():
        row = int(np.argmax(bad))
        value = "a missing value" if np.isnan(weight[row]) else f"{weight[row]:g}"
        raise InputError(
            f"The weights {name!r} must not be negative, missing or infinite: "
            f"{place.name}, row {place.row + row} has {value}."
        )


def listed(names: str | Iterable[str] | None, what: str) -> list[str]:
    """One name or several, as a list without repeats."""
    found = [names] if isinstance(names, str) else list(names or ())
    for name in found:
        if not isinstance(name, str):
            raise InputError(f"{what} must be the names of columns, got {name!r}.")
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise InputError(f"{what} names {twice!r} twice.")
    return found


@dataclass(frozen=True)
class Request:
    """What a user asked for: names, and a condition on the rows."""

    target: Any = None
    weight: str | None = None
    columns: Any = None
    where: Any = None

    def picks(self, kinds: Kinds) -> Picks:
        """The columns asked for, of those a table has."""
        targets = listed(self.target, "target")
        if self.weight is not None and not isinstance(self.weight, str):
            raise InputError(f"weight must be the name of a column, got {self.weight!r}.")
        taken = {*targets, *([] if self.weight is None else [self.weight])}
        if self.columns is None:
            inputs = [name for name in kinds if name not in taken]
        else:
            inputs = listed(self.columns, "columns")
        for what, names in (("target", targets), ("weight", [self.weight]), ("column", inputs)):
            for name in names:
                if name is not None and name not in kinds:
                    raise unknown_name(what, name, kinds)
        if both := [name for name in inputs if name in taken]:
            raise InputError(f"Column {both[0]!r} can't be input and target or weight at once.")
        if self.weight in targets:
            raise InputError(f"Column {self.weight!r} can't be target and weight at once.")
        if not inputs:
            raise InputError("No column is left as an input: name some with columns=.")
        if self.weight is not None and kinds[self.weight] not in ("number", "boolean", None):
            raise InputError(
                f"The weights {self.weight!r} must be numbers, but the column holds {kinds[self.weight]}s."
            )
        return Picks(_columns(inputs, kinds), _columns(targets, kinds), self.weight)


def _columns(names: Iterable[str], kinds: Kinds) -> Schema:
    """Named columns; one without any value counts as numbers."""
    return tuple(Column(name, kinds[name] or "number") for name in names)


def picked_for_model(picks: Picks, schema: Schema, targets: Schema | None) -> Picks:
    """The same rows, read as the columns that a model knows, in its order."""
    found = {column.name: column.kind for column in (*picks.inputs, *picks.targets)}
    refuse_other_columns(found, schema, {*names_of(picks.targets), *names_of(targets or ())})
    if targets is None:
        return replace(picks, inputs=schema)
    missing = [column.name for column in targets if column.name not in found]
    if missing:
        raise InputError(
            f"The table lacks the target {_quoted(missing)} of the model.{_near(missing, found)}"
        )
    _refuse_retyped(found, targets)
    return replace(picks, inputs=schema, targets=targets)


def refuse_other_columns(found: Mapping[str, Kind | None], schema: Schema, spare: Iterable[str] = ()) -> None:
    """Refuse a table whose inputs are not those of a model: missing, extra or retyped ones, by name."""
    known, spare = set(names_of(schema)), set(spare)
    missing = [name for name in names_of(schema) if name not in found]
    extra = [name for name in found if name not in known and name not in spare]
    if missing:
        columns = "column" if len(missing) == 1 else "columns"
        raise InputError(
            f"The table lacks the {columns} {_quoted(missing)} that the model was fitted on."
            f"{_near(missing, extra)}"
        )
    if extra:
        raise InputError(
            f"The model was not fitted on {_quoted(extra)}: leave {'it' if len(extra) == 1 else 'them'} out."
        )
    _refuse_retyped(found, schema)


def _refuse_retyped(found: Mapping[str, Kind | None], schema: Schema) -> None:
    retyped = [column for column in schema if not same_kind(found[column.name], column.kind)]
    if retyped:
        said = ", ".join(f"{c.name!r} holds {found[c.name]}s, not {c.kind}s" for c in retyped)
        raise InputError(f"The table's columns are not of the kinds that the model was fitted on: {said}.")


def _quoted(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:10])
    return shown + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _near(missing: Sequence[str], known: Iterable[str]) -> str:
    """A hint to names that are nearly the missing ones."""
    known = list(known)
    near = {name: close[0] for name in missing[:10] if (close := get_close_matches(name, known, n=1))}
    hints = ", ".join(f"{found!r} for {name!r}" for name, found in near.items())
    return f" Near names: {hints}." if near else ""
