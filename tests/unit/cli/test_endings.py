"""Which exit code an exception becomes, and what is said."""

import errno

import pytest

from samara.cli.endings import UsageError, ending_of, usage_errors
from samara.errors import (
    BudgetError,
    ClusterError,
    InputError,
    LockedError,
    NonFiniteError,
    SamaraError,
    StoreError,
)


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2),
        (BudgetError("x"), 2),
        (InputError("x"), 65),
        (NonFiniteError("x"), 65),
        (StoreError("x"), 65),
        (caused(StoreError("x"), OSError(errno.ENOSPC, "No space left on device")), 74),
        (LockedError("x"), 74),
        (SamaraError("x"), 2),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "x"), 74),
        (RuntimeError("x"), 70),
        (MemoryError("x"), 70),
        (ClusterError("x"), 74),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 141),
    ],
    ids=lambda value: getattr(type(value), "__name__", str(value)),
)
def test_codes(error, code):
    assert ending_of(error).code == code


def test_a_missing_file_is_named():
    told = ending_of(FileNotFoundError(errno.ENOENT, "No such file or directory", "a.csv")).message
    assert told == "a.csv: there is no such file or folder."


def test_an_internal_error_asks_for_a_report():
    assert ending_of(RuntimeError("odd")).message.startswith(
        "internal error: RuntimeError: odd; please report"
    )
    assert ending_of(RuntimeError()).message.startswith("internal error: RuntimeError; please report")


def test_a_parameter_that_cannot_be_used_is_a_matter_of_usage():
    with pytest.raises(UsageError, match="no such solver"), usage_errors():
        raise InputError("no such solver")
