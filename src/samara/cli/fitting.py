"""``samara fit`` and ``samara resume``."""

from __future__ import annotations

import time
from contextlib import ExitStack, chdir
from typing import Any

from samara.cli import told
from samara.cli.config import Request
from samara.cli.endings import UsageError, usage_errors
from samara.cli.engines import begin_measuring, engine_facts, note_dashboard, workers_peak, works_here
from samara.cli.jobs import Job, opened, scanned
from samara.cli.output import Output
from samara.cli.places import check_place
from samara.cli.progress import PassProgress, pass_table
from samara.cli.reporting import check_report, write_run
from samara.cli.resuming import kept_command, read_command


def run_fit(request: Request, output: Output) -> dict[str, Any]:
    """Fit, save, score, report; says what happened."""
    if request.run.out is None:
        raise UsageError("No file to write the model to: give --out MODEL.")
    for place in (request.run.out, request.run.report, request.run.checkpoint):
        check_place(place)
    check_report(request.run.report)
    try:
        with kept_command(request):
            result = _fitted(request, output)
    except KeyboardInterrupt:
        if request.run.checkpoint:
            output.note(f"`samara resume {request.run.checkpoint}` goes on from the checkpoint.")
        raise
    output.facts(_facts(result))
    return result


def run_resume(checkpoint: str, output: Output) -> dict[str, Any]:
    """Go on with a fit that was killed."""
    request, folder = read_command(checkpoint)
    with chdir(folder):
        return run_fit(request, output)


def _fitted(request: Request, output: Output) -> dict[str, Any]:
    from samara.costs import parse_memory

    with usage_errors():
        limit = parse_memory(request.run.memory)
    shown = limit if works_here(request.run.engine) else None
    with PassProgress(output.errors, output.quiet, shown) as progress, ExitStack() as stack:
        follow: Any = progress
        watch = None
        if request.run.report:
            from samara.report import MemoryWatch

            watch = stack.enter_context(MemoryWatch())
            follow = _both(progress, watch)
        job = opened(request, follow)
        test = _test_table(job)
        crew = job.estimator.engine
        note_dashboard(crew, output)
        output.note(f"{job.task.name}: {job.task.why}")
        measured = _timed(job, progress)
    job.estimator.set_params(engine=None)  # what shows progress is no part of a model
    job.estimator.save(request.run.out, config=request.config_hash())
    result = _result(job, measured) | {"engine": engine_facts(request.run.engine, crew)}
    if test is not None:
        from samara.cli.models import scores_of

        result["test"] = scores_of(job.estimator, test, output, request.run.engine)
    if request.run.report:
        write_run(job, result, watch.trace if watch else None, test)
        result["report"] = request.run.report
    return result


def _timed(job: Job, progress: PassProgress) -> dict[str, Any]:
    """Fit; says what it took."""
    from samara.resident import peak_resident_bytes

    run, crew = job.request.run, job.estimator.engine
    begin_measuring(crew)
    progress.started()
    began = time.perf_counter()
    job.estimator.fit(job.table, checkpoint=run.checkpoint, every=run.every or "30s")
    return {
        "seconds": time.perf_counter() - began,
        "passes": list(progress.passes),
        "peak": peak_resident_bytes(),
        "workers": workers_peak(crew),
    }


def _both(*listeners: Any) -> Any:
    """One progress callable for several listeners."""

    def follow(name: str, rows: int, total: int | None) -> None:
        for listener in listeners:
            listener(name, rows, total)

    return follow


def _test_table(job: Job) -> Any:
    """The held-out rows, opened before the fit so that a wrong name costs no hours."""
    from dataclasses import replace

    test = job.request.run.test
    return scanned(replace(job.request.data, path=list(test))) if test else None


