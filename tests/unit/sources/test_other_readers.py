"""Arrays, LIBSVM text and queries as tables."""

import pickle

import duckdb
import h5py
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import zarr
from scipy import sparse

import samara
from samara.errors import InputError, StoreError
from samara.schema import names_of
from tests.raw_tables import expected, mixed_table, read, same_bits

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 4))
X[5, 2] = np.nan
Y = RNG.standard_normal(90)
W = RNG.random(90)
TABLE = mixed_table(90)
INPUTS = ["size", "rooms", "sold", "day", "at", "town"]


def write_hdf5(path):
    with h5py.File(path, "w") as file:
        file["X"], file["group/y"], file["w"] = X, Y, W


def write_zarr(path):
    group = zarr.open_group(str(path), mode="w")
    for name, array in (("X", X), ("group/y", Y), ("w", W)):
        group.create_array(name, data=array, chunks=(20, *array.shape[1:]))


CONTAINERS = {
    "t.npz": lambda path: np.savez(path, **{"X": X, "group/y": Y, "w": W}),
    "packed.npz": lambda path: np.savez_compressed(path, **{"X": X, "group/y": Y, "w": W}),
    "t.h5": write_hdf5,
    "t.zarr": write_zarr,
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_of_arrays(tmp_path, name):
    CONTAINERS[name](tmp_path / name)
    scan = samara.scan(tmp_path / name, target="group/y", weight="w")
    assert names_of(scan.schema) == ["X0", "X1", "X2", "X3"]
    assert scan.n_rows == 90
    found, y, weight = read(pickle.loads(pickle.dumps(scan)))
    assert same_bits(found, X)
    assert same_bits(y, Y[:, None])
    assert same_bits(weight, W)
    some = samara.scan(tmp_path / name, columns=["w", "X3", "X0"], target="X1")
    assert same_bits(read(some)[0], np.column_stack([W, X[:, 3], X[:, 0]]))
    assert samara.scan(tmp_path / name, columns=["X"]).head(2).num_columns == 4
    with pytest.raises(InputError, match="Unknown column or array 'Z'"):
        samara.scan(tmp_path / name, columns=["Z"])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, ">f8", np.int16])
def test_a_matrix_keeps_its_precision(tmp_path, order, dtype):
    made = np.asarray(np.nan_to_num(X) * 10, dtype, order=order)
    np.save(tmp_path / "x.npy", made)
    np.save(tmp_path / "y.npy", Y)
    scan = samara.scan(tmp_path / "x.npy", target="y.npy")
    found, y, _ = read(scan)
    assert same_bits(found, made.astype(np.float32 if dtype == np.float32 else np.float64, order="C"))
    assert same_bits(y, Y[:, None])
    assert names_of(samara.scan(tmp_path / "x.npy", target="x2").schema) == ["x0", "x1", "x3"]


