"""Tables on disk: every format gives the same raw numbers, and the columns asked for."""

import gzip
import pickle

import fsspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import samara
from samara.errors import InputError
from samara.schema import Column, names_of, text_code
from samara.sources.frames import frame_rows
from tests.raw_tables import expected, mixed_table, read, same_bits

TABLE = mixed_table(200)
INPUTS = ["size", "rooms", "sold", "day", "at", "town"]


def write_ipc(path, batch_rows):
    with pa.ipc.new_file(path, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=batch_rows)


def write_gzip(path):
    pa.csv.write_csv(TABLE, f"{path}.plain")
    with open(f"{path}.plain", "rb") as plain, open(path, "wb") as packed:
        packed.write(gzip.compress(plain.read()))


def write_zstd(path):
    with pa.CompressedOutputStream(path, "zstd") as stream:
        pa.csv.write_csv(TABLE, stream)


WRITERS = {
    "one.parquet": lambda path: pq.write_table(TABLE, path),
    "groups.parquet": lambda path: pq.write_table(TABLE, path, row_group_size=33, write_page_checksum=True),
    "plain.parquet": lambda path: pq.write_table(TABLE, path, use_dictionary=False, compression="none"),
    "pandas.parquet": lambda path: TABLE.to_pandas().to_parquet(path, index=False),
    "polars.pq": lambda path: pl.from_arrow(TABLE).write_parquet(path),
    "packed.feather": lambda path: pa.feather.write_feather(TABLE, path, chunksize=41),
    "batches.arrow": lambda path: write_ipc(path, 29),
    "polars.ipc": lambda path: pl.from_arrow(TABLE).write_ipc(path),
    "plain.csv": lambda path: pa.csv.write_csv(TABLE, path),
    "tabs.tsv": lambda path: TABLE.to_pandas().to_csv(path, sep="\t", index=False),
    "packed.csv.gz": write_gzip,
    "packed.csv.zst": write_zstd,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_bits(tmp_path, name):
    path = str(tmp_path / name)
    WRITERS[name](path)
    scan = samara.scan(path, target="y", weight="w")
    assert names_of(scan.schema) == INPUTS
    assert [column.kind for column in scan.schema] == ["number", "number", "boolean", "date", "date", "text"]
    X, y, weight = read(pickle.loads(pickle.dumps(scan)))
    assert same_bits(X, expected(TABLE, INPUTS))
    assert same_bits(y, expected(TABLE, ["y"]))
    assert same_bits(weight, expected(TABLE, ["w"])[:, 0])
    assert scan.rows_guess == 200
    assert scan.n_rows in (200, None)
    assert (
        scan.head(3).select(["rooms", "town"]).to_pylist() == TABLE.select(["rooms", "town"])[:3].to_pylist()
    )


def test_frames_give_the_same_bits_as_files():
    inputs = TABLE.select(INPUTS)
    for frame in (
        inputs,
        inputs.to_pandas(),
        pl.from_arrow(inputs),
        inputs.to_pandas(types_mapper=pd.ArrowDtype),
    ):
        rows = frame_rows(frame)
        assert same_bits(rows.X, expected(TABLE, INPUTS))
        assert rows.X.flags.c_contiguous


@pytest.mark.parametrize("name", ["groups.parquet", "batches.arrow", "plain.csv"])
def test_labels_are_the_texts_of_each_chunk(tmp_path, name):
    WRITERS[name](str(tmp_path / name))
    scan = samara.scan(tmp_path / name, target="town")
    start = 0
    for piece in scan.pieces:
        for chunk in piece.chunks(20, labels=True):
            texts = TABLE["town"].slice(start, len(chunk.X)).drop_null().unique().to_pylist()
            assert chunk.labels == {"town": {text_code(text): text for text in texts}}
            start += len(chunk.X)
    assert start == 200


def test_columns_are_read_in_the_order_asked_for(tmp_path):
    WRITERS["groups.parquet"](tmp_path / "t.parquet")
    scan = samara.scan(tmp_path / "t.parquet", columns=["town", "size"], target=["w", "y"])
    X, y, weight = read(scan)
    assert same_bits(X, expected(TABLE, ["town", "size"]))
    assert same_bits(y, expected(TABLE, ["w", "y"]))
    assert weight is None
    assert (scan.n_features, scan.is_sparse) == (2, False)


@pytest.fixture
def folder(tmp_path):
    """A table in folders named by year and town, with files that are none of the table's."""
    for year, lo, hi in ((2020, 0, 80), (2021, 80, 200)):
        path = tmp_path / "table" / f"year={year}" / "place=a%20b"
        path.mkdir(parents=True)
        pq.write_table(TABLE[lo:hi], path / "part.parquet", row_group_size=50)
        (path / "_SUCCESS").touch()
        (path / ".part.crc").write_bytes(b"x")
    (tmp_path / "table" / "README.md").write_text("about")
    return tmp_path / "table"


def test_folders_become_columns(folder):
    scan = samara.scan(folder, target="y")
    assert scan.schema[-2:] == (Column("year", "number"), Column("place", "text"))
    X, _, _ = read(scan)
    np.testing.assert_array_equal(X[:, -2], [2020] * 80 + [2021] * 120)
    assert (X[:, -1] == text_code("a b")).all()
    assert scan.n_rows == 200
    only = samara.scan(f"{folder}/year=*/*/*.parquet", columns=["year"])
    np.testing.assert_array_equal(read(only)[0][:, 0], X[:, -2])
    listed = samara.scan([str(p) for p in sorted(folder.rglob("*.parquet"))], target="y")
    assert same_bits(read(listed)[0], X)


def test_conditions_leave_out_rows_and_row_groups(folder):
    scan = samara.scan(folder, target="y", where="year = 2021 and rooms > 0 and town is not null")
    assert [piece.name.split("year=")[1][:4] for piece in scan.pieces] == ["2021"] * 3
    assert scan.n_rows is None
    assert scan.rows_guess == 120
    rows = TABLE.slice(80).filter((pc.field("rooms") > 0) & pc.field("town").is_valid())
    X, y, _ = read(scan)
    assert same_bits(X[:, :6], expected(rows, INPUTS))
    assert same_bits(y, expected(rows, ["y"]))
    assert samara.scan(folder, where="year > 3000").pieces == ()


def test_a_nan_is_missing_to_conditions_whatever_the_statistics_say(tmp_path):
    table = pa.table({"a": [1.0, float("nan"), 3.0, 4.0], "b": [1, 2, 3, 4]})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    for where, rows in (("a is null", [2]), ("not (a < 2)", [3, 4]), ("a != 9", [1, 3, 4]), ("a > 3", [4])):
        assert read(samara.scan(tmp_path / "t.parquet", columns=["b"], where=where))[0][:, 0].tolist() == rows


def test_conditions_look_into_categories(tmp_path):
    table = pa.table({"c": pa.array(["a", "b", None, "a"]).dictionary_encode(), "n": [1, 2, 3, 4]})
    pq.write_table(table, tmp_path / "t.parquet")
    scan = samara.scan(tmp_path / "t.parquet", where="c in ['a']")
    np.testing.assert_array_equal(read(scan)[0], [[text_code("a"), 1], [text_code("a"), 4]])


def test_urls(folder):
    memory = fsspec.filesystem("memory")
    memory.put(str(folder), "/table", recursive=True)
    try:
        local, remote = samara.scan(folder, target="y"), samara.scan("memory://table", target="y")
        assert same_bits(read(local)[0], read(pickle.loads(pickle.dumps(remote)))[0])
        globbed = samara.scan("memory://table/year=2021/*/*.parquet", target="y")
        assert globbed.n_rows == 120
    finally:
        memory.rm("/table", recursive=True)


def test_files_may_differ_in_order_and_width_of_numbers(tmp_path):
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", None]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": ["y"], "a": [1.5]}), tmp_path / "2.parquet")
    pq.write_table(
        pa.table({"a": pa.nulls(1), "b": pa.array(["x"]).dictionary_encode()}), tmp_path / "3.parquet"
    )
    scan = samara.scan(tmp_path)
    assert [column.kind for column in scan.schema] == ["number", "text"]
    x, y = text_code("x"), text_code("y")
    np.testing.assert_array_equal(read(scan)[0], [[1, x], [2, np.nan], [1.5, y], [np.nan, x]])
    assert scan.head(4).num_rows == 4


