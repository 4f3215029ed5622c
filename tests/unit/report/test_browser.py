"""The report opened in a browser that can't reach any network."""

import re
from html import escape

import pytest

from samara.report import Tried, draw_tradeoff, write_report
from tests.browser import BROWSER, assert_alone, opened
from tests.unit.report.runs import BOLD, ODD, classification, regression

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
pytest.importorskip("plotly")
pytest.importorskip("jinja2")


def charts_of(dom):
    """The drawn content of each chart, by name."""
    pieces = re.split(r'<div class="chart[^"]*" id="chart-([a-z-]+)"', dom)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def assert_drawn(dom, log, count):
    assert f'data-drawn="{count}"' in dom
    charts = charts_of(dom)
    assert len(charts) == count
    for name, drawn in charts.items():
        assert re.search(r'class="(js-line|point)"|<image', drawn), f"{name} has no points, lines or cells"
    assert_alone(dom, log)
    return charts


def test_a_regression_is_drawn(tmp_path):
    write_report(regression(), tmp_path / "report.html")
    dom, log = opened(tmp_path / "report.html", tmp_path / "browser")
    charts = assert_drawn(dom, log, 8)
    # 300 held-out rows, each a point of its own.
    assert charts["truth"].count('class="point"') == 300
    assert charts["importances"].count('class="point"') == 5
    assert escape(BOLD) in charts["importances"]  # as text
    assert "<b>bold</b>" not in dom
    assert ODD not in dom
    for line in ("predicted peak", "budget"):
        assert line in charts["memory"]


def test_classes_are_drawn(tmp_path):
    write_report(classification(), tmp_path / "classes.html")
    dom, log = opened(tmp_path / "classes.html", tmp_path / "browser")
    charts = assert_drawn(dom, log, 3)
    assert charts["confusion"].count("<image") == 2
    assert "<i>00</i>" not in dom


def test_a_tradeoff_is_drawn(tmp_path):
    results = [Tried("gram", 1.0, 4e8, 0.2), Tried("lsqr", 2.0, 1e8, 0.21), Tried("qr", 3.0, 5e8, 0.2)]
    draw_tradeoff(results, tmp_path / "tradeoff.html", "RMSE")
    dom, log = opened(tmp_path / "tradeoff.html", tmp_path / "browser")
    charts = assert_drawn(dom, log, 1)
    assert charts["tradeoff"].count('data-unformatted="lsqr"') == 2
