"""Error against time against memory of every method on every set: one HTML page that needs nothing else."""

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, median
from typing import Any

from bench.contest.results import deviation, measured, results_of
from bench.ledger import Cell
from bench.peers.methods import METHODS

PAGE = Path(__file__).parent / "page"
LEAD = (
    "Every method on every data set: error against seconds and against peak memory. Choose a task, a "
    "data set and methods; point at a mark to read it. With all sets, errors are those above the lowest "
    "of the same set."
)


def points_of(cells: Mapping[str, Cell]) -> list[dict[str, Any]]:
    """One mark a method and set: mean error and its deviation, median seconds, peak."""
    abouts, results = results_of(cells, METHODS)
    return [
        {
            "set": name,
            "task": abouts[name]["task"],
            "method": method,
            "ours": METHODS[method].ours,
            "error": fmean(cell["errors"]),
            "deviation": deviation(cell) if len(cell["errors"]) > 1 else None,
            "fit": median(cell["fit"]),
            "predict": median(cell["predict"]),
            "peak": cell["peak_mb"],
        }
        for name, by_method in results.items()
        for method in METHODS  # in their order, whichever was measured last
        if measured(cell := by_method.get(method))
    ]


def tradeoff_page(cells: Mapping[str, Cell], footer: str) -> str:
    """The page as text, with plotly.js in it."""
    from jinja2 import Environment
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    from samara.report.html import script_json

    template = Environment(autoescape=True).from_string((PAGE / "tradeoff.html").read_text(encoding="utf-8"))
    return template.render(
        title="Samara and its peers: error, time and memory",
        lead=LEAD,
        style=Markup((PAGE / "tradeoff.css").read_text(encoding="utf-8")),
        script=Markup((PAGE / "tradeoff.js").read_text(encoding="utf-8")),
        plotly=Markup(get_plotlyjs()),
        points=Markup(script_json(points_of(cells))),
        footer=footer,
    )
