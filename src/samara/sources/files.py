"""Files by path, pattern, folder or URL: found, opened, and told apart when they have changed."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from urllib.parse import unquote

import pyarrow as pa

from samara.errors import InputError, SamaraError, StoreError

T = TypeVar("T")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True)
class File:
    """A file as it was when it was found."""

    path: str  # a local path, or a URL
    size: int
    changed: str  # when it was last changed, or its tag
    partition: tuple[tuple[str, int | str | None], ...] = ()  # what the names of its folders say
    options: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_remote(self) -> bool:
        return bool(_SCHEME.match(self.path))

    def open(self) -> Any:
        """The file as an Arrow file, if it is still the one that was found."""
        with reading(self.path):
            if not self.is_remote:
                opened = pa.OSFile(self.path)
            else:
                filesystem, path = _filesystem(self.path, self.options)
                opened = pa.PythonFile(filesystem.open(path, "rb"), mode="r")
            size = opened.size()
        if size != self.size:
            opened.close()
            raise StoreError(
                f"{self.path} has changed since it was scanned: {self.size:,} bytes then, {size:,} now. "
                "Scan it again."
            )
        return opened


@contextmanager
def reading(place: str) -> Iterator[None]:
    """What goes wrong in reading, said with the place."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError, MemoryError) as error:
        raise unreadable(place, error) from error


@contextmanager
def foreign(place: str) -> Iterator[None]:
    """What goes wrong in a library with errors of its own (HDF5, zarr, DuckDB, polars), with the place."""
    try:
        yield
    except SamaraError:
        raise
    except Exception as error:
        raise unreadable(place, error) from error


def unreadable(place: str, error: BaseException) -> StoreError:
    """The error for a file, or a piece of it, that can't be read."""
    if isinstance(error, MemoryError):  # Arrow's own among them: a length that is damaged asks for too much
        return StoreError(
            f"{place} can't be read: the memory is used up. Free some, or give the fit a smaller memory=; "
            "where there was enough, the file is damaged."
        )
    said = (getattr(error, "strerror", None) or str(error) or type(error).__name__).strip().splitlines()[0]
    return StoreError(f"{place} can't be read: {said.rstrip('.')}.")


def guarded(items: Callable[[], Iterable[T]], place: str) -> Iterator[T]:
    """The items, what goes wrong in getting the next one said with the place."""
    with reading(place):
        iterator = iter(items())
    while True:
        with reading(place):
            try:
                item = next(iterator)
            except StopIteration:
                return
        yield item


def find_files(given: Any, options: Mapping[str, Any]) -> tuple[File, ...]:
    """The files of a path, a pattern, a folder, a URL or a list of them, in order."""
    many = isinstance(given, Sequence) and not isinstance(given, str)
    found: list[File] = []
    for path in given if many else [given]:
        try:
            text = os.fspath(path)
        except TypeError:
            raise InputError(f"scan takes paths and URLs, got {type(path).__name__}.") from None
        found += _remote(text, options) if _SCHEME.match(text) else _local(text_of(text))
    if not found:
        raise InputError("scan was given an empty list: give the path of at least one file.")
    if not many and len(found) == 1 and found[0].path == text_of(given):
        # The folders above the one file that was asked for say where it lies, not what its rows are.
        found = [replace(found[0], partition=())]
    return _typed(found)


def text_of(path: Any) -> str:
    """A path or URL as it was meant."""
    text = str(os.fspath(path))
    return text if _SCHEME.match(text) else os.path.expanduser(text)


def _local(path: str) -> list[File]:
    if os.path.isdir(path):
        paths = sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(path)
            for name in names
            if not _hidden(os.path.relpath(os.path.join(folder, name), path))
        )
        if not paths:
            raise InputError(f"{path} is a folder without files: give one that holds the table.")
        below = len(os.path.join(path, ""))
        return [replace(_stat(found), partition=_partition(found[below:])) for found in paths]
    if not os.path.exists(path) and glob.has_magic(path):
        paths = sorted(p for p in glob.glob(path, recursive=True) if os.path.isfile(p))
        if not paths:
            raise InputError(f"No file matches {path!r}.")
        return [_stat(found) for found in paths]
    return [_stat(path)]


def _stat(path: str) -> File:
    try:
        stat = os.stat(path)
    except OSError as error:
        raise unreadable(path, error) from error
    return File(path, stat.st_size, str(stat.st_mtime_ns), _partition(path))


def _remote(url: str, options: Mapping[str, Any]) -> list[File]:
    filesystem, path = _filesystem(url, options)
    with reading(url):
        if glob.has_magic(path):
            paths = sorted(filesystem.glob(path))
        elif filesystem.isdir(path):
            paths = [p for p in sorted(filesystem.find(path)) if not _hidden(p[len(path) :].lstrip("/"))]
        else:
            paths = [path]
        infos = [(p, filesystem.info(p)) for p in paths]
    if not infos:
        raise InputError(f"No file matches {url!r}.")
    return [
        File(
            filesystem.unstrip_protocol(p),
            int(info["size"] or 0),
            str(next((info[key] for key in ("ETag", "mtime", "LastModified", "created") if key in info), "")),
            _partition(p),
            options,
        )
        for p, info in infos
    ]


def _filesystem(url: str, options: Mapping[str, Any]) -> tuple[Any, str]:
    """The file system behind a URL, and the path within it."""
    try:
        import fsspec
    except ImportError:
        raise InputError(f"To read {url} install fsspec: pip install fsspec.") from None
    try:
        filesystem, path = fsspec.core.url_to_fs(url, **options)
    except ImportError as error:
        raise InputError(f"To read {url} a package is missing: {error}.") from error
    except ValueError as error:
        raise InputError(f"{url} can't be opened: {error}.") from error
    return filesystem, path


def _hidden(path: str) -> bool:
    """Whether a file, or a folder above it, is none of the table's (``_SUCCESS``, ``.crc``)."""
    return any(name.startswith((".", "_")) and "=" not in name for name in path.split(os.sep))


def _partition(path: str) -> tuple[tuple[str, str | None], ...]:
    """The keys and values of folders named ``key=value``."""
    pairs = (name.partition("=") for name in path.replace(os.sep, "/").split("/")[:-1] if "=" in name)
    return tuple((unquote(key), None if value == _NO_VALUE else unquote(value)) for key, _, value in pairs)


def _typed(files: list[File]) -> tuple[File, ...]:
    """The same files, partition values as whole numbers where all values of a key are."""
    texts = {
        key
        for file in files
        for key, value in file.partition
        if value is not None and not re.fullmatch(r"-?\d{1,18}", str(value))
    }
    return tuple(
        replace(
            file,
            partition=tuple(
                (key, value if value is None or key in texts else int(value)) for key, value in file.partition
            ),
        )
        for file in files
    )


def folder_as_file(path: str) -> File:
    """A folder that is one array or group of arrays; its size and last change are those of all its files."""
    files = _local(os.path.expanduser(path))
    return File(path, sum(file.size for file in files), max(file.changed for file in files))
