"""A data set in memory: its table, and what an estimator takes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import numpy as np

from samara.core import Array
from samara.datasets.catalogue import Entry, Task
from samara.errors import InputError, StoreError

Origin = Literal["folder", "samara", "scikit-learn", "OpenML"]
SPLIT = "split"  # the column that says which part a row belongs to
_TESTS = ("test", "valid")  # what the test part is called; the first of these that there is


@dataclass(frozen=True, eq=False, repr=False)
class DataSet:
    """A named data set, as `load` gives it.

    Attributes
    ----------
    entry : Entry
        What the catalogue says of it.
    frame : pyarrow.Table
        All columns: inputs, targets and, where there is an official split, ``split``.
    origin : {"folder", "samara", "scikit-learn", "OpenML"}
        Where it was found.
    name : str
        Its name.
    task : {"classification", "regression"}
        What it is used for.
    inputs : list of str
        Names of the inputs, in order.
    categorical : tuple of str
        The inputs that are categories.
    X : ndarray of shape (n_rows, n_columns), or pyarrow.Table
        The inputs: a read-only matrix of 64-bit floats or, where some are texts, a table that every estimator
        takes as it is.
    y : ndarray of shape (n_rows,)
        The target: 64-bit floats, or labels, which are whole numbers or texts. Where there is a second
        target, ``entry.targets`` has its name, and `column` its values.
    sha256 : str
        Of the values of inputs and targets, numbers as 32-bit floats; names and the split don't count.
    verified : bool
        Whether the values are those that the catalogue means, to the last one and in the same order.
    """

    entry: Entry
    frame: Any
    origin: Origin

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def task(self) -> Task:
        return self.entry.task

    @property
    def categorical(self) -> tuple[str, ...]:
        return self.entry.categorical

    @property
    def inputs(self) -> list[str]:
        return [name for name in self.frame.column_names if name not in (*self.entry.targets, SPLIT)]

    @cached_property
    def X(self) -> Any:  # noqa: N802 - a matrix
        from samara.sources.whole import has_texts, matrix_of

        table = self.frame.select(self.inputs)
        if has_texts(table):
            return table
        return _frozen(matrix_of(table))

    @cached_property
    def y(self) -> Array:
        values = in_numbers(self.column(self.entry.targets[0]))
        if self.task == "regression":
            values = values.astype(np.float64)
        elif values.dtype.kind != "U":
            values = values.astype(np.int64)
        return _frozen(values)

    def column(self, name: str) -> Array:
        """One column as an array: texts as texts, numbers as they are stored."""
        from samara.sources.whole import array_of

        return _frozen(array_of(self.frame[name]))

    def split(self) -> tuple[DataSet, DataSet]:
        """The official parts to fit and to test on.

        Returns
        -------
        train, test : DataSet

        Raises
        ------
        InputError
            If this copy has no official split.
        """
        if SPLIT in self.frame.column_names:
            part = self.column(SPLIT)
            tested = part == next((name for name in _TESTS if name in part), "")
        elif self.entry.split_in_order:
            tested = np.arange(self.frame.num_rows) >= self.entry.split[0]
        else:
            raise InputError(
                f"The copy of {self.name} from {_spelled(self.origin)} has no official split: "
                "cut it with sklearn.model_selection.train_test_split(data.X, data.y)."
            )
        parts = (self.frame.take(np.flatnonzero(kept)) for kept in (~tested, tested))
        train, test = (replace(self, frame=part) for part in parts)
        return train, test

    @cached_property
    def sha256(self) -> str:
        digest = sha256()
        for name in (*self.inputs, *self.entry.targets):
            values = in_numbers(self.column(name))
            if values.dtype.kind == "U":
                digest.update("\0".join(values).encode())
            else:
                with np.errstate(over="ignore"):
                    digest.update(values.astype("<f4").tobytes())
        return digest.hexdigest()

    @property
    def verified(self) -> bool:
        return self.sha256 == self.entry.sha256

    def __repr__(self) -> str:
        entry = self.entry
        task = f"{entry.classes} classes" if entry.classes else "regression"
        shape = f"{self.frame.num_rows:,} rows × {len(self.inputs):,} columns"
        return f"<DataSet {self.name}: {shape}, {task}, from {_spelled(self.origin)}>"


def in_numbers(values: Array) -> Array:
    """Texts as numbers where all of them are, as copies of one data set differ in this; the rest as it is."""
    if values.dtype.kind != "U":
        return values
    try:
        return values.astype(np.float64)
    except ValueError:
        return values


def checked(data: DataSet, place: str) -> DataSet:
    """The data set, if it has the shape that its entry promises; ``place`` is named where it has not."""
    entry, there = data.entry, data.frame.column_names
    for name in entry.targets:
        if name not in there:
            raise StoreError(f"{place} is not the data set {entry.name}: it has no column {name!r}.")
    classes = len(np.unique(data.y)) if entry.classes else 0
    found = data.frame.num_rows, len(data.inputs), classes
    if found != (entry.rows, entry.columns, entry.classes):
        wanted = _shape(entry.rows, entry.columns, entry.classes)
        raise StoreError(f"{place} is not the data set {entry.name}, {wanted}: it holds {_shape(*found)}.")
    return data


def _shape(rows: int, columns: int, classes: int) -> str:
    told = f"{rows:,} rows × {columns:,} columns"
    return f"{told} of {classes} classes" if classes else told


def _spelled(origin: Origin) -> str:
    return "a folder" if origin == "folder" else origin


def _frozen(values: Array) -> Array:
    """The same array, which nobody can change: the data set keeps it."""
    values.flags.writeable = False
    return values
