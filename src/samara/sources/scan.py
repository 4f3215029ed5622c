"""`samara.scan`: which reader a path, a URL or an object is given to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from samara.errors import InputError, unknown_name
from samara.sources.arrow_files import arrow_table
from samara.sources.delimited import delimited_table, dialect_of
from samara.sources.files import File, find_files
from samara.sources.parquet import parquet_table, pruned
from samara.sources.picks import Request, listed
from samara.sources.scanned import Scan
from samara.sources.tables import Table, TablePiece
from samara.sources.where import columns_in, parse_where

SUFFIXES = {
    ".parquet": "parquet",
    ".parq": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
}
_PACKED = (".gz", ".bz2", ".zst", ".lz4")

__all__ = ["Scan", "scan"]


def scan(
    data: Any,
    target: Any = None,
    weight: str | None = None,
    columns: Any = None,
    where: Any = None,
    **options: Any,
) -> Scan:
    """Look at a table on disk without reading its rows."""
    request = Request(target, weight, columns, where)
    format_ = options.pop("format", None)
    if format_ is not None and format_ not in _READERS:
        raise unknown_name("format", format_, _READERS)
    files = find_files(data, options.pop("storage_options", {}))
    files, format_ = _one_format(files, format_)
    table = _READERS[format_](files, options)
    return _scanned(table, request, files)


def _one_format(files: tuple[File, ...], format_: str | None) -> tuple[tuple[File, ...], str]:
    """The files of one format, and which; files of none are passed over where there are others."""
    formats = {file.path: format_of(file.path) for file in files}
    if format_ is not None:
        return tuple(f for f in files if formats[f.path] == format_) or files, format_
    known = sorted({found for found in formats.values() if found is not None})
    if not known:
        suffix = os.path.splitext(files[0].path)[1] or "none"
        raise InputError(
            f"The format of {files[0].path} can't be told from its suffix ({suffix}): "
            f"give format=, one of {', '.join(sorted(_READERS))}."
        )
    if len(known) > 1:
        raise InputError(f"There are files of several formats ({', '.join(known)}): give format=.")
    return tuple(file for file in files if formats[file.path] is not None), known[0]


def format_of(path: str) -> str | None:
    """The format that a suffix stands for; a packed file has two."""
    stem, suffix = os.path.splitext(path.lower())
    if suffix in _PACKED:
        found = SUFFIXES.get(os.path.splitext(stem)[1])
        return found if found == "csv" else None
    return SUFFIXES.get(suffix)


def _scanned(table: Table, request: Request, files: tuple[File, ...], origin: str = "") -> Scan:
    """The columns asked for, of a table that comes in Arrow record batches."""
    where: Any = None
    tested: tuple[str, ...] = ()
    condition = ""
    if request.where is not None:
        where = parse_where(request.where, table.plain_schema)
        tested = columns_in(where, table.plain_schema)
        condition = request.where if isinstance(request.where, str) else str(where)
    wanted = None
    if request.columns is not None:
        weight = [] if request.weight is None else [request.weight]
        wanted = [*listed(request.columns, "columns"), *listed(request.target, "target"), *weight, *tested]
    picks = replace(request.picks(table.kinds(wanted)), where=where, tested=tested)
    if where is not None:
        table = pruned(table, where, tested)
    pieces = tuple(TablePiece(piece, picks) for piece in table.origins)
    return Scan(picks, pieces, files, origin, condition=condition)


def _options(given: Mapping[str, Any], known: tuple[str, ...], format_: str) -> None:
    for name in given:
        if name not in known:
            raise unknown_name(f"option of {format_}", name, known or ("(none)",))


def _parquet(files: tuple[File, ...], options: Mapping[str, Any]) -> Table:
    _options(options, (), "parquet")
    return parquet_table(files)


def _arrow(files: tuple[File, ...], options: Mapping[str, Any]) -> Table:
    _options(options, (), "arrow")
    return arrow_table(files)


def _csv(files: tuple[File, ...], options: Mapping[str, Any]) -> Table:
    _options(options, ("delimiter", "encoding", "kinds"), "csv")
    return delimited_table(files, dialect_of(files, options))


_READERS: dict[str, Callable[[tuple[File, ...], Mapping[str, Any]], Table]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "csv": _csv,
}
