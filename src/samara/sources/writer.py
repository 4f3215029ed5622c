"""Tables written a batch of rows at a time, and put in place whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
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
                f"A table is written as {', '.join(sorted(_WRITERS))}, got {os.fspath(path)!r}: "
                "change the suffix."
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
            raise _unwritten(self._path, error) from error

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if self._writer is not None:
                self._writer.close()
            if kind is None:
                self._put_in_place()
        except OSError as error:
            raise _unwritten(self._path, error) from error
        finally:
            with suppress(OSError):
                os.unlink(self._beside)

    def _put_in_place(self) -> None:
        if self._writer is None:
            raise StoreError(f"{self._path} is not written: there were no rows.")
        with open(self._beside, "rb") as file:
            os.fsync(file.fileno())
        os.replace(self._beside, self._path)


def is_folder(path: Path) -> bool:
    """Whether a place to write a table to is a folder: one that is there, or a name without a suffix."""
    name = os.fspath(path)
    return name.endswith(("/", os.sep)) or not os.path.splitext(name)[1] or os.path.isdir(name)


class TableFolder:
    """A folder of Parquet files that several threads or processes write, put in place whole or not at all.

    The files go to a folder beside the one asked for, which takes its name at the end: a failure in between
    leaves what was there before. A folder is replaced if it holds such files and nothing else.

    Parameters
    ----------
    path : str or path-like
        The folder. Its files will be ``part-00000.parquet`` and so on.
    """

    _PART = re.compile(r"part-\d{5,}\.parquet")

    def __init__(self, path: Path) -> None:
        self._path = os.path.realpath(path)
        parent, name = os.path.split(self._path)
        if not os.path.isdir(parent):
            raise StoreError(f"{self._path} can't be written: there is no folder {parent}.")
        if os.path.isdir(self._path):
            other = next((one for one in os.listdir(self._path) if not self._PART.fullmatch(one)), None)
            if other is not None:
                raise StoreError(
                    f"{self._path} holds {other!r}, which is no part of a table: name another folder."
                )
        elif os.path.exists(self._path):
            raise StoreError(f"{self._path} is a file: name a folder, or give the file a suffix.")
        self._beside = os.path.join(parent, f".{name}.{secrets.token_hex(6)}")

    @property
    def place(self) -> str:
        """The folder that files are written to meanwhile."""
        return f"{self._beside}.part"

    def __enter__(self) -> Self:
        try:
            os.mkdir(self.place)
        except OSError as error:
            raise _unwritten(self._path, error) from error
        return self

    def put_in_place(self, files: Sequence[str]) -> None:
        """Number these files in their order, drop others, and put the folder where it was asked for."""
        if not files:
            raise StoreError(f"{self._path} is not written: there were no rows.")
        try:
            for number, file in enumerate(files):
                os.rename(
                    os.path.join(self.place, file), os.path.join(self.place, f"part-{number:05d}.parquet")
                )
            for other in os.listdir(self.place):  # of a worker that died, and of one that was taken for dead
                if not self._PART.fullmatch(other):
                    os.unlink(os.path.join(self.place, other))
            self._take_its_name()
        except OSError as error:
            raise _unwritten(self._path, error) from error

    def _take_its_name(self) -> None:
        old = f"{self._beside}.old"
        if os.path.isdir(self._path):
            os.rename(self._path, old)
        try:
            os.rename(self.place, self._path)
        except OSError:
            if os.path.isdir(old):
                os.rename(old, self._path)
            raise
        shutil.rmtree(old, ignore_errors=True)

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.place, ignore_errors=True)


def _unwritten(path: str, error: OSError) -> StoreError:
    said = error.strerror or str(error).splitlines()[0]
    return StoreError(f"{path} can't be written: {said}; what was there is unchanged.")