def test_delimited_text_takes_what_later_lines_hold(tmp_path):
    lines = ["a,b,c"] + ["1,2020-01-01,"] * 100_000 + ["2.5,2020-01-01 12:00:00,7"]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    X, _, _ = read(samara.scan(tmp_path / "t.csv"), 10_000)
    np.testing.assert_array_equal(X[-1], [2.5, 18262.5, 7])
    np.testing.assert_array_equal(X[0], [1, 18262, np.nan])
    guess = samara.scan(tmp_path / "t.csv").rows_guess
    assert 80_000 < guess < 120_000


def test_delimited_text_with_its_options(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes('a;b;c\n1;"x\ny";\n2;"";NA\n3;é;5\n'.encode("latin-1"))
    scan = samara.scan(
        path, format="csv", delimiter=";", encoding="latin-1", kinds={"a": "text", "c": "number"}
    )
    X, _, _ = read(scan)
    codes = [[text_code(str(i + 1)), text_code(t)] for i, t in enumerate(["x\ny", "", "é"])]
    np.testing.assert_array_equal(X[:, :2], codes)
    np.testing.assert_array_equal(X[:, 2], [np.nan, np.nan, 5])


def test_a_scan_for_a_model_picks_by_name(tmp_path):
    WRITERS["groups.parquet"](tmp_path / "t.parquet")
    model = samara.scan(tmp_path / "t.parquet", columns=["town", "rooms"], target="y")
    other = samara.scan(tmp_path / "t.parquet", columns=["rooms", "town"], weight="w")
    found = other.for_model(model.schema)
    assert found.schema == model.schema
    assert same_bits(read(found)[0], read(model)[0])
    scored = samara.scan(tmp_path / "t.parquet", columns=["rooms", "town", "y"])
    assert same_bits(read(scored.for_model(model.schema, model.targets))[1], expected(TABLE, ["y"]))


def test_a_scan_refuses_another_models_columns(tmp_path):
    WRITERS["groups.parquet"](tmp_path / "t.parquet")
    schema = (Column("town", "text"), Column("room", "number"), Column("garden", "number"))
    scan = samara.scan(tmp_path / "t.parquet", columns=["town", "rooms"])
    with pytest.raises(
        InputError, match=r"lacks the columns 'room', 'garden' .* Near names: 'rooms' for 'room'"
    ):
        scan.for_model(schema)
    with pytest.raises(InputError, match=r"not fitted on 'rooms': leave it out"):
        scan.for_model(schema[:1])
    with pytest.raises(InputError, match=r"'rooms' holds numbers, not texts"):
        scan.for_model((schema[0], Column("rooms", "text")))
    with pytest.raises(InputError, match="lacks the target 'z'"):
        scan.for_model(scan.schema, (Column("z", "number"),))


def test_what_a_scan_says_of_itself(folder):
    scan = samara.scan(folder, target="y", weight="w", where="size > 0")
    assert repr(scan) == (
        "<Scan of 2 files: at most 200 rows; inputs: 3 number, 1 boolean, 2 date, 2 text; "
        "target: y (number); weight: w; where: size > 0>"
    )
    assert 0 < scan.bytes_per_row < 200
    assert scan.held_bytes > 0


def test_fingerprints_follow_the_files_not_their_folder(folder, tmp_path):
    scan = samara.scan(folder, target="y")
    before = scan.fingerprint()
    assert before["files"] == "year=2020/place=a%20b/part.parquet, year=2021/place=a%20b/part.parquet"
    assert all(isinstance(text, str) for text in before.values())
    assert samara.scan(folder, target="y").fingerprint() == before
    folder.rename(tmp_path / "moved")
    assert samara.scan(tmp_path / "moved", target="y").fingerprint() == before
    changed = {
        key
        for key, text in samara.scan(tmp_path / "moved", target="w", where="size > 0").fingerprint().items()
        if text != before[key]
    }
    assert changed == {"columns", "targets", "where", "rows"}
    pq.write_table(TABLE[:10], tmp_path / "moved" / "year=2020" / "place=a%20b" / "part.parquet")
    after = samara.scan(tmp_path / "moved", target="y").fingerprint()
    assert {key for key in after if after[key] != before[key]} == {"sizes", "changed", "rows"}


def test_folders_above_what_was_asked_for_are_no_columns(tmp_path):
    """``run=3`` says where the file lies; below the folder asked for it says what the rows are."""
    folder = tmp_path / "run=3" / "year=2020"
    folder.mkdir(parents=True)
    pq.write_table(TABLE[:10], folder / "t.parquet")
    assert not {"run", "year"} & set(names_of(samara.scan(folder / "t.parquet").schema))
    below = names_of(samara.scan(tmp_path / "run=3").schema)
    assert "year" in below
    assert "run" not in below
