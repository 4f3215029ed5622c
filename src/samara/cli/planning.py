"""``samara plan``, ``samara tradeoff`` and ``samara demo``."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from samara.cli import told
from samara.cli.config import Request
from samara.cli.endings import UsageError, usage_errors
from samara.cli.engines import engine_facts, note_dashboard, works_here
from samara.cli.jobs import make_estimator, opened, scanned, with_solver
from samara.cli.output import Output
from samara.cli.places import check_place
from samara.cli.progress import PassProgress


def run_plan(request: Request, output: Output) -> dict[str, Any]:
    """Say how a fit would run, without reading the rows."""
    import samara

    job = opened(request)
    note_dashboard(job.estimator.engine, output)
    output.note(f"{job.task.name}: {job.task.why}")
    found = samara.plan(job.estimator, job.table)
    output.text(_table_told(found))
    marks = [("→" if one.chosen else " " if one.fits else "×") for one in found.candidates]
    rows = [
        [f"{mark} {one.solver}", _passes(one), told.duration(one.seconds), told.size(one.peak_bytes), one.why]
        for mark, one in zip(marks, found.candidates, strict=True)
    ]
    heads = ["  solver", "passes", "time", "peak memory", "why, or why not"]
    output.rows(heads, rows, marks.index("→") if "→" in marks else None)
    if found.refusal:
        output.text(f"\nA fit would be refused: {found.refusal}")
    if found.traffic:
        output.text(f"\n{found.traffic}")
    chosen = found.chosen.solver if found.chosen else None
    engine = engine_facts(request.run.engine, job.estimator.engine)
    return {"task": asdict(job.task), "chosen": chosen, **found.to_dict(), "engine": engine}


def _passes(one: Any) -> str:
    return str(one.passes) if one.passes == one.most_passes else f"{one.passes} to {one.most_passes}"


def _table_told(found: Any) -> str:
    """What the plan is for."""
    table = found.table
    limit = "no limit" if found.memory is None else f"limit {told.size(found.memory)}"
    return (
        f"{table.n_rows:,} rows × {table.n_features} columns at most, {table.n_targets} target"
        f"{'s' * (table.n_targets > 1)}; memory of the whole process, {limit}\n"
    )


def run_tradeoff(request: Request, plot: str, output: Output) -> dict[str, Any]:
    """Run every solver that fits, and draw what each gives for what it costs."""
    from samara.costs import parse_memory
    from samara.estimators.trials import run_trials
    from samara.report.tradeoff import Tried, draw_tradeoff, front_of

    check_place(plot)
    with usage_errors():
        limit = parse_memory(request.run.memory)
    if request.model.solver not in (None, "auto"):
        raise UsageError("--solver is not for tradeoff, which runs every solver that fits.")
    bars_only = output.quiet or not output.errors.is_terminal  # else a line a solver says enough
    shown = limit if works_here(request.run.engine) else None
    with PassProgress(output.errors, bars_only, shown) as progress:
        job = opened(request, progress)
        crew = job.estimator.engine
        note_dashboard(crew, output)
        test = scanned(replace(request.data, path=list(request.run.test))) if request.run.test else None
        output.note(f"{job.task.name}: {job.task.why}")
        trials = []
        for trial in run_trials(
            lambda name: make_estimator(with_solver(request, name), job.task, progress), job.table, test
        ):
            trials.append(trial)
            output.note(f"{trial.solver}: {trial.why_not or told.duration(trial.seconds)}")
    done = [
        Tried(one.solver, one.seconds, one.peak_bytes, _rounded(one)) for one in trials if not one.why_not
    ]
    if not done:
        raise UsageError(f"No solver fits: {trials[0].why_not}")
    front = dict(zip((one.solver for one in done), front_of(done).tolist(), strict=True))
    name = _error_name(job.task.name, test is not None)
    draw_tradeoff(done, plot, name)
    _show(trials, front, name, output)
    output.text(f"\ndrawn in {plot}")
    results = [{**asdict(one), "on_front": front.get(one.solver, False)} for one in trials]
    return {
        "error": name,
        "trials": results,
        "plot": plot,
        "engine": engine_facts(request.run.engine, crew),
    }


def _show(trials: list[Any], front: dict[str, bool], name: str, output: Output) -> None:
    """One line a solver, the best error first."""
    done = sorted((one for one in trials if not one.why_not), key=lambda one: (_rounded(one), one.seconds))
    rows = [
        [
            one.solver,
            told.number(one.error),
            told.duration(one.seconds),
            told.size(one.peak_bytes),
            "on the front" if front[one.solver] else "beaten by another",
        ]
        for one in done
    ]
    rows += [[one.solver, "", "", "", one.why_not] for one in trials if one.why_not]
    output.rows(["solver", name, "time", "peak memory", ""], rows)


def _rounded(trial: Any) -> float:
    """Its error to four digits: solvers differ in the tenth, which puts nobody on the front."""
    return float(f"{trial.error:.4g}")


def _error_name(task: str, tested: bool) -> str:
    if tested:
        return "share of wrong classes" if task == "classification" else "test RMSE"
    return "held-out squared error" if task == "classification" else "held-out RMSE"


def run_demo(folder: str, output: Output) -> dict[str, Any]:
    """Fit the embedded data and tell how it went."""
    from samara.demo import run

    lines: dict[str, str] = {}

    def tell(name: str, text: str) -> None:
        lines[name] = text
        output.text(f"{name:<12} {text}")

    run(Path(folder), tell)
    return dict(lines)
