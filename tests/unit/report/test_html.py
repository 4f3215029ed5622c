"""What the HTML report holds, without a browser."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samara
from samara import ELMRegressor, KernelELMRegressor
from samara.report import Evaluation, Run, write_report
from samara.report.sections import sections
from samara.report.summary import cards, lead
from samara.report.surface_charts import surface_charts
from tests.unit.report.runs import BOLD, ODD, classification, regression

pytest.importorskip("plotly")
pytest.importorskip("jinja2")


class Page(HTMLParser):
    """Elements by name, ids, and the text of the page outside scripts and styles."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.ids, self.links, self.words, self._inside = [], [], [], [], ""
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("src", "href")]
        self._inside = tag if tag in ("script", "style") else self._inside

    def handle_endtag(self, tag):
        self._inside = "" if tag == self._inside else self._inside

    def handle_data(self, data):
        if not self._inside:
            self.words.append(data)

    @property
    def figures(self):
        return json.loads(re.search(r'id="figures">(.*?)</script>', self.source, re.DOTALL)[1])


@pytest.fixture(scope="module")
def run():
    return regression()


@pytest.fixture(scope="module")
def page(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(run, path)
    return Page(path)


def test_every_section_and_chart_is_there(page):
    parts = ["data", "plan", "selection", "results", "calibration", "columns", "memory"]
    assert [part for part in page.ids if part in parts] == parts
    charts = {name.removeprefix("chart-") for name in page.ids if name.startswith("chart-")}
    assert charts == page.figures.keys()
    assert charts == {
        "score-lines",
        "score-surface",
        "truth",
        "residuals",
        "quantiles",
        "coverage",
        "importances",
        "memory",
    }


def test_every_chart_has_a_finding_axis_labels_and_an_explanation(run):
    classes = [classification(), classification(50)]
    charts = [chart for each in (run, *classes) for part in sections(each) for chart in part.charts]
    assert len(charts) > 10
    for chart in charts:
        assert re.search(r"\d|normal", chart.title), chart.title
        assert chart.explanation.endswith("."), chart.explanation
        assert chart.layout["xaxis"]["title"]["text"]
        named = chart.name in ("importances",) or (chart.name == "confusion" and chart.layout.get("bargap"))
        assert named or chart.layout["yaxis"]["title"]["text"]


def test_plotly_knows_everything_that_the_charts_use(run):
    from plotly.graph_objects import Figure

    for each in (run, classification(2), classification(50)):
        for part in sections(each):
            for chart in part.charts:
                Figure(chart.figure)


def test_the_file_needs_nothing_else_and_holds_plotly_once(page):
    assert [link for link in page.links if not link.startswith(("#", "data:"))] == []
    assert page.tags.count("script") == 3
    assert "link" in page.tags  # the empty icon, so that no browser asks for one
    assert page.source.count("plotly.js v") == 1
    assert len(page.source.encode()) < 6e6


def test_names_from_the_data_are_text_and_never_tags(page):
    assert ODD in page.text
    assert BOLD in page.text
    assert "b" not in page.tags
    assert "alert('odd')</script>" not in page.source
    figures = json.dumps(page.figures)
    assert "<b>bold" not in figures
    assert "&lt;b&gt;bold" in figures


def test_what_is_missing_is_left_out_with_a_sentence(tmp_path):
    X = np.random.default_rng(0).standard_normal((50, 2))
    bare = Run("Bare", ELMRegressor(5, alpha=1.0, random_state=0).fit(X, X[:, 0]))
    path = tmp_path / "bare.html"
    write_report(bare, path)
    page = Page(path)
    assert not any(name.startswith("chart-") for name in page.ids)
    assert "script" not in page.tags
    assert path.stat().st_size < 50_000
    for sentence in (
        "The columns were not profiled",
        "nothing was compared",
        "The model was not evaluated",
        "Nothing was predicted",
        "No columns were shuffled",
        "Memory was not watched",
    ):
        assert sentence in page.text
    no_chances = replace(classification(), evaluation=Evaluation(["a"], ["a"], "One.", classes=["a", "b"]))
    assert "No class probabilities were given." in [part.lead for part in sections(no_chances)]


def test_summary_says_score_size_ridge_time_and_memory(run):
    found = {card.name: card for card in cards(replace(run, seconds=2.0))}
    residuals = np.asarray(run.evaluation.y_true) - run.evaluation.predicted
    r2 = 1 - np.mean(residuals**2) / np.var(run.evaluation.y_true)
    assert float(found["R²"].value) == pytest.approx(r2, abs=1e-3)
    assert found["Hidden nodes"].value == str(run.estimator.n_hidden_)
    assert (found["Time"].value, found["Time"].detail) == ("2 s", "300 rows a second")
    assert "of the budget" in found["Peak memory"].detail
    assert not found["Peak memory"].bad
    assert "Fitted to 600 rows × 7 columns. Held-out rows." in lead(run)
    over = {card.name: card for card in cards(replace(run, budget=1000))}
    assert over["Peak memory"].bad
    words = {card.name: card.value for card in cards(classification())}
    assert words["Accuracy"].endswith("%")


def test_the_plan_stands_beside_what_happened(run):
    [plan] = [part for part in sections(run) if part.name == "plan"]
    rows = {row["what"]: row for row in plan.rows}
    assert rows["solver"]["planned"] == run.estimator.plan_.solver
    assert rows["memory allowed"]["happened"] == "kept"
    assert {"— look", "— moments"} <= rows.keys()
    assert plan.notes == list(run.estimator.plan_.reasons)
    assert run.expected_peak == run.memory.before + run.plan.peak_bytes
    assert run.limit == run.memory.before + 200_000_000


def test_the_plan_of_files_is_that_of_the_whole_process(run, tmp_path):
    x = np.random.default_rng(0).standard_normal(300)
    pq.write_table(pa.table({"x": x, "y": x}), tmp_path / "t.parquet")
    model = ELMRegressor(10, random_state=0, memory="4GB").fit(
        samara.scan(tmp_path / "t.parquet", target="y")
    )
    found = replace(run, estimator=model, budget=None)
    assert model.plan_.resident > 0
    assert (found.expected_peak, found.limit) == (model.plan_.peak_bytes, 4_000_000_000)


def test_the_chosen_model_is_marked(run):
    tried = run.estimator.selection_
    charts = {chart.name: chart for part in sections(run) for chart in part.charts}
    mark = charts["score-lines"].traces[-1]
    assert mark["x"] == [pytest.approx(tried.best_alpha, rel=1e-4)]
    assert mark["y"] == [pytest.approx(np.sqrt(tried.best_score), rel=1e-4)]
    ring = charts["score-surface"].traces[-1]
    assert ring["y"] == [f"{tried.best_n_hidden}"]
    assert f"with {tried.best_n_hidden} hidden nodes" in charts["score-lines"].title


@pytest.mark.parametrize(
    "options",
    [
        {"n_hidden": 20, "selection": "loo"},
        {"n_hidden": [10, 20], "alpha": 0.1},
        {"n_hidden": 20, "selection": "lcurve"},
        {"n_hidden": 20, "selection": "gcv"},
        {"n_hidden": 20, "alpha": [0.0, 0.1, 1.0]},
        {"n_hidden": 40, "solver": "rsvd"},
        {"n_hidden": 10, "alpha_per_target": True},
    ],
)
def test_every_kind_of_selection_is_drawn(tmp_path, options):
    X = np.random.default_rng(0).standard_normal((200, 3))
    Y = X[:, :2] + np.sin(X[:, 1:])
    model = ELMRegressor(random_state=0, **options).fit(X, Y)
    held = Evaluation(Y, model.predict(X), "All rows.", targets=("left", "right"))
    run = Run("Kinds", model, n_rows=200, evaluation=held)
    write_report(run, tmp_path / "kinds.html")
    page = Page(tmp_path / "kinds.html")
    assert "chart-score-lines" in page.ids
    assert "left: R²" in page.text
    assert "right: R²" in page.text


def test_a_kernel_model_has_a_rank_in_place_of_nodes(tmp_path):
    X = np.random.default_rng(0).standard_normal((80, 2))
    for options in ({}, {"solver": "nystroem", "rank": [5, 10, 20]}):
        model = KernelELMRegressor(random_state=0, **options).fit(X, X[:, 0])
        write_report(Run("Kernel", model), tmp_path / "kernel.html")
        assert f"KernelELMRegressor with rank {model.rank_}" in Page(tmp_path / "kernel.html").text
    assert "10 ridges × 3 sizes" in Page(tmp_path / "kernel.html").text


def test_many_rows_are_thinned_and_the_explanation_says_so(run):
    y = np.random.default_rng(0).standard_normal(20_000)
    many = replace(run, evaluation=Evaluation(y, y + 0.1, "Many."))
    charts = {chart.name: chart for part in sections(many) for chart in part.charts}
    assert len(charts["truth"].traces[0]["x"]) == 5000
    assert "5,000 of 20,000 rows are drawn" in charts["truth"].explanation
    assert sum(charts["residuals"].traces[0]["y"]) + 0 <= 20_000
    for chart in charts.values():
        assert all(len(trace.get("x", [])) <= 5000 for trace in chart.traces)


def test_many_columns_and_classes_are_cut(run):
    wide = replace(run, profile=run.profile * 40)
    [data] = [part for part in sections(wide) if part.name == "data"]
    assert len(data.rows) == 200
    assert data.notes == ["The first 200 columns are shown."]
    [chart] = [
        chart for part in sections(classification(50)) for chart in part.charts if chart.name == "confusion"
    ]
    assert "most frequent mistakes among 50 classes" in chart.explanation
    assert [trace["type"] for trace in chart.traces] == ["bar"]
    [chart] = [
        chart for part in sections(classification(40)) for chart in part.charts if chart.name == "confusion"
    ]
    assert [trace["type"] for trace in chart.traces] == ["heatmap", "heatmap"]


def test_letters_that_are_no_text_and_scores_that_are_no_numbers_are_no_trouble(run, tmp_path):
    facts = replace(run.profile[0], name="half \ud800 letter")
    write_report(replace(run, title="\udfff", profile=(facts,)), tmp_path / "report.html")
    assert "half ? letter" in Page(tmp_path / "report.html").text
    tried = replace(run.estimator.selection_, scores=np.full((3, 10), np.nan))
    blind = ELMRegressor()
    blind.plan_, blind.selection_ = run.plan, tried
    assert surface_charts(Run("Blind", blind)) == []


def test_perfect_predictions_and_constant_targets_are_no_trouble(run, tmp_path):
    for y in (np.arange(5.0), np.ones(5), np.ones(1)):
        write_report(replace(run, evaluation=Evaluation(y, y, "Exact.")), tmp_path / "exact.html")
    sure = Evaluation(["a", "b"], ["a", "b"], "Right.", np.eye(2), np.array(["a", "b"]))
    parts = sections(replace(run, evaluation=sure))
    titles = [chart.title for part in parts for chart in part.charts]
    assert "All 2 rows are in the right class" in titles
