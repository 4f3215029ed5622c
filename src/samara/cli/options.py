"""The options of the commands. Those of data, model and run are also the sections of a configuration file.

None means that an option was not given: then the configuration file speaks, and after it the estimator's
own default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from samara.cli.flags import choice, count, from_zero, listed, option, value, values, whole

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DATA",
        help="Parquet, Arrow, CSV, .npy, .npz, HDF5, zarr or LIBSVM: files, folders, globs or URLs.",
        show_default=False,
    ),
]
Format = Annotated[str | None, option("Format of the data, where the name does not tell.", metavar="NAME")]
Target = Annotated[list[str] | None, listed("Column to predict; several between commas or repeated.", "NAME")]
Where = Annotated[
    str | None, option('Rows to take, such as "price > 0 and size is not null".', metavar="CONDITION")
]
Option = Annotated[
    list[str] | None, listed("Option of the format, such as zero_based=true; may be repeated.", "NAME=VALUE")
]
Out = Annotated[str | None, option("File to write.", "--out", "-o", metavar="FILE")]
Test = Annotated[list[str] | None, listed("Held-out rows to score the model on; may be repeated.", "DATA")]
Engine = Annotated[
    str | None,
    option("Who works: threads of this process, or a cluster: dask://HOST:PORT, spark.", metavar="NAME"),
]
Interval = Annotated[
    float | None,
    option("Of numbers: also the ends of intervals that hold this share of targets.", metavar="SHARE"),
]
ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="A .samara file.", show_default=False)]

DataFolder = Annotated[
    str | None, option("Folder of data sets; the variable SAMARA_DATA, unless given.", metavar="DIR")
]


@dataclass(frozen=True)
class DataOptions:
    """Which rows and columns of which table."""

    path: Paths = None
    target: Target = None
    weight: Annotated[str | None, option("Column of the rows' weights.", metavar="NAME")] = None
    columns: Annotated[
        list[str] | None,
        listed(
            "Input columns, between commas or repeated; all but target and weight, unless given.", "NAMES"
        ),
    ] = None
    where: Where = None
    format: Format = None
    option: Option = None


@dataclass(frozen=True)
class ModelOptions:
    """Which model: what is not given is the estimator's default."""

    model: Annotated[
        str | None,
        option("Random hidden nodes or a kernel (elm).", read=choice("elm", "kernel"), metavar="elm|kernel"),
    ] = None
    task: Annotated[
        str | None,
        option(
            "regression, classification, or auto, which looks at the target (auto).",
            read=choice("auto", "regression", "classification"),
            metavar="NAME",
        ),
    ] = None
    n_hidden: Annotated[
        Any, option('Hidden nodes: 1000, "250,500,1000" or auto.', read=values, metavar="N")
    ] = None
    hidden: Annotated[
        str | None, option("Hidden layer: sigmoid, tanh, relu, sine, fourier, rbf, ….", metavar="NAME")
    ] = None
    alpha: Annotated[Any, option('Ridge: 0.1, "0.01,0.1,1" or auto.', read=values, metavar="X")] = None
    solver: Annotated[
        str | None, option("auto, gram, qr, lsqr, …; `samara plan` lists them.", metavar="NAME")
    ] = None
    selection: Annotated[
        str | None, option("How ridge and size are chosen: auto, kfold, loo, ….", metavar="NAME")
    ] = None
    scale: Annotated[
        str | None, option("Scaling of the inputs: standard, quantile or none.", metavar="NAME")
    ] = None
    dtype: Annotated[str | None, option("Working precision: float64 or float32.", metavar="NAME")] = None
    seed: Annotated[int | None, option("Seed of the random nodes (0).", read=whole, metavar="N")] = None
    direct_link: Annotated[
        bool | None,
        typer.Option(
            "--direct-link/--no-direct-link",
            help="Give the inputs to the output as well.",
            show_default=False,
        ),
    ] = None
    kernel: Annotated[
        str | None, option("Kernel: rbf, laplace, matern32, linear, polynomial, ….", metavar="NAME")
    ] = None
    gamma: Annotated[
        Any, option("Width of the kernel: a number, scale, median or auto.", read=value, metavar="X")
    ] = None
    rank: Annotated[
        Any,
        option("Directions or centres of low-rank solvers.", read=values, metavar="N"),
    ] = None
    metric: Annotated[
        str | None,
        option(
            "Learn a metric of the inputs: agop or agop_diagonal.",
            read=choice("agop", "agop_diagonal"),
            metavar="NAME",
        ),
    ] = None
    rounds: Annotated[int | None, option("Most rounds of a metric (3).", read=whole, metavar="N")] = None
    class_weight: Annotated[
        str | None,
        option("Give every class the same weight.", read=choice("balanced"), metavar="balanced"),
    ] = None
    threshold: Annotated[
        Any,
        option("What an output has to exceed: f1, balanced_accuracy, a number.", read=value, metavar="X"),
    ] = None
    link: Annotated[
        str | None,
        option("Fit to a function of the target: log or logit.", read=choice("log", "logit"), metavar="NAME"),
    ] = None
    intervals: Annotated[
        bool | None,
        typer.Option(
            "--intervals/--no-intervals",
            help="Learn intervals around numbers from rows left out (yes).",
            show_default=False,
        ),
    ] = None
    calibration: Annotated[
        str | None,
        option(
            "How probabilities are learned: temperature, isotonic or none.",
            read=choice("auto", "temperature", "isotonic", "none"),
            metavar="NAME",
        ),
    ] = None


