"""The HTML report of a fit: one file that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from samara.errors import SamaraError
from samara.report.run import Run
from samara.report.sections import sections
from samara.report.summary import Card, cards, lead
from samara.report.tables import Section
from samara.store.files import Path, replace_file, write_all


def write_report(run: Run, path: Path) -> None:
    """Write a report of a fit as one HTML file, which needs no network and no other file.

    Everything that the run holds is drawn; what it lacks is left out with a sentence. A chart draws 5,000
    points at most. An old file is replaced whole or not at all.

    Parameters
    ----------
    run : Run
        The fit, the data it saw and what it gave.
    path : str or path-like
        The file to write.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import ELMRegressor
    >>> from samara.report import Run, write_report
    >>> X, y = load_diabetes(return_X_y=True)
    >>> run = Run("Diabetes", ELMRegressor(50, random_state=0).fit(X, y), n_rows=len(X))
    >>> write_report(run, "diabetes.html")  # doctest: +SKIP
    """
    write_page(path, run.title, sections(run), lead=lead(run), figures=cards(run))


def write_page(
    path: Path, title: str, parts: Sequence[Section], lead: str = "", figures: Sequence[Card] = ()
) -> None:
    """Fill the template of the page and put it in the place of the old file."""
    page = render(title, parts, lead, figures).encode("utf-8", "replace")  # halves of letters too
    replace_file(path, lambda fd: write_all(fd, page))


def render(title: str, parts: Sequence[Section], lead: str = "", figures: Sequence[Card] = ()) -> str:
    """The page as text. What comes from the data is escaped by the template, or by `script_json`."""
    try:
        from jinja2 import Environment, PackageLoader
        from markupsafe import Markup
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise SamaraError("The HTML report needs plotly and Jinja2: pip install samara[report].") from error

    template = Environment(
        loader=PackageLoader("samara.report", "page"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    ).get_template("report.html.j2")
    charts = [chart for part in parts for chart in part.charts]
    written = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    text: str = template.render(
        title=title,
        lead=lead,
        cards=figures,
        sections=parts,
        style=Markup(_resource("report.css")),
        script=Markup(_resource("report.js")),
        plotly=Markup(get_plotlyjs() if charts else ""),
        figures=Markup(script_json({chart.name: chart.figure for chart in charts})) if charts else "",
        footer=f"Written by Samara {version('samara')} on {written}.",
    )
    return text


def _resource(name: str) -> str:
    return files("samara.report").joinpath("page", name).read_text(encoding="utf-8")


def script_json(data: Any) -> str:
    """JSON that can't end the script around it, whatever the data hold."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(sign, code)
    return text
