"""Schindler's experiments: his algorithms against brute force, quick runs of all tables, charts of cells."""

import io
from contextlib import nullcontext

import numpy as np
import pytest

from bench.ledger import Ledger
from bench.papers import schindler_printed as printed
from bench.papers.running import Run
from bench.papers.schindler import PAPER
from bench.papers.schindler_experiments import corner, cost_ratios, highest, split_deviation
from bench.papers.schindler_literal import LiteralOSRELM, LiteralPRELM, LiteralRSVDELM, edges, press
from bench.papers.schindler_sets import split
from bench.papers.schindler_trials import traced

TABLES = {table.name: table for table in PAPER.tables}
ALPHA = 0.3


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 5))
    return X, np.sin(X).sum(axis=1)


@pytest.fixture(scope="module")
def quick():
    """One quick run over all tables."""
    run = Run(Ledger(None, None), quick=True, threads=1)
    return run, {name: table.measure(run) for name, table in TABLES.items()}


def watch(_):
    return nullcontext()


def test_his_three_algorithms_are_one_ridge_regression(rows):
    X, y = rows
    summed = LiteralPRELM(20, ALPHA, 7).fit(X, y)
    H = summed.hidden(X)
    coef = np.linalg.solve(H.T @ H + ALPHA * np.eye(20), H.T @ y)
    assert summed.coef == pytest.approx(coef)
    assert summed.predict(X) == pytest.approx(H @ coef)
    assert LiteralRSVDELM(20, ALPHA, 20).fit(X, y).coef == pytest.approx(coef)
    assert LiteralOSRELM(20, [ALPHA], (30, 13)).fit(X, y, watch).coef == pytest.approx(coef)


def test_the_first_chunk_chooses_the_ridge_with_the_smallest_leave_one_out_error(rows):
    X, y = rows
    H = LiteralPRELM(20, ALPHA, 7).fit(X, y).hidden(X[:40])
    U, s, _ = np.linalg.svd(H, full_matrices=False)

    def left_out(alpha):
        total = 0.0
        for row in range(len(H)):
            others = np.delete(np.arange(len(H)), row)
            gram = H[others].T @ H[others] + alpha * np.eye(20)
            total += (y[row] - H[row] @ np.linalg.solve(gram, H[others].T @ y[others])) ** 2
        return total

    ridges = [1e-3, ALPHA, 30.0]
    assert [press(U, s, y[:40, None], alpha) for alpha in ridges] == pytest.approx(
        list(map(left_out, ridges))
    )
    assert LiteralOSRELM(20, ridges, (40, 10)).fit(X, y, watch).alpha == min(ridges, key=left_out)


def test_chunks_hold_every_row_once():
    assert edges(10, (4, 3)) == [(0, 4), (4, 7), (7, 10)]
    assert edges(11, (4, 3))[-1] == (10, 11)


def test_an_error_differs_from_split_to_split_as_the_formula_says():
    rng = np.random.default_rng(1)
    noise = 0.01 * rng.standard_normal(printed.RECIPES["DS1"][0])
    drawn = [np.sqrt(np.mean(rng.permutation(noise)[:4000] ** 2)) for _ in range(400)]
    assert split_deviation(0.01, "DS1", 0.2) == pytest.approx(np.std(drawn), rel=0.15)


def test_the_corner_is_the_first_rank_that_is_nearly_the_best():
    cells = {rank: {"test": error} for rank, error in ((5, 3.0), (10, 1.05), (15, 1.0), (20, 1.02))}
    assert corner(cells) == 10
    assert corner({}) is None


def test_costs_are_compared_within_a_round():
    ours = [
        {"seconds": 1.0, "peak_mb": 30.0},
        {"seconds": 4.0, "peak_mb": 50.0},
        {"seconds": 3.0, "peak_mb": 40.0},
    ]
    elm = [{"seconds": 2.0, "peak_mb": 100.0}] * 3
    printed = {"seconds": 5.0, "peak_mb": 20.0}
    time, memory = cost_ratios("DS1, PR-ELM", printed, (0.1, 0.1, 10.0, 80.0), (ours, elm))
    assert (time.paper, time.ours, time.repeats) == (0.5, 1.5, 3)
    assert (memory.paper, memory.ours) == (0.25, 0.4)
    assert memory.deviation == pytest.approx(0.1)
    assert [one.ours for one in cost_ratios("DS1, PR-ELM", printed, (0.1, 0.1, 10.0, 80.0), ([], elm))] == [
        None
    ] * 2
    assert highest(ours) == 50.0
    assert highest([]) is None


def test_traced_memory_is_the_peak_of_the_call():
    tries = [traced(lambda: np.ones(1_000_000)) for _ in range(4)]  # other threads allocate too
    assert min(tries) == pytest.approx(8.0, abs=0.2)


def test_splits_are_the_rows_of_one_set():
    X, X_test, y, y_test = split("DS1", 0, rows=500)
    assert (X.shape, X_test.shape) == ((400, 20), (100, 20))
    assert sorted([*y, *y_test]) == sorted([*split("DS1", 5, rows=500)[2], *split("DS1", 5, rows=500)[3]])


def test_printed_numbers_are_those_of_one_thesis():
    assert pytest.approx(np.arange(0.01, 0.5, 0.07)) == printed.RIDGES
    for name, by_kind in printed.RESULTS.items():
        assert tuple(by_kind) == printed.METHODS
        assert min(by_kind, key=lambda kind: by_kind[kind][3]) == "PR-ELM"
        assert all(train > 0.9 * printed.RECIPES[name][3] for train, *_ in by_kind.values())


@pytest.mark.slow  # `make bench-quick` goes through all tables too
@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_measured_quickly(quick, name):
    _, tables = quick
    kinds = {figure.verdict for figure in tables[name]}
    assert tables[name]
    assert "missing" not in kinds
    if name == "Experiment 3 (Fig. 3.3)":  # which pair is the fastest is not said of two of six
        assert [figure.key for figure in tables[name] if figure.ours is None] == [
            "number of the fastest pair, to the letter"
        ]
    else:
        assert "not measured" not in kinds


@pytest.mark.slow  # `make bench-quick` goes through all tables too
@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if table.chart])
def test_charts_are_drawn_from_what_was_measured(quick, name):
    run, tables = quick
    canvas = TABLES[name].chart(run, tables[name])
    assert all(panel.lines or panel.patches for panel in canvas.axes)
    canvas.savefig(io.BytesIO())


@pytest.mark.parametrize("name", TABLES)
def test_a_closed_ledger_shows_what_is_there(name):
    ledger = Ledger(None, None)
    ledger.closed = True
    run = Run(ledger)
    figures = TABLES[name].measure(run)
    assert all(figure.ours is None for figure in figures)
    assert not ledger.cells
    if TABLES[name].chart:
        TABLES[name].chart(run, figures).savefig(io.BytesIO())
