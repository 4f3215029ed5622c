"""Bi et al.'s table and figures: missing data, closed ledgers, the model of times and the charts."""

import pytest

from bench.ledger import Ledger
from bench.papers import bi_scaling
from bench.papers.bi import PAPER
from bench.papers.bi_table import PRINTED, ROWS
from bench.papers.running import Run

TABLE, *FIGURES = PAPER.tables


@pytest.fixture
def run() -> Run:
    """Times of three units for a thousand rows, shared out among the workers but for one unit."""
    ledger = Ledger(None, None)
    for workers in bi_scaling.WORKERS:
        seconds = {str(n): 1.0 + 2.0 * (n / 1000) ** 2 / workers for n in bi_scaling.QUICK_SIZES}
        ledger.cells[f"figs/{workers} workers/0"] = seconds
    ledger.closed = True
    return Run(ledger, quick=True)


def test_without_a_folder_all_rates_are_missing():
    figures = TABLE.measure(Run(Ledger(None, None), quick=True))
    assert {figure.verdict for figure in figures} == {"missing"}
    assert {figure.row for figure in figures} == set(PRINTED) == set(ROWS)
    assert sum(figure.counts for figure in figures) == 2 * len(PRINTED)


def test_segment_is_measured_where_it_is(tmp_path):
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    rows = pd.DataFrame(100 * rng.standard_normal((2310, 4))).add_prefix("x")
    rows.assign(target=np.where(rows["x0"] > 0, "sky", "grass")).to_parquet(tmp_path / "segment.parquet")
    ledger = Ledger(None, None)
    ledger.cells["table 2/segment/workers"] = {"gap": 0.0, "rows": 500}
    figures = TABLE.measure(Run(ledger, tmp_path, quick=True))
    found = {figure.column: figure for figure in figures if figure.row == "segment"}
    assert found["SVD"].ours > 80
    assert found["SVD"].repeats == 2
    assert found["two workers against threads"].verdict == "holds"
    assert found["SSVD, k = 100"].paper == 86.84
    assert found["SSVD, k = 50"].verdict == "not printed"


def test_figures_come_from_cells(run):
    by_name = {table.name: {figure.key: figure for figure in table.measure(run)} for table in FIGURES}
    assert by_name["Fig. 1"]["1 worker, 1,000 rows by 500"].ours == pytest.approx(2)
    assert by_name["Fig. 1"]["1 worker, 1,000 rows by 500"].verdict == "better"
    assert by_name["Fig. 2"]["1,000 rows, 2 workers"].ours == pytest.approx(2)
    assert by_name["Fig. 3"]["1,000 rows, 2 workers"].ours == pytest.approx(1.5)
    best = by_name["Fig. 3"]["the best of all, 8 workers, modelled"]
    assert best.paper == 6.66
    assert best.ours == pytest.approx(3 / 1.25, rel=0.05)  # and a little for the network


def test_nothing_is_measured_with_a_closed_ledger():
    ledger = Ledger(None, None)
    ledger.closed = True
    for table in FIGURES:
        assert {figure.verdict for figure in table.measure(Run(ledger, quick=True))} == {"not measured"}


@pytest.mark.parametrize("table", FIGURES, ids=lambda table: table.name)
@pytest.mark.parametrize("measured", [True, False])
def test_charts_are_drawn_from_cells(table, run, measured):
    if not measured:
        run.ledger.cells.clear()
    picture = table.chart(run, table.measure(run))
    (ax,) = picture.axes
    lines = {line.get_label() for line in ax.lines}
    assert ("1 worker" in lines or "1,000 rows" in lines or "1,000 rows, modelled" in lines) == measured
    picture.canvas.draw()


def test_a_missing_package_is_said(monkeypatch):
    monkeypatch.setattr(bi_scaling, "find_spec", lambda name: None)
    figures = [figure for table in FIGURES for figure in table.measure(Run(Ledger(None, None)))]
    assert all("distributed" in figure.missing for figure in figures)
