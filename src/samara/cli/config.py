"""A TOML file as an alternative to flags: the same names, in the sections [data], [model] and [run]."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import typer

from samara.cli.endings import UsageError
from samara.cli.flags import names
from samara.cli.options import SECTIONS, DataOptions, ModelOptions, RunOptions

T = TypeVar("T", DataOptions, ModelOptions, RunOptions)


@dataclass(frozen=True)
class Request:
    """What was asked for, by flags and file together."""

    data: DataOptions
    model: ModelOptions
    run: RunOptions

    def given(self) -> dict[str, dict[str, Any]]:
        """The options that were given, by section."""
        sections = {name: asdict(getattr(self, name)) for name in SECTIONS}
        return {name: {k: v for k, v in one.items() if v is not None} for name, one in sections.items()}

    def config_hash(self) -> str:
        """A hash of everything that a model depends on; where it is written to is none of that."""
        given = self.given()
        kept = {**given, "run": {"memory": given["run"].get("memory")}}
        return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def requested(sections: tuple[DataOptions, ModelOptions, RunOptions], config: str | None) -> Request:
    """Flags over the configuration file; says what is missing."""
    file = read_config(config) if config else {}
    data, model, run = sections
    request = Request(
        _merged(data, file.get("data", {})),
        _merged(model, file.get("model", {})),
        _merged(run, file.get("run", {})),
    )
    if not request.data.path:
        raise UsageError(
            "No data given: name a file, a folder or a glob, or set path under [data] in --config."
        )
    if not request.data.target:
        raise UsageError("No target given: --target NAME says which column to predict.")
    return request


def from_sections(sections: dict[str, dict[str, Any]], source: str) -> Request:
    """A request that was written down with `Request.given`."""
    read = {
        section: kind(**_section(sections.get(section, {}), section, source))
        for section, kind in SECTIONS.items()
    }
    return Request(**read)


def read_config(path: str) -> dict[str, dict[str, Any]]:
    """The sections of a configuration file, every key known and every value read as its flag would be."""
    with Path(path).open("rb") as stream:
        try:
            found = tomllib.load(stream)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is not TOML: {error}.") from None
    for section in found:
        _refuse_unknown(section, SECTIONS, f"{path}: unknown section", "[{}]")
    return {section: _section(found[section], section, path) for section in found}


def _section(given: Any, section: str, path: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise UsageError(f"{path}: {section} must be a section, [{section}].")
    known = get_type_hints(SECTIONS[section], include_extras=True)
    read = {}
    for key, value in given.items():
        _refuse_unknown(key, known, f"{path}: [{section}] has an unknown key", "{}")
        try:
            read[key] = _value(value, known[key])
        except typer.BadParameter as error:
            raise UsageError(f"{path}: [{section}] {key}: {error.message}") from None
    return read


def _value(value: Any, annotation: Any) -> Any:
    """A value of the file as the text of its flag would be read."""
    kind, info = get_args(annotation)[:2]
    if kind == list[str] | None:
        several = [value] if isinstance(value, str) else value
        if not isinstance(several, list) or not several or not all(isinstance(one, str) for one in several):
            raise typer.BadParameter(f"a text or a list of texts is needed, got {value!r}.")
        return several
    if kind == bool | None:
        if not isinstance(value, bool):
            raise typer.BadParameter(f"true or false is needed, got {value!r}.")
        return value
    if info.parser is None:
        if not isinstance(value, str):
            raise typer.BadParameter(f"a text is needed, got {value!r}.")
        return value
    return info.parser(_spelled(value))


def _spelled(value: Any) -> str:
    """A value as it would be written behind its flag."""
    if isinstance(value, list) and value and not any(isinstance(one, list | dict) for one in value):
        return ",".join(map(_spelled, value))
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise typer.BadParameter(f"a number or a text is needed, got {value!r}.")
    return str(value)


def _refuse_unknown(name: str, known: Any, problem: str, spelled: str) -> None:
    if name in known:
        return
    near = get_close_matches(name, list(known), n=1)
    hint = f" Did you mean {spelled.format(near[0])}?" if near else ""
    listing = ", ".join(spelled.format(one) for one in known)
    raise UsageError(f"{problem} {spelled.format(name)}.{hint} Known: {listing}.")


def _merged(flags: T, file: dict[str, Any]) -> T:
    """Flags where they were given, else the file."""
    own = {field.name: getattr(flags, field.name) for field in fields(flags)}
    for name in ("target", "columns"):  # may be cut at commas; in the file they are lists
        if own.get(name):
            own[name] = names(own[name])
    kept = {name: value for name, value in own.items() if value not in (None, [], ())}
    return type(flags)(**{**file, **kept})
