"""Rows that another library gives: DuckDB, polars, pyarrow. A query runs anew in every pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.dataset as ds

from samara.errors import InputError, StoreError
from samara.sources.files import File, find_files, foreign, reading
from samara.sources.parquet import parquet_table
from samara.sources.tables import Table, row_bytes

# What DuckDB and polars hold while a simple query streams, about; a join or a sort holds what it needs.
_ENGINE = 1 << 26


@dataclass(frozen=True)
class Query:
    """The rows of a query as one piece; each kind of query says how its batches are made."""

    name: str
    schema: Any = field(repr=False)
    n_rows: int | None
    given: Any  # what is asked: a relation, a lazy frame, a data set

    @property
    def rows_guess(self) -> int | None:
        return self.n_rows

    def held_bytes(self, names: Sequence[str]) -> int:
        """What the library holds while it runs."""
        return _ENGINE

    def stored_bytes(self, names: Sequence[str]) -> int:
        return (self.n_rows or 0) * row_bytes(self.schema, names)

    def batches(self, names: Sequence[str], rows: int, start: int) -> Iterator[Any]:
        """Record batches of these columns, from row ``start`` on."""
        row = 0
        with foreign(self.name):
            for batch in self._run(names, rows):
                for lo in range(max(0, start - row), batch.num_rows, rows):
                    yield batch.slice(lo, rows).select(list(names))
                row += batch.num_rows

    def _run(self, names: Sequence[str], rows: int) -> Iterable[Any]:
        raise NotImplementedError


@dataclass(frozen=True)
class DuckQuery(Query):
    """A DuckDB relation, or a query on a database file."""

    query: str | None = None  # on the file that is given
    in_order: ClassVar[bool] = False  # joins and groups come as the database's threads end

    def _run(self, names: Sequence[str], rows: int) -> Iterable[Any]:
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        if self.query is None:
            yield from _duck_batches(self.given.project(columns), rows)
            return
        with _duck_file(self.given) as database:
            yield from _duck_batches(database.sql(self.query).project(columns), rows)


def _duck_batches(relation: Any, rows: int) -> Any:
    """The batches of a relation; the method had another name in DuckDB 1."""
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return read(rows)


def _duck_file(path: str) -> Any:
    import duckdb

    return duckdb.connect(path, read_only=True)


@dataclass(frozen=True)
class PolarsQuery(Query):
    """A polars lazy frame, collected in batches by its streaming engine."""

    def _run(self, names: Sequence[str], rows: int) -> Iterable[Any]:
        for frame in self.given.select(list(names)).collect_batches(
            chunk_size=rows, maintain_order=True, lazy=True, engine="streaming"
        ):
            yield from frame.to_arrow().to_batches()


@dataclass(frozen=True)
class DatasetQuery(Query):
    """A pyarrow data set that is no plain set of local Parquet files."""

    def _run(self, names: Sequence[str], rows: int) -> Iterable[Any]:
        options = None
        if isinstance(getattr(self.given, "format", None), ds.ParquetFileFormat):
            options = ds.ParquetFragmentScanOptions(pre_buffer=False, page_checksum_verification=True)
        yield from self.given.scanner(
            columns=list(names),
            batch_size=rows,
            use_threads=False,
            batch_readahead=0,
            fragment_readahead=0,
            fragment_scan_options=options,
        ).to_batches()


@dataclass(frozen=True)
class OncePassed(Query):
    """A reader of record batches, which can be read a single time."""

    passes: list[int] = field(default_factory=list, compare=False)
    once: ClassVar[bool] = True

    def _run(self, names: Sequence[str], rows: int) -> Iterable[Any]:
        if self.passes:
            raise InputError(
                "A RecordBatchReader can be read only once, and this is the second pass over it: "
                "write its rows to a Parquet file and scan that."
            )
        self.passes.append(1)
        yield from self.given

    def __reduce__(self) -> Any:
        raise TypeError("A RecordBatchReader can't be sent to another process: write its rows to a file.")


def query_table(given: Any) -> Table | None:
    """The rows of an object of DuckDB, polars or pyarrow; None for any other object."""
    module, kind = type(given).__module__.partition(".")[0], type(given).__name__
    if isinstance(given, pa.RecordBatchReader):
        return _table(OncePassed("the RecordBatchReader", given.schema, None, given))
    if isinstance(given, ds.Dataset):
        return _dataset_table(given)
    if module in ("duckdb", "_duckdb") and kind == "DuckDBPyRelation":
        schema = _arrow_schema(given)
        return _table(DuckQuery("the DuckDB relation", schema, _duck_rows(given), given), given.sql_query())
    if module == "polars" and kind == "LazyFrame":
        if not hasattr(given, "collect_batches"):
            raise InputError("Streaming a lazy frame needs a newer polars: pip install --upgrade polars.")
        import polars as pl

        try:
            schema = given.head(0).collect().to_arrow().schema
            n_rows = int(given.select(pl.len()).collect(engine="streaming").item())
        except pl.exceptions.PolarsError as error:
            raise InputError(f"The lazy frame can't be run: {_first_line(error)}.") from error
        return _table(PolarsQuery("the lazy frame", schema, n_rows, given), given.explain(optimized=False))
    return None


def _table(query: Query, asked: str = "", files: tuple[File, ...] = ()) -> Table:
    return Table(((query.name, query.schema),), (query,), files, asked)


def _arrow_schema(relation: Any) -> Any:
    empty = relation.limit(0)
    return (getattr(empty, "to_arrow_table", None) or empty.fetch_arrow_table)().schema


def _duck_rows(relation: Any) -> int:
    return int(relation.aggregate("count(*)").fetchall()[0][0])


def duckdb_table(file: File, query: Any) -> Table:
    """The rows of a query on a DuckDB file, which is opened for reading only."""
    try:
        import duckdb
    except ImportError:
        raise InputError(f"To read {file.path} install duckdb: pip install duckdb.") from None
    if not isinstance(query, str):
        raise InputError(f'{file.path} is a database: say which rows with query="select … from …".')
    try:
        with _duck_file(file.path) as database:
            relation = database.sql(query)
            if relation is None:
                raise InputError(f"query={query!r} gives no rows: write a select.")
            schema, n_rows = _arrow_schema(relation), _duck_rows(relation)
    except duckdb.IOException as error:
        raise StoreError(f"{file.path} can't be opened: {_first_line(error)}.") from error
    except duckdb.Error as error:
        raise InputError(f"query={query!r} can't be run on {file.path}: {_first_line(error)}.") from error
    return _table(DuckQuery(file.path, schema, n_rows, file.path, query), query, (file,))


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0].rstrip(".!")


def _dataset_table(given: Any) -> Table:
    """A data set; of local Parquet files each row group is a piece."""
    local = isinstance(getattr(given, "filesystem", None), pa.fs.LocalFileSystem)
    if local and isinstance(given.format, ds.ParquetFileFormat):
        try:
            fragments = list(given.get_fragments())
        except ValueError:  # a data set with a filter has none
            fragments = []
        keys = [tuple(ds.get_partition_keys(one.partition_expression).items()) for one in fragments]
        if fragments and all(isinstance(value, int | str | None) for pairs in keys for _, value in pairs):
            found = zip(fragments, keys, strict=True)
            return parquet_table(
                [replace(find_files(one.path, {})[0], partition=pairs) for one, pairs in found]
            )
    with reading("the data set"):
        n_rows = given.count_rows()
    return _table(DatasetQuery("the data set", given.schema, n_rows, given))
