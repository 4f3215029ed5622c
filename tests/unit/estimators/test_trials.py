"""The same model by every solver."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samara
from samara.errors import InputError
from samara.estimators import trials
from samara.estimators.trials import run_trials, solver_plans
from samara.plan import Plan
from samara.solvers import SOLVERS


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Rows to fit and rows to score."""
    folder = tmp_path_factory.mktemp("trials")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 3))
    columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": np.sin(X[:, 0]) + X[:, 1]}
    pq.write_table(pa.table(columns).slice(0, 500), folder / "fit.parquet")
    pq.write_table(pa.table(columns).slice(500), folder / "score.parquet")
    return [samara.scan(folder / name, target="y") for name in ("fit.parquet", "score.parquet")]


def elm(**parameters):
    return lambda solver: samara.ELMRegressor(20, solver=solver, random_state=0, **parameters)


def test_exact_solvers_agree(tables, monkeypatch):
    monkeypatch.setattr(trials, "MOST_WORK", 1e9)
    found = {one.solver: one for one in run_trials(elm(alpha=1.0), *tables)}
    assert set(found) == set(SOLVERS)
    exact = [found[name].error for name in ("gram", "qr", "svd", "dual")]
    assert exact == pytest.approx([exact[0]] * 4, rel=1e-6)
    model = elm(alpha=1.0)("gram").fit(tables[0])
    assert exact[0] == pytest.approx(samara.evaluate(model, tables[1])["rmse"], rel=1e-9)
    assert all(one.seconds > 0 and one.peak_bytes > 0 for one in found.values() if not one.why_not)


def test_without_test_rows_the_error_is_held_out(tables):
    gram = next(one for one in run_trials(elm(), tables[0], None) if one.solver == "gram")
    wanted = elm()("gram").fit(tables[0]).selection_.best_score ** 0.5
    assert gram.error == pytest.approx(wanted, rel=1e-9)


def test_nothing_held_out_is_said(tables):
    gram = next(one for one in run_trials(elm(alpha=1.0), tables[0], None) if one.solver == "gram")
    assert "give --test" in gram.why_not


def test_what_does_not_fit_is_not_tried(tables, monkeypatch):
    plans = solver_plans(elm(memory="1MB"), tables[0])
    assert all(isinstance(plan, str) and "memory allows 1 MB" in plan for plan in plans.values())
    monkeypatch.setattr(trials, "_free_bytes", lambda: 1000.0)
    assert all("1 kB are free" in plan for plan in solver_plans(elm(), tables[0]).values())


def test_what_takes_far_longer_is_not_tried(tables, monkeypatch):
    monkeypatch.setattr(trials, "MOST_WORK", 1)
    found = list(run_trials(elm(), *tables))
    assert sum(not one.why_not for one in found) == 1
    assert any("times the work of the cheapest" in one.why_not for one in found)


def test_kernels_have_solvers_of_their_own(tables):
    plans = solver_plans(lambda solver: samara.KernelELMRegressor(solver=solver), tables[0])
    assert set(plans) == {"exact", "sketch", "nystroem", "pcg", "divide"}
    assert isinstance(plans["exact"], Plan)


def test_a_refusal_of_the_estimator_is_kept(tables):
    def make(solver):
        if solver == "qr":
            raise InputError("not this one")
        return elm(alpha=1.0)(solver)

    found = {one.solver: one for one in run_trials(make, *tables)}
    assert found["qr"].why_not == "not this one"
    assert found["gram"].why_not == ""
