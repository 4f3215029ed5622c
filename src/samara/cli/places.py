"""Whether a file can be written where it is asked for, found out before hours of work and not after."""

from __future__ import annotations

import errno
import os


def check_place(path: str | None, folder_too: bool = False) -> None:
    """Refuse a folder that is not there or can't be written to, and a file name that is a folder."""
    if path is None:
        return
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) and not folder_too:
        raise IsADirectoryError(errno.EISDIR, "it is a folder; give the name of a file", path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "there is no such folder to write to", folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "nothing may be written to this folder", folder)
