"""Model files: what a ``.samara`` file of a fitted estimator holds, written and read."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Any

from samara.core import Array
from samara.errors import StoreError
from samara.model_classes import CLASSES
from samara.plans import Plan
from samara.store import (
    Json,
    RefusedError,
    from_tree,
    read_header,
    read_record,
    refuse_other_names,
    to_tree,
)
from samara.store.files import Path
from samara.store.trees import DEEPEST

VERSION = 1  # of what a model file holds; how it is written down is the record's business
LIBRARIES = ("samara", "numpy", "scipy", "scikit-learn")
ENTRIES = ["kind", "version", "estimator", "about", "libraries", "config", "parameters", "fitted"]

Label = str | int | float | bool


@dataclass(frozen=True)
class About:
    """What a file says about its model at a glance; checked against the model when that is loaded."""

    n_features: int
    n_outputs: int
    n_nodes: int
    maps: tuple[str, ...]
    feature_names: tuple[str, ...] | None
    columns: tuple[tuple[str, str], ...] | None
    classes: tuple[Label, ...] | None
    contains_training_rows: bool
    resumable: bool


@dataclass(frozen=True)
class ModelFile:
    """The contents of a model file."""

    estimator: str
    about: About
    parameters: Mapping[str, Any]
    fitted: Mapping[str, Any]
    config: str | None = None


@dataclass(frozen=True)
class ModelInfo:
    """What a model file says about its model, as :func:`samara.inspect` returns it.

    Attributes
    ----------
    path : str
        The file.
    n_bytes : int
        Its size.
    version : int
        Version of the format.
    estimator : str
        Name of the class.
    parameters : dict
        Those of its constructor; what is not plain JSON as a text.
    n_features, n_outputs, n_nodes : int
        Inputs; outputs (one for two classes); features of a row that the coefficients multiply.
    maps : tuple of str
        What a row goes through, by class.
    feature_names : tuple of str or None
        Names of the inputs, where they had any.
    columns : tuple of (str, str) or None
        Names and kinds of the columns of a raw table.
    classes : tuple or None
        Labels of a classifier.
    plan : :class:`samara.plans.Plan` or None
        How it was fitted; None for transformers.
    arrays : dict
        Names of the arrays to their dtype and shape.
    libraries : dict
        Versions of Python and of the libraries that it was written with.
    config : str or None
        Hash of the configuration that it was fitted with, where one was given.
    contains_training_rows : bool
        Whether rows of the training data, scaled, are part of the model.
    resumable : bool
        Whether ``partial_fit`` can go on.
    """

    path: str
    n_bytes: int
    version: int
    estimator: str
    parameters: dict[str, Any]
    n_features: int
    n_outputs: int
    n_nodes: int
    maps: tuple[str, ...]
    feature_names: tuple[str, ...] | None
    columns: tuple[tuple[str, str], ...] | None
    classes: tuple[Label, ...] | None
    plan: Plan | None
    arrays: dict[str, tuple[str, tuple[int, ...]]]
    libraries: dict[str, str]
    config: str | None
    contains_training_rows: bool
    resumable: bool

    def __str__(self) -> str:
        count = f"{self.n_features} inputs, {self.n_nodes} nodes, {self.n_outputs} outputs"
        lines = [f"{self.estimator}: {count}, {self.n_bytes:,} bytes", f"maps: {', '.join(self.maps)}"]
        names = self.feature_names or [name for name, _ in self.columns or ()]
        for title, listed in (("inputs", names), ("classes", self.classes)):
            if listed:
                more = f", … ({len(listed)})" if len(listed) > 10 else ""
                lines.append(f"{title}: {', '.join(map(str, listed[:10]))}{more}")
        rows = "contains rows of the training data" if self.contains_training_rows else "contains no rows"
        lines.append(f"{rows}; {'can' if self.resumable else 'cannot'} learn more rows")
        lines.append(
            "written with " + ", ".join(f"{name} {number}" for name, number in self.libraries.items())
        )
        return "\n".join(lines if self.plan is None else [*lines, str(self.plan)])


def packed(file: ModelFile) -> tuple[dict[str, Json], dict[str, Array]]:
    """The header and the arrays of a model file; equal contents give equal ones."""
    arrays: dict[str, Array] = {}
    header: dict[str, Json] = {
        "kind": "model",
        "version": VERSION,
        "estimator": file.estimator,
        "about": to_tree(file.about, {"About": About}, "about")[0],
        "libraries": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "config": file.config,
    }
    for part, values in (("parameters", file.parameters), ("fitted", file.fitted)):
        nodes: dict[str, Json] = {}
        for name, value in values.items():
            nodes[name], own = to_tree(value, CLASSES, f"{part}/{name}")
            arrays |= own
        header[part] = nodes
    return header, arrays


def read_model(path: Path) -> ModelFile:
    """Read what `packed` made; refuses what it would not make, in a StoreError that names the file."""
    with refusals(path):
        record = read_record(path)
        header = _checked(record.header)
        parameters, fitted = (
            {
                name: from_tree(node, record.arrays, CLASSES, f"{part}/{name}")
                for name, node in header[part].items()
            }
            for part in ("parameters", "fitted")
        )
        if record.arrays:
            raise RefusedError(f"its array {min(record.arrays)!r} belongs to nothing")
        about = from_tree(header["about"], {}, {"About": About}, "about")
        if not isinstance(about, About):
            raise RefusedError("it says nothing about its model")
        return ModelFile(header["estimator"], about, parameters, fitted, header["config"])


def inspect(path: Path) -> ModelInfo:
    """Look at a model file without building the model.

    Only the head of the file is read, so it takes no longer for a large model. The checksum over the whole
    file is left to :func:`samara.load`.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    ModelInfo
        What it says about its model.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    StoreError
        If it is no model file, is damaged, or was written by a newer version.
    """
    with refusals(path):
        header, shapes = read_header(path)
        header = _checked(header)
        about = from_tree(header["about"], {}, {"About": About}, "about")
        plan = from_tree(header["fitted"].get("plan_"), {}, CLASSES, "fitted/plan_")
        planned = isinstance(plan, Plan) or (plan is None and "model_" not in header["fitted"])
        if not isinstance(about, About) or not planned:
            raise RefusedError("it says nothing about its model")
        return ModelInfo(
            path=os.fspath(path),
            n_bytes=os.stat(path).st_size,
            version=header["version"],
            estimator=header["estimator"],
            parameters={name: _shown(node, shapes) for name, node in header["parameters"].items()},
            plan=plan,
            arrays=shapes,
            libraries=header["libraries"],
            config=header["config"],
            **{field.name: getattr(about, field.name) for field in fields(about)},
        )


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """What is refused within is refused in the name of the file."""
    try:
        yield
    except RefusedError as refusal:
        raise StoreError(f"{os.fspath(path)} can't be used: {refusal}.") from None


def _checked(header: dict[str, Any]) -> dict[str, Any]:
    """The header of a model file, its entries of the types they have to be."""
    if header.get("kind") != "model":
        checkpoint = "fingerprint" in header and "lanes" in header
        what = "a checkpoint of a fit, which the same call of fit goes on from" if checkpoint else "no model"
        raise RefusedError(f"it is {what}")
    number = header.get("version")
    if type(number) is not int or number < 1:
        raise RefusedError("it does not say which version of a model file it is")
    if number > VERSION:
        raise RefusedError(
            f"it is version {number} of a model file, and this Samara reads versions up to {VERSION}; "
            "update Samara"
        )
    refuse_other_names(header, ENTRIES, "header")
    texts = isinstance(header["estimator"], str) and isinstance(header["config"], str | None)
    parts = all(isinstance(header[name], dict) for name in ("libraries", "parameters", "fitted"))
    if not texts or not parts or not all(isinstance(one, str) for one in header["libraries"].values()):
        raise RefusedError("its header has entries of the wrong type")
    return header


def _shown(node: Any, shapes: Mapping[str, Any], depth: int = 0) -> Any:
    """A parameter in words, where it is not plain JSON."""
    if depth > DEEPEST:
        raise RefusedError("it is nested too deeply")
    if isinstance(node, list):
        return [_shown(one, shapes, depth + 1) for one in node]
    if not isinstance(node, dict):
        return node
    kind, content = next(iter(node.items()), ("nothing", None))
    if kind == "tuple":
        return _shown(content, shapes, depth + 1)
    if kind == "array":
        return f"array of {' '.join(map(str, shapes.get(str(content), ('unknown', 'shape'))))}"
    if kind in CLASSES and isinstance(content, dict):
        inner = (f"{name}={_shown(one, shapes, depth + 1)}" for name, one in content.items())
        return f"{kind}({', '.join(inner)})"
    return f"{kind} {_shown(content, shapes, depth + 1)}"
