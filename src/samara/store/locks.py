"""A lock beside a file, which dies with its holder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from samara.errors import LockedError, StoreError
from samara.store.files import Path, reason, sweep, write_all

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> None:
        """Lock a byte far behind the pid, which then stays readable."""
        os.lseek(fd, 1 << 30, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        os.lseek(fd, 0, os.SEEK_SET)
else:
    import fcntl

    def _try_lock(fd: int) -> None:
        """Lock this opening of the file: another one is locked out, be it by a thread of this process."""
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of a file, so that no one else who asks for it works on the file meanwhile.

    The lock is one of the operating system on ``path + ".lock"``. It ends with the block, or with the
    process, however that ends; a process forked meanwhile keeps it until it ends too. What killed writers
    left beside the file is removed on entry. The lock file is removed on exit; that of a killed holder
    stays, and locks no one out.

    Parameters
    ----------
    path : str or path-like
        The file, which need not exist. A symbolic link is followed.

    Raises
    ------
    LockedError
        If another process or another thread holds the lock; nothing is waited for.
    StoreError
        If no lock can be made there.
    """
    name, pid = os.path.realpath(path) + ".lock", os.getpid()
    fd = _locked(path, name)
    try:
        sweep(path)
        yield
    finally:
        # Removed while it is held: who has it open already finds, once locked, that the name is gone.
        # A forked process that comes by here leaves it to the holder.
        with suppress(OSError):
            if os.getpid() == pid and _is_at(fd, name):
                os.unlink(name)
        os.close(fd)


def _locked(path: Path, name: str) -> int:
    """The descriptor of the lock file, locked, with our pid in it."""
    try:
        while (fd := _tried(path, name)) is None:
            pass
    except OSError as error:
        raise StoreError(f"{os.fspath(path)} can't be locked: {reason(error)}.") from error
    return fd


def _tried(path: Path, name: str) -> int | None:
    """The same, or None if its last holder removed the lock file before we had it."""
    fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _take(fd, path)
        if _is_at(fd, name):
            os.ftruncate(fd, 0)
            write_all(fd, f"{os.getpid()}\n".encode())
            return fd
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)
    return None


def _take(fd: int, path: Path) -> None:
    """Lock the descriptor, or say who has it."""
    try:
        _try_lock(fd)
    except (BlockingIOError, PermissionError):
        raise LockedError(f"{os.fspath(path)} is in use {_holder(fd)}") from None


def _is_at(fd: int, name: str) -> bool:
    """Whether the open file is the one of that name."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(name))
    except FileNotFoundError:
        return False


def _holder(fd: int) -> str:
    """Who holds the lock, and what to do."""
    pid = os.read(fd, 20).strip()
    if not pid.isdigit():
        return "by another process: wait for it, or use another file."
    if int(pid) == os.getpid():
        return f"by another fit in this process ({int(pid)}): wait for it, or use another file."
    return f"by process {int(pid)}: wait for it, end it, or use another file."
