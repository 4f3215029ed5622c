"""The trade-off page of the comparison with other libraries, opened in a browser."""

import re

import pytest

from bench.peers.methods import METHODS
from bench.peers.tradeoff import points_of, tradeoff_page
from tests.browser import BROWSER, assert_alone, opened

pytest.importorskip("plotly")
pytest.importorskip("jinja2")
SETS = {"iris": "classification", "kin8nm": "regression", "</script><b>odd</b>": "regression"}


def cells():
    made = {}
    for name, task in SETS.items():
        made[f"sets/{name}/about"] = {"task": task}
        for number, method in enumerate(METHODS):
            errors, seconds = [0.1 + 0.01 * number, 0.2 + 0.01 * number], [0.1, 0.2]
            one = {"errors": errors, "fit": seconds, "predict": seconds, "peak_mb": 5.0}
            made[f"sets/{name}/{method}"] = one
    made["sets/iris/SVM"] = {"late": 60.0}
    return made


def test_points_are_the_cells():
    points = points_of(cells())
    assert len(points) == 3 * len(METHODS) - 1  # one is late
    first = points[0]
    assert (first["set"], first["task"], first["method"], first["ours"]) == (
        "iris",
        "classification",
        "samara link",
        True,
    )
    assert [first[name] for name in ("error", "deviation", "fit", "peak")] == pytest.approx(
        [0.15, 0.0707107, 0.15, 5.0]
    )


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
@pytest.mark.parametrize(
    ("part", "points"),
    [
        ("", 3 * len(METHODS) - 1),
        ("task=classification", len(METHODS) - 1),
        ("set=kin8nm&methods=SVM,samara%20auto&time=predict", 2),
    ],
)
def test_the_page_draws_what_is_chosen(tmp_path, part, points):
    path = tmp_path / "tradeoff.html"
    path.write_text(tradeoff_page(cells(), "Measured <here>"), encoding="utf-8")
    dom, log = opened(path, tmp_path / "browser", part)
    assert f'data-drawn="{points}"' in dom
    for chart in ("time", "memory"):
        drawn = dom.split(f'id="chart-{chart}"')[1].split('<div class="chart', 1)[0].split("</main>")[0]
        assert drawn.count('class="point"') == points
    assert dom.count("<tr>") == 1 + points
    assert len(re.findall('type="checkbox"', dom)) >= len(METHODS)
    assert "<b>odd</b>" not in dom
    assert_alone(dom, log)