@dataclass(frozen=True)
class MeansOptions:
    """What a fit may use."""

    memory: Annotated[
        str | None,
        option("Memory that the whole process, or each of a cluster, may take, such as 1GB.", metavar="SIZE"),
    ] = None
    engine: Engine = None


@dataclass(frozen=True)
class RunOptions(MeansOptions):
    """What a fit may use and what it writes."""

    out: Annotated[str | None, option("Model file to write.", "--out", "-o", metavar="MODEL")] = None
    test: Test = None
    report: Annotated[str | None, option("HTML report to write.", metavar="HTML")] = None
    checkpoint: Annotated[
        str | None, option("File from which `samara resume` goes on after a crash.", metavar="FILE")
    ] = None
    every: Annotated[str | None, option("How often the checkpoint is written (30s).", metavar="TIME")] = None


@dataclass(frozen=True)
class TradeoffOptions(MeansOptions):
    """What a comparison of solvers may use and what it writes."""

    test: Test = None
    plot: Annotated[str, option("Chart to write: .html, .png or .svg.", metavar="FILE")] = "tradeoff.html"


@dataclass(frozen=True)
class UseOptions:
    """Rows for a model that is there already."""

    path: Paths = None
    weight: Annotated[str | None, option("Column of the rows' weights.", metavar="NAME")] = None
    where: Where = None
    format: Format = None
    option: Option = None
    engine: Engine = None
    ignore_extra: Annotated[
        bool, typer.Option("--ignore-extra", help="Pass over columns that the model does not know.")
    ] = False


@dataclass(frozen=True)
class BenchOptions:
    """How much of a benchmark is run, and on what."""

    data: DataFolder = None
    quick: Annotated[
        bool, typer.Option("--quick", help="Few repeats and few rows: minutes instead of hours.")
    ] = False
    minutes: Annotated[
        float | None,
        option(
            "Stop after this time; the next run goes on there. 0 measures nothing and shows what is there.",
            read=from_zero,
            metavar="M",
        ),
    ] = None
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Measure anew what an earlier run has measured; cut off, go on without --fresh."
        ),
    ] = False
    threads: Annotated[int, option("Threads of a fit (2).", read=count, metavar="N")] = 2


@dataclass(frozen=True)
class ConfigOption:
    """Where options are read from."""

    config: Annotated[
        str | None, option("TOML file with these options; flags win over it.", metavar="TOML")
    ] = None


@dataclass(frozen=True)
class Shown:
    """What is printed."""

    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no table.")] = False
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show where an internal error came from.", hidden=True)
    ] = False


PANELS: dict[type, str] = {
    DataOptions: "Data",
    ModelOptions: "Model",
    MeansOptions: "Run",
    RunOptions: "Run",
    ConfigOption: "Run",
    TradeoffOptions: "Run",
    UseOptions: "Data",
    BenchOptions: "Run",
    Shown: "Output",
}
SECTIONS: dict[str, type] = {"data": DataOptions, "model": ModelOptions, "run": RunOptions}
