"""How a command ends: its exit code and its last line, and a traceback only where it was asked for.

==== ==================================================================================================
0    done
2    the command can't be run as given: an unknown option, a value that can't be used, or a memory limit
     that no fit can keep
65   the data or the model file can't be used: an unknown column, a text among numbers, a damaged file
70   an error inside Samara
74   a file can't be found, opened or written, another process uses it, or a cluster can't do the work
130  interrupted by Ctrl-C
141  nobody reads the output any more
==== ==================================================================================================
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import typer

from samara.errors import BudgetError, ClusterError, InputError, LockedError, SamaraError, StoreError

USAGE, DATA, INTERNAL, INPUT_OUTPUT, INTERRUPTED, CLOSED = 2, 65, 70, 74, 130, 141

ISSUES = "please report it with the command and its output under SAMARA_TRACEBACK=1"


class UsageError(Exception):
    """The command can't be run as given."""


@dataclass(frozen=True)
class Ending:
    """An exit code, the kind of the error, and one line for the user."""

    code: int
    kind: str
    message: str


@contextmanager
def usage_errors() -> Iterator[None]:
    """Parameters are read inside: one that can't be used is an error of the command, not of the data."""
    try:
        yield
    except InputError as error:
        raise UsageError(str(error)) from error


def ending_of(error: BaseException) -> Ending:
    """How a command ends that an exception has left."""
    if isinstance(error, KeyboardInterrupt):
        return Ending(INTERRUPTED, "interrupted", "interrupted")
    if isinstance(error, BrokenPipeError):
        return Ending(CLOSED, "closed", "")
    if isinstance(error, UsageError | BudgetError):
        return Ending(USAGE, "usage", str(error))
    if isinstance(error, LockedError | ClusterError) or _of_system(error):
        return Ending(INPUT_OUTPUT, "input/output", _told(error))
    if isinstance(error, StoreError) and isinstance(error.__cause__, MemoryError):
        return Ending(INTERNAL, "internal", str(error))
    if isinstance(error, InputError | StoreError):
        return Ending(DATA, "data", str(error))
    if isinstance(error, SamaraError):  # a library that an option needs is not there
        return Ending(USAGE, "usage", str(error))
    if isinstance(error, MemoryError):
        return Ending(INTERNAL, "internal", f"out of memory ({error}). Give --memory a smaller limit.")
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Ending(INTERNAL, "internal", f"internal error: {told}; {ISSUES}.")


def report_trace(error: BaseException, asked: bool) -> None:
    """The traceback, where it was asked for."""
    if asked or os.environ.get("SAMARA_TRACEBACK") == "1":
        traceback.print_exception(error, file=sys.stderr)


def leave(code: int) -> typer.Exit:
    """What ends the command; a pipe that nobody reads gets no more words, not even at the exit."""
    if code == CLOSED:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return typer.Exit(code)


def _of_system(error: BaseException) -> bool:
    """Whether the operating system refused something."""
    caused = isinstance(error, SamaraError) and isinstance(error.__cause__, OSError)
    return caused or isinstance(error, OSError)


def _told(error: BaseException) -> str:
    """The message of a Samara error; of the system's, the file and the reason."""
    if not isinstance(error, OSError):
        return str(error)
    reason = error.strerror or str(error)
    if reason == os.strerror(errno.ENOENT):
        reason = "there is no such file or folder"
    return f"{error.filename}: {reason}." if error.filename else f"{reason}."
