"""``samara bench``: the list of data sets, and the benchmarks, whose code is in the folder ``bench``."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from samara.cli.commands import command
from samara.cli.endings import UsageError, usage_errors
from samara.cli.flags import listed, names, option
from samara.cli.options import BenchOptions, DataFolder
from samara.cli.output import Output
from samara.errors import unknown_name

PAPERS = ("men-wang", "jankowski", "liu", "schindler", "bi")

app = typer.Typer(
    help="Measure again the tables of the papers, and samara beside other libraries.", no_args_is_help=True
)


@command(app, "data")
def data(output: Output, data: DataFolder = None) -> dict[str, Any]:
    """List the data sets: which are there, which are missing, and where to get them."""
    from samara.datasets import catalogue, origin_of
    from samara.datasets.loading import folder_of

    with usage_errors():
        folder = folder_of(data)
    sets = []
    for entry in catalogue():
        origin = origin_of(entry.name, data=folder)
        sets.append({**_facts(entry), "origin": origin, "where": entry.where})
    output.rows(["name", "rows", "columns", "classes", "papers", "where"], map(_row, sets))
    counts = {"there": 0, "at_openml": 0, "missing": 0}
    for one in sets:
        counts[{None: "missing", "OpenML": "at_openml"}.get(one["origin"], "there")] += 1
    place = "No folder is named (--data or SAMARA_DATA)" if folder is None else f"Folder {folder}"
    output.text(
        f"\n{place}: {counts['there']} of {len(sets)} data sets are there, {counts['at_openml']} would be "
        f"fetched from OpenML, {counts['missing']} are missing."
    )
    return {"folder": folder, **counts, "sets": sets}


@command(app, "papers")
def papers(
    run: BenchOptions,
    output: Output,
    paper: Annotated[
        list[str] | None, listed(f"Only these papers: {', '.join(PAPERS)}; may be repeated.", "KEY")
    ] = None,
    table: Annotated[
        list[str] | None, listed('Only these tables, such as 3 or "Fig. 2"; may be repeated.', "NAME")
    ] = None,
    pages: Annotated[str | None, option("Folder to write the pages to.", metavar="DIR")] = None,
) -> dict[str, Any]:
    """Measure the tables of the papers again, and write what holds."""
    keys = names(paper or [])
    for key in keys:
        if key not in PAPERS:
            raise UsageError(str(unknown_name("paper", key, PAPERS)))
    more = {
        "papers": keys or None,
        "tables": names(table or []) or None,
        "pages": None if pages is None else Path(pages),
    }
    return _run("bench.papers.command", {**_means(run), **more}, output)


@command(app, "peers")
def peers(
    run: BenchOptions,
    output: Output,
    sets: Annotated[list[str] | None, listed("Only these data sets; may be repeated.", "NAMES")] = None,
) -> dict[str, Any]:
    """Run samara beside other libraries on the same data: error, time and memory."""
    from samara.datasets.catalogue import entry_of

    chosen = names(sets or [])
    with usage_errors():
        for name in chosen:
            entry_of(name)
    return _run("bench.peers.command", {**_means(run), "sets": chosen or None}, output)


def _facts(entry: Any) -> dict[str, Any]:
    """What the catalogue says, without what only `load` needs."""
    kept = ("name", "rows", "columns", "task", "classes", "papers", "licence", "source", "openml")
    return {key: value for key, value in asdict(entry).items() if key in kept}


def _row(one: dict[str, Any]) -> list[str]:
    """A data set as a line of the table."""
    where = "in the folder" if one["origin"] == "folder" else one["where"]
    where = f"missing: {where}" if one["origin"] is None else where
    classes = str(one["classes"]) if one["classes"] else "–"
    return [one["name"], f"{one['rows']:,}", f"{one['columns']:,}", classes, ", ".join(one["papers"]), where]


def _means(run: BenchOptions) -> dict[str, Any]:
    """The options as the benchmarks take them."""
    from samara.datasets.loading import folder_of

    with usage_errors():
        folder = folder_of(run.data)
    return {**asdict(run), "data": folder}


def _run(module: str, options: dict[str, Any], output: Output) -> dict[str, Any]:
    """Run a benchmark; what it prints is no result, and what it returns is. It exits with what it refuses."""
    root = _clone(module)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        run = import_module(module).run
    except ModuleNotFoundError as error:
        raise UsageError(f"The benchmarks need the package {error.name}: install it first.") from error
    try:
        with _told(output):
            found = run(**options)
    except SystemExit as refused:
        raise UsageError(str(refused)) from refused
    return found if isinstance(found, dict) else {}


def _clone(module: str) -> Path:
    """The clone of the repository that holds the benchmarks: around this package, or the current folder."""
    import samara

    file = Path(*module.split(".")).with_suffix(".py")
    for root in (Path(samara.__file__).parents[2], Path.cwd()):
        if (root / "src" / "samara").is_dir() and (root / file).is_file():
            return root
    raise UsageError(
        f"The benchmarks are not in the package: run this in a clone of the repository, which has {file}."
    )


@contextlib.contextmanager
def _told(output: Output) -> Iterator[None]:
    """Keep standard output for the result: lines go to standard error with --json, nowhere with --quiet."""
    if output.quiet:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    elif output.shown.json:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    else:
        yield
