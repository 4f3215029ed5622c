"""Tiles and sub-models that can't be made, workers that die with their tiles, and the memory they take."""

import json
import os
import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from samara import ELMRegressor, InputError
from samara.engines import DaskEngine, Threads
from samara.errors import BudgetError
from samara.solvers import Submodels, Tiles
from tests.faults.checks import ROOT, refused
from tests.problems import make_problem
from tests.unit.engines.test_threads import Seen, source_of

pytestmark = pytest.mark.usefixtures("every_pass_is_worth_threads")
X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0] + np.sin(X[:, 1])
BAD = np.full_like(X, np.nan)  # parameters are checked first


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        (Tiles(0), "nodes and max_iter must be at least 1 and tol between 0 and 1"),
        (Tiles(-3), "nodes must be a whole number, at least 0, got -3"),
        (Tiles(2.5), "nodes must be a whole number, at least 0, got 2.5"),
        (Tiles(5, tol=0.0), "tol between 0 and 1"),
        (Tiles(5, max_iter=0), "max_iter must be at least 1"),
        (Submodels(0), "count must be at least 1"),
        (Submodels("many"), "count must be a whole number, at least 0, got 'many'"),
    ],
)
def test_settings_that_are_none(solver, message):
    """Said before a row is looked at."""
    refused(ELMRegressor(20, solver=solver), InputError, message, BAD, Y)


@pytest.mark.parametrize("solver", ["tiles", "submodels"])
def test_what_they_cannot_do(solver):
    """Sizes, ranks, leave-one-out, and no ridge."""
    model = partial(ELMRegressor, solver=solver)
    refused(model([10, 20]), InputError, "does not choose among sizes: give one n_hidden", BAD, Y)
    refused(model(20, rank=5), InputError, "uses every direction", BAD, Y)
    refused(model(20, selection="loo"), InputError, 'has no loo: use selection="kfold"', BAD, Y)
    refused(model(20, alpha=[0, 1.0]), InputError, "solves normal equations: alpha must be above 0", X, Y)


def test_more_of_them_than_nodes():
    """Sub-models of no node are refused; tiles larger than the matrix are the matrix."""
    refused(
        ELMRegressor(20, solver=Submodels(21)), InputError, "21 sub-models need as many nodes, got 20", X, Y
    )
    linked = ELMRegressor(20, solver="submodels", direct_link=True)
    refused(linked, InputError, 'solver="submodels" has no direct_link', X, Y)
    tiny = ELMRegressor(20, hidden="linear", alpha=1e-15, solver="submodels", random_state=0)
    refused(tiny, InputError, "A sub-model of 5 nodes has a condition number of about", X, Y)
    fitted = ELMRegressor(20, alpha=1.0, solver=Tiles(10**6), random_state=0).fit(X, Y)
    assert "1 groups of nodes" in fitted.plan_.reasons[-1]


@pytest.mark.parametrize("solver", ["tiles", "submodels"])
def test_a_bad_cell_and_rows_without_weight(solver):
    """The cell is named as ever; rows of weight 0 are as good as not there."""
    bad = X.copy()
    bad[7, 1] = np.nan
    refused(ELMRegressor(20, solver=solver), InputError, "row 7", bad, Y)
    weight = (np.arange(40) != 7) * 1.0
    scale = ELMRegressor(5, alpha=1.0).fit(X, Y).model_.maps[0]
    model = ELMRegressor(20, alpha=1.0, solver=solver, scale=scale, random_state=0)
    with_it = model.fit(X, Y, weight).predict(X)
    np.testing.assert_allclose(with_it, model.fit(np.delete(X, 7, 0), np.delete(Y, 7)).predict(X), rtol=1e-8)


def test_a_budget_that_no_tiles_fit():
    """All tiles are in this process: half of L², which is said to be too much."""
    model = ELMRegressor(4000, alpha=1.0, solver="tiles", memory="40MB")
    refused(model, BudgetError, "4,000 nodes by tiles need", X, Y)


def test_a_fit_that_was_interrupted_goes_on(tmp_path):
    """The look was finished; the tiles are made anew, to the same bits."""
    problem = make_problem(3, 900, 3, 1, weighted=False)

    def interrupt(name, rows, total):
        if name == "tiles":
            raise KeyboardInterrupt

    model = ELMRegressor(20, alpha=1.0, solver=Tiles(8), random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(engine=Threads(2, progress=interrupt)).fit(
            problem.X, problem.y, checkpoint=tmp_path / "run.ckpt"
        )
    assert (tmp_path / "run.ckpt").exists()
    told = []
    model.set_params(engine=Threads(2, progress=lambda name, rows, total: told.append(name)))
    model.fit(problem.X, problem.y, checkpoint=tmp_path / "run.ckpt")
    assert set(told) == {"tiles"}
    whole = problem.fit(ELMRegressor(20, alpha=1.0, solver=Tiles(8), engine=Threads(2), random_state=0))
    assert model.coef_.tobytes() == whole.coef_.tobytes()


def test_a_worker_that_dies_with_its_tiles(cluster):
    """Others make them anew from the rows; the model is the same to the bit."""
    problem = make_problem(21, 3000, 4, 1, weighted=False)
    victims = list(cluster.run(os.getpid).values())[:1]

    def kill(name, rows, total):
        if name == "tiles" and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    model = ELMRegressor(60, alpha=100.0, solver=Tiles(30), random_state=0)
    expected = problem.fit(model.set_params(engine=DaskEngine(cluster))).model_
    found = problem.fit(model.set_params(engine=DaskEngine(cluster, processes=2, progress=kill))).model_
    assert not victims
    assert found.coef.tobytes() == expected.coef.tobytes()
    cluster.wait_for_workers(2, timeout=30)


def test_held_summaries_of_a_worker_that_dies(cluster):
    """Between two passes, too."""
    engine = DaskEngine(cluster, workers=2, block_rows=100, processes=2).ready()
    held = engine.hold(source_of(), Seen)
    os.kill(next(iter(cluster.run(os.getpid).values())), signal.SIGKILL)
    cluster.wait_for_workers(2, timeout=30)
    assert engine.summarize(held, All).rows == list(range(1500))


class All:
    """A summary of summaries."""

    def __init__(self):
        self.rows = []

    def update(self, seen):
        self.rows.extend(seen.rows)

    def merge(self, other):
        self.rows.extend(other.rows)


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK),
    reason="needs Linux's /proc/self/clear_refs to reset the peak",
)
def test_the_process_peaks_where_it_was_predicted():
    """On the threads of one process all tiles are in it, half of L² a fold; predicted to 30 %."""
    cases = [
        ("tiles", 5000, 1, {"n_hidden": 1500, "dtype": "float64", "alpha": 300.0}),
        ("tiles", 5000, 3, {"n_hidden": 800, "dtype": "float32", "alpha": [300.0, 3000.0]}),
        ("submodels", 5000, 2, {"n_hidden": 1200, "dtype": "float64", "alpha": [300.0, 3000.0]}),
    ]
    sent = [
        {
            "rows": n,
            "columns": 20,
            "targets": t,
            "tight": tight,
            "parameters": {"solver": solver, **parameters},
        }
        for solver, n, t, parameters in cases
        for tight in (False, True)
    ]
    paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.one_promise", json.dumps(sent)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for case, found in zip(sent, json.loads(done.stdout), strict=True):
        assert 1.0 <= found["predicted"] / found["measured"] <= 1.3, f"{case}: {found}"
        assert found["budget"] is None or found["predicted"] <= found["budget"], f"{case}: {found}"
