"""Error against time against memory."""

import sys

import numpy as np
import pytest

from samara import InputError, SamaraError
from samara.report import Tried, draw_tradeoff
from samara.report.tradeoff import front_of, name_sides, tradeoff_chart

RESULTS = [
    Tried("gram", 1.0, 4e8, 0.20),
    Tried("qr", 3.0, 5e8, 0.20),
    Tried("lsqr", 2.0, 1e8, 0.21),
    Tried("<b>odd</b>", 0.5, 2e8, 0.30),
]


def test_the_front_is_of_all_three():
    assert front_of(RESULTS).tolist() == [True, False, True, True]


def test_the_chart_has_every_solver_in_both_panels():
    plotly = pytest.importorskip("plotly.graph_objects")
    chart = tradeoff_chart(RESULTS, "held-out RMSE")
    plotly.Figure(chart.figure)  # refuses what plotly.js does not know
    for panel in ("x1", "x2"):
        named = [name for t in chart.traces if t["xaxis"] == panel for name in t.get("text", [])]
        assert sorted(named) == ["&lt;b&gt;odd&lt;/b&gt;", "gram", "lsqr", "qr"]
    assert "0.2 by gram; 3 of 4 solvers are on the front" in chart.title


@pytest.mark.parametrize(
    ("ending", "start"),
    [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("html", b"<!DOCTYPE html>")],
)
def test_each_kind_of_file_is_written(tmp_path, ending, start):
    pytest.importorskip("matplotlib")
    pytest.importorskip("plotly")
    path = tmp_path / f"tradeoff.{ending}"
    draw_tradeoff(RESULTS, path, "RMSE")
    assert path.read_bytes().startswith(start)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_one_result_is_enough(tmp_path):
    pytest.importorskip("matplotlib")
    draw_tradeoff(RESULTS[:1], tmp_path / "one.svg")
    assert tradeoff_chart(RESULTS[:1], "error").title.endswith("1 of 1 solvers are on the front")


def test_names_avoid_points_and_each_other():
    sides = name_sides(np.array([0.5, 0.5, 0.5]), np.array([0.5, 0.5, 0.5]), ["aaa", "bbb", "ccc"])
    assert len(set(sides)) == 3
    assert name_sides(np.array([0.2, 0.8]), np.array([0.2, 0.8]), ["a", "b"]) == ["below", "below"]


@pytest.mark.parametrize(
    ("results", "name", "message"),
    [
        ([], "a.png", "needs the results of one solver at least"),
        ([Tried("gram", 0.0, 1e8, 1.0)], "a.png", "above 0; those of gram are 0.0 s"),
        (RESULTS, "a.gif", r"must end in .png, .svg, .pdf or .html; .*a.gif"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path, results, name, message):
    with pytest.raises(InputError, match=message):
        draw_tradeoff(results, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_one_sentence_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SamaraError, match=r"pip install samara\[plot\]"):
        draw_tradeoff(RESULTS, tmp_path / "a.png")
