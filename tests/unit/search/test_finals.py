"""Members fitted to all rows: exact, with centres where rows are many or time is short, sparse rows."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

from samara import AutoELMRegressor
from samara.engines import Threads
from samara.estimators import auto_base
from samara.maps import KernelRows
from samara.model import Model
from samara.plans import Budget
from samara.search import finals
from samara.search.candidates import RIDGE, TANH, Choice
from samara.search.clock import Clock
from samara.search.finals import Means, fitted, summed
from samara.search.kernel_path import KernelCandidate
from samara.search.layer_path import LayerCandidate
from samara.sources import ArraySource
from samara.summaries import Profile

RNG = np.random.default_rng(0)
X = RNG.standard_normal((600, 3))
SOURCE = ArraySource(X, np.sin(X[:, :1]) + 0.1 * RNG.standard_normal((600, 1)))
ENGINE = Threads(1, 200)
PROFILE = ENGINE.summarize(SOURCE, partial(Profile, 600, 0))
MEANS = Means(Budget(workers=1), Threads(1), 0, Clock(None), 600)
KERNEL = (KernelCandidate("laplace", False, "standard"), Choice(1, np.array([2.0, 0.5, 0.5]), 0.1))


def made(*given):
    """A member's model and plan."""
    one = fitted(*given)
    return one.model, one.plan


def test_exact_unless_rows_are_many_or_time_is_short(monkeypatch):
    exact, plan = made(KERNEL, SOURCE, PROFILE, MEANS, np.inf)
    assert plan.solver == "exact"
    hurried, plan = made(KERNEL, SOURCE, PROFILE, MEANS, 0.0)
    assert plan.solver == "nystroem"
    assert hurried.maps[-1].n_out == finals.CENTRES[-1]
    monkeypatch.setattr(finals, "EXACT_ROWS", 500)
    many, plan = made(KERNEL, SOURCE, PROFILE, MEANS, np.inf)
    assert plan.solver == "nystroem"
    assert many.maps[-1].n_out == 500
    said = [model.predict(SOURCE, ENGINE) for model in (exact, hurried, many)]
    assert np.abs(said[2] - said[0]).mean() < 0.02
    assert np.abs(said[1] - said[0]).mean() < 0.05


def test_metric_and_width_are_those_of_the_search():
    model, _ = made(KERNEL, SOURCE, PROFILE, MEANS, np.inf)
    rows = model.maps[-1]
    assert isinstance(rows, KernelRows)
    Z = (X - X.mean(axis=0)) / X.std(axis=0) * np.sqrt([2.0, 0.5, 0.5])
    assert np.sort(rows.centres, axis=0) == pytest.approx(np.sort(Z, axis=0), abs=1e-9)
    distances = [np.linalg.norm(a - b) for a in Z[:100] for b in Z[:100]]
    assert rows.kernel.gamma == pytest.approx(1 / (5 * np.median(distances)), rel=0.1)


@pytest.mark.parametrize(("megabytes", "solver"), [(50, "leaves"), (20, "nystroem")])
def test_memory_makes_leaves_smaller_and_then_takes_centres(megabytes, solver):
    rows = RNG.standard_normal((3000, 3))
    source = ArraySource(rows, rows[:, :1])
    profile = ENGINE.summarize(source, partial(Profile, 3000, 0))
    tight = Means(Budget(memory=megabytes * 10**6, workers=1), Threads(1), 0, Clock(None), 3000)
    _, plan = made(KERNEL, source, profile, tight, np.inf)
    assert plan.solver == solver
    assert plan.peak_bytes <= megabytes * 10**6


def test_leaves_beyond_the_rows_that_are_solved_exactly(monkeypatch):
    monkeypatch.setattr(finals, "EXACT_ROWS", 500)
    monkeypatch.setattr(finals, "LEAF_ROWS", (300, 100))
    model, plan = made(KERNEL, SOURCE, PROFILE, MEANS, np.inf)
    assert plan.solver == "leaves"
    assert model.maps[-1].tree.n_leaves == 2
    hurried, _ = made(KERNEL, SOURCE, PROFILE, MEANS, 0.0)
    assert hurried.maps[-1].tree.n_leaves == 8
    monkeypatch.setattr(finals, "physical_bytes", lambda: 10_000)  # a machine that holds next to nothing
    assert made(KERNEL, SOURCE, PROFILE, MEANS, np.inf)[1].solver == "nystroem"


def test_nodes():
    for spec in (RIDGE, TANH):
        member = LayerCandidate(spec, "quantile", 0, 0), Choice(0, None, None)
        model, _ = made(member, SOURCE, PROFILE, MEANS, np.inf)
        assert len(model.coef) == (3 if spec is RIDGE else 303)


def test_a_sum_of_models_is_about_the_mean():
    models = [made(KERNEL, SOURCE, PROFILE, MEANS, np.inf)[0]]
    models.append(Model(models[0].maps, 2 * models[0].coef, models[0].intercept + 1))
    weights, mean = np.array([0.3, 0.2]), np.array([5.0])
    found = summed(models, weights, mean).predict(SOURCE, ENGINE)
    said = [model.predict(SOURCE, ENGINE) for model in models]
    assert found == pytest.approx(mean + 0.3 * (said[0] - mean) + 0.2 * (said[1] - mean))


def test_wide_sparse_rows_stay_sparse(monkeypatch):
    """Then only nodes and ridge are tried."""
    monkeypatch.setattr(auto_base, "DENSE_BYTES", 0)
    rows = sparse.random_array((150, 20), density=0.2, rng=np.random.default_rng(0), format="csr")
    y = rows.toarray()[:, 0]
    model = AutoELMRegressor(None, random_state=0).fit(rows, y)
    assert len(model.leaderboard_) == 3
    assert model.score(rows, y) > 0.9
    assert model.predict(rows.toarray()) == pytest.approx(model.predict(rows), abs=1e-8)
