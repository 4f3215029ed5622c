"""What Samara raises and warns with.

::

    SamaraError
    ├── InputError (ValueError)       the data or a parameter can't be used; says which and why
    │   └── NonFiniteError            a NaN or an infinity among the rows
    ├── ClusterError (RuntimeError)   a cluster can't do the work; says what is missing or gone
    ├── BudgetError (ValueError)      the memory given can't hold the fit; says what would fit
    └── StoreError (ValueError)       a file can't be written, or can't be trusted; says which and why
        └── LockedError               another process or thread is working on the file
    ConditionWarning (UserWarning)    the problem was too ill-conditioned for the solver asked for
    ConvergenceWarning (UserWarning)  an iterative solver ended before its tolerance
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SamaraError(Exception):
    """The root of every error that Samara raises on purpose."""


class InputError(SamaraError, ValueError):
    """The data or a parameter can't be used."""


class NonFiniteError(InputError):
    """A NaN or an infinity among the rows."""


class ClusterError(SamaraError, RuntimeError):
    """A cluster can't do the work, or is gone."""


class BudgetError(SamaraError, ValueError):
    """The memory given can't hold the fit."""


class StoreError(SamaraError, ValueError):
    """A file can't be written, or can't be trusted."""


class LockedError(StoreError):
    """Another process or thread is working on the file."""


class ConditionWarning(UserWarning):
    """The problem was too ill-conditioned for the solver asked for."""


class ConvergenceWarning(UserWarning):
    """An iterative solver ended before its tolerance."""


def unknown_name(kind: str, given: object, known: Iterable[str]) -> InputError:
    """An error that lists the known names and suggests the nearest."""
    names = sorted(known)
    near = get_close_matches(str(given), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return InputError(f"Unknown {kind} {given!r}.{hint} Known: {', '.join(names)}.")
