"""Men and Wang's tables: what is there without a folder of data, and what their constants say."""

from pathlib import Path

import numpy as np
import pytest

from bench.ledger import Ledger
from bench.papers.men_wang import PAPER, directions, rows_of
from bench.papers.men_wang_tables import GAUSSIAN, LINEAR, SHARES, SIGMOID, SIGMOID_C, SIZES, SKETCH_C
from bench.papers.running import Run
from bench.papers.tables import Figure


@pytest.fixture
def run() -> Run:
    return Run(Ledger(None, None), quick=True)


def closed() -> Run:
    ledger = Ledger(None, None)
    ledger.closed = True
    return Run(ledger, quick=True)


@pytest.mark.parametrize("table", PAPER.tables, ids=lambda table: table.name)
def test_without_a_folder_letter_is_measured_and_the_rest_is_missing(table, run):
    figures = table.measure(run)
    verdicts: dict[bool, set[str]] = {True: set(), False: set()}
    for figure in figures:
        verdicts[figure.row == "letter"].add(figure.verdict)
    assert verdicts[False] == {"missing"}
    assert verdicts[True] <= {"holds", "better", "does not hold"}
    assert {figure.row for figure in figures} == set(SIZES)
    again = table.measure(run)
    assert again == figures  # from the cells


@pytest.mark.parametrize("table", PAPER.tables, ids=lambda table: table.name)
def test_nothing_is_measured_with_a_closed_ledger(table):
    run = closed()
    assert {figure.verdict for figure in table.measure(run)} == {"missing", "not measured"}
    assert not run.ledger.cells


def test_constants():
    assert set(SIGMOID) == set(SIGMOID_C) == set(SKETCH_C) == set(GAUSSIAN) == set(LINEAR) == set(SIZES)
    for table in (SIGMOID, GAUSSIAN):
        for printed in table.values():
            assert list(printed) == ["exact", *SHARES]
            seconds = [one.seconds for one in printed.values()]
            assert seconds[1] < seconds[2] < seconds[3] < seconds[0]  # a larger k takes longer
            assert all(50 < one.rate < 100 and one.deviation < 10 for one in printed.values())
    norms = [[one.norm for one in printed.values()] for printed in GAUSSIAN.values()]
    assert all(none is None and first > second > third for none, first, second, third in norms)


def test_reasons_name_figures_of_their_table():
    for table in PAPER.tables:
        keys = [figure.key for figure in table.measure(closed())]
        for reason in table.reasons:
            start = reason.rstrip("*")
            assert any(key.startswith(start) for key in keys), reason


def test_rows_of_letter_are_as_many_as_the_papers():
    X, X_test, y, y_test = rows_of("letter", Run(Ledger(None, None)), 3)
    assert (len(X), len(X_test)) == (len(y), len(y_test)) == SIZES["letter"]
    assert set(np.unique(y)) == set(range(5))


def test_waveform_is_tested_on_its_last_rows(tmp_path: Path):
    import pandas as pd

    train, test = SIZES["waveform"]
    rows = pd.DataFrame(np.arange(train * 2.0).reshape(train, 2), columns=["a", "b"])
    rows.assign(target=np.arange(train) % 3).to_parquet(tmp_path / "waveform.parquet")
    X, X_test, y, y_test = rows_of("waveform", Run(Ledger(None, None), data=tmp_path), 0)
    assert len(X) == train
    assert len(X_test) == test
    assert np.array_equal(X_test, X[-test:])
    assert np.array_equal(y_test, y[-test:])


def test_directions_are_those_of_their_algorithm():
    assert [directions(1400, share) for share in SHARES.values()] == [24, 80, 150]


def test_figures_of_accuracy_are_the_rates():
    figures: list[Figure] = [figure for table in PAPER.tables for figure in table.measure(closed())]
    assert all(figure.counts == (figure.unit == "%") for figure in figures)
    assert sum(figure.counts for figure in figures) == 7 * (4 + 4 + 2)
