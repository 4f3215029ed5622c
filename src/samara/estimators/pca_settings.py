"""What decides the number of components and how they are found, read and checked."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from samara.components import Choice, chosen_solver
from samara.core import Source
from samara.errors import InputError, unknown_name
from samara.linalg import EnergyStop, ErrorStop, GradientStop

SOLVERS = ("gram", "dual", "random")


def read_choice(estimator: Any) -> Choice:
    """A number, a share, ``"press"``, a stop, or ``"auto"`` where the solver is to decide."""
    asked = estimator.n_components
    if isinstance(asked, str):
        if asked != "auto":
            raise unknown_name("n_components", asked, ("auto",))
        return _read_stop(estimator.stop)
    if estimator.stop is not None:
        raise InputError('stop chooses the number of components: it goes with n_components="auto".')
    counts = not isinstance(asked, bool)  # True is not one component
    if counts and isinstance(asked, Integral) and int(asked) >= 1:
        return int(asked)
    if isinstance(asked, Real) and not isinstance(asked, Integral) and 0 < float(asked) < 1:
        return float(asked)
    raise InputError(
        "n_components must be a positive whole number, a share of the variance in (0, 1) or "
        f'"auto", got {asked!r}.'
    )


def _read_stop(stop: Any) -> Choice:
    if stop is None:
        return "auto"
    if isinstance(stop, GradientStop | EnergyStop | ErrorStop):
        stop.validate()
        return stop
    if isinstance(stop, str) and stop in ("press", "gradient"):
        return "press" if stop == "press" else GradientStop()
    raise unknown_name("stop", stop, ("press", "gradient", "a stop of samara.linalg"))


def read_solver(solver: Any, source: Source, choice: Choice) -> str:
    """The path taken, refused where it can't do what is asked."""
    if solver not in ("auto", *SOLVERS):
        raise unknown_name("solver", solver, ("auto", *SOLVERS))
    if solver == "auto":
        return chosen_solver(source.n_rows, source.n_features, choice)
    if not isinstance(choice, int | float | str) and solver != "random":
        raise InputError('A stop watches the range finder: it goes with solver="random" or "auto".')
    if choice == "press" and solver == "random":
        raise InputError('stop="press" needs the whole spectrum: use solver="gram" or "dual".')
    return str(solver)
