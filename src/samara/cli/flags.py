"""How the text of a flag, or a value in a configuration file, is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

import typer

from samara.cli.endings import UsageError

Value = int | float | str
Reader = Callable[[str], Any]


def option(help_text: str, *names: str, read: Reader | None = None, metavar: str = "TEXT") -> Any:
    """An option whose text goes through a reader."""
    return typer.Option(*names, help=help_text, parser=read, metavar=metavar, show_default=False)


def listed(help_text: str, metavar: str) -> Any:
    """An option that may be repeated; its texts are cut at commas by `names`."""
    return typer.Option(help=help_text, metavar=metavar, show_default=False)


def names(given: list[str] | tuple[str, ...]) -> list[str]:
    """The names in texts such as ``a,b``."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def value(text: str) -> Value:
    """A whole number, a number, or else a word."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text.strip()


def values(text: str) -> Value | list[Value]:
    """A value, or several between commas."""
    several = [value(one) for one in text.split(",") if one.strip()]
    return several[0] if len(several) == 1 else several


def settings(given: Iterable[str]) -> dict[str, Any]:
    """Names and values of texts such as ``zero_based=true``."""
    read: dict[str, Any] = {}
    for text in given:
        name, equals, told = text.partition("=")
        if not (name and equals):
            raise UsageError(f"--option needs NAME=VALUE, got {text!r}.")
        read[name] = {"true": True, "false": False}.get(told, value(told))
    return read


def whole(text: str) -> int:
    """A whole number from 0 on."""
    number = value(text)
    if not isinstance(number, int) or number < 0:
        raise typer.BadParameter(f"{text!r} is not a whole number from 0 on.")
    return number


def count(text: str) -> int:
    """A whole number from 1 on."""
    number = value(text)
    if not isinstance(number, int) or number < 1:
        raise typer.BadParameter(f"{text!r} is not a whole number from 1 on.")
    return number


def from_zero(text: str) -> float:
    """A number from 0 on."""
    number = value(text)
    if isinstance(number, str) or not 0 <= number < float("inf"):
        raise typer.BadParameter(f"{text!r} is not a number from 0 on.")
    return float(number)


def choice(*known: str) -> Reader:
    """One of some words."""

    def read(text: str) -> str:
        if text in known:
            return text
        near = get_close_matches(text, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(known)}.{hint}")

    return read
