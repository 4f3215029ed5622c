"""``samara plan``, ``samara tradeoff`` and ``samara demo``."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from samara.cli import told
from samara.cli.config import Request
from samara.cli.endings import UsageError, usage_errors
from samara.cli.jobs import make_estimator, opened, scanned, with_solver
from samara.cli.output import Output
from samara.cli.places import check_place
from samara.cli.progress import PassProgress


def run_plan(request: Request, output: Output) -> dict[str, Any]:
    """Say how a fit would run, without reading the rows."""
    from samara.estimators.trials import planned, solver_plans

    job = opened(request)
    output.note(f"{job.task.name}: {job.task.why}")
    plans = solver_plans(lambda name: make_estimator(with_solver(request, name), job.task), job.table)
    chosen = planned(job.estimator, job.table)
    rows = [
        [
            f"{'→' if name == chosen.solver else ' '} {name}",
            *(["", "", ""] if isinstance(plan, str) else _costs(plan)),
            plan if isinstance(plan, str) else "",
        ]
        for name, plan in plans.items()
    ]
    output.rows(
        ["solver", "passes", "Gflop", "peak above the input", ""], rows, [*plans].index(chosen.solver)
    )
    output.text("\n" + "\n".join(chosen.reasons))
    told_plans = {n: {"why_not": p} if isinstance(p, str) else asdict(p) for n, p in plans.items()}
    return {"task": asdict(job.task), "chosen": chosen.solver, "plans": told_plans, "reasons": chosen.reasons}


def _costs(plan: Any) -> list[str]:
    several = "" if plan.most_passes == plan.passes else f" to {plan.most_passes}"
    return [f"{plan.passes}{several}", told.number(plan.flops / 1e9), told.size(plan.peak_bytes)]


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
    with PassProgress(output.errors, bars_only, limit) as progress:
        job = opened(request, progress)
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
    return {"error": name, "trials": results, "plot": plot}


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
