"""What a search does inside a memory: fewer rows, candidates and members left out by name."""

from importlib import import_module

import numpy as np
import pytest

from samara import AutoELMClassifier, AutoELMRegressor, BudgetError
from samara.engines import Threads
from samara.plans import Budget
from samara.search import AutoSettings, layer_path
from samara.search.kernel_path import kernel_bytes
from samara.sources import ArraySource

spine = import_module("samara.search.auto_fit")  # the package has a function of this name
RNG = np.random.default_rng(0)
X = RNG.standard_normal((300, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * RNG.standard_normal(300)


def settings(memory, workers=2):
    return AutoSettings(None, None, False, Budget(memory, workers), Threads(workers), 0)


def source(n, d):
    return ArraySource(np.broadcast_to(0.0, (n, d)), np.broadcast_to(0.0, (n, 1)))


def test_rows_of_the_search_by_memory():
    """Matrices of all folds, copies of each thread and the rows themselves fit into half of it."""
    assert spine.most_rows(settings(None), source(10**6, 10)) == (2500, 3000)
    for memory in (50_000_000, 200_000_000, 1_000_000_000):
        for n, d, workers in ((2000, 5, 1), (10**5, 5, 1), (10**5, 5, 16), (10**5, 800, 2)):
            most = spine.most_rows(settings(memory, workers), source(n, d))
            assert kernel_bytes(n, most, d, workers) <= memory // 2
    few = spine.most_rows(settings(200_000_000), source(10**5, 800))
    assert few < spine.most_rows(settings(200_000_000), source(10**5, 5))


def test_candidates_are_fitted_inside_the_memory_and_by_the_threads_asked_for(monkeypatch):
    asked, fit = [], layer_path.fit
    monkeypatch.setattr(layer_path, "fit", lambda rows, given: asked.append(given) or fit(rows, given))
    monkeypatch.setattr(layer_path, "threads_of_rows", lambda n, workers: workers)
    AutoELMRegressor(None, rounds=2, memory="100MB", engine=Threads(3), random_state=0).fit(X, Y)
    assert {given.budget.memory for given in asked} == {50_000_000}
    assert {given.budget.workers for given in asked} == {given.crew.workers for given in asked} == {3}


def test_a_candidate_that_does_not_fit_is_not_tried(monkeypatch):
    fit = layer_path.fit

    def tight(rows, given):
        if given.direct_link:
            raise BudgetError("nodes are too many.")
        return fit(rows, given)

    monkeypatch.setattr(layer_path, "fit", tight)
    model = AutoELMRegressor(None, rounds=3, random_state=0).fit(X, Y)
    assert len(model.leaderboard_) == 2
    assert "not tried: tanh nodes, ranks: nodes are too many." in model.plan_.reasons


def test_no_candidate_fits(monkeypatch):
    def tight(rows, given):
        raise BudgetError("too much.")

    monkeypatch.setattr(layer_path, "fit", tight)
    model = AutoELMClassifier(None, rounds=2, random_state=0).fit(X, Y > 0)
    assert len(model.leaderboard_) == 0
    assert np.isnan(model.held_out_score_)
    assert "not tried: ridge, standard: too much." in model.plan_.reasons
    assert (model.predict(X) == (Y > 0)).mean() > 0.6


def test_a_member_that_does_not_fit_is_named_and_not_scored(monkeypatch):
    make, fitted = AutoELMRegressor(None, rounds=4, random_state=0), spine.fitted
    whole = make.fit(X, Y)
    best = whole.leaderboard_[0].candidate
    n_members = len(whole.weights_)
    assert n_members > 1
    scored, cross_blended = [], spine.cross_blended

    def tight(member, *others):
        if member[0].name == best:
            raise BudgetError("it needs more.")
        return fitted(member, *others)

    def seen(tried, rows):
        scored.extend(one.candidate.name for one in tried)
        return cross_blended(tried, rows)

    monkeypatch.setattr(spine, "fitted", tight)
    monkeypatch.setattr(spine, "cross_blended", seen)
    model = make.fit(X, Y)
    assert f"not in the blend: {best}: it needs more." in model.plan_.reasons
    assert len(model.weights_) == n_members - 1
    rest = {entry.candidate: entry.score for entry in model.leaderboard_ if entry.weight}
    assert set(scored) == set(rest)
    assert best not in rest
    assert model.held_out_score_ == pytest.approx(max(rest.values()), abs=0.05)
