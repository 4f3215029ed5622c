"""The tables of Jankowski and Linowiecki: their figures, their ranks, and what is shown without data."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from bench.ledger import Ledger
from bench.papers import jankowski_accuracy, jankowski_convergence
from bench.papers.jankowski import PAPER, PART_A, PART_B
from bench.papers.jankowski_ranks import LEVEL, different, ranks, standings
from bench.papers.jankowski_sets import FILES, FOLDS, fold, gaussians, load, missing, waveform
from bench.papers.jankowski_tables import (
    SHAPES,
    SUMMARY_7,
    SUMMARY_8,
    TABLE_3,
    TABLE_4,
    TABLE_7,
    TABLE_8,
    TABLES_5_6,
)
from bench.papers.running import Run

SMALL = "waveform"  # the one set that can be made without a file


def quick(tmp_path: Path, closed: bool = False) -> Run:
    """A run without a folder of data."""
    ledger = Ledger(tmp_path / "cells.json", None)
    ledger.closed = closed
    return Run(ledger, data=None, quick=True)


def table(name: str):
    return next(one for one in PAPER.tables if one.name == name)


@pytest.mark.parametrize("printed", [TABLE_3, TABLE_4, TABLES_5_6, TABLE_7, TABLE_8])
def test_every_printed_table_has_a_row_for_every_set(printed):
    assert [name for name in printed if name != "mean"] == list(SHAPES) == list(FILES)


@pytest.mark.parametrize("printed", [TABLE_3, TABLE_4])
def test_printed_means_of_fractions_are_those_of_their_columns(printed):
    for column, shown in printed["mean"].items():
        values = [row[column].value for name, row in printed.items() if name != "mean"]
        assert np.mean(values) == pytest.approx(shown.value, abs=0.0011)


@pytest.mark.parametrize(("printed", "summary"), [(TABLE_7, SUMMARY_7), (TABLE_8, SUMMARY_8)])
def test_the_last_rows_follow_from_the_printed_accuracies_and_ranks(printed, summary):
    """So our way to sum up ranks and wins is the paper's: applied to its ranks it gives its rows."""
    by_set = [{str(column): cell.rank for column, cell in row.items()} for row in printed.values()]
    found = standings(by_set)
    for column, shown in summary.items():
        standing = found[str(column)]
        accuracies = [row[column].value for row in printed.values()]
        assert np.mean(accuracies) == pytest.approx(shown.accuracy.value, abs=0.06)
        assert standing.rank == pytest.approx(shown.rank.value, abs=0.006)
        assert standing.deviation == pytest.approx(shown.rank.deviation, abs=0.011)
        assert (standing.wins, standing.unique) == (shown.wins, shown.unique)


