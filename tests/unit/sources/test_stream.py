"""Streams of rows: which rows are cut out, and by how many readers they are read."""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import samara
from samara import ELMRegressor
from samara.estimators.sampled import sample_rows
from samara.estimators.tables import stream_of

ROWS = 1500


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two files of the same rows in each format; of the first file no row has a positive x."""
    made = tmp_path_factory.mktemp("stream")
    n = np.arange(float(ROWS))
    table = pa.table({"x": n - 499, "y": np.sin(n)})
    for name, rows in (("a", table[:500]), ("b", table[500:])):
        pyarrow.csv.write_csv(rows, made / f"{name}.csv")
        pq.write_table(rows, made / f"{name}.parquet", row_group_size=300)
    return made


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("where", [None, "x > 0 or x < -100"])
@pytest.mark.parametrize(("start", "stop"), [(0, 1), (0, 700), (450, 620), (700, 2000), (3000, 3001)])
def test_the_rows_cut_out_are_those_asked_for(folder, suffix, where, start, stop):
    x = np.arange(float(ROWS)) - 499
    kept = x if where is None else x[(x > 0) | (x < -100)]
    scan = samara.scan(folder / f"*.{suffix}", target="y", where=where)
    assert np.array_equal(stream_of(scan).cut(start, stop).X[:, 0], kept[start:stop])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_condition_may_leave_no_row_of_the_first_file(folder, suffix):
    scan = samara.scan(folder / f"*.{suffix}", target="y", where="x + 0 > 0")
    model = ELMRegressor(10, random_state=0).fit(scan)
    table = pq.read_table(folder / "b.parquet")
    x, y = table["x"].to_numpy()[:, None], table["y"].to_numpy()
    twin = ELMRegressor(10, random_state=0).fit(x, y)
    assert np.allclose(model.predict(scan), twin.predict(x), rtol=1e-6)
    assert len(sample_rows(scan, 200).y) == 200


def test_a_query_whose_rows_come_in_any_order_has_one_reader():
    memory = duckdb.connect()
    memory.execute("create table t as select i, i % 7 as k, sin(i) as y from range(20000) t(i)")
    scan = samara.scan(memory.sql("select i, sum(k) as k, sum(y) as y from t group by i"), target="y")
    assert scan.n_rows == 20_000
    assert len(stream_of(scan).parts(4)) == 1
    model = ELMRegressor(10, alpha=1.0, random_state=0).fit(scan)  # one connection takes one call at a time
    assert model.facts_.n_rows == 20_000
    assert (
        len(stream_of(samara.scan(memory.sql("select i, y from t"), target="y", where="i > 5")).parts(4)) == 1
    )
