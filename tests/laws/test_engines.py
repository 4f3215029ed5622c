"""The laws of engines, on each of them: who merges changes nothing."""

import pickle
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import samara
from samara import DeepELMRegressor, ELMClassifier, ELMRegressor, KernelELMRegressor, TreeELMRegressor
from samara.engines import Threads
from samara.solvers import Tiles
from tests.oracles import relative_gap
from tests.problems import make_problem
from tests.raw_tables import mixed_table

WHOLE = Threads(workers=1, block_rows=10_000)


def _gap(one, other):
    return max(
        relative_gap(one.model_.coef, other.model_.coef),
        relative_gap(one.model_.intercept, other.model_.intercept),
    )


@pytest.mark.parametrize("solver", ["gram", "qr", "dual", "svd", "rsvd", "lsqr", "precondition", "submodels"])
def test_every_engine_gives_the_same_coefficients(crew, solver):
    """Every kind of summary travels."""
    problem = make_problem(3, 700, 4, 2, weighted=True)
    model = ELMRegressor(8, alpha=5.0, solver=solver, random_state=0)  # few steps of those that iterate
    whole = problem.fit(clone(model).set_params(engine=WHOLE))
    assert _gap(problem.fit(clone(model).set_params(engine=crew.given)), whole) < 1e-9


@pytest.mark.parametrize(("workers", "block_rows"), [(1, 37), (2, 500)])
def test_cutting_keeps_coefficients(crew, workers, block_rows):
    """Any number of parts, an odd one among them, and any block."""
    problem = make_problem(5, 1900, 3, 1, weighted=False)
    engine = crew.engine(3 * workers, block_rows)
    model = ELMRegressor(15, random_state=0)
    whole = problem.fit(clone(model).set_params(engine=WHOLE))
    cut = problem.fit(model.set_params(engine=engine))
    assert cut.alpha_ == whole.alpha_
    assert _gap(cut, whole) < 1e-9


@pytest.mark.parametrize("selection", ["kfold", "loo", "gcv"])
def test_the_same_choice_is_made(crew, selection):
    """Scores, ridge and size do not depend on who merges."""
    problem = make_problem(7, 900, 4, 2, weighted=True)
    model = ELMRegressor([5, 14], selection=selection, alpha=[0.1, 1.0, 10.0], random_state=0)
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    there = problem.fit(model.set_params(engine=crew.given))
    np.testing.assert_allclose(there.selection_.target_scores, here.selection_.target_scores, rtol=1e-9)
    assert (there.alpha_, there.n_hidden_) == (here.alpha_, here.n_hidden_)


def test_a_rerun_gives_the_same_bits(crew):
    """Parts are merged in their order, whoever is done first."""
    problem = make_problem(8, 3000, 4, 1, weighted=False)
    model = ELMRegressor(40, hidden="rbf", engine=crew.engine(3), random_state=0)
    first, second = (problem.fit(clone(model)).model_ for _ in range(2))
    assert first.coef.tobytes() == second.coef.tobytes()
    assert first.intercept.tobytes() == second.intercept.tobytes()


def test_a_weight_of_two_is_a_row_twice_and_of_zero_none(crew):
    """In whichever part the rows are."""
    problem = make_problem(9, 800, 3, 1, weighted=False)
    weight = np.random.default_rng(0).integers(0, 3, 800)
    twice = problem.rows(np.repeat(np.arange(800), weight))
    scale = samara.ELMRegressor(5, alpha=1.0, random_state=0).fit(problem.X, problem.y).model_.maps[0]
    model = ELMRegressor(20, alpha=1.0, scale=scale, engine=crew.given, random_state=0)
    weighed = clone(model).fit(problem.X, problem.y, sample_weight=weight)
    np.testing.assert_allclose(weighed.predict(problem.X), twice.fit(model).predict(problem.X), rtol=1e-8)


