"""Kernel models on a Dask cluster: who multiplies with the matrix changes nothing."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import samara
from samara import KernelELMClassifier, KernelELMRegressor
from samara.engines import DaskEngine, Threads
from samara.solvers.kernel import Divide, KernelSketch, Pcg, Ssvd, matrix
from tests.oracles import relative_gap
from tests.oracles_kernel import GAMMA
from tests.problems import make_problem

WHOLE = Threads(workers=1, block_rows=10_000)
SOLVERS = [
    ("ssvd", 20),
    (Ssvd(power=2, exact_error=True), 0.05),
    (KernelSketch(exact_error=True), 20),
    (Pcg(1e-12), 200),
    ("exact", "auto"),
    (Divide(2), "auto"),
]


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Several tiles for a few hundred rows; a worker is told how large they are."""
    monkeypatch.setattr(matrix, "TILE", 128)


def _gap(one, other):
    return max(
        relative_gap(one.model_.coef, other.model_.coef),
        relative_gap(one.model_.intercept, other.model_.intercept),
    )


def _model(solver, rank, make=KernelELMRegressor, **parameters):
    given = {"gamma": GAMMA, "alpha": 5.0, "random_state": 0} | parameters
    return make(solver=solver, rank=rank, **given)


@pytest.mark.parametrize(("solver", "rank"), SOLVERS, ids=str)
def test_a_cluster_gives_the_coefficients_of_threads(cluster, solver, rank):
    """Weights, several targets and a choice of ridges; the errors reported too."""
    problem = make_problem(3, 500, 4, 2, weighted=True)
    model = _model(solver, rank, alpha=[2.0, 20.0])
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    there = problem.fit(model.set_params(engine=cluster))
    assert there.alpha_ == here.alpha_
    assert _gap(there, here) < 1e-9
    assert there.fnorm_ == pytest.approx(here.fnorm_, rel=1e-9)
    np.testing.assert_allclose(there.selection_.target_scores, here.selection_.target_scores, rtol=1e-9)
    assert there.plan_.peak_bytes > 0


@pytest.mark.parametrize(("workers", "processes"), [(1, 1), (1, 3), (4, 2)])
def test_any_number_of_parts(cluster, workers, processes):
    """More parts than tiles, too."""
    problem = make_problem(5, 300, 3, 1, weighted=False)
    here = problem.fit(_model("ssvd", 15, engine=WHOLE))
    engine = DaskEngine(cluster, workers=workers, processes=processes)
    assert _gap(problem.fit(_model("ssvd", 15, engine=engine)), here) < 1e-9


@pytest.mark.parametrize(("solver", "rank"), [("ssvd", 20), ("pcg", 50)])
def test_a_rerun_gives_the_same_bits(cluster, solver, rank):
    """Parts are merged in their order, whoever is done first."""
    problem = make_problem(8, 700, 4, 1, weighted=False)
    model = _model(solver, rank, engine=DaskEngine(cluster, workers=3))
    first, second = (problem.fit(clone(model)).model_ for _ in range(2))
    assert first.coef.tobytes() == second.coef.tobytes()
    assert first.intercept.tobytes() == second.intercept.tobytes()


@pytest.mark.parametrize(("solver", "rank"), [("ssvd", 20), (Pcg(1e-6), 100)], ids=str)
def test_single_precision(cluster, solver, rank):
    """Entries of float32 are the same wherever they are made; the sums of float64 differ in their order."""
    problem = make_problem(11, 400, 4, 1, weighted=True)
    model = _model(solver, rank, dtype="float32")
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    assert _gap(problem.fit(model.set_params(engine=cluster)), here) < 1e-4


def test_classes_and_sparse_rows(cluster):
    """Labels, a class weight, and rows that travel as CSR."""
    problem = make_problem(10, 450, 5, 1, weighted=False)
    labels = np.array(["low", "high"])[(problem.y > np.median(problem.y)).astype(int)]
    X = sp.csr_matrix(np.where(np.abs(problem.X) > 1, problem.X, 0.0))
    model = _model("ssvd", 25, KernelELMClassifier, class_weight="balanced")
    here = clone(model).set_params(engine=WHOLE).fit(X, labels)
    there = model.set_params(engine=cluster).fit(X, labels)
    assert _gap(there, here) < 1e-9
    assert (there.predict(X) == here.predict(X)).all()


def test_kernels_of_your_own(cluster):
    """A function travels; a matrix that is there already does not."""
    problem = make_problem(12, 300, 3, 1, weighted=False)

    def bump(A, B):
        return np.exp(-np.abs(A[:, None, :] - B[None, :, :]).sum(axis=2))

    here = problem.fit(_model("ssvd", 20, kernel=bump, engine=WHOLE))
    assert _gap(problem.fit(_model("ssvd", 20, kernel=bump, engine=cluster)), here) < 1e-9
    given = _model("ssvd", 20, kernel="precomputed", engine=cluster).fit(bump(*2 * [problem.X]), problem.y)
    assert relative_gap(given.dual_coef_, here.dual_coef_) < 1e-9
    assert "tiles of kernel rows" in given.plan_.reasons[-1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_travel_once_in_a_fit(cluster, monkeypatch, dtype):
    """pcg: however many steps, and in both precisions; a step sends vectors alone."""
    sent, original = [], DaskEngine._received

    def received(self, what, key, place=None):
        sent.append(key)
        return original(self, what, key, place)

    monkeypatch.setattr(DaskEngine, "_received", received)
    problem = make_problem(13, 600, 30, 1, weighted=True)
    model = problem.fit(_model(Pcg(1e-5), 20, engine=DaskEngine(cluster), dtype=dtype))
    assert model.n_iter_ > 1
    assert sum("rows" in key for key in sent) == 4  # two parts of the table, two of the matrix
    assert sum("kernel" in key for key in sent) > model.n_iter_


def test_where_the_work_is_done_is_said(cluster):
    """The plan names what travels, and what does not run there."""
    problem = make_problem(14, 300, 3, 1, weighted=False)
    for solver in ("ssvd", "sketch", "pcg"):
        plan = problem.fit(_model(solver, 10, engine=cluster)).plan_
        assert plan.reasons[-1].startswith("tiles of the kernel matrix on the cluster: a thread there holds")
    for solver in ("exact", "divide"):
        plan = problem.fit(_model(solver, "auto", engine=cluster)).plan_
        assert plan.reasons[-1] == f"{solver} works in this process: the cluster reads the rows"


def test_scans_and_dask_rows_are_gathered_by_the_workers(cluster, tmp_path):
    """Files are opened there, chunks are made there; the model is that of the same rows in memory."""
    da = pytest.importorskip("dask.array")
    problem = make_problem(15, 700, 4, 1, weighted=True)
    frame = pd.DataFrame(problem.X, columns=list("abcd")).assign(y=problem.y, w=problem.weight)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "t.parquet", row_group_size=150)
    rows = samara.scan(tmp_path / "t.parquet", target="y", weight="w")
    model = _model("ssvd", 20, scale="standard")
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    model.set_params(engine=cluster)
    assert _gap(clone(model).fit(rows), here) < 1e-9
    chunked = [da.from_array(A, chunks=(200, *A.shape[1:])) for A in (problem.X, problem.y, problem.weight)]
    assert _gap(clone(model).fit(*chunked), here) < 1e-9