def test_bad_matrices(tmp_path):
    np.save(tmp_path / "o.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(InputError, match=r"o\.npy holds Python objects .*store numbers"):
        samara.scan(tmp_path / "o.npy")
    np.savez(tmp_path / "o.npz", a=np.array([{}], object))
    with pytest.raises(InputError, match=r"o\.npz holds Python objects"):
        samara.scan(tmp_path / "o.npz")
    np.savez(tmp_path / "t.npz", a=X, b=Y[:10], c=np.array(["x"]))
    with pytest.raises(InputError, match=r"array 'c' .* leave it out with columns="):
        samara.scan(tmp_path / "t.npz")
    with pytest.raises(InputError, match=r"differ in their rows \(a: 90, b: 10\)"):
        samara.scan(tmp_path / "t.npz", columns=["a", "b"])
    with pytest.raises(InputError, match="where works for tables"):
        samara.scan(tmp_path / "t.npz", columns=["a"], where="a > 0")
    np.save(tmp_path / "x.npy", X)
    whole = (tmp_path / "x.npy").read_bytes()
    for length in (3, 60, 200, len(whole) - 1):
        (tmp_path / "x.npy").write_bytes(whole[:length])
        with pytest.raises(StoreError, match=r"x\.npy can't be read"):
            samara.scan(tmp_path / "x.npy")
    np.save(tmp_path / "x.npy", np.where(np.isnan(X), np.inf, X))
    with pytest.raises(InputError, match=r"Column 'x2' holds infinity \(.*x\.npy, row 5\)"):
        read(samara.scan(tmp_path / "x.npy"))


def libsvm(path, matrix, labels, extra=""):
    lines = [
        f"{label:+d} "
        + " ".join(f"{j + 1}:{v!r}" for j, v in zip(row.indices, row.data.tolist(), strict=True))
        + extra
        for label, row in zip(labels, matrix, strict=True)
    ]
    path.write_text("# made by hand\n\n" + "\n".join(lines))


@pytest.mark.parametrize("extra", ["", "  # note: 3", " \r"])
def test_libsvm_text(tmp_path, extra, monkeypatch):
    monkeypatch.setattr("samara.sources.libsvm._PIECE", 1000)
    monkeypatch.setattr("samara.sources.libsvm._BLOCK", 300)
    S = sparse.random(90, 12, 0.3, format="csr", random_state=0)
    labels = RNG.integers(-1, 2, 90)
    libsvm(tmp_path / "t.svm", S, labels, extra)
    scan = samara.scan(tmp_path / "t.svm")
    assert len(scan.pieces) > 3
    assert (scan.n_rows, scan.n_features, scan.is_sparse) == (90, 12, True)
    chunks = [chunk for piece in pickle.loads(pickle.dumps(scan)).pieces for chunk in piece.chunks(7)]
    assert same_bits(sparse.vstack([chunk.X for chunk in chunks]).toarray(), S.toarray())
    np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in chunks])[:, 0], labels)
    wider = samara.scan(tmp_path / "t.svm", n_features=20)
    assert (wider.n_rows, wider.n_features) == (None, 20)
    assert next(wider.pieces[0].chunks(2)).X.shape == (2, 20)
    assert scan.head(2).column_names == ["label", "entries"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2:3 4\n", "'4' where a label or index:value was expected"),
        ("1 2 3:4:5\n", "'2' where a label or index:value was expected"),
        ("1:2 3:4\n", "'1:2' where a label or index:value was expected"),
        ("1 a:4\n", "is no LIBSVM text"),
        ("1,2 3:4\n", "is no LIBSVM text"),
        ("1 0:4\n", "zero_based=True"),
        ("1 1.5:4\n", "no whole number"),
        ("1 1:inf\n", "infinity"),
        ("1 2:1 2:3\n", "has an index twice"),
    ],
)
def test_bad_libsvm_text(tmp_path, text, message):
    (tmp_path / "t.svm").write_text("1 1:2\n" + text)
    with pytest.raises(InputError, match=message):
        list(samara.scan(tmp_path / "t.svm").pieces[0].chunks(10))


def test_libsvm_text_of_comments_alone(tmp_path):
    (tmp_path / "t.svm").write_text("# nothing yet\n   \n")
    assert samara.scan(tmp_path / "t.svm").n_rows == 0


def test_bad_requests_of_libsvm_text(tmp_path):
    (tmp_path / "t.svm").write_text("1 1:2 7:3\n")
    with pytest.raises(InputError, match="has the index 7, but n_features=3"):
        list(samara.scan(tmp_path / "t.svm", n_features=3).pieces[0].chunks(10))
    with pytest.raises(InputError, match="neither named columns nor weights"):
        samara.scan(tmp_path / "t.svm", where="a > 0")
    with pytest.raises(InputError, match="is called 'label', got 'y'"):
        samara.scan(tmp_path / "t.svm", target="y")
    with pytest.raises(InputError, match="n_features must be a whole number from 1 on, got 0"):
        samara.scan(tmp_path / "t.svm", n_features=0)


def queries(folder):
    pq.write_table(TABLE, folder / "t.parquet", row_group_size=40)
    with duckdb.connect(str(folder / "t.duckdb")) as database:
        database.register("given", TABLE)
        database.execute("create table kept as select * from given")
    memory = duckdb.connect()
    memory.register("given", TABLE)
    return {
        "duckdb file": (str(folder / "t.duckdb"), {"query": "select * from kept"}),
        "relation": (memory.sql("select * from given"), {}),
        "lazy frame": (pl.from_arrow(TABLE).lazy(), {}),
        "lazy file": (pl.scan_parquet(folder / "t.parquet"), {}),
        "table": (ds.dataset(TABLE), {}),
        "data set": (ds.dataset(folder / "t.parquet"), {}),
        "filtered data set": (ds.dataset(folder / "t.parquet").filter(ds.field("y") < 99), {}),
    }


