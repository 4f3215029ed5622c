"""Kernel candidates against kernel ridge written down from its definition."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from samara.engines import Threads
from samara.search import kernel_path
from samara.search.kernel_path import FIRST_RIDGE, KernelCandidate, kernel_bytes, median_distance
from samara.search.rows import gathered
from samara.search.scales import FARTHEST, clipped_standard, unit_ranks
from samara.sources import ArraySource

ENGINE = Threads().planned(1, 100, None)


def rows_of(n=60, seed=0, weighted=False, most=(2500, 3000)):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    return gathered(ArraySource(X, X[:, :1] + 0.1 * rng.standard_normal((n, 1)), weight), ENGINE, most, False)


@pytest.mark.parametrize(("kernel", "metric"), [("laplace", "euclidean"), ("laplacian", "cityblock")])
def test_outputs_are_those_of_kernel_ridge(kernel, metric):
    rows = rows_of(weighted=True)
    tried = KernelCandidate(kernel, False, "standard", rounds=0).run(rows, lambda seconds: True)
    alpha, found = tried[0].choice.alpha, tried[0].outputs
    expected = []
    for fold in rows.folds:
        X, w, Y = rows.X[fold.fit], rows.weight[fold.fit], rows.Y[fold.fit]
        mean = np.average(X, axis=0, weights=w)
        spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w))
        Z, V = (X - mean) / spread, (rows.X[fold.scored] - mean) / spread
        sigma, centre = 5 * median_distance(kernel, Z), np.average(Y, axis=0, weights=w)
        K = np.exp(-cdist(Z, Z, metric) / sigma)
        c = np.linalg.solve(K + np.diag(alpha / w), Y - centre)
        expected.append(np.exp(-cdist(V, Z, metric) / sigma) @ c + centre)
    assert found == pytest.approx(np.concatenate(expected), abs=1e-8)


def test_every_round_and_ridge_is_told():
    rows = rows_of()
    tried = KernelCandidate("laplace", True, "quantile", rounds=1).run(rows, lambda seconds: True)
    assert {one.choice.round for one in tried} == {0, 1}
    first = sorted(one.choice.alpha for one in tried if one.choice.round == 0)
    assert FIRST_RIDGE[False] in first
    assert len(first) >= 3
    assert all(one.choice.metric is None for one in tried if one.choice.round == 0)
    later = next(one for one in tried if one.choice.round == 1)
    assert np.trace(later.choice.metric) == pytest.approx(3, rel=0.01)


def test_a_matrix_that_no_ridge_makes_definite(monkeypatch):
    """The search of a ridge ends, with nothing tried."""
    monkeypatch.setattr(kernel_path, "factor_upper", lambda R: False)
    rows = rows_of()
    candidate = KernelCandidate("laplace", False, "standard")
    assert candidate.run(rows, lambda seconds: True) == []


@pytest.mark.parametrize(("n", "most"), [(300, (2500, 3000)), (900, (2500, 3000)), (900, (300, 500))])
def test_memory_of_a_candidate_is_foretold(n, most):
    rows = rows_of(n, most=most)
    tracemalloc.start()
    KernelCandidate("laplace", False, "standard", rounds=1).run(rows, lambda seconds: True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < kernel_bytes(n, most, 3, 1) < 4 * peak


def test_threads_are_those_asked_for(monkeypatch):
    monkeypatch.setattr(kernel_path, "FEW_ROWS", 10)
    started, in_threads = [], kernel_path.in_threads
    monkeypatch.setattr(
        kernel_path, "in_threads", lambda *work: started.append(work[-1]) or in_threads(*work)
    )
    candidate = KernelCandidate("laplace", False, "standard", rounds=1)
    candidate.run(replace(rows_of(), workers=3), lambda seconds: True)
    assert set(started) == {3}


def test_without_time_there_is_one_round():
    tried = KernelCandidate("laplace", False, "standard").run(rows_of(), lambda seconds: False)
    assert {one.choice.round for one in tried} == {0}


def test_rows_are_scored_by_fits_that_have_not_seen_them():
    for n in (60, 700):
        rows = rows_of(n)
        assert sorted(rows.scored) == list(range(n))
        assert all(not set(fold.fit) & set(fold.scored) for fold in rows.folds)
    rows = rows_of(700, most=(200, 300))
    assert [(len(fold.fit), len(fold.scored)) for fold in rows.folds] == [(200, 300)]


def test_copies_are_one_row_with_their_weight():
    X, y = np.repeat(np.arange(6.0), 2)[:, None], np.repeat(np.arange(6.0), 2)[:, None]
    rows = gathered(ArraySource(X, y), ENGINE, (2500, 3000), False)
    assert len(rows.X) == 6
    assert rows.weight.tolist() == [2.0] * 6


def test_scalings_have_ends():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal(500), rng.random(500) < 0.01, np.full(500, 7.0)])
    X[0, 0] = 1e9
    mean, spread = np.array([0.0, 0.0, 7.0]), np.array([1.0, 1.0, 1.0])
    line = clipped_standard(mean, spread)(X)
    assert line[0, 0] == FARTHEST
    assert line[1:, :2] == pytest.approx(X[1:, :2], abs=1e-12)
    ranks = unit_ranks(X)(X)
    assert ranks[:, 0].std() == pytest.approx(1, abs=0.02)
    assert np.abs(ranks).max() <= 4
    assert (ranks[:, 2] == ranks[0, 2]).all()
