"""Pages of the docs from the results of papers: every number in them comes from a file of results."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import RESULTS
from bench.ledger import Cell
from bench.papers.running import Run
from bench.papers.tables import DEVIATIONS, Figure, Paper, Table, Verdict

ORDER: tuple[Verdict, ...] = ("holds", "better", "does not hold", "not measured", "missing", "not printed")
JUDGED = ("holds", "better", "does not hold")
COMPARISONS = {"peers": "Samara and its peers", "accuracy": "AutoELM beside boosting"}  # other pages
RULE = (
    f"Two figures within {DEVIATIONS:g} standard deviations of each other are called the same: the figure "
    "*holds*. The deviation is that of a single repeat, the paper's and ours taken together, and for rates "
    "never less than what the number of test rows allows. Beyond it a figure is *better* or *does not hold*, "
    "by the side on which ours is. *Ratio* is ours by the paper's, *deviations* how many of them lie "
    "between. Nine in ten accuracy figures are meant to hold or be better. Times, "
    "memory and counts are judged in the same way, and counted apart."
)


def console(paper: Paper, table: Table, figures: Sequence[Figure]) -> str:
    """A table for the terminal: one line a figure, then how many hold."""
    lines = [f"\n{paper.authors}, {table.name}: {table.title}"]
    width = max((len(one.key) for one in figures), default=0)
    for one in figures:
        told = (
            one.missing
            or f"{shown(one.paper):>10} {with_deviation(one.ours, one.deviation):>18}  {one.verdict}"
        )
        lines.append(f"  {one.key.ljust(width)}  {told}")
    counted = Counter(one.verdict for one in figures)
    lines.append("  " + ", ".join(f"{counted[verdict]} {verdict}" for verdict in ORDER if counted[verdict]))
    return "\n".join(lines)


def draw(folder: Path, key: str, table: Table, run: Run, figures: Sequence[Figure]) -> None:
    """The chart of a table, as a picture beside its page; without results there is none."""
    if table.chart is None or all(one.ours is None for one in figures):
        return
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    drawn = table.chart(run, figures)
    path = picture(folder, key, table.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(drawn)


def picture(folder: Path, key: str, name: str) -> Path:
    """Where the chart of a table is."""
    words = re.findall(r"[a-z0-9]+", name.lower().replace(".", ""))
    return folder / "images" / f"{'-'.join([key, *words])}.png"


def write_paper(folder: Path, report: Cell) -> None:
    """The page of one paper."""
    key = report["paper"]["key"]
    pictures = {name: picture(folder, key, name).exists() for name in report["tables"]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{key}.md").write_text(paper_page(report, pictures))


def paper_page(report: Cell, pictures: Mapping[str, bool]) -> str:
    """Its text."""
    paper = report["paper"]
    parts = [
        f"# {paper['authors']}: {paper['title']}",
        paper["source"],
        paper["about"],
        RULE,
        f"Measured with {about_machine(report)}{in_minutes([report])}.",
    ]
    for name, table in report["tables"].items():
        parts += [f"## {name}: {table['title']}", table["about"]]
        if pictures.get(name):
            file = picture(Path(), paper["key"], name).as_posix()
            parts.append(f"![{name}, measured again]({file})")
        parts.append(figure_table(table["figures"]))
        parts += reasons(table["figures"])
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def figure_table(figures: Sequence[Cell]) -> str:
    """One line a figure."""
    lines = [
        "| | | paper | here | repeats | ratio | deviations | |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    last = None
    for one in figures:
        row = one["row"] if one["row"] != last else ""
        last = one["row"]
        cells = [
            cell(row),
            cell(with_unit(one)),
            with_deviation(one["paper"], one["paper_deviation"]),
            with_deviation(one["ours"], one["deviation"]),
            str(one["repeats"] or "–"),
            ratio(one),
            apart(one),
            f"**{one['verdict']}**" if one["verdict"] == "does not hold" else one["verdict"],
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def with_unit(figure: Cell) -> str:
    """What a figure is of, and in which unit, where that is not said already."""
    column, unit = figure["column"], figure["unit"]
    return f"{column} ({unit})" if unit and not column.endswith(unit) else str(column)


def reasons(figures: Sequence[Cell]) -> list[str]:
    """Why figures do not hold, those of one reason together; and why some are missing."""
    grouped: dict[str, list[str]] = {}
    for one in figures:
        if one["verdict"] == "does not hold":
            grouped.setdefault(one["reason"] or "No reason found yet.", []).append(name_of(one))
        if one["verdict"] == "missing":
            grouped.setdefault(f"Missing: {one['missing']}.", []).append(name_of(one))
    return ["\n".join(f"- {'; '.join(names)}: {why}" for why, names in grouped.items())] if grouped else []


def name_of(figure: Cell) -> str:
    """A figure in a sentence."""
    return cell(f"{figure['row']}, {figure['column']}")


def write_index(folder: Path, reports: Mapping[str, Cell]) -> Path:
    """The front page: all verdicts in one table."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {key: report for key, report in reports.items() if report.get("tables")}
    written = folder / "index.md"
    written.write_text(index_page(known, comparisons_in(folder)))
    return written


def comparisons_in(folder: Path, results: Path = RESULTS) -> dict[str, str]:
    """The pages beside those of the papers, and what became of what was promised there."""
    return {
        name: promises_of(results / f"{name}.json")
        for name in COMPARISONS
        if (folder / f"{name}.md").exists()
    }


