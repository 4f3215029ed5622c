"""What the pages of all comparisons have: tables, the diagram, who gave no result, what was run."""

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from statistics import fmean, median
from typing import Any

from bench.contest.methods import Method
from bench.contest.results import Results, deviation, matrices, measured
from bench.harness import CHECKOUT
from bench.ledger import Cell
from bench.statistics import diagram

DOCS = CHECKOUT / "docs"


def picture(results: Results, methods: Iterable[str]) -> bytes:
    """The critical-difference diagram as a PNG."""
    _, names, errors, _ = matrices(results, list(methods))
    drawn = BytesIO()
    diagram(errors, names).savefig(drawn, dpi=120, metadata={"Software": None})
    return drawn.getvalue()


def ranks_text(found: Cell) -> str:
    """What Friedman's and Nemenyi's tests say."""
    p, statistic = found["friedman"]["p"], found["friedman"]["statistic"]
    return (
        f"Mean ranks of the errors over {found['sets']} data sets; a method without a result is last "
        f"there. Friedman's test that all are alike: χ² = {statistic:.1f}, p = {p:.2g}. By Nemenyi's test "
        f"mean ranks less than {found['critical_difference']:.2f} apart (joined by a bar) do not differ "
        "at 5 %.\n"
    )


def absent_section(results: Results) -> Iterable[str]:
    """Who gave no result where, and why."""
    rows = [
        (method, name, f"> {cell['late']:g} s" if "late" in cell else cell["failed"].replace("|", " "))
        for name, by_method in results.items()
        for method, cell in by_method.items()
        if not measured(cell)
    ]
    if rows:
        yield "## Without a result\n"
        yield from table(("method", "data set", "why"), sorted(rows))


def methods_table(report: Mapping[str, Any], methods: Mapping[str, Method]) -> Iterable[str]:
    """Settings and versions of every method, or why it is not there."""
    environments = {
        key.partition("/")[2]: cell
        for key, cell in report["cells"].items()
        if key.startswith("environments/")
    }
    absent = report["findings"]["missing"]
    rows = [
        (
            name,
            method.settings,
            absent.get(str(method.environment)) or versions(method.environment, environments),
        )
        for name, method in methods.items()
    ]
    yield from table(("method", "settings", "versions"), rows)


def versions(environment: str | None, found: Mapping[str, Cell]) -> str:
    """The libraries of an environment."""
    return ", ".join(f"{name} {number}" for name, number in found.get(environment or "samara", {}).items())


def lowest(cells: Mapping[str, Cell], names: Sequence[str]) -> str | None:
    """The method of lowest error."""
    there = [name for name in names if measured(cells.get(name))]
    return min(there, key=lambda name: fmean(cells[name]["errors"])) if there else None


def told(cell: Cell) -> str:
    """Error, deviation and seconds."""
    if "late" in cell:
        return f"> {cell['late']:g} s"
    if "failed" in cell:
        return "failed"
    spread = f" ± {deviation(cell):.2g}" if len(cell["errors"]) > 1 else ""
    return f"{fmean(cell['errors']):.3g}{spread}, {median(cell['fit']):.2g} s"


def share(value: float | None) -> str:
    """A share in per cent."""
    return "-" if value is None else f"{value:.1%}"  # 61 of 68 is not 90 %


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    """A Markdown table and a blank line."""
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join("---" for _ in head) + " |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""
