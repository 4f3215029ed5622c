"""The app: its commands, its version, its entry point."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from samara import __version__
from samara.cli import bench, endings
from samara.cli.commands import command
from samara.cli.config import requested
from samara.cli.flags import option
from samara.cli.options import (
    ConfigOption,
    DataOptions,
    Interval,
    MeansOptions,
    ModelOptions,
    ModelPath,
    Out,
    RunOptions,
    Target,
    TradeoffOptions,
    UseOptions,
)
from samara.cli.output import Output

CODES = (
    "Exit codes: 0 done, 2 usage (also a memory limit that can't be kept), 65 bad data or model, 70 internal "
    "error, 74 input/output, 130 interrupted."
)

app = typer.Typer(
    name="samara",
    help="Nonlinear models in closed form, from a table on disk, inside the memory given.",
    epilog=CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; ends the process with one of the exit codes of `samara.cli.endings`."""
    try:
        app()
    except BrokenPipeError:  # while the help was printed
        sys.exit(endings.leave(endings.CLOSED).exit_code)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"samara {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Nonlinear models in closed form, from a table on disk, inside the memory given."""


@command(app, "plan")
def plan(
    data: DataOptions, model: ModelOptions, run: MeansOptions, config: ConfigOption, output: Output
) -> dict[str, Any]:
    """Say how a fit would run: the solvers that could, their time and memory, and which is taken."""
    from samara.cli.planning import run_plan

    return run_plan(requested((data, model, RunOptions(run.memory, run.engine)), config.config), output)


@command(app, "fit")
def fit(
    data: DataOptions, model: ModelOptions, run: RunOptions, config: ConfigOption, output: Output
) -> dict[str, Any]:
    """Fit a model to a table and save it."""
    from samara.cli.fitting import run_fit

    return run_fit(requested((data, model, run), config.config), output)


@command(app, "resume")
def resume(
    checkpoint: Annotated[str, typer.Argument(metavar="CHECKPOINT", help="What --checkpoint named.")],
    output: Output,
) -> dict[str, Any]:
    """Go on with a fit that was killed or interrupted."""
    from samara.cli.fitting import run_resume

    return run_resume(checkpoint, output)


@command(app, "eval")
def evaluate(model: ModelPath, use: UseOptions, output: Output, target: Target = None) -> dict[str, Any]:
    """Score a model on rows whose target is known."""
    from samara.cli.models import run_eval

    return run_eval(model, use, target, output)


@command(app, "predict")
def predict(
    model: ModelPath,
    use: UseOptions,
    output: Output,
    out: Out = None,
    proba: Annotated[bool, typer.Option("--proba", help="Probabilities of the classes.")] = False,
    interval: Interval = None,
) -> dict[str, Any]:
    """Predict every row of a table and write the predictions."""
    from samara.cli.models import run_predict

    return run_predict(model, use, (proba, interval), out, output)


@command(app, "inspect")
def inspect(model: ModelPath, output: Output) -> dict[str, Any]:
    """Say what is in a model file, without running or building anything."""
    from samara.cli.models import run_inspect

    return run_inspect(model, output)


@command(app, "export")
def export(
    model: ModelPath,
    output: Output,
    onnx: Annotated[str | None, option("ONNX file to write.", metavar="FILE")] = None,
) -> dict[str, Any]:
    """Write a model as ONNX."""
    from samara.cli.models import run_export

    return run_export(model, onnx, output)


@command(app, "tradeoff")
def tradeoff(
    data: DataOptions, model: ModelOptions, run: TradeoffOptions, config: ConfigOption, output: Output
) -> dict[str, Any]:
    """Run every solver that fits, and draw error against time against memory."""
    from samara.cli.planning import run_tradeoff

    request = requested((data, model, RunOptions(run.memory, run.engine, test=run.test)), config.config)
    return run_tradeoff(request, run.plot, output)


@command(app, "demo")
def demo(
    output: Output,
    folder: Annotated[str, option("Folder for the plots.", "--output", metavar="FOLDER")] = "demo-output",
) -> dict[str, Any]:
    """Fit the embedded letter recognition data."""
    from samara.cli.planning import run_demo

    return run_demo(folder, output)


app.add_typer(bench.app, name="bench")