def test_classes(crew):
    """Labels of any kind, weighed by class; one of the parts has one class alone."""
    problem = make_problem(10, 900, 3, 1, weighted=False)
    order = np.argsort(problem.y)
    X, labels = problem.X[order], np.array(["low", "middle", "top"])[np.arange(900) // 300]
    model = ELMClassifier(30, class_weight="balanced", random_state=0)
    here = clone(model).set_params(engine=WHOLE).fit(X, labels)
    there = model.set_params(engine=crew.given).fit(X, labels)
    assert _gap(there, here) < 1e-9
    assert (there.predict(X) == here.predict(X)).all()


def test_sparse_rows_and_single_precision(crew):
    """CSR parts travel as CSR; what is pending in float32 is carried over first."""
    problem = make_problem(11, 900, 5, 1, weighted=False)
    X = sp.csr_matrix(np.where(np.abs(problem.X) > 1.5, problem.X, 0.0))
    model = ELMRegressor(12, alpha=1.0, random_state=0)
    here = clone(model).set_params(engine=WHOLE).fit(X, problem.y)
    assert _gap(clone(model).set_params(engine=crew.given).fit(X, problem.y), here) < 1e-9
    single = model.set_params(dtype="float32", engine=Threads(2)).fit(problem.X, problem.y).coef_
    there = model.set_params(engine=crew.given).fit(problem.X, problem.y).coef_
    assert single.tobytes() == there.tobytes()


def test_tiles_stay_where_they_were_made(crew):
    """The steps of conjugate gradients go over summaries that are held."""
    problem = make_problem(3, 700, 4, 2, weighted=True)
    model = ELMRegressor(20, alpha=0.5, solver=Tiles(nodes=8, tol=1e-13), random_state=0)
    whole = problem.fit(clone(model).set_params(solver="gram", engine=WHOLE))
    assert _gap(problem.fit(clone(model).set_params(engine=crew.given)), whole) < 1e-8


@pytest.mark.parametrize("solver", ["ssvd", "pcg"])
def test_products_with_a_kernel_matrix(crew, solver):
    """Tiles of it, worked out by whoever multiplies."""
    problem = make_problem(12, 300, 3, 1, weighted=False)
    model = KernelELMRegressor(solver=solver, rank=40, alpha=1.0, random_state=0)
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    assert _gap(problem.fit(model.set_params(engine=crew.given)), here) < 1e-9


def test_layers_on_top_of_each_other(crew):
    """Each is a pass over rows that the layers below have mapped."""
    problem = make_problem(4, 600, 4, 1, weighted=False)
    model = DeepELMRegressor((6,), n_hidden=10, alpha=1.0, layer_alpha=1.0, random_state=0)
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    assert _gap(problem.fit(model.set_params(engine=crew.given)), here) < 1e-8


def test_leaves_of_trees_as_nodes(crew):
    """Grown here on rows that come from there; what leaves count is added up there."""
    problem = make_problem(4, 600, 4, 1, weighted=True)
    model = TreeELMRegressor(6, leaves=8, alpha=1.0, random_state=0)
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    assert _gap(problem.fit(model.set_params(engine=crew.given)), here) < 1e-8


def test_an_empty_part_and_a_slow_worker(crew, tmp_path):
    """A file of which no row is left, and rows that take longer than others: the bits are the same."""

    class Squares:  # of this function, so that it travels by value
        n_out = 2

        def __init__(self, pause):
            self.pause = pause

        def __call__(self, X, out=None):
            time.sleep(self.pause if X[0, 0] > 0 else 0)
            return np.multiply(X[:, :2], X[:, :2], out=out)

    rng = np.random.default_rng(0)
    for name, kind in (("a", 1), ("b", 0), ("c", 1)):
        X = rng.normal(size=(300, 3))
        columns = {"x": X[:, 0], "z": X[:, 1], "kind": np.full(300, kind), "y": X[:, 2]}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet", row_group_size=100)
    rows = samara.scan(tmp_path / "*.parquet", target="y", where="kind > 0")
    first, second = (
        ELMRegressor(hidden=Squares(pause), alpha=1.0, engine=crew.engine(3, 64)).fit(rows).model_
        for pause in (0, 0.02)
    )
    assert first.coef.tobytes() == second.coef.tobytes()
    here = samara.scan([tmp_path / "a.parquet", tmp_path / "c.parquet"], target="y")
    whole = ELMRegressor(hidden=Squares(0), alpha=1.0, engine=WHOLE).fit(here)
    np.testing.assert_allclose(first.coef, whole.model_.coef, rtol=1e-9)


def test_predictions_are_written_where_they_are_made(crew, folder, tmp_path):
    """Part by part, in the order of the rows."""
    rows = samara.scan(folder / "*.parquet", target="y", weight="w")
    model = ELMRegressor(15, alpha=1.0, random_state=0).fit(rows)
    here = model.predict(rows)
    written = model.set_params(engine=crew.given).predict_to(rows, tmp_path / "predicted")
    table = pq.read_table(tmp_path / "predicted")
    assert written.rows == len(here)
    np.testing.assert_allclose(table["predicted"].to_numpy(), here, rtol=1e-12)


def test_nystroem(crew):
    """The kernel model that goes through the rows in passes."""
    problem = make_problem(12, 900, 3, 1, weighted=False)
    model = KernelELMRegressor(solver="nystroem", rank=40, random_state=0)
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    assert _gap(problem.fit(model.set_params(engine=crew.given)), here) < 1e-9


def test_a_frame_with_texts_and_gaps(crew):
    """The look at the columns is a pass like any other."""
    frame = mixed_table(1500).to_pandas()
    y, X = frame.pop("y"), frame.drop(columns=["w"])
    model = ELMRegressor(15, alpha=1.0, random_state=0)
    here = clone(model).set_params(engine=WHOLE).fit(X, y)
    there = model.set_params(engine=crew.given).fit(X, y)
    assert _gap(there, here) < 1e-9
    np.testing.assert_allclose(there.predict(X), here.predict(X), rtol=1e-9)


@pytest.fixture
def folder(tmp_path):
    """Three files of several row groups, the rows of which are weighed; and a text table."""
    for number in range(3):
        pq.write_table(mixed_table(700, number), tmp_path / f"{number}.parquet", row_group_size=150)
    return tmp_path


@pytest.mark.parametrize("where", [None, "rooms > 0"])
def test_a_scan_is_opened_on_the_workers(crew, folder, where):
    """Row groups as parts, also those whose rows nobody has counted."""
    rows = samara.scan(folder / "*.parquet", target="y", weight="w", where=where)
    model = ELMRegressor(15, random_state=0)
    here = clone(model).set_params(engine=WHOLE).fit(rows)
    there = model.set_params(engine=crew.given).fit(rows)
    assert there.alpha_ == pytest.approx(here.alpha_, rel=1e-9)
    assert _gap(there, here) < 1e-9


@pytest.mark.parametrize("where", [None, "rooms > 0"])
def test_predictions_and_scores_of_a_scan_come_in_order(crew, folder, where):
    """The rows of weight 0 too, which no fit sees."""
    rows = samara.scan(folder / "*.parquet", target="y", weight="w", where=where)
    model = ELMRegressor(15, alpha=1.0, random_state=0).fit(rows)
    here, score = model.predict(rows), model.score(rows)
    model.set_params(engine=crew.given)
    np.testing.assert_allclose(model.predict(rows), here, rtol=1e-12)
    np.testing.assert_allclose(np.concatenate(list(model.predict_batches(rows))), here, rtol=1e-12)
    assert model.score(rows) == pytest.approx(score, rel=1e-12)


@pytest.mark.parametrize("crew", ["dask", "spark"], indirect=True)
def test_a_long_scan_is_predicted_some_files_at_a_time(crew, folder, monkeypatch):
    """No row is lost or moved between two passes."""
    monkeypatch.setattr("samara.estimators.cluster.ROWS_HOME", 400)
    rows = samara.scan(folder / "*.parquet", target="y", weight="w")
    model = ELMRegressor(15, alpha=1.0, random_state=0).fit(rows)
    here = model.predict(rows)
    batches = list(model.set_params(engine=crew.given).predict_batches(rows))
    assert [len(batch) for batch in batches] == [450, 400, 450, 400, 400]
    np.testing.assert_allclose(np.concatenate(batches), here, rtol=1e-12)


def test_classes_of_a_scan(crew, tmp_path):
    """Texts as classes, found on the workers; probabilities and scores too."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 3))
    kind = np.where(X[:, 0] > 0, "yes", "no")
    pq.write_table(
        pa.table({"a": X[:, 0], "b": X[:, 1], "kind": kind}), tmp_path / "t.parquet", row_group_size=99
    )
    rows = samara.scan(tmp_path / "t.parquet", target="kind")
    here = ELMClassifier(12, alpha=1.0, class_weight="balanced", random_state=0).fit(rows)
    there = clone(here).set_params(engine=crew.given).fit(rows)
    assert _gap(there, here) < 1e-9
    assert there.score(rows) == here.score(rows)
    assert (there.predict(rows) == here.predict(rows)).all()
    np.testing.assert_allclose(there.predict_proba(rows), here.predict_proba(rows), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("crew", ["dask", "spark"], indirect=True)
def test_a_fitted_model_is_free_of_the_cluster(crew, tmp_path):
    """It is copied, pickled and saved, and learns on, as any other."""
    problem = make_problem(13, 800, 3, 1, weighted=False)
    model = problem.fit(ELMRegressor(10, alpha=1.0, engine=crew.given, random_state=0))
    assert clone(model).engine is crew.given
    expected = model.predict(problem.X)
    copied = pickle.loads(pickle.dumps(model))
    assert copied.engine == crew.address
    np.testing.assert_array_equal(copied.predict(problem.X), expected)
    model.save(tmp_path / "m.samara")
    loaded = samara.load(tmp_path / "m.samara")
    assert loaded.engine is None
    np.testing.assert_array_equal(loaded.predict(problem.X), expected)
    here = problem.fit(ELMRegressor(10, alpha=1.0, engine=Threads(2), random_state=0))
    for one in (model, here):
        one.partial_fit(problem.X[:50], problem.y[:50])
    np.testing.assert_allclose(model.predict(problem.X), here.predict(problem.X), rtol=1e-9)
