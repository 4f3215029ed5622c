"""Tables written a batch of rows at a time, and put in place whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Self

import pyarrow as pa

from samara.core import Array
from samara.errors import InputError, StoreError

Path = str | os.PathLike[str]


def _parquet(path: str, schema: Any) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetWriter(path, schema, write_page_checksum=True, compression="zstd")


def _csv(path: str, schema: Any) -> Any:
    import pyarrow.csv as csv

    return csv.CSVWriter(path, schema)


def _arrow(path: str, schema: Any) -> Any:
    import pyarrow.ipc as ipc

    return ipc.new_file(path, schema)


_WRITERS: dict[str, Callable[[str, Any], Any]] = {
    ".parquet": _parquet,
    ".pq": _parquet,
    ".csv": _csv,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".ipc": _arrow,
}


class TableWriter:
    """Writes a Parquet, Arrow or CSV file, as the suffix says.

    The rows go to a file beside the one asked for, which is renamed at the end: a failure in between leaves
    what was there before.

    Parameters
    ----------
    path : str or path-like
        The file, ending in ``.parquet``, ``.arrow``, ``.feather`` or ``.csv``.

    Examples
    --------
    >>> with TableWriter("predictions.parquet") as writer:  # doctest: +SKIP
    ...     writer.write({"prediction": model.predict(X)})
    """

    def __init__(self, path: Path) -> None:
        self._path = os.path.realpath(path)
        suffix = os.path.splitext(self._path)[1].lower()
        if suffix not in _WRITERS:
            raise InputError(
                f"A table is written as {', '.join(sorted(_WRITERS))}, "
                f"got {os.fspath(path)!r}: change the suffix."
            )
        self._make = _WRITERS[suffix]
        folder, name = os.path.split(self._path)
        if not os.path.isdir(folder):
            raise StoreError(f"{os.fspath(path)} can't be written: there is no folder {folder}.")
        self._beside = os.path.join(folder, f".{name}.{secrets.token_hex(6)}.part")
        self._writer: Any = None
        self._schema: Any = None

    def __enter__(self) -> Self:
        return self

    def write(self, columns: Mapping[str, Array]) -> None:
        """Append rows: a one-dimensional array for each column, the same columns each time."""
        try:
            table = pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})
            if self._schema is not None:
                table = table.select(self._schema.names).cast(self._schema)
        except (pa.ArrowException, KeyError, TypeError) as error:
            raise InputError(
                f"Rows can't be written to {self._path}: {str(error).splitlines()[0]}."
            ) from error
        try:
            if self._writer is None:
                self._schema = table.schema
                self._writer = self._make(self._beside, table.schema)
            self._writer.write_table(table)
        except OSError as error:
            raise self._failed(error) from error

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if self._writer is not None:
                self._writer.close()
            if kind is None:
                self._put_in_place()
        except OSError as error:
            raise self._failed(error) from error
        finally:
            with suppress(OSError):
                os.unlink(self._beside)

    def _put_in_place(self) -> None:
        if self._writer is None:
            raise StoreError(f"{self._path} is not written: there were no rows.")
        with open(self._beside, "rb") as file:
            os.fsync(file.fileno())
        os.replace(self._beside, self._path)

    def _failed(self, error: OSError) -> StoreError:
        said = error.strerror or str(error).splitlines()[0]
        return StoreError(f"{self._path} can't be written: {said}; what was there is unchanged.")
