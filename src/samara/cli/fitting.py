"""``samara fit`` and ``samara resume``."""

from __future__ import annotations

import time
from contextlib import ExitStack, chdir
from typing import Any

from samara.cli.config import Request
from samara.cli.endings import UsageError, usage_errors
from samara.cli.jobs import Job, opened, scanned
from samara.cli.output import Output
from samara.cli.places import check_place
from samara.cli.progress import PassProgress, pass_table
from samara.cli.resuming import kept_command, read_command


def run_fit(request: Request, output: Output) -> dict[str, Any]:
    """Fit, save, score, report; says what happened."""
    if request.run.out is None:
        raise UsageError("No file to write the model to: give --out MODEL.")
    for place in (request.run.out, request.run.report, request.run.checkpoint):
        check_place(place)
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
    from samara.resident import peak_resident_bytes

    with usage_errors():
        limit = parse_memory(request.run.memory)
    with PassProgress(output.errors, output.quiet, limit) as progress, ExitStack() as stack:
        follow: Any = progress
        watch = None
        if request.run.report:
            from samara.report import MemoryWatch

            watch = stack.enter_context(MemoryWatch())
            follow = _both(progress, watch)
        job = opened(request, follow)
        test = _test_table(job)
        output.note(f"{job.task.name}: {job.task.why}")
        began = time.perf_counter()
        job.estimator.fit(job.table, checkpoint=request.run.checkpoint, every=request.run.every or "30s")
        seconds = time.perf_counter() - began
        passes = list(progress.passes)
    peak = peak_resident_bytes()
    job.estimator.set_params(engine=None)  # what shows progress is no part of a model
    job.estimator.save(request.run.out, config_hash=request.config_hash())
    result = _result(job, {"seconds": seconds, "peak": peak, "passes": passes, "limit": limit})
    if test is not None:
        from samara.cli.models import scores_of

        result["test"] = scores_of(job.estimator, test, output)
    if request.run.report:
        from samara.cli.reporting import write_run

        write_run(job, result, watch.trace if watch else None, test)
        result["report"] = request.run.report
    return result
