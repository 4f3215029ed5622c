"""Liu et al.'s tables: what is printed, what is measured, and what is said where nothing can be."""

import io

import numpy as np
import pytest

from bench.ledger import Ledger
from bench.papers import liu_printed as printed
from bench.papers.liu import OURS, PAPER
from bench.papers.liu_models import split
from bench.papers.running import Run

TABLES = {table.name: table for table in PAPER.tables}


@pytest.fixture
def folder(tmp_path):
    """Iris alone, as a file."""
    from sklearn.datasets import load_iris

    table = load_iris(as_frame=True).frame
    table.columns = [f"x{place}" for place in range(4)] + ["target"]
    table.to_parquet(tmp_path / "iris.parquet")
    return tmp_path


def test_two_stages_are_the_best_of_every_printed_row():
    rates = [*printed.LOW.values(), *printed.HIGH.values(), *printed.PIE_RATES.values()]
    for row in rates:
        means = [mean for mean, _ in row]
        assert means == sorted(means)
        assert all(50 < mean < 100 and 0 < deviation < 2 for mean, deviation in row)
    assert set(printed.SECONDS) == set(printed.HIGH)
    assert set(printed.PIE_TRAIN) == set(printed.PIE_TEST) == set(printed.PIE_RATES)


@pytest.mark.parametrize("table", PAPER.tables, ids=list(TABLES))
def test_without_data_everything_is_missing(table):
    figures = table.measure(Run(Ledger(None, None), quick=True))
    assert figures
    assert {figure.verdict for figure in figures} == {"missing"}
    assert all("parquet" in figure.missing for figure in figures)


def test_what_is_there_is_measured_and_the_rest_is_missing(folder):
    figures = TABLES["Table 4"].measure(Run(Ledger(None, None), folder, quick=True))
    iris = [figure for figure in figures if figure.row == "Iris"]
    assert [figure.column for figure in iris] == ["SVM", "ELM", "SRELM", "TSELM"]
    assert all(figure.repeats == 1 and 80 < figure.ours <= 100 for figure in iris)
    assert {figure.verdict for figure in figures if figure.row != "Iris"} == {"missing"}


def test_a_closed_ledger_measures_nothing(folder):
    ledger = Ledger(None, None)
    ledger.closed = True
    figures = TABLES["Table 4"].measure(Run(ledger, folder))
    assert {figure.verdict for figure in figures if figure.row == "Iris"} == {"not measured"}
    assert not ledger.cells


def test_cells_are_shown_where_the_data_are_not():
    ledger = Ledger(None, None)
    ledger.closed = True
    ledger.cells["times/pcmac/half/0"] = {f"{one}_{part}": 2.0 for one in OURS for part in ("train", "test")}
    ledger.cells["times/pcmac/half/1"] = ledger.cells["times/pcmac/half/0"] | {"tselm_train": 8.0}
    shown = {figure.key: figure for figure in TABLES["Table 6"].measure(Run(ledger))}
    slower = shown["PCMAC, TSELM / ELM, training"]
    assert slower.ours == pytest.approx(2.0)  # the geometric mean of 1 and 4
    assert slower.paper == pytest.approx(4.249 / 8.759)
    assert slower.verdict == "holds"
    assert shown["TOX-171, TSELM / ELM, training"].verdict == "missing"


def test_the_chart_is_drawn_from_cells_alone():
    ledger = Ledger(None, None)
    ledger.closed = True
    for size in printed.YALE_SIZES[:2]:
        ledger.cells[f"liu/yaleb32/{size}/0"] = dict.fromkeys(OURS, 80.0 + size)
        ledger.cells[f"times/yaleb32/{size}/0"] = {
            f"{one}_{part}": 0.5 for one in OURS for part in ("train", "test")
        }
    table, run = TABLES["Fig. 2"], Run(ledger)
    canvas = table.chart(run, table.measure(run))
    rates, seconds = canvas.axes
    assert [len(line.get_xdata()) for line in seconds.lines] == [2, 2, 2]
    assert seconds.lines[0].get_ydata() == pytest.approx([1.0, 1.0])
    assert rates.get_legend_handles_labels()[1] == ["ELM", "SRELM", "TSELM"]
    canvas.savefig(io.BytesIO())


def test_splits_take_half_of_the_rows_or_so_many_of_each_class(folder):
    X, X_test, y, y_test = split("iris/half", folder, 3)
    assert len(X) == len(X_test) == 75
    X, X_test, y, y_test = split("iris/10", folder, 3)
    assert np.bincount(y).tolist() == [10, 10, 10]
    assert np.bincount(y_test).tolist() == [40, 40, 40]
    again = split("iris/10", folder, 3)
    assert np.array_equal(X, again[0])
    assert not np.array_equal(X, split("iris/10", folder, 4)[0])
    assert np.bincount(split("iris/10", folder, 3, persons=2)[2]).tolist() == [10, 10]
