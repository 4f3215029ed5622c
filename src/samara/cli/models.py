"""What is done with a model file: ``eval``, ``predict``, ``inspect`` and ``export``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

from samara.cli import told
from samara.cli.endings import UsageError
from samara.cli.engines import crew_of, engine_facts, note_dashboard
from samara.cli.flags import names as cut_at_commas
from samara.cli.jobs import scanned
from samara.cli.options import DataOptions, UseOptions
from samara.cli.output import Output
from samara.cli.places import check_place
from samara.cli.progress import PassProgress


def run_eval(path: str, use: UseOptions, target: list[str] | None, output: Output) -> dict[str, Any]:
    """Score a model on rows whose target is known."""
    from samara.estimators.scores import evaluate

    model = loaded(path)
    names = cut_at_commas(target or ()) or _targets(model)
    if not names:
        raise UsageError("The model does not know the name of its target: give --target NAME.")
    table = _table(model, use, names)
    with following(model, output, (table, "score"), use.engine) as engine:
        scores = evaluate(model, table)
    output.facts([("model", path), ("target", ", ".join(names)), ("scores", told.scores(scores))])
    return {"model": path, "targets": names, "scores": scores, "engine": engine}


def scores_of(model: Any, table: Any, output: Output, engine: str | None = None) -> dict[str, Any]:
    """The scores of a model on a table, read with progress."""
    from samara.estimators.scores import evaluate

    with following(model, output, (table, "score"), engine):
        return dict(evaluate(model, table))


def run_predict(
    path: str, use: UseOptions, asked: tuple[bool, float | None], out: str | None, output: Output
) -> dict[str, Any]:
    """Write the predictions of every row into a table, in the order of the rows."""
    if out is None:
        raise UsageError(
            "No place to write the predictions to: give --out FILE (.parquet, .csv or .arrow) or a folder."
        )
    check_place(out, folder_too=True)
    model = loaded(path)
    proba, interval = asked
    if proba and not hasattr(model, "classes_"):
        raise UsageError(f"--proba is for classes; {path} predicts numbers.")
    if interval is not None and hasattr(model, "classes_"):
        raise UsageError(f"--interval is for numbers; {path} predicts classes: use --proba.")
    table = _table_without_target(model, use)
    with following(model, output, (table, "predict"), use.engine) as engine:
        done = model.predict_to(table, out, proba=proba, interval=interval)
    facts = [("rows", f"{done.rows:,}"), ("columns", ", ".join(done.columns)), ("written", out)]
    if done.parts > 1:
        facts.append(("parts", f"{done.parts:,}"))
    output.facts([("model", path), *facts])
    return {"model": path, **asdict(done), "written": out, "engine": engine}


def run_inspect(path: str, output: Output) -> dict[str, Any]:
    """What a model file says about itself, without building the model."""
    from samara import inspect

    info = inspect(path)
    kinds = dict(info.columns or ())
    inputs = [f"{name} ({kinds[name]})" if name in kinds else name for name in info.feature_names or kinds]
    output.facts(
        [
            ("estimator", info.estimator),
            ("shape", f"{info.n_features} inputs, {info.n_nodes:,} nodes, {info.n_outputs} outputs"),
            ("inputs", _some(inputs) or "not named"),
            *([("classes", _some(map(str, info.classes)))] if info.classes else []),
            ("parameters", _some((f"{k}={v!r}" for k, v in info.parameters.items()), 40)),
            (
                "training rows",
                "inside: the file holds rows of its data" if info.contains_training_rows else "none inside",
            ),
            ("configuration", info.config or "none"),
            ("written with", ", ".join(f"{name} {number}" for name, number in info.libraries.items())),
            ("file", f"{told.size(info.n_bytes)}, format {info.version}"),
        ]
    )
    if info.plan is not None:
        output.text(f"\nplan: {info.plan}")
    return asdict(info)


def run_export(path: str, onnx: str | None, output: Output) -> dict[str, Any]:
    """Write a model for a runtime that knows nothing of Samara."""
    from samara import to_onnx

    if onnx is None:
        raise UsageError("No file to export to: give --onnx FILE.")
    if not find_spec("onnx"):
        raise UsageError("export needs onnx: pip install samara[onnx].")
    check_place(onnx)
    graph = to_onnx(loaded(path), onnx)
    inputs = [one.name for one in graph.graph.input]
    outputs = [one.name for one in graph.graph.output]
    opset = max(one.version for one in graph.opset_import if not one.domain)
    facts = {"inputs": _some(inputs), "outputs": _some(outputs), "opset": str(opset), "written": onnx}
    output.facts(facts.items())
    return {"model": path, "onnx": onnx, "inputs": inputs, "outputs": outputs, "opset": opset}


def loaded(path: str) -> Any:
    """The estimator in a model file; a transformer predicts nothing."""
    from samara import load

    model = load(path)
    if not hasattr(model, "predict"):
        name = type(model).__name__
        raise UsageError(f"{path} holds {name}, which predicts nothing: use it from Python.")
    return model


@contextmanager
def following(
    model: Any, output: Output, what: tuple[Any, str], engine: str | None
) -> Iterator[dict[str, Any]]:
    """Show the rows of a table that a model predicts, as parts of one pass; gives the engine's facts."""
    table, name = what
    with PassProgress(output.errors, output.quiet, None) as progress:
        crew = crew_of(engine, lambda _, rows, __: progress(name, rows, table.n_rows))
        note_dashboard(crew, output)
        model.set_params(engine=crew)
        try:
            yield engine_facts(engine, crew)
        finally:
            model.set_params(engine=None)


def _table(model: Any, use: UseOptions, targets: list[str] | None) -> Any:
    """The columns of a model in a table, with targets or without."""
    known = [str(one) for one in getattr(model, "feature_names_in_", ())]
    if use.ignore_extra and not known:
        raise UsageError(
            "--ignore-extra needs a model whose inputs have names, and those of this one have none."
        )
    columns = known if use.ignore_extra else None
    data = DataOptions(use.path, targets, use.weight, columns, use.where, use.format, use.option)
    return scanned(data)


def _table_without_target(model: Any, use: UseOptions) -> Any:
    """The same, its target set aside where the table has it, for the model has no use for it."""
    table = _table(model, use, None)
    there = {column.name for column in table.schema}
    aside = [name for name in _targets(model) if name in there]
    return _table(model, use, aside) if aside else table


def _targets(model: Any) -> list[str]:
    return [str(name) for name in getattr(model, "target_names_", ())]


def _some(names: Any, most: int = 12) -> str:
    """The first names of a list."""
    listed = list(names)
    more = f", … ({len(listed)} in all)" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
