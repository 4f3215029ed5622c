"""From what was asked for to a table and an estimator."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from samara.cli.config import Request
from samara.cli.endings import UsageError, usage_errors
from samara.cli.engines import crew_of
from samara.cli.flags import settings
from samara.cli.options import DataOptions, ModelOptions

if TYPE_CHECKING:
    from samara.targets import Task

ELM_ONLY = ("n_hidden", "hidden", "direct_link")
KERNEL_ONLY = ("kernel", "gamma")


@dataclass(frozen=True)
class Job:
    """A table to learn from, and what learns."""

    request: Request
    table: Any
    task: Task
    estimator: Any

    @property
    def limit(self) -> int | None:
        """The memory that the process may take, in bytes."""
        from samara.costs import parse_memory

        return parse_memory(self.request.run.memory)


def opened(request: Request, progress: Any = None) -> Job:
    """Open the table, settle the task and make the estimator, all its parameters checked."""
    check_model(request.model)
    table = scanned(request.data)
    task = _task(request.model, table)
    return Job(request, table, task, make_estimator(request, task, progress))


def scanned(data: DataOptions) -> Any:
    """The table that the options name."""
    import samara

    if not data.path:
        raise UsageError("No data given: name a file, a folder or a glob.")
    targets = data.target or None
    single = targets[0] if targets and len(targets) == 1 else targets
    more = settings(data.option or ())
    if data.format is not None:
        more["format"] = data.format
    path = data.path[0] if len(data.path) == 1 else list(data.path)
    return samara.scan(
        path, target=single, weight=data.weight, columns=data.columns, where=data.where, **more
    )


def check_model(model: ModelOptions) -> None:
    """Refuse options that the model has no use for, before anything is read."""
    kernel = model.model == "kernel"
    for name in ELM_ONLY if kernel else KERNEL_ONLY:
        if getattr(model, name) is not None:
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"{flag} is for --model {'elm' if kernel else 'kernel'}.")


def make_estimator(request: Request, task: Task, progress: Any = None) -> Any:
    """The estimator, its parameters checked."""
    import samara
    from samara.estimators.kernel_settings import make_kernel_settings
    from samara.estimators.settings import make_settings

    model = request.model
    given = {name: value for name, value in asdict(model).items() if value is not None}
    for name in ("model", "task", "seed"):
        given.pop(name, None)
    classes = task.name == "classification"
    for name in () if classes else ("class_weight", "calibration", "threshold"):
        if name in given:
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"{flag} is for classes; this is a regression, for {task.why}.")
    for name in ("link", "intervals") if classes else ():
        if name in given:
            raise UsageError(f"--{name} is for numbers; this is a classification, for {task.why}.")
    kernel = model.model == "kernel"
    given.setdefault("scale", "standard")  # the columns of a raw table have units of their own
    given |= {name: None for name in ("scale", "calibration") if given.get(name) == "none"}
    kind = getattr(samara, f"{'Kernel' if kernel else ''}ELM{'Classifier' if classes else 'Regressor'}")
    engine = crew_of(request.run.engine, progress)
    with usage_errors():
        made = kind(**given, memory=request.run.memory, engine=engine, random_state=model.seed or 0)
        (make_kernel_settings if kernel else make_settings)(made, None)
    return made


def with_solver(request: Request, solver: str) -> Request:
    """The same request by another solver."""
    return replace(request, model=replace(request.model, solver=solver))


def _task(model: ModelOptions, table: Any) -> Task:
    """The task asked for, or the one that the target looks like."""
    from samara.targets import Task, guess_task

    if model.task in ("regression", "classification"):
        return Task(model.task, "as asked")  # type: ignore[arg-type]
    return guess_task(table.targets, table.pieces)