@pytest.mark.parametrize(
    "name", ["duckdb file", "relation", "lazy frame", "lazy file", "table", "data set", "filtered data set"]
)
def test_queries_run_in_every_pass(tmp_path, name):
    given, options = queries(tmp_path)[name]
    scan = samara.scan(given, target="y", weight="w", **options)
    assert (scan.n_rows, names_of(scan.schema)) == (90, INPUTS)
    for _ in range(2):
        found, y, weight = read(scan)
        assert same_bits(found, expected(TABLE, INPUTS))
        assert same_bits(y, expected(TABLE, ["y"]))
        assert same_bits(weight, expected(TABLE, ["w"])[:, 0])
    (piece,) = samara.scan(given, target="y", where="rooms > 0", **options).pieces[:1]
    assert all((chunk.X[:, 1] > 0).all() for chunk in piece.chunks(10))
    assert scan.held_bytes > 0
    assert all(isinstance(text, str) for text in scan.fingerprint().values())


def test_folders_named_by_fractions(tmp_path):
    half = ds.partitioning(pa.schema([("half", pa.float64())]), flavor="hive")
    table = pa.table({"half": np.repeat([0.5, 1.5], 30), "y": np.arange(60.0)})
    ds.write_dataset(table, tmp_path, format="parquet", partitioning=half)
    found, y, _ = read(samara.scan(ds.dataset(tmp_path, partitioning=half), target="y"))
    assert np.array_equal(found[:, 0], np.where(y[:, 0] < 30, 0.5, 1.5))


def test_a_reader_of_batches_is_read_once():
    scan = samara.scan(pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(20)), target="y")
    assert scan.n_rows is None
    assert read(scan)[0].shape == (90, 7)
    with pytest.raises(InputError, match="only once, and this is the second pass"):
        read(scan)
    with pytest.raises(TypeError, match="can't be sent to another process"):
        pickle.dumps(scan)


def test_a_reader_of_batches_is_too_little_for_a_fit():
    """Said before a row is read, so that the rows are still there."""
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(20))
    scan = samara.scan(reader, target="y")
    for learn in (samara.ELMRegressor(5).fit, samara.ELMRegressor(5).partial_fit):
        with pytest.raises(
            InputError, match="can be read only once, and a fit reads the rows at least twice"
        ):
            learn(scan)
    assert read(scan)[0].shape == (90, 7)


def test_bad_queries(tmp_path):
    path, _ = queries(tmp_path)["duckdb file"]
    with pytest.raises(InputError, match=r"is a database: say which rows with query="):
        samara.scan(path)
    for query in ("selct", "select * from nope", "create table a (b int)"):
        with pytest.raises(InputError, match="query="):
            samara.scan(path, query=query)
    with pytest.raises(InputError, match="lazy frame can't be run"):
        samara.scan(pl.LazyFrame({"a": [1]}).select("b"))
    with pytest.raises(InputError, match="A frame in memory needs no scan"):
        samara.scan(TABLE)
    with pytest.raises(InputError, match="option 'query'"):
        samara.scan(pl.LazyFrame({"a": [1]}), query="select 1")


def test_what_fails_while_it_is_read_says_where(tmp_path):
    CONTAINERS["t.h5"](tmp_path / "t.h5")
    scan = samara.scan(tmp_path / "t.h5", columns=["X"])
    (tmp_path / "t.h5").write_bytes(b"gone")
    with pytest.raises(StoreError, match=r"t\.h5, rows 0 to 89 can't be read"):
        read(scan)
    pq.write_table(TABLE, tmp_path / "t.parquet")
    lazy = samara.scan(pl.scan_parquet(tmp_path / "t.parquet"))
    (tmp_path / "t.parquet").unlink()
    with pytest.raises(StoreError, match="the lazy frame can't be read"):
        read(lazy)
    relation = samara.scan(duckdb.sql("select error('stop here') as a from range(3)").project("a, 1 as b"))
    with pytest.raises(StoreError, match=r"the DuckDB relation can't be read: .*stop here"):
        read(relation)
