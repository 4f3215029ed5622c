"""``--engine``: who does the work, and where it can be watched."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from samara.cli.endings import usage_errors
from samara.cli.output import Output

if TYPE_CHECKING:
    from samara.core import Crew, Progress


def crew_of(engine: str | None, progress: Progress | None = None) -> Crew:
    """The engine that a flag names, connected."""
    from samara.estimators.parameters import read_engine

    with usage_errors():
        crew = read_engine(engine)
    return crew.planned(crew.workers, crew.block_rows, progress)


def works_here(engine: str | None) -> bool:
    """Whether the threads of this process do the work."""
    return engine in (None, "threads")


def engine_facts(engine: str | None, crew: Any) -> dict[str, Any]:
    """The engine for ``--json``."""
    return {"name": engine or "threads", "dashboard": getattr(crew, "dashboard", None)}


def workers_peak(crew: Any) -> int | None:
    """The most memory that a worker process of a cluster has held; None for threads."""
    from samara.errors import ClusterError

    with suppress(ClusterError):  # a cluster that has gone since: the model is there all the same
        return crew.peak_bytes() if hasattr(crew, "peak_bytes") else None
    return None


def begin_measuring(crew: Any) -> None:
    """The workers of a cluster may have done other work before."""
    if hasattr(crew, "reset_peak"):
        crew.reset_peak()


def note_dashboard(crew: Any, output: Output) -> None:
    """Where a cluster can be watched while it works."""
    if dashboard := getattr(crew, "dashboard", None):
        output.note(f"dashboard: {dashboard}")
