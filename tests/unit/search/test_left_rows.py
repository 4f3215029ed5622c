"""Rows left out of a blend."""

import numpy as np
import pytest

from samara import KernelELMRegressor
from samara.left_out import LeftOut
from samara.search import left_rows
from samara.search.left_rows import left_out_of

RNG = np.random.default_rng(0)


def left(keys, outputs, weight=None):
    outputs = np.asarray(outputs, float)[:, None]
    return LeftOut(outputs, 10 * outputs, weight, np.ones(len(outputs)), keys=np.array(keys, np.uint64))


def test_rows_that_all_members_leave_out_are_matched_by_their_keys(monkeypatch):
    monkeypatch.setattr(left_rows, "FEWEST", 1)
    one = left([5, 9, 2, 9, 7], [50, 90, 20, 90, 70], np.array([1.0, 2.0, 1.0, 3.0, 1.0]))
    other = left([7, 2, 9], [0.7, 0.2, 0.9])
    found = left_out_of([one, other], np.array([0.5, 0.25]), np.array([4.0]))
    assert found.keys.tolist() == [9, 2, 9, 7]
    assert found.outputs[:, 0] == pytest.approx([46.225, 11.05, 46.225, 36.175])  # 1 + 0.5·90 + 0.25·0.9
    assert found.targets[:, 0].tolist() == [900, 200, 900, 700]
    assert found.weight.tolist() == [2, 1, 3, 1]


def test_without_enough_of_them_there_is_nothing():
    one = left(np.arange(300), RNG.normal(size=300))
    assert left_out_of([one, left(np.arange(250, 550), np.zeros(300))], np.ones(2), np.zeros(1)) is None
    assert left_out_of([one, None], np.ones(2), np.zeros(1)) is None
    assert len(left_out_of([one], np.ones(1), np.zeros(1)).keys) == 300


def test_a_blend_of_kernels_without_a_row_by_refitting(monkeypatch):
    monkeypatch.setattr(left_rows, "FEWEST", 1)
    X = RNG.normal(size=(80, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * RNG.normal(size=80)
    kept = {}

    def caught(self, found):
        kept[self.gamma] = found()

    monkeypatch.setattr(KernelELMRegressor, "_learn_left_out", caught)
    gammas, weights = (0.3, 2.0), np.array([0.6, 0.3])
    models = [KernelELMRegressor("laplace", gamma=one, alpha=0.1, solver="exact") for one in gammas]
    for one in models:
        one.fit(X, y)
    found = left_out_of([kept[one] for one in gammas], weights, np.array([y.mean()]))
    for i in (0, 13, 79):
        others = np.arange(80) != i
        said = [one.fit(X[others], y[others]).predict(X[i : i + 1])[0] for one in models]
        at = int(np.argmin(np.abs(found.targets[:, 0] - y[i])))
        assert found.outputs[at, 0] == pytest.approx(0.1 * y.mean() + weights @ said, abs=1e-8)
