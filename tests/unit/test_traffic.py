"""Traffic arithmetic: passes as the costs count them, words of a merge, rounds, and what is printed where."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samara
from samara.costs import Shape, passes
from samara.plans import Budget, make_plan
from samara.traffic import HEAD, Cluster, traffic

SHAPE = Shape(
    n_rows=100_000, n_inputs=40, n_targets=2, n_hidden=1000, selection="kfold", n_folds=5, n_alphas=10
)
SOLVERS = ["gram", "qr", "dual", "svd", "rsvd", "fast_svd", "sketch", "lsqr", "precondition"]
CASES = [(solver, *how) for solver in SOLVERS for how in ((None, 1), ("kfold", 5))]
CASES += [(solver, "loo", 1) for solver in SOLVERS if solver not in ("sketch", "lsqr", "precondition")]
PAIR = Cluster(processes=2, threads=1)


def _named(shape, solver, cluster, name):
    return next(one for one in traffic(shape, solver, 1536, cluster).passes if one.name == name)


@pytest.mark.parametrize(("solver", "selection", "n_folds"), CASES)
@pytest.mark.parametrize("n_rows", [3000, 100_000])
def test_passes_are_those_of_the_costs(solver, selection, n_folds, n_rows):
    """As many as `passes` says, the fewest and the most, whatever is chosen and how."""
    shape = replace(SHAPE, selection=selection, n_folds=n_folds, n_rows=n_rows, n_sizes=1)
    made = traffic(shape, solver, 1536, PAIR).passes
    assert made[0].name == "look"
    assert (sum(one.fewest for one in made), sum(one.most for one in made)) == passes(shape, solver)


def test_half_of_the_words_of_a_square_travel_for_each_fold():
    """K·L²/2 words of 8 bytes, and the thin parts."""
    moments = _named(SHAPE, "gram", PAIR, "moments")
    triangles = 5 * 8 * 1003 * 1004 // 2
    assert triangles < moments.summary < 1.001 * triangles
    assert moments.between == pytest.approx(moments.summary + moments.shared, rel=1e-3)
    assert moments.shared == pytest.approx(8 * (41 * 1000 + 1000), rel=0.01)
    single = replace(SHAPE, dtype="float32")
    assert _named(single, "gram", PAIR, "moments").summary == pytest.approx(moments.summary, rel=1e-3)
    assert _named(single, "qr", PAIR, "triangle").summary == pytest.approx(triangles / 2, rel=1e-3)


@given(st.integers(1, 200), st.integers(1, 16))
def test_one_summary_less_than_workers_is_sent(processes, threads):
    """However many threads they have; merges in all are one less than parts."""
    found = traffic(SHAPE, "gram", 1536, Cluster(processes, threads))
    moments = found.passes[1]
    assert moments.between == pytest.approx((processes - 1) * (moments.summary + moments.shared), rel=1e-6)
    assert found.merges == processes * threads - 1
    assert 2 ** (found.cluster.rounds - 2) < processes * threads <= 2**found.cluster.rounds


def test_rows_that_are_kept_are_sent_on_in_every_round():
    """Of four workers two send a quarter of the rows, then one a half of them."""
    rows = _named(SHAPE, "dual", Cluster(4, 1), "rows")
    assert rows.between == pytest.approx(rows.summary + 3 * rows.shared, rel=1e-3)


def test_a_fold_of_few_rows_has_a_flat_triangle():
    """A part of fewer rows than columns sends no more than its rows."""
    few = replace(SHAPE, n_rows=1000, selection=None, n_folds=1)
    one = _named(few, "qr", PAIR, "triangle")
    merged = one.between - one.shared - HEAD
    assert merged == pytest.approx(8 * (500 * 1003 - 500 * 499 // 2) + 8 * 1000, rel=1e-3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_worker_holds_more_for_more_threads_nodes_and_rows(solver):
    """Rows that were sent stay with the workers."""
    least = traffic(SHAPE, solver, 512, Cluster(4, 1)).worker_bytes
    assert least < traffic(SHAPE, solver, 512, Cluster(4, 2)).worker_bytes
    assert least < traffic(replace(SHAPE, n_hidden=1500), solver, 512, Cluster(4, 1)).worker_bytes
    sent = traffic(replace(SHAPE, sent_bytes=4_000_000), solver, 512, Cluster(4, 1))
    assert (sent.worker_bytes - least, sent.sent() - sent.rows) == (1_000_000, sum(_shared(sent)))


def _shared(found):
    return [one.fewest * one.shared for one in found.passes]


def test_a_plan_tells_of_traffic_on_a_cluster_only():
    """A line for each pass, and the sum."""
    alone = make_plan(SHAPE, "auto", Budget(workers=2), "")
    assert alone.traffic is None
    assert "cluster" not in str(alone)
    plan = make_plan(SHAPE, "auto", Budget(workers=2, processes=8), "")
    lines = str(plan).splitlines()
    assert lines[-5].startswith(
        "cluster: 8 workers × 2 threads, 15 merges in 4 rounds a pass; a worker needs"
    )
    assert [line.split()[0] for line in lines[-4:]] == ["pass", "look", "moments", "whole"]
    assert lines[-2].split()[2:] == ["338", "kB", "143", "MB", "20.1", "MB"]
    reading = make_plan(SHAPE, "auto", Budget(workers=2, processes=8, reading=1000), "").traffic
    assert reading.worker_bytes == plan.traffic.worker_bytes + 2000


def test_all_cores_solve_while_a_cluster_waits(monkeypatch):
    """Unless a limit of memory was planned for fewer."""
    monkeypatch.setattr("samara.plans.available_cores", lambda: 6)
    assert make_plan(SHAPE, "auto", Budget(workers=2), "").solving == 2
    assert make_plan(SHAPE, "auto", Budget(workers=2, processes=3), "").solving == 6
    assert make_plan(SHAPE, "auto", Budget(10**10, workers=2, processes=3), "").solving == 2


def test_what_a_model_keeps_of_its_cluster(cluster, tmp_path):
    """``samara.plan`` and ``plan_`` tell the same; a file has nothing of it."""
    X = np.random.default_rng(0).normal(size=(3000, 5))
    model = samara.ELMRegressor(50, alpha=1.0, engine=cluster, random_state=0)
    found = samara.plan(model, X, X[:, 0])
    assert str(found).endswith(str(found.traffic))
    assert found.to_dict()["traffic"]["cluster"] == {"processes": 2, "threads": 1}
    model.fit(X, X[:, 0])
    assert model.plan_.traffic == found.traffic
    assert samara.plan(model.set_params(engine=None), X).traffic is None
    model.save(tmp_path / "m.samara")
    assert samara.load(tmp_path / "m.samara").plan_.traffic is None