@pytest.mark.parametrize("shift", [0.0, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(5))
def test_different_is_the_paired_t_test_of_scipy(shift, seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(90, 2, 12)
    b = a + shift + rng.normal(0, 1, 12)
    assert different(a.tolist(), b.tolist()) == (ttest_rel(a, b).pvalue < LEVEL)


def test_different_without_any_spread():
    assert not different([90.0, 91.0], [90.0, 91.0])
    assert different([90.0, 91.0], [91.0, 92.0])
    assert not different([90.0], [95.0])


def test_ranks_compare_with_the_first_of_the_group():
    """b and c can't be told from each other, but c can be told from a, so c starts the next group."""
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 1.0, 30)
    noise = (noise - noise.mean()) / noise.std()
    a = np.full(30, 90.0)
    accuracies = {"d": a - 5, "c": a - 0.6 + noise, "b": a - 0.3 + noise[::-1], "a": a}
    listed = {name: values.tolist() for name, values in accuracies.items()}
    assert not different(listed["a"], listed["b"])
    assert different(listed["a"], listed["c"])
    assert not different(listed["b"], listed["c"])
    assert ranks(listed) == {"a": 1, "b": 1, "c": 2, "d": 3}


def test_folds_are_stratified_and_a_repetition_is_a_partition():
    _, y = waveform(500)
    for repetition in (0, 3):
        cut = [fold(y, FOLDS * repetition + part, 20) for part in range(FOLDS)]
        assert sorted(np.concatenate([one.test for one in cut]).tolist()) == list(range(500))
        for one in cut:
            assert set(one.train).isdisjoint(one.test)
            assert set(one.centres) <= set(one.train)
            shares = np.bincount(y[one.test]) / len(one.test) - np.bincount(y) / len(y)
            assert np.abs(shares).max() < 0.03
    assert fold(y, 0, 20).test.tolist() != fold(y, FOLDS, 20).test.tolist()


def test_svd_weights_are_those_of_the_pseudo_inverse():
    rng = np.random.default_rng(0)
    H, Y = rng.standard_normal((40, 8)), rng.standard_normal((40, 2))
    for weights in jankowski_accuracy.svd_weights(H, Y).values():
        np.testing.assert_allclose(weights, np.linalg.pinv(H) @ Y, atol=1e-12)


def test_a_hidden_layer_begins_with_ones():
    H = gaussians(np.array([[0.0, 80.0]]))
    np.testing.assert_allclose(H, [[1.0, 1.0, np.exp(-1)]])


def test_a_table_without_data_says_what_is_missing(tmp_path):
    run = quick(tmp_path)
    figures = table("Table 8").measure(run)
    by_key = {figure.key: figure for figure in figures}
    assert by_key["musk2, SVD-100"].verdict == "missing"
    assert "musk2.parquet" in by_key["musk2, SVD-100"].missing
    shown = by_key[f"{SMALL}, SVD-100"]
    assert shown.repeats == 2
    assert shown.verdict == "holds"
    assert by_key[f"{SMALL}, SVD-100, rank"].ours is not None
    assert by_key["mean accuracy, SVD-100"].verdict == "not measured"
    assert {figure.counts for figure in figures if "rank" in figure.key or "wins" in figure.key} == {False}


@pytest.mark.parametrize("name", [one.name for one in PAPER.tables if one.name != "Table 8"])
def test_every_other_table_runs_quickly_without_data(name, tmp_path):
    run = quick(tmp_path)
    for figure in table(name).measure(run):
        if figure.row in FILES and missing(run, figure.row):
            assert figure.verdict == "missing"


@pytest.mark.parametrize("one", PAPER.tables, ids=lambda one: one.name)
def test_a_closed_ledger_measures_nothing(one, tmp_path):
    run = quick(tmp_path, closed=True)
    assert all(figure.ours is None for figure in one.measure(run))
    assert not run.ledger.cells


def test_charts_are_drawn_from_cells_alone(tmp_path):
    run = quick(tmp_path, closed=True)
    curve = {"places": [0, 40, 90], "errors": [9.0, 2.0, 0.1], "detail": [3.0, 2.0]}
    cell = {"fast": 90, "gradient": 40, "rises": 3, "curve": curve}
    run.ledger.cells = {f"{jankowski_convergence.key('cardiotocography-1')}/0": cell}
    panels = {"Fig. 1": 2, "Fig. 8": len(PART_A), "Fig. 9": len(PART_B)}
    for one in PAPER.tables:
        if one.name.startswith("Fig."):
            drawn = one.chart(run, one.measure(run))
            titled = [ax for ax in drawn.axes if ax.get_title(loc="left")]
            assert len(titled) == panels.get(one.name, 1)
    lines = table("Fig. 4").chart(run, []).axes[0].lines
    assert lines[1].get_xdata()[-1] == 40


def test_a_curve_ends_where_the_error_stop_does(tmp_path):
    cell = jankowski_convergence.measure(SMALL, None, 60, 0, 0)
    assert cell["curve"]["places"][-1] == cell["fast"] <= 60
    assert cell["gradient"] <= cell["fast"]
    errors = cell["curve"]["errors"]
    assert errors[0] > errors[-1]
    noisy = jankowski_convergence.measure(SMALL, None, 60, 30, 0)
    assert noisy["curve"]["errors"][-1] > errors[-1]
    assert "curve" not in jankowski_convergence.measure(SMALL, None, 60, 0, 1)


def test_inputs_are_standardised():
    inputs = load(SMALL, None)
    np.testing.assert_allclose(inputs.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(inputs.X.std(axis=0), 1)
    assert inputs.targets.sum(axis=1).tolist() == [1.0] * len(inputs.y)


def test_reasons_name_figures_that_are_there(tmp_path):
    run = quick(tmp_path, closed=True)
    for one in PAPER.tables:
        keys = {figure.key for figure in one.measure(run)}
        for reason in one.reasons:
            start = reason.rstrip("*")
            assert any(key.startswith(start) for key in keys), (one.name, reason)
