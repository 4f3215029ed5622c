"""`samara.scan`: which reader a path, a URL or an object is given to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from samara.errors import InputError, unknown_name
from samara.sources.arrow_files import arrow_table
from samara.sources.dask_frames import collection_table
from samara.sources.delimited import delimited_table, dialect_of
from samara.sources.files import File, find_files, folder_as_file
from samara.sources.frames import is_collection, is_frame, is_spark_frame
from samara.sources.libsvm import libsvm_pieces
from samara.sources.matrices import matrix_pieces
from samara.sources.parquet import parquet_table, pruned
from samara.sources.picks import Request, listed
from samara.sources.queries import duckdb_table, query_table
from samara.sources.scanned import Scan
from samara.sources.spark_frames import spark_table
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
    ".npy": "npy",
    ".npz": "npz",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".zarr": "zarr",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
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
    """Look at a table on disk, or at a query, without reading its rows.

    Parameters
    ----------
    data : path, URL, list of them, or object
        A file, a folder (its ``key=value`` folders become columns), a pattern with ``*``, a URL that fsspec
        knows, or a list of such. Also a DuckDB relation, a polars lazy frame, a Dask or Spark data
        frame, a `pyarrow.dataset.Dataset` or a `pyarrow.RecordBatchReader`.
    target : str or list of str, optional
        The column, or columns, to be predicted.
    weight : str, optional
        The column that says how much each row counts.
    columns : list of str, optional
        The inputs. By default all columns but the target and the weight.
    where : str or pyarrow.compute.Expression, optional
        Which rows are read, such as ``"price > 0 and country in ['DE', 'FR'] and size is not null"``.
    **options
        ``format``: where the suffix does not tell it. ``storage_options``: a dict for fsspec. CSV:
        ``delimiter``, ``encoding``, ``kinds`` (a dict of the columns whose kind the first lines don't show).
        LIBSVM: ``n_features``, ``zero_based``. DuckDB file: ``query``.

    Returns
    -------
    Scan
        Pass it as ``X`` to the ``fit``, ``predict`` or ``score`` of an estimator.

    Raises
    ------
    InputError
        If a name, an option or a condition can't be used, or a column is of a type that no model takes.
    StoreError
        If a file is missing, cut short or damaged.

    Examples
    --------
    >>> samara.scan("trips/*.parquet", target="fare", where="distance > 0")  # doctest: +SKIP
    <Scan of 12 files: at most 9,710,124 rows; inputs: 7 number, 2 date, 1 text; target: fare (number)>
    """
    request = Request(target, weight, columns, where)
    table = _foreign_table(data)
    if table is not None:
        _refuse_options(options, ())
        return _scanned(table, request)
    if is_frame(data):
        raise InputError("A frame in memory needs no scan: pass it to fit as it is.")
    format_ = options.pop("format", None)
    if format_ is not None and format_ not in _FORMATS:
        raise unknown_name("format", format_, _FORMATS)
    storage = options.pop("storage_options", {})
    files: tuple[File, ...]
    if format_ == "zarr" or (isinstance(data, str | os.PathLike) and format_of(os.fspath(data)) == "zarr"):
        format_, files = "zarr", (folder_as_file(os.fspath(data)),)
    else:
        files, format_ = _one_format(find_files(data, storage), format_)
    reader = _FORMATS[format_]
    _refuse_options(options, reader.options, format_)
    if reader.single and len(files) > 1:
        raise InputError(f"Of {format_} only one file can be scanned, got {len(files)}.")
    return reader.scan(files, request, options)


def _foreign_table(data: Any) -> Table | None:
    """The rows of another library's object; None for anything else."""
    if is_collection(data):
        return collection_table(data)[0]
    return spark_table(data) if is_spark_frame(data) else query_table(data)


def scan_collections(X: Any, y: Any = None, sample_weight: Any = None) -> Scan:
    """The rows of Dask collections, as `fit`, `predict` and `score` are given them."""
    table, targets, weight = collection_table(X, y, sample_weight)
    return _scanned(table, Request(targets or None, weight, None, None))


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
            f"give format=, one of {', '.join(sorted(_FORMATS))}."
        )
    if len(known) > 1:
        raise InputError(f"There are files of several formats ({', '.join(known)}): give format=.")
    return tuple(file for file in files if formats[file.path] is not None), known[0]


def format_of(path: str) -> str | None:
    """The format that a suffix stands for; a packed file has two."""
    stem, suffix = os.path.splitext(path.lower().rstrip("/"))
    if suffix in _PACKED:
        found = SUFFIXES.get(os.path.splitext(stem)[1])
        return found if found == "csv" else None
    return SUFFIXES.get(suffix)


def _refuse_options(given: Mapping[str, Any], known: tuple[str, ...], format_: str = "this") -> None:
    for name in given:
        if not known:
            raise InputError(f"scan got the option {name!r}, but {format_} data takes none.")
        if name not in known:
            raise unknown_name(f"option of {format_}", name, known)


def _scanned(table: Table, request: Request) -> Scan:
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
    return Scan(picks, pieces, table.files, condition=condition, asked=table.asked)


Reader = Callable[[tuple[File, ...], Request, Mapping[str, Any]], Scan]


def _matrix_reader(format_: str) -> Reader:
    def read(files: tuple[File, ...], request: Request, options: Mapping[str, Any]) -> Scan:
        return Scan(*matrix_pieces(files[0], format_, request))

    return read


def _libsvm(files: tuple[File, ...], request: Request, options: Mapping[str, Any]) -> Scan:
    n_features = options.get("n_features")
    if n_features is not None and (not isinstance(n_features, int) or n_features < 1):
        raise InputError(f"n_features must be a whole number from 1 on, got {n_features!r}.")
    picks, pieces, width = libsvm_pieces(files, request, n_features, bool(options.get("zero_based", False)))
    return Scan(picks, pieces, files, width=width)


@dataclass(frozen=True)
class Format:
    """How files of a format are scanned, with which options, and whether only one at a time."""

    scan: Reader
    options: tuple[str, ...] = ()
    single: bool = False


_FORMATS = {
    "parquet": Format(lambda files, request, _: _scanned(parquet_table(files), request)),
    "arrow": Format(lambda files, request, _: _scanned(arrow_table(files), request)),
    "csv": Format(
        lambda files, request, options: _scanned(delimited_table(files, dialect_of(files, options)), request),
        ("delimiter", "encoding", "kinds"),
    ),
    **{name: Format(_matrix_reader(name), single=True) for name in ("npy", "npz", "hdf5", "zarr")},
    "libsvm": Format(_libsvm, ("n_features", "zero_based")),
    "duckdb": Format(
        lambda files, request, options: _scanned(duckdb_table(files[0], options.get("query")), request),
        ("query",),
        single=True,
    ),
}
