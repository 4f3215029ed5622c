"""Commands as functions of groups of options."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

import typer
from typer.models import ArgumentInfo

from samara.cli.endings import ending_of, report_trace
from samara.cli.options import PANELS, Shown
from samara.cli.output import Output
from samara.errors import ConditionWarning, ConvergenceWarning

Command = Callable[..., dict[str, Any]]


def command(app: typer.Typer, name: str) -> Callable[[Command], Command]:
    """Add a command: a function whose parameters are groups of options, and the last an `Output`.

    It returns what ``--json`` prints. Whatever it raises becomes an exit code and one line.
    """

    def register(function: Command) -> Command:
        app.command(name)(_flat(function))
        return function

    return register


def _flat(function: Command) -> Callable[..., None]:
    """The same function with every option a parameter of its own, as typer wants it."""
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(function, include_extras=True)
    del hints["return"], hints["output"]
    for name, kind in {**hints, "shown": Shown}.items():
        if is_dataclass(kind):
            groups[name] = kind
            parameters += _parameters(kind)
        else:
            parameters.append(_parameter(name, kind, inspect.signature(function).parameters[name].default))

    @wraps(function)
    def run(**given: Any) -> None:
        made: dict[str, Any] = {}
        for name, kind in groups.items():
            made[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        shown: Shown = made.pop("shown")
        _ended(lambda output: function(**made, **given, output=output), shown)

    # Positional arguments come first in the help, whatever group they are in.
    parameters.sort(key=lambda one: not isinstance(one.annotation.__metadata__[0], ArgumentInfo))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for info in (hint.__metadata__[0] for hint in hints.values()):
        if not isinstance(info, ArgumentInfo):
            info.rich_help_panel = PANELS[group]
    return [_parameter(field.name, hints[field.name], field.default) for field in fields(group)]


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _ended(work: Callable[[Output], dict[str, Any]], shown: Shown) -> None:
    """Run a command to its end, whichever that is."""
    output = Output(shown)
    try:
        with warnings.catch_warnings():
            for kind in (ConditionWarning, ConvergenceWarning):
                warnings.simplefilter("always", kind)
            warnings.showwarning = output.warning
            result = work(output)
        output.result(result)
    except typer.Exit:
        raise
    except BaseException as error:
        ending = ending_of(error)
        report_trace(error, shown.traceback)
        raise output.failed(ending) from None
