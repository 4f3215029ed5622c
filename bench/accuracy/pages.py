"""The page of the comparison of accuracy and its diagrams, from the results alone."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.accuracy.findings import POINTS, TASKS, WORSE, worse
from bench.accuracy.methods import BOOSTED, METHODS, OURS, RANKED, TUNED
from bench.accuracy.rules import NOT_TABLES, RULES, SECONDS, SPLITS
from bench.accuracy.scores import BINS, COVERAGE, LEAST
from bench.contest.pages import DOCS, absent_section, methods_table, picture, ranks_text, table
from bench.contest.results import Results, deviation, measured, results_of
from bench.harness import figure
from bench.ledger import Cell
from bench.papers.command import write_front_page

PICTURE = "images/accuracy_{}.png"


def write_pages(report: Mapping[str, Any], docs: Path = DOCS) -> list[Path]:
    """Write ``papers/accuracy.md`` and a diagram for each task; nothing without results."""
    abouts, results = results_of(report["cells"], METHODS)
    if not any(measured(cell) for by_method in results.values() for cell in by_method.values()):
        return []
    folder = docs / "papers"
    (folder / "images").mkdir(parents=True, exist_ok=True)
    written = [folder / "accuracy.md"]
    for task in TASKS:
        if report["findings"]["ranks"][task]:
            written.append(folder / PICTURE.format(task))
            of_task = {name: one for name, one in results.items() if abouts[name]["task"] == task}
            written[-1].write_bytes(picture(of_task, RANKED))
    written[0].write_text("\n".join(page(report)) + "\n", encoding="utf-8")
    return [*written, write_front_page(folder)]


def page(report: Mapping[str, Any]) -> Iterable[str]:
    """The lines of the page."""
    abouts, results = results_of(report["cells"], METHODS)
    findings = report["findings"]
    yield "---\norphan: true\n---\n\n# AutoELM beside boosting\n"
    yield (
        f"{len(results)} data sets, {len(METHODS)} methods, each in a process of its own on the same rows: "
        "how good is the default, how right are its probabilities and intervals, and what does it cost?\n"
    )
    yield from promises_section(report["targets"], findings)
    for task in TASKS:
        yield from ranks_section(task, findings["ranks"][task])
    for task in TASKS:
        of_task = {name: one for name, one in results.items() if abouts[name]["task"] == task}
        yield from errors_section(task, abouts, of_task)
    yield from costs_section(findings)
    yield from probabilities_section(findings["probabilities"])
    yield from coverage_section(findings["coverage"])
    yield from absent_section(results)
    yield from settings_section(report)


def promises_section(targets: list[Cell], findings: Cell) -> Iterable[str]:
    """What was promised, and what was measured."""
    yield "## What was promised\n"
    rows = [
        (one["label"], figure(one["measured"]), f"at most {one['limit']:g}", one["verdict"])
        for one in targets
    ]
    yield from table(("AutoELM", "measured", "promised", "verdict"), rows)
    if names := worse(findings["ratios"]):
        listed = ", ".join(f"{name} ({figure(findings['ratios'][name])})" for name in names)
        yield f"Sets with more than {WORSE:g} times LightGBM's error (how many times): {listed}.\n"


def ranks_section(task: str, found: Cell) -> Iterable[str]:
    """Mean ranks and the diagram."""
    if found:
        yield f"## Ranks: {task}\n"
        yield ranks_text(found)
        yield f"![Critical-difference diagram of {task}]({PICTURE.format(task)})\n"


def errors_section(task: str, abouts: Mapping[str, Cell], results: Results) -> Iterable[str]:
    """Every method on every set."""
    if not results:
        return
    yield f"## Errors: {task}\n"
    what = {
        "regression": "Root mean square error in deviations of the target",
        "classification": "Share of wrong classes",
    }[task]
    yield (
        f"{what}, ± standard deviation over the splits; {TUNED}: first split alone. The lowest of the others "
        "is in bold.\n"
    )
    rows = []
    for name, cells in results.items():
        about = abouts[name]
        errors = {one: fmean(cells[one]["errors"]) for one in RANKED if measured(cells.get(one))}
        lowest = min(errors.values(), default=None)
        shown = (error_text(cells.get(one), bold=errors.get(one, math.nan) == lowest) for one in METHODS)
        rows.append((name, f"{about['n_fit']:,}", str(about["n_features"]), str(about["splits"]), *shown))
    yield from table(("data set", "rows", "columns", "splits", *METHODS), rows)


def error_text(cell: Cell | None, bold: bool) -> str:
    """Error and deviation, or a dash."""
    if cell is None or not measured(cell):
        return "-"
    text = f"{fmean(cell['errors']):.3g}"
    return (f"**{text}**" if bold else text) + (
        f" ± {deviation(cell):.1g}" if len(cell["errors"]) > 1 else ""
    )


def costs_section(findings: Cell) -> Iterable[str]:
    """Seconds and memory."""
    yield "## Time and memory\n"
    yield "Medians over the data sets; peaks are resident memory above what was held before the fit.\n"
    names = ("sets", "fit", "predict", "peak_mb")
    rows = [
        (method, *(figure(costs.get(name)) for name in names)) for method, costs in findings["costs"].items()
    ]
    yield from table(("method", "sets", "fit (s)", "predict (s)", "peak (MB)"), rows)
    if seconds := findings["seconds"]:
        yield (
            f"One fit of every set that all three have a result of: {OURS} {seconds[OURS]:,.0f} s, {BOOSTED} "
            f"{seconds[BOOSTED]:,.0f} s, all trials of its tuning {seconds[TUNED]:,.0f} s.\n"
        )


def probabilities_section(found: Cell) -> Iterable[str]:
    """Calibration error and log loss."""
    if not (errors := found["calibration_error"]):
        return
    yield "## Probabilities\n"
    yield (
        f"Means over the sets. Calibration error: how far the share of hits is from the probability of the "
        f"class predicted, over {BINS} equal bins of it. Log loss: probabilities below {LEAST:g} count as "
        "that.\n"
    )
    rows = [(name, figure(errors[name]), figure(found["log_loss"][name])) for name in errors]
    yield from table(("method", "calibration error", "log loss"), rows)


def coverage_section(found: Mapping[str, float]) -> Iterable[str]:
    """Intervals of AutoELM, set by set."""
    if found:
        yield "## Intervals\n"
        yield (
            f"Share of the rows to test whose value is within AutoELM's interval of {COVERAGE:.0%}; more "
            f"than {POINTS:g} points away is in bold.\n"
        )
        rows = []
        for name, share in found.items():
            far = 100 * abs(share - COVERAGE) > POINTS
            rows.append((name, f"**{share:.1%}**" if far else f"{share:.1%}"))
        yield from table(("data set", "covered"), rows)


def settings_section(report: Mapping[str, Any]) -> Iterable[str]:
    """How it was measured, with what."""
    machine, cut = report["machine"], RULES.cut
    several = ", ".join(f"{count} up to {most:,} rows to fit" for most, count in SPLITS.items())
    left_out = ", ".join(f"{name} ({why})" for name, why in NOT_TABLES.items())
    yield "## How it was measured\n"
    yield (
        f"{report['date'][:10]}, {machine['cpu']}, {machine['threads']} cores for every method. Random "
        f"splits of each set ({several}, 1 above that), {cut.fitted:.0%} of the rows to fit (at most "
        f"{cut.most_rows:,}) and the rest to test (at most {cut.most_test_rows:,}). LightGBM and "
        "HistGradientBoosting get categories as such and numbers as they are; all others one column a "
        "category, standardised by the rows to fit. Numeric targets are standardised for all. A fit of more "
        f"than {RULES.limit:g} s is no result, and is not tried on larger sets of the same task. {TUNED} "
        f"runs on the first split and is not ranked; no trial begins after {SECONDS:g} s, and the time of "
        f"all is what the mean trial took, times all. AutoELM has that time, {SECONDS:g} s at most. Left "
        f"out: {left_out}.\n"
    )
    yield from methods_table(report, METHODS)
