"""A table on disk, found and described, ready to be streamed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Protocol

from samara.core import Piece
from samara.errors import InputError
from samara.schema import Schema
from samara.sources.columns import described
from samara.sources.files import File
from samara.sources.picks import Picks, picked_for_model

_SHOWN = 20  # names that a fingerprint spells out; more are hashed


class ScannedPiece(Piece, Protocol):
    """A piece that knows what it costs to read."""

    @property
    def held_bytes(self) -> int: ...
    @property
    def stored_bytes(self) -> int: ...
    @property
    def rows_guess(self) -> int | None: ...
    def picking(self, picks: Picks) -> ScannedPiece:
        """The same rows, read as other columns."""
        ...

    def head(self, n: int) -> Any:
        """The first rows as an Arrow table."""
        ...


@dataclass(frozen=True, repr=False, eq=False)
class Scan:
    """A table on disk, or the rows of a query: described, not yet read.

    What `samara.scan` gives. Pass it as ``X`` to the ``fit``, ``predict`` or ``score`` of an estimator.

    Attributes
    ----------
    schema : tuple of Column
        The inputs: names and kinds. Empty for sparse rows, whose columns have no names.
    targets : tuple of Column
        The targets; empty if none was named.
    weight : str or None
        The column of weights.
    pieces : tuple of Piece
        The row groups, files or runs of rows that it is read in.
    n_rows : int or None
        Its rows; None if they have to be read to be counted.
    rows_guess : int or None
        Its rows, or an estimate from the size of the files; with ``where`` the rows before any is left out.
        None if there is no telling.
    n_features : int
        Number of inputs.
    is_sparse : bool
        Whether its chunks are sparse matrices.
    held_bytes : int
        About what one reader holds in memory besides the chunk it gives.
    bytes_per_row : float
        About what a row takes where it is stored.
    """

    picks: Picks
    pieces: tuple[ScannedPiece, ...]
    files: tuple[File, ...] = ()
    width: int | None = None  # number of inputs of sparse rows
    condition: str = ""  # where, in words
    asked: str = ""  # the query that gives the rows, in its own words

    @property
    def schema(self) -> Schema:
        return self.picks.inputs

    @property
    def targets(self) -> Schema:
        return self.picks.targets

    @property
    def weight(self) -> str | None:
        return self.picks.weight

    @property
    def n_features(self) -> int:
        return len(self.schema) if self.width is None else self.width

    @property
    def is_sparse(self) -> bool:
        return self.width is not None

    @cached_property
    def n_rows(self) -> int | None:
        return _total(piece.n_rows for piece in self.pieces)

    @cached_property
    def rows_guess(self) -> int | None:
        return _total(piece.rows_guess for piece in self.pieces)

    @cached_property
    def held_bytes(self) -> int:
        return max((piece.held_bytes for piece in self.pieces), default=0)

    @cached_property
    def bytes_per_row(self) -> float:
        total = sum(piece.stored_bytes for piece in self.pieces)
        return total / max(1, self.rows_guess) if self.rows_guess is not None else 8.0 * self.n_features

    def for_model(self, schema: Schema, targets: Schema | None = None) -> Scan:
        """The same rows, the inputs picked by name in the order of a model's schema.

        Parameters
        ----------
        schema : tuple of Column
            What the model was fitted on.
        targets : tuple of Column, optional
            The targets that are wanted too, for a score; by default those of the scan.

        Returns
        -------
        Scan

        Raises
        ------
        InputError
            If a column is missing, of another kind, or one that the model does not know.
        """
        if self.is_sparse:
            return self
        picks = picked_for_model(self.picks, schema, targets)
        return replace(self, picks=picks, pieces=tuple(piece.picking(picks) for piece in self.pieces))

    def only_targets(self) -> Scan:
        """The same rows without their inputs, which are then not read."""
        picks = replace(self.picks, inputs=())
        return replace(self, picks=picks, pieces=tuple(piece.picking(picks) for piece in self.pieces))

    def only_inputs(self) -> Scan:
        """The same rows without targets and weights, which are then not read."""
        if self.is_sparse:
            return self
        picks = replace(self.picks, targets=(), weight=None)
        return replace(self, picks=picks, pieces=tuple(piece.picking(picks) for piece in self.pieces))

    def head(self, n: int = 5) -> Any:
        """The first rows, as a `pyarrow.Table`."""
        import pyarrow as pa

        tables: list[Any] = []
        for piece in self.pieces:
            tables.append(piece.head(n - sum(table.num_rows for table in tables)))
            if sum(table.num_rows for table in tables) >= n:
                break
        if not tables:
            raise InputError("The table has no rows.")
        return pa.concat_tables(tables, promote_options="permissive")

    def fingerprint(self) -> dict[str, str]:
        """What the data is known by: files, sizes, times of change, columns and condition; no row is read."""
        folder = _common_folder([file.path for file in self.files])
        return {
            "files": _spelled(os.path.relpath(f.path, folder) if folder else f.path for f in self.files),
            "sizes": _spelled(str(file.size) for file in self.files),
            "changed": _spelled(file.changed for file in self.files),
            "query": self.asked,
            "rows": str(self.n_rows),
            "columns": _spelled(f"{c.name} ({c.kind})" for c in self.schema) or f"{self.n_features} sparse",
            "targets": _spelled(f"{c.name} ({c.kind})" for c in self.targets),
            "weight": self.weight or "",
            "where": self.condition,
        }

    def __repr__(self) -> str:
        rows = f"{self.n_rows:,} rows" if self.n_rows is not None else "rows not counted"
        if self.n_rows is None and self.rows_guess is not None:
            rows = (
                f"at most {self.rows_guess:,} rows" if self.condition else f"about {self.rows_guess:,} rows"
            )
        inputs = described(self.schema) if not self.is_sparse else f"{self.n_features:,} sparse"
        parts = [rows, f"inputs: {inputs}"]
        if self.targets:
            parts.append("target: " + ", ".join(f"{c.name} ({c.kind})" for c in self.targets))
        if self.weight:
            parts.append(f"weight: {self.weight}")
        if self.condition:
            parts.append(f"where: {self.condition}")
        origin = f"{len(self.files)} files" if len(self.files) > 1 else "a table without rows"
        if len(self.files) == 1:
            origin = self.files[0].path
        elif not self.files and self.pieces:
            origin = self.pieces[0].name
        return f"<Scan of {origin}: {'; '.join(parts)}>"


def _total(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _common_folder(paths: list[str]) -> str:
    """The folder that local files share, so that moving it changes no fingerprint."""
    if not paths or any("://" in path for path in paths):
        return ""
    return os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])


def _spelled(names: Iterable[str]) -> str:
    """The names one after the other, or a hash of them where they are many."""
    found = list(names)
    if len(found) <= _SHOWN:
        return ", ".join(found)
    return f"{len(found)}, hash {blake2b(chr(0).join(found).encode(), digest_size=16).hexdigest()}"
