"""Files that are replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress

from samara.errors import StoreError

Path = str | os.PathLike[str]

_UNFLUSHABLE = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)  # file systems whose folders can't be flushed


def replace_file(path: Path, write: Callable[[int], None]) -> None:
    """Let ``write`` fill a new file, given its descriptor, and put it in the place of the old one.

    The new file lies beside the old one until it is complete and on the disk; then it is renamed, which
    readers see happen at once. Whatever goes wrong before that leaves the old file untouched and removes
    the new one; only a killed process leaves its new file behind, for `sweep`.

    Parameters
    ----------
    path : str or path-like
        The file. A symbolic link is followed.
    write : callable
        Takes the descriptor of the new file, open for writing.

    Raises
    ------
    StoreError
        If the file can't be written, with the system's error as its cause.
    """
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise StoreError(f"{os.fspath(path)} can't be written: it is a folder. Give the name of a file.")
    beside = _beside(target)
    try:
        folder = _open_folder(os.path.dirname(target))
        try:
            _fill(beside, target, write)
            os.replace(beside, target)
            _flush_folder(folder, path)
        finally:
            if folder is not None:
                os.close(folder)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(beside)
        if isinstance(error, OSError):
            raise StoreError(
                f"{os.fspath(path)} can't be written: {reason(error)}; what was there is unchanged."
            ) from error
        raise


def write_all(fd: int, data: memoryview | bytes) -> None:
    """Write all of the bytes, however few the system takes at a time."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def sweep(path: Path) -> None:
    """Remove what killed writers of a file left beside it; nobody may be writing the file meanwhile."""
    folder, name = os.path.split(os.path.realpath(path))
    with suppress(OSError):
        for other in os.listdir(folder):
            if re.fullmatch(rf"\.{re.escape(name)}\.[0-9a-f]{{12}}\.part", other):
                os.unlink(os.path.join(folder, other))


def reason(error: OSError) -> str:
    """What the system said."""
    return error.strerror or str(error)


def _beside(target: str) -> str:
    """A name of its own in the same folder, so on the same disk."""
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name}.{secrets.token_hex(6)}.part")


def _fill(beside: str, target: str, write: Callable[[int], None]) -> None:
    """Make the new file, with the permissions of the old one, and have it on the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    fd = os.open(beside, flags, 0o666)
    try:
        with suppress(OSError):  # there is none, or the disk knows no permissions
            os.chmod(beside, stat.S_IMODE(os.stat(target).st_mode))
        write(fd)
        os.fsync(fd)
    finally:
        os.close(fd)


def _open_folder(folder: str) -> int | None:
    """A descriptor of the folder; None where it may not be opened, as on Windows."""
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}")
    try:
        return os.open(folder, os.O_RDONLY)
    except PermissionError:
        return None


def _flush_folder(folder: int | None, path: Path) -> None:
    """Have the new name on the disk too; from here on the new file is in place."""
    if folder is None:
        return
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _UNFLUSHABLE:
            raise StoreError(
                f"{os.fspath(path)} was written, but might not outlast a power cut: {reason(error)}."
            ) from error
