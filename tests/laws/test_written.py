"""predict_to: whoever writes, the table is that of the predictions, in their order."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import samara
from samara import ELMClassifier, ELMRegressor, KernelELMRegressor
from samara.engines import DaskEngine, Threads
from tests.raw_tables import mixed_table

ENGINES = ["threads", "cluster"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three files of several row groups, some rows of weight 0."""
    made = tmp_path_factory.mktemp("written")
    for number in range(3):
        pq.write_table(mixed_table(700, number), made / f"{number}.parquet", row_group_size=150)
    return made


@pytest.fixture(params=ENGINES)
def engine(request):
    """Three threads, or two worker processes."""
    return Threads(3) if request.param == "threads" else DaskEngine(request.getfixturevalue("cluster"))


def written(path):
    """The columns of a folder, its files in their order."""
    files = sorted(path.iterdir())
    assert [file.name for file in files] == [f"part-{k:05d}.parquet" for k in range(len(files))]
    return pa.concat_tables([pq.read_table(file) for file in files]), len(files)


@pytest.mark.parametrize("where", [None, "rooms > 0"])
def test_a_folder_holds_the_predictions_in_order(engine, folder, tmp_path, where):
    """Rows of weight 0 too; parts of files whose rows nobody has counted as well."""
    rows = samara.scan(folder / "*.parquet", target="y", weight="w", where=where)
    model = ELMRegressor(15, alpha=1.0, random_state=0).fit(rows)
    expected = model.predict(rows)
    done = model.set_params(engine=engine).predict_to(rows, tmp_path / "out")
    table, parts = written(tmp_path / "out")
    assert (done.rows, done.columns, done.parts) == (len(expected), ("predicted",), parts)
    assert parts > 1
    np.testing.assert_allclose(table["predicted"].to_numpy(), expected, rtol=1e-12)
    again = samara.scan(tmp_path / "out", columns=["predicted"])
    assert again.n_rows == len(expected)


def test_several_targets_and_small_groups_of_rows(tmp_path, monkeypatch):
    """Written as soon as some have come together; named by their targets."""
    monkeypatch.setattr("samara.estimators.written.CELLS", 64)
    X = np.random.default_rng(0).normal(size=(1000, 2))
    table = pa.table({"u": X[:, 0], "v": X[:, 1], "sum": X.sum(axis=1), "product": X.prod(axis=1)})
    pq.write_table(table, tmp_path / "t.parquet")
    rows = samara.scan(tmp_path / "t.parquet", target=["sum", "product"])
    model = ELMRegressor(10, alpha=1.0, engine=Threads(2, block_rows=100), random_state=0).fit(rows)
    done = model.predict_to(rows, tmp_path / "out")
    assert done.columns == ("predicted sum", "predicted product")
    found, parts = written(tmp_path / "out")
    assert parts == 2
    assert pq.ParquetFile(tmp_path / "out" / "part-00000.parquet").num_row_groups == 5
    np.testing.assert_allclose(np.column_stack(found.columns), model.predict(rows), rtol=1e-12)


@pytest.mark.parametrize("proba", [False, True])
def test_classes(engine, tmp_path, proba):
    """Labels as they are, or a column of probabilities for each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 2))
    kind = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.4, 0.4])]
    table = pa.table({"u": X[:, 0], "v": X[:, 1], "kind": kind})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=99)
    rows = samara.scan(tmp_path / "t.parquet", target="kind")
    model = ELMClassifier(12, alpha=1.0, random_state=0).fit(rows)
    expected = model.predict_proba(rows) if proba else model.predict(rows)
    model.set_params(engine=engine).predict_to(rows, tmp_path / "out", proba=proba)
    table, _ = written(tmp_path / "out")
    if proba:
        assert table.column_names == ["probability of a", "probability of b", "probability of c"]
        np.testing.assert_allclose(np.column_stack(table.columns), expected, rtol=1e-9, atol=1e-12)
    else:
        assert table["predicted"].to_pylist() == expected.tolist()


def test_sparse_rows_and_models_of_arrays(tmp_path):
    """Without named columns."""
    rng = np.random.default_rng(0)
    X = sp.random(900, 6, 0.3, "csr", random_state=0)
    y = rng.normal(size=900)
    dump_svmlight_file(X, y, str(tmp_path / "t.libsvm"), zero_based=False)
    rows = samara.scan(tmp_path / "t.libsvm", n_features=6)
    model = ELMRegressor(8, alpha=1.0, engine=Threads(2), random_state=0).fit(X, y)
    model.predict_to(rows, tmp_path / "out")
    np.testing.assert_allclose(
        written(tmp_path / "out")[0]["predicted"].to_numpy(), model.predict(X), rtol=1e-9, atol=1e-12
    )


def test_a_kernel_model_and_one_file(engine, folder, tmp_path):
    """Into a file the rows are written here, whoever predicts them."""
    rows = samara.scan(folder / "*.parquet", target="y", weight="w")
    model = KernelELMRegressor(solver="nystroem", rank=20, alpha=1.0, random_state=0).fit(rows)
    expected = model.predict(rows)
    model.set_params(engine=engine)
    assert model.predict_to(rows, tmp_path / "one.parquet").parts == 1
    np.testing.assert_allclose(pq.read_table(tmp_path / "one.parquet")["predicted"], expected, rtol=1e-9)
    model.predict_to(rows, tmp_path / "several")
    np.testing.assert_allclose(written(tmp_path / "several")[0]["predicted"], expected, rtol=1e-9)


def test_dask_collections(cluster, tmp_path):
    """A part each partition."""
    da = pytest.importorskip("dask.array")
    X = np.random.default_rng(0).normal(size=(900, 3))
    y = X[:, 0] ** 2
    model = ELMRegressor(10, alpha=1.0, random_state=0, engine=cluster)
    there = da.from_array(X, chunks=(300, 3))
    model.fit(there, da.from_array(y, chunks=300))
    assert model.predict_to(there, tmp_path / "out").parts == 3
    np.testing.assert_allclose(written(tmp_path / "out")[0]["predicted"], model.predict(there), rtol=1e-9)