def _result(job: Job, measured: dict[str, Any]) -> dict[str, Any]:
    """What happened, for ``--json`` and for the table."""
    model, plan = job.estimator, job.estimator.plan_
    passes, seconds = measured["passes"], measured["seconds"]
    rows = job.table.n_rows or max((one.rows for one in passes), default=0)
    return {
        "model": job.request.run.out,
        "estimator": type(model).__name__,
        "task": {"name": job.task.name, "why": job.task.why},
        "data": {
            "rows": rows,
            "columns": job.table.n_features,
            "targets": [one.name for one in job.table.targets],
        },
        "solver": plan.solver,
        "alpha": model.alpha_,
        "size": _size(model),
        "selection": _selection(model.selection_, job.task.name),
        "seconds": seconds,
        "rows_per_second": rows / max(seconds, 1e-9),
        "memory": {
            "limit": plan.memory,
            "predicted": plan.peak_bytes,
            "peak": measured["peak"],
            "workers": measured["workers"],
        },
        "passes": pass_table(passes),
        "reasons": list(plan.reasons),
        "config_hash": job.request.config_hash(),
    }


def _size(model: Any) -> dict[str, int]:
    """What was chosen beside the ridge; a rank where it is not simply that of the nodes."""
    nodes = int(getattr(model, "n_hidden_", 0))
    sizes = {"nodes": nodes} if nodes else {}
    return sizes if model.rank_ in (nodes, 0) else sizes | {"rank": int(model.rank_)}


def _selection(selection: Any, task: str) -> dict[str, Any] | None:
    """The held-out error of the model chosen; of classes that of their ±1 codes."""
    import numpy as np

    if selection is None:
        return None
    row = int(np.flatnonzero(selection.sizes == selection.best_size)[0])
    column = int(np.argmin(np.abs(selection.alphas - np.mean(selection.best_alpha))))
    squared, error = float(selection.scores[row, column]), float(selection.errors[row, column])
    folds = f"{selection.n_folds}-fold" if selection.n_folds else selection.method
    found = {"method": folds, "tried": int(selection.scores.size), "score": squared, "error": error}
    if selection.method == "lcurve":  # a curvature, which is no error
        return found | {"what": "minus the curvature", "error": None}
    if task == "classification":
        return found | {"what": "squared error of the class codes"}
    root = squared**0.5
    return found | {"what": "RMSE", "score": root, "error": error / (2 * root) if root > 0 else 0.0}


def _facts(result: dict[str, Any]) -> list[tuple[str, str]]:
    """The table at the end of a fit."""
    data, memory = result["data"], result["memory"]
    sizes = ", ".join(f"{count:,} {name}" for name, count in result["size"].items())
    facts = [
        ("data", f"{data['rows']:,} rows × {data['columns']} columns, target {', '.join(data['targets'])}"),
        ("model", f"{result['estimator']} ({result['task']['name']}: {result['task']['why']})"),
        ("solver", f"{result['solver']}: {sizes}"),
        ("ridge", ", ".join(f"{one:.3g}" for one in _listed(result["alpha"]))),
        ("held out", told.selected(result["selection"])),
        ("time", f"{told.duration(result['seconds'])}, {result['rows_per_second']:,.0f} rows/s"),
        ("peak memory", _memory(memory, works_here(result["engine"]["name"]))),
        ("written", result["model"]),
    ]
    if "test" in result:
        facts.insert(5, ("test", told.scores(result["test"])))
    if "report" in result:
        facts.append(("report", result["report"]))
    return facts


def _memory(memory: dict[str, Any], here: bool) -> str:
    """The peak beside what was predicted and allowed: of this process, or of the largest worker."""
    beside = [f"predicted {told.size(memory['predicted'])}"]
    if memory["limit"] is not None:
        beside.append(f"limit {told.size(memory['limit'])}")
    if here:
        return f"{told.size(memory['peak'])} ({', '.join(beside)})"
    own = f"{told.size(memory['peak'])} in this process"
    if memory["workers"] is None:  # Spark does not tell
        return f"{own}, of a worker not measured ({', '.join(beside)})"
    return f"{told.size(memory['workers'])} in the largest worker ({', '.join(beside)}), {own}"


def _listed(value: Any) -> list[float]:
    return [float(one) for one in value] if hasattr(value, "__len__") else [float(value)]
