"""Predictions that can't be written, or not to the end: what was there stays, and nothing is left behind."""

import os
import signal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samara
from samara import ELMClassifier, ELMRegressor
from samara.engines import DaskEngine, Threads
from samara.errors import InputError, NonFiniteError, StoreError


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A table of several row groups."""
    path = tmp_path_factory.mktemp("rows") / "t.parquet"
    X = np.random.default_rng(0).normal(size=(4000, 2))
    pq.write_table(pa.table({"u": X[:, 0], "v": X[:, 1], "y": X.sum(axis=1)}), path, row_group_size=300)
    return samara.scan(path, target="y")


@pytest.fixture(scope="module")
def fitted(rows):
    return ELMRegressor(10, alpha=1.0, random_state=0).fit(rows)


@pytest.fixture
def model(fitted):
    yield fitted.set_params(engine=Threads(2))
    fitted.set_params(engine=None)


def test_a_worker_that_dies_leaves_no_doubles(cluster, model, rows, tmp_path):
    """Killed when the first part is done: its file may be there twice, and is in the table once."""
    cluster.wait_for_workers(2, timeout=30)
    victims = list(cluster.run(os.getpid).values())[:1]

    def kill(name, done, total):
        if victims:
            os.kill(victims.pop(), signal.SIGKILL)

    expected = model.predict(rows)
    model.set_params(engine=DaskEngine(cluster, workers=4, progress=kill))
    done = model.predict_to(rows, tmp_path / "out")
    assert not victims
    assert (done.rows, done.parts) == (4000, 8)
    files = sorted(os.listdir(tmp_path / "out"))
    assert files == [f"part-{k:05d}.parquet" for k in range(8)]
    found = np.concatenate([pq.read_table(tmp_path / "out" / file)["predicted"] for file in files])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert os.listdir(tmp_path) == ["out"]
    cluster.wait_for_workers(2, timeout=30)


@pytest.mark.parametrize("on_cluster", [False, True])
def test_a_run_that_fails_leaves_what_was_there(request, model, rows, tmp_path, on_cluster):
    """A folder is replaced when all is written, and not before; a later run replaces it."""
    done = model.predict_to(rows, tmp_path / "out")
    before = {file: (tmp_path / "out" / file).read_bytes() for file in os.listdir(tmp_path / "out")}
    X = np.zeros((2000, 2))
    X[1900] = np.inf
    pq.write_table(pa.table({"u": X[:, 0], "v": X[:, 1]}), tmp_path / "bad.parquet", row_group_size=500)
    if on_cluster:
        model.set_params(engine=request.getfixturevalue("cluster"))
    with pytest.raises(InputError, match=r"Column 'u' holds infinity \(.*bad.parquet"):
        model.predict_to(samara.scan(tmp_path / "bad.parquet"), tmp_path / "out")
    assert {file: (tmp_path / "out" / file).read_bytes() for file in before} == before
    assert sorted(os.listdir(tmp_path)) == ["bad.parquet", "out"]
    few = samara.scan(rows.files[0].path, target="y", where="u > 1")
    assert model.predict_to(few, tmp_path / "out").rows < done.rows
    assert sum(pq.read_metadata(file).num_rows for file in (tmp_path / "out").iterdir()) < done.rows


def test_a_folder_of_something_else(model, rows, tmp_path):
    """Nothing is written over, nor beside."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "diary.txt").write_text("dear diary")
    with pytest.raises(
        StoreError, match=r"notes holds 'diary.txt', which is no part of a table: name another"
    ):
        model.predict_to(rows, tmp_path / "notes")
    (tmp_path / "name").write_text("a file")
    with pytest.raises(StoreError, match="name is a file: name a folder, or give the file a suffix"):
        model.predict_to(rows, tmp_path / "name")
    with pytest.raises(StoreError, match=r"can't be written: there is no folder .*nowhere"):
        model.predict_to(rows, tmp_path / "nowhere" / "out")
    with pytest.raises(InputError, match=r"A table is written as .arrow, .*got .*out.txt"):
        model.predict_to(rows, tmp_path / "out.txt")


def test_what_cannot_be_predicted(model, rows, tmp_path):
    """No rows, rows in memory, probabilities of numbers, a NaN for a model that knows no gaps."""
    with pytest.raises(StoreError, match="out is not written: there were no rows"):
        model.predict_to(samara.scan(rows.files[0].path, target="y", where="u > 99"), tmp_path / "out")
    with pytest.raises(
        InputError, match=r"predict_to takes what samara.scan gives, got ndarray: predict gives"
    ):
        model.predict_to(np.zeros((3, 2)), tmp_path / "out")
    with pytest.raises(InputError, match="proba is for classes; ELMRegressor predicts numbers"):
        model.predict_to(rows, tmp_path / "out", proba=True)
    with pytest.raises(InputError, match=r"Intervals are written into one file, such as .*out'"):
        model.predict_to(rows, tmp_path / "out", interval=0.9)
    with pytest.raises(InputError, match=r"coverage must be a number between 0 and 1, .*got 90"):
        model.predict_to(rows, tmp_path / "out.csv", interval=90)
    sorter = ELMClassifier(5, alpha=1.0).fit(np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2)
    with pytest.raises(InputError, match="interval is for numbers; ELMClassifier predicts classes"):
        sorter.predict_to(rows, tmp_path / "out.csv", interval=0.9)
    X = np.zeros((1000, 2))
    X[700, 1] = np.nan
    pq.write_table(pa.table({"u": X[:, 0], "v": X[:, 1]}), tmp_path / "gap.parquet")
    plain = ELMRegressor(5, alpha=1.0).fit(np.random.default_rng(0).normal(size=(50, 2)), np.arange(50.0))
    with pytest.raises(NonFiniteError, match=r"Input X contains NaN \(column 1 \('v'\), row 700\)"):
        plain.predict_to(samara.scan(tmp_path / "gap.parquet"), tmp_path / "out")
    assert os.listdir(tmp_path) == ["gap.parquet"]