def promises_of(file: Path) -> str:
    """How many of a comparison's promises are kept, and which are not."""
    targets = json.loads(file.read_text())["targets"] if file.exists() else []
    broken = [broken_promise(one) for one in targets if one["verdict"] != "PASS"]
    kept = f"{len(targets) - len(broken)} of {len(targets)} promises are kept"
    return f"{kept}. Not kept: {'; '.join(broken)}" if broken else kept


def broken_promise(target: Mapping[str, Any]) -> str:
    """What was promised and what was measured; a reader of the front page has no table beside it."""
    bound = "at least" if target["at_least"] else "at most"
    measured = "not measured" if target["measured"] is None else f"{target['measured']:.4g}"
    return f"{target['label']} ({measured}, promised {bound} {target['limit']:g})"


def index_page(reports: Mapping[str, Cell], others: Mapping[str, str] | None = None) -> str:
    """Its text; ``others`` are pages beside those of the papers, and what is said of each."""
    others = others or {}
    parts = ["# The five papers, measured again", RULE, verdict_table(reports)]
    accuracy = Counter(one["verdict"] for _, _, one in everything(reports) if one["counts"])
    judged = sum(accuracy[verdict] for verdict in JUDGED)
    if judged:
        good = judged - accuracy["does not hold"]
        parts.append(
            f"Of {judged} accuracy figures that could be measured, **{good}** ({100 * good / judged:.1f} %) "
            f"hold or are better; {accuracy['not measured']} are not measured yet, {accuracy['missing']} "
            "can't be, for their data are not to be had."
        )
    if others:
        told = (f"- [{COMPARISONS[name]}]({name}.md): {text}." for name, text in others.items())
        parts += ["## Beside other libraries", "\n".join(told)]
    if fallen := [
        (paper, name, one) for paper, name, one in everything(reports) if one["verdict"] == JUDGED[2]
    ]:
        parts += ["## What does not hold", grouped_reasons(fallen)]
    pages = [*reports, *others]
    parts += [f"Made by `samara bench papers`; {how_made(reports)}.", toctree(pages)]
    return "\n\n".join(parts) + "\n"


def how_made(reports: Mapping[str, Cell]) -> str:
    """The machine of the latest results."""
    latest = max(reports.values(), key=lambda report: str(report["date"]), default=None)
    if latest is None:
        return "nothing is measured yet"
    return f"measured with {about_machine(latest)}{in_minutes(reports.values())}"


def in_minutes(reports: Iterable[Cell]) -> str:
    """How long measuring takes, where that is known of every cell."""
    took = [report.get("seconds") for report in reports]
    return "" if None in took else f", in {sum(took) / 60:.0f} minutes"


def verdict_table(reports: Mapping[str, Cell]) -> str:
    """Counts by table and verdict, accuracy figures before others."""
    lines = [
        "| | " + " | ".join(ORDER) + " |",
        "| --- |" + " ---: |" * len(ORDER),
    ]
    for key, report in reports.items():
        lines.append(f"| **[{report['paper']['authors']}]({key}.md)** |" + " |" * len(ORDER))
        for name, table in report["tables"].items():
            for label, counts in ((name, True), (f"{name}, not accuracy", False)):
                chosen = [one for one in table["figures"] if one["counts"] == counts]
                counted = Counter(one["verdict"] for one in chosen)
                if chosen:
                    lines.append(f"| {label} | " + " | ".join(str(counted[v] or "") for v in ORDER) + " |")
    return "\n".join(lines)


def grouped_reasons(fallen: Sequence[tuple[str, str, Cell]]) -> str:
    """Paper by paper, those of one reason together."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for paper, name, one in fallen:
        grouped.setdefault((paper, name, one["reason"] or "No reason found yet."), []).append(name_of(one))
    return "\n".join(
        f"- {paper}, {name}: {'; '.join(rows)}. {why}" for (paper, name, why), rows in grouped.items()
    )


def everything(reports: Mapping[str, Cell]) -> Iterator[tuple[str, str, Cell]]:
    """(authors, table, figure) of all papers."""
    for report in reports.values():
        for name, table in report["tables"].items():
            for figure in table["figures"]:
                yield report["paper"]["authors"], name, figure


def toctree(pages: Sequence[str]) -> str:
    """Links for the side bar."""
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```"])


def about_machine(report: Cell) -> str:
    """Versions, machine, day."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    hardware = report["machine"]
    return f"{versions} on {hardware['cores']} cores of {hardware['cpu']}, {str(report['date'])[:10]}"


def shown(value: Any) -> str:
    """A number as short as it can be told: four digits, or two places for what is above 10."""
    if value is None:
        return "–"
    if value == 0 or 10 <= abs(value) < 1e5:
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{value:.4g}"


def with_deviation(value: Any, deviation: Any) -> str:
    """± where there is one."""
    return shown(value) + (f" ± {deviation:.2g}" if value is not None and deviation else "")


def ratio(figure: Cell) -> str:
    """Ours by the paper's."""
    ours, paper = figure["ours"], figure["paper"]
    return "–" if ours is None or not paper else f"{ours / paper:.3g}"


def apart(figure: Cell) -> str:
    """By how many deviations they differ."""
    gap = figure["difference"]
    return "–" if gap is None else "∞" if math.isinf(gap) else f"{gap:+.1f}"


def cell(text: str) -> str:
    """Safe inside a table of Markdown."""
    return text.replace("|", "\\|")
