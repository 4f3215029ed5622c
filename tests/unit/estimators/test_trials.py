"""The same model by every solver."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samara
from samara.engines import DaskEngine
from samara.errors import InputError
from samara.estimators import trials
from samara.estimators.trials import run_trials
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
    monkeypatch.setattr(trials, "MOST_TIME", 1e9)
    found = {one.solver: one for one in run_trials(elm(alpha=1.0), *tables)}
    assert set(found) == set(SOLVERS) - {"tiles", "submodels"}  # those are for several processes
    exact = [found[name].error for name in ("gram", "qr", "svd", "dual")]
    assert exact == pytest.approx([exact[0]] * 4, rel=1e-6)
    model = elm(alpha=1.0)("gram").fit(tables[0])
    assert exact[0] == pytest.approx(samara.evaluate(model, tables[1])["rmse"], rel=1e-9)
    assert all(one.seconds > 0 and one.peak_bytes > 0 for one in found.values() if not one.why_not)


def test_on_a_cluster_the_memory_is_that_of_the_workers(cluster, tables, monkeypatch):
    monkeypatch.setattr(trials, "MOST_TIME", 1)
    monkeypatch.setattr(trials, "peak_resident_bytes", lambda: pytest.fail("asked of this process"))
    found = list(run_trials(elm(alpha=1.0, engine=DaskEngine(cluster)), *tables))
    tried = [one for one in found if not one.why_not]
    assert tried
    assert all(one.peak_bytes > 10_000_000 for one in tried)


def test_without_test_rows_the_error_is_held_out(tables):
    gram = next(one for one in run_trials(elm(), tables[0], None) if one.solver == "gram")
    wanted = elm()("gram").fit(tables[0]).selection_.best_score ** 0.5
    assert gram.error == pytest.approx(wanted, rel=1e-9)


def test_nothing_held_out_is_said(tables):
    gram = next(one for one in run_trials(elm(alpha=1.0), tables[0], None) if one.solver == "gram")
    assert "give --test" in gram.why_not


def test_what_does_not_fit_is_not_tried(tables, monkeypatch):
    found = list(run_trials(elm(memory="1MB"), *tables))
    assert all("1 MB" in one.why_not for one in found)
    monkeypatch.setattr(trials, "_free_bytes", lambda: -1e12)
    assert all("are free" in one.why_not for one in run_trials(elm(), *tables))


def test_what_takes_far_longer_is_not_tried(tables, monkeypatch):
    monkeypatch.setattr(trials, "MOST_TIME", 1)
    found = list(run_trials(elm(), *tables))
    assert found[0].why_not == ""
    assert all("times as long as the fastest" in one.why_not for one in found[1:])


def test_kernels_have_solvers_of_their_own(tables, monkeypatch):
    monkeypatch.setattr(trials, "MOST_TIME", 1)

    def make(solver):
        return samara.KernelELMRegressor(solver=solver, rank=20 if solver == "nystroem" else "auto")

    names = {one.solver for one in run_trials(make, *tables)}
    assert names == {"exact", "sketch", "ssvd", "nystroem", "pcg", "divide", "leaves"}


def test_a_refusal_of_the_estimator_is_kept(tables):
    def make(solver):
        if solver != "auto":
            raise InputError("not this one")
        return elm(alpha=1.0)(solver)

    assert next(run_trials(make, *tables)).why_not == "not this one"
