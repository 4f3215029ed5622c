"""From a raw table to numbers: what becomes of each column, learned from a profile and then frozen.

A raw table is a matrix in which a missing value is NaN and a text its code (see `samara.schema`). A column of
numbers, booleans or dates stays what it is, a text becomes one indicator a category or, where there are many
categories, the mean target of its category.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.rowkeys import fold_of, row_keys
from samara.schema import Schema


@dataclass(frozen=True)
class Number:
    """The value itself; a missing one becomes the mean, and 1 in a second column where there is a flag."""

    mean: float
    flag: bool = False

    @property
    def n_out(self) -> int:
        return 1 + self.flag

    def names_out(self, name: str) -> list[str]:
        """Names of the columns given."""
        return [name, f"{name} missing"][: self.n_out]


@dataclass(frozen=True)
class Levels:
    """A column for each category, 1 where the text is it.

    A missing or new text has 1 in the flag; where there is none, the shares of the categories, which are the
    means of their columns.
    """

    codes: Array  # (k,) increasing
    labels: tuple[str, ...]
    shares: Array  # (k,) of the weight of all texts
    flag: bool = False

    @property
    def n_out(self) -> int:
        return len(self.codes) + self.flag

    def names_out(self, name: str) -> list[str]:
        """Names of the columns given."""
        return [f"{name} = {label}" for label in self.labels] + [f"{name} missing"] * self.flag

    def __call__(self, codes: Array) -> Array:
        """The indicators of a column of codes."""
        place, known = _places(self.codes, codes)
        made = np.zeros((len(codes), self.n_out))
        made[np.flatnonzero(known), place[known]] = 1.0
        if self.flag:
            made[:, -1] = ~known
        else:
            made[~known] = self.shares  # all zero would be a row that the model never met
        return made


@dataclass(frozen=True)
class Encoded:
    """The mean target of the text's category, drawn towards that of all rows where the category is rare."""

    codes: Array  # (k,) increasing
    labels: tuple[str, ...]
    values: Array  # (k, t)
    prior: Array  # (t,) of a missing or new text
    targets: tuple[str, ...]

    @property
    def n_out(self) -> int:
        return len(self.prior)

    def names_out(self, name: str) -> list[str]:
        """Names of the columns given."""
        return [f"{name} → {target}" for target in self.targets]

    def __call__(self, codes: Array) -> Array:
        """The values of a column of codes."""
        place, known = _places(self.codes, codes)
        made = np.tile(self.prior, (len(codes), 1))
        made[known] = self.values[place[known]]
        return made


Coding = Number | Levels | Encoded | None  # None: the column is left out, for it says nothing


@dataclass(frozen=True)
class Columns:
    """Raw rows → numbers: the coding of each column."""

    schema: Schema
    codings: tuple[Coding, ...]

    @cached_property
    def starts(self) -> list[int]:
        """Where the columns given for each raw column begin, and where the last ends."""
        return [0, *accumulate(coding.n_out if coding else 0 for coding in self.codings)]

    @property
    def n_out(self) -> int:
        return self.starts[-1]

    @cached_property
    def names_out(self) -> list[str]:
        """Names of the columns given: ``age``, ``age missing``, ``city = Paris``, ``city → price``."""
        pairs = zip(self.codings, self.schema, strict=True)
        return [name for coding, column in pairs if coding for name in coding.names_out(column.name)]

    @cached_property
    def indicators(self) -> Array:
        """Which of the columns given are 1 or 0 by construction: categories, booleans and flags."""
        found = np.zeros(self.n_out, bool)
        for column, coding, start in zip(self.schema, self.codings, self.starts[:-1], strict=True):
            if isinstance(coding, Levels):
                found[start : start + coding.n_out] = True
            elif isinstance(coding, Number):
                found[start] = column.kind == "boolean"
                found[start + 1 : start + coding.n_out] = True
        return found

    @cached_property
    def is_identity(self) -> bool:
        """Whether complete rows stay as they are."""
        return all(isinstance(coding, Number) and not coding.flag for coding in self.codings)

    def leaves(self, X: Array) -> bool:
        """Whether these rows stay as they are: numbers throughout, and none missing."""
        return self.is_identity and not np.isnan(X).any()

    @cached_property
    def _numbers(self) -> tuple[Array, Array, Array, Array]:
        """Raw columns of numbers, where they go, their means, and which have a flag."""
        found = [
            (j, self.starts[j], c.mean, c.flag) for j, c in enumerate(self.codings) if isinstance(c, Number)
        ]
        places, starts, means, flags = zip(*found, strict=True) if found else ((), (), (), ())
        return (
            np.array(places, np.intp),
            np.array(starts, np.intp),
            np.array(means, np.float64),
            np.array(flags, bool),
        )

    @cached_property
    def texts(self) -> list[tuple[int, slice]]:
        """The raw columns of text that are not left out, and where they go."""
        return [
            (j, slice(self.starts[j], self.starts[j + 1]))
            for j, coding in enumerate(self.codings)
            if isinstance(coding, Levels | Encoded)
        ]

    def __call__(self, X: Array, out: Array | None = None) -> Array:
        """The rows as numbers, none of them missing."""
        made = self.numbers(X, out)
        for j, place in self.texts:
            made[:, place] = self.encode(j, X[:, j])
        return made

    def numbers(self, X: Array, out: Array | None = None) -> Array:
        """The rows with what is not text filled in."""
        if X.shape[1] != len(self.schema):
            raise InputError(f"X has {X.shape[1]} columns; the model was fitted on {len(self.schema)}.")
        made = np.empty((len(X), self.n_out)) if out is None else out
        places, starts, means, flags = self._numbers
        values = X if len(places) == X.shape[1] else X[:, places]
        gone = np.isnan(values)
        made[:, starts] = np.where(gone, means, values)
        made[:, starts[flags] + 1] = gone[:, flags]
        return made

    def encode(self, j: int, codes: Array, folds: Array | None = None) -> Array:
        """What becomes of the codes of a column of text, in whichever fold."""
        coding = self.codings[j]
        assert isinstance(coding, Levels | Encoded)
        return coding(codes)


@dataclass(frozen=True)
class CrossEncoded:
    """The twin of `Columns` for training: a row's own fold has no part in the means it is encoded by."""

    columns: Columns
    values: dict[int, Array]  # (K, k + 1, t) of each encoded column: without fold f; the last is the prior
    n_folds: int

    @property
    def n_out(self) -> int:
        return self.columns.n_out

    def __call__(self, X: Array, out: Array | None = None) -> Array:
        """The rows as numbers, none of them missing."""
        made = self.columns.numbers(X, out)
        folds = fold_of(row_keys(X), self.n_folds)
        for j, place in self.columns.texts:
            made[:, place] = self.encode(j, X[:, j], folds)
        return made

    def encode(self, j: int, codes: Array, folds: Array) -> Array:
        """What becomes of the codes of a column of text in their folds."""
        coding = self.columns.codings[j]
        if not isinstance(coding, Encoded):
            return self.columns.encode(j, codes)
        place, known = _places(coding.codes, codes)
        return np.asarray(self.values[j][folds, np.where(known, place, len(coding.codes))])


def _places(codes: Array, found: Array) -> tuple[Array, Array]:
    """The place of each code among the known ones, and whether it is known."""
    if not len(codes):
        return np.zeros(len(found), np.intp), np.zeros(len(found), bool)
    place = np.searchsorted(codes, found).clip(max=len(codes) - 1)
    return place, codes[place] == found
