"""Whether a target is a number or a class, as far as a look at its first rows tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from samara.core import Array, Piece
from samara.schema import Schema

FEW = 20  # distinct whole numbers that are taken for classes
LOOK_ROWS = 100_000  # read at most, from pieces all over the table: a file is often sorted by its classes
LOOK_PIECES = 8


@dataclass(frozen=True)
class Task:
    """What is to be predicted, and why it is taken for that."""

    name: Literal["regression", "classification"]
    why: str


def guess_task(targets: Schema, pieces: Sequence[Piece]) -> Task:
    """Texts and booleans are classes, and so are whole numbers of which there are few; all else is numbers.

    Parameters
    ----------
    targets : tuple of Column
        The columns to predict; several are numbers.
    pieces : sequence of Piece
        The rows, of which at most 100,000 are read, and mostly far fewer.

    Returns
    -------
    Task
        The task, and why.
    """
    if len(targets) > 1:
        return Task("regression", f"{len(targets)} targets")
    name, kind = targets[0].name, targets[0].kind
    if kind in ("text", "boolean"):
        return Task("classification", f"{name} is a {kind}")
    if kind == "date":
        return Task("regression", f"{name} is a date")
    seen = np.empty(0)
    for values in _values(pieces):
        if (values != np.floor(values)).any():
            return Task("regression", f"{name} holds fractions")
        seen = np.unique(np.concatenate([seen, values]))
        if len(seen) > FEW:
            return Task("regression", f"{name} has more than {FEW} distinct values")
    if not len(seen):
        return Task("regression", f"{name} is a number")
    return Task("classification", f"{name} has {len(seen)} distinct whole numbers")


def count_classes(pieces: Sequence[Piece]) -> int:
    """Distinct values of the target in the rows that `guess_task` would look at: at most 100,000."""
    seen = np.empty(0)
    for values in _values(pieces):
        seen = np.unique(np.concatenate([seen, values]))
    return len(seen)


def _values(pieces: Sequence[Piece]) -> Iterator[Array]:
    """Values of the target, a few thousand at a time, from pieces all over the table."""
    if not pieces:
        return
    places = np.unique(np.linspace(0, len(pieces) - 1, LOOK_PIECES).astype(int)).tolist()
    for place in places:
        for chunk in pieces[place].chunks(4096, 0, LOOK_ROWS // len(places)):
            values = chunk.y[:, 0]
            yield values[np.isfinite(values)]
