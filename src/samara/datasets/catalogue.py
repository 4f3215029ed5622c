"""What is known of every named data set, whether it is there or not."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

from samara.errors import unknown_name

Task = Literal["classification", "regression"]
Package = Literal["samara", "scikit-learn"]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What the catalogue says of a data set.

    Attributes
    ----------
    name : str
        What `load` takes.
    rows, columns : int
        Its shape, the target not counted.
    task : {"classification", "regression"}
        What it is used for.
    classes : int
        Number of classes; 0 for a regression.
    targets : tuple of str
        The column to predict; where there are two, the second is another one.
    categorical : tuple of str
        Columns whose values are categories.
    split : tuple of int
        Rows of the official training and test parts; empty where there are none.
    split_in_order : bool
        Whether the training part are the first rows.
    papers : tuple of str
        Keys of the papers whose tables use it, as ``samara bench papers --paper`` takes them.
    licence : str
        As far as it is known.
    source : str
        Where it was first published, or the copy that is meant.
    comes_with : {"samara", "scikit-learn"} or None
        The package that has it on board.
    openml : int or None
        Its number at OpenML, where a copy of this shape is known.
    sha256 : str
        Of the values, as `DataSet.sha256` computes it.
    where : str
        Where it is to be had, in words.
    """

    name: str
    rows: int
    columns: int
    task: Task
    classes: int = 0
    targets: tuple[str, ...] = ("target",)
    categorical: tuple[str, ...] = ()
    split: tuple[int, ...] = ()
    split_in_order: bool = False
    papers: tuple[str, ...] = ()
    licence: str
    source: str
    comes_with: Package | None = None
    openml: int | None = None
    sha256: str

    @property
    def where(self) -> str:
        if self.comes_with is not None:
            return f"comes with {self.comes_with}"
        if self.openml is not None:
            return f"fetched from OpenML, {self.openml}; {self.source}"
        return f"{self.name}.parquet in the folder of data sets; {self.source}"


def catalogue() -> tuple[Entry, ...]:
    """What is known of every data set that has a name, in alphabetical order.

    Returns
    -------
    tuple of Entry
        Shapes, tasks, papers, licences and where each is to be had. Nothing is read but the list itself.

    Examples
    --------
    >>> from samara.datasets import catalogue
    >>> [entry.name for entry in catalogue() if "bi" in entry.papers]
    ['arcene', 'pendigits', 'segment', 'shuttle']
    """
    return tuple(_entries().values())


def entry_of(name: str) -> Entry:
    """The entry of one data set; an unknown name is refused with the nearest."""
    if name not in _entries():
        raise unknown_name("data set", name, _entries())
    return _entries()[name]


@cache
def _entries() -> Mapping[str, Entry]:
    """The entries of the file, by name."""
    text = files("samara.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return MappingProxyType({name: _entry(name, facts) for name, facts in tomllib.loads(text).items()})


def _entry(name: str, facts: dict[str, Any]) -> Entry:
    """Lists as tuples, so that an entry can't be changed."""
    frozen: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()
    }
    return Entry(name=name, **frozen)
