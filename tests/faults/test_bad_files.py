"""Files that are damaged, missing or not what they say: refused by name, never read wrongly."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import samara
from samara.errors import InputError, StoreError
from samara.sources.writer import TableWriter
from tests.raw_tables import mixed_table, read, same_bits

TABLE = mixed_table(400, seed=1)


def read_all(path, **options):
    return read(samara.scan(path, **options), 100)[0]


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE, path, row_group_size=150, write_page_checksum=True, data_page_size=512)
    return path


def test_a_file_cut_short_is_refused_by_name(parquet):
    whole = parquet.read_bytes()
    for length in sorted({0, 1, 3, 4, 8, 12, *range(20, len(whole), 997), len(whole) - 5, len(whole) - 1}):
        parquet.write_bytes(whole[:length])
        with pytest.raises(StoreError, match=r"t\.parquet can't be read: "):
            read_all(parquet)


def pages(path):
    """The bytes of each column chunk, by row group."""
    metadata = pq.read_metadata(path)
    for i in range(metadata.num_row_groups):
        for j in range(metadata.num_columns):
            column = metadata.row_group(i).column(j)
            start = column.dictionary_page_offset or column.data_page_offset
            yield i, start, start + column.total_compressed_size


def test_a_flipped_bit_in_a_page_changes_nothing_or_is_refused_with_its_row_group(parquet):
    whole, before = parquet.read_bytes(), read_all(parquet)
    rng = np.random.default_rng(0)
    refused = unnamed = 0
    for group, start, stop in pages(parquet):
        for at in rng.integers(start, stop, 12):
            flipped = bytearray(whole)
            flipped[at] ^= 1 << rng.integers(8)
            parquet.write_bytes(flipped)
            try:
                after = read_all(parquet)
            except StoreError as error:
                refused += f"t.parquet, row group {group} can't be read" in str(error)
                unnamed += f"t.parquet, row group {group} can't be read" not in str(error)
            else:
                assert same_bits(before, after), f"bit at {at} changed a value"
    assert refused > 200
    assert unnamed == 0


def test_a_file_that_changes_after_the_scan_is_refused(parquet):
    scan = samara.scan(parquet)
    pq.write_table(TABLE[:10], parquet)
    with pytest.raises(
        StoreError, match=r"t\.parquet has changed since it was scanned: .* bytes then, .* now"
    ):
        read(scan)
    parquet.unlink()
    with pytest.raises(StoreError, match=r"t\.parquet can't be read: .*(No such file|not find)"):
        read(scan)


def test_arrow_files_cut_short_are_refused(tmp_path):
    path = tmp_path / "t.arrow"
    with pa.ipc.new_file(str(path), TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=64)
    whole = path.read_bytes()
    for length in range(0, len(whole), 1499):
        path.write_bytes(whole[:length])
        with pytest.raises(StoreError, match=r"t\.arrow can't be read: "):
            read_all(path)


def test_flipped_bits_in_arrow_files_give_clean_errors(tmp_path):
    path = tmp_path / "t.arrow"
    with pa.ipc.new_file(str(path), TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=64)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for at in rng.integers(0, len(whole), 300):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << rng.integers(8)
        path.write_bytes(flipped)
        try:
            read_all(path)
        except (StoreError, InputError):
            refused += 1
    assert refused > 10


def test_packed_text_cut_short_is_refused(tmp_path):
    path = tmp_path / "t.csv.gz"
    with pa.CompressedOutputStream(str(path), "gzip") as stream:
        pa.csv.write_csv(TABLE, stream)
    whole = path.read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 9):
        path.write_bytes(whole[:length])
        with pytest.raises(StoreError, match=r"t\.csv\.gz can't be read: "):
            read_all(path)


def test_a_value_that_does_not_fit_names_file_and_row(tmp_path):
    lines = ["a,b", *["1,x"] * 300_000, "oops,x", "2,y"]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with pytest.raises(StoreError, match=r"t\.csv can't be read: .*Row #300002.*'oops'"):
        read_all(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(StoreError, match=r"t\.csv can't be read: .*Expected 2 columns, got 1"):
        read_all(tmp_path / "t.csv")


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.csv", "t.npy", "t.npz", "t.h5", "t.duckdb"])
def test_empty_files_are_refused(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(StoreError, match=rf"{name} can't be (read|opened|queried)"):
        samara.scan(tmp_path / name, **({"query": "select 1"} if name == "t.duckdb" else {}))


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.npz", "t.h5"])
def test_other_files_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x80\x04\x95 what is this? " * 100)
    with pytest.raises(StoreError, match=rf"{name} can't be read"):
        samara.scan(tmp_path / name)


def test_places_without_a_table(tmp_path):
    with pytest.raises(StoreError, match=r"nope\.parquet can't be read: No such file"):
        samara.scan(tmp_path / "nope.parquet")
    with pytest.raises(InputError, match="is a folder without files"):
        samara.scan(tmp_path)
    with pytest.raises(InputError, match=r"No file matches '.*\*\.parquet'"):
        samara.scan(f"{tmp_path}/*.parquet")
    with pytest.raises(InputError, match="empty list"):
        samara.scan([])
    with pytest.raises(InputError, match="scan takes paths and URLs, got int"):
        samara.scan(3)
    (tmp_path / "a.docx").touch()
    with pytest.raises(InputError, match=r"a\.docx can't be told from its suffix \(\.docx\): give format="):
        samara.scan(tmp_path / "a.docx")
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "b.parquet").touch()
    with pytest.raises(InputError, match=r"several formats \(csv, parquet\): give format="):
        samara.scan(tmp_path)
    assert samara.scan(tmp_path, format="csv").rows_guess == 1
    with pytest.raises(InputError, match="Unknown format 'cvs'"):
        samara.scan(tmp_path, format="cvs")


def test_urls_whose_package_is_missing():
    with pytest.raises(InputError, match=r"To read foo://a\.parquet a package is missing|can't be opened"):
        samara.scan("foo://a.parquet")
    with pytest.raises(StoreError, match=r"memory://nope\.parquet can't be read"):
        samara.scan("memory://nope.parquet")


def test_files_that_differ(tmp_path):
    pq.write_table(pa.table({"a": [1], "b": [1.0]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [2]}), tmp_path / "2.parquet")
    with pytest.raises(
        InputError, match=r"2\.parquet has no column 'b', which .*1\.parquet has: leave it out"
    ):
        samara.scan(tmp_path)
    assert read_all(tmp_path, columns=["a"]).tolist() == [[1], [2]]
    pq.write_table(pa.table({"a": [2], "b": ["x"]}), tmp_path / "2.parquet")
    with pytest.raises(
        InputError, match=r"Column 'b' holds numbers in .*1\.parquet, but texts in .*2\.parquet"
    ):
        samara.scan(tmp_path)


def test_columns_that_no_model_takes(tmp_path):
    pq.write_table(pa.table({"a": [1], "tags": [["x"]]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"Column 'tags' holds list.*: leave it out with columns="):
        samara.scan(tmp_path / "t.parquet")
    assert read_all(tmp_path / "t.parquet", columns=["a"]).tolist() == [[1]]
    schema = pa.schema([("a", pa.int64()), ("a", pa.int64())])
    with pa.ipc.new_file(str(tmp_path / "twice.arrow"), schema) as writer:
        writer.write_table(pa.table([[1], [2]], schema=schema))
    with pytest.raises(InputError, match=r"twice\.arrow has two columns named 'a'"):
        samara.scan(tmp_path / "twice.arrow")


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
def test_infinity_is_refused_with_its_place(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    table = pa.table({"a": [1.0, 2.0, 3.0], "b": [1.0, float("nan"), float("-inf")]})
    with TableWriter(path) as writer:
        writer.write({name: table[name].to_numpy() for name in table.column_names})
    for options in ({}, {"target": "b"}):
        with pytest.raises(InputError, match=rf"Column 'b' holds infinity \(.*t\.{suffix}.*, row 2\)"):
            read_all(path, **options)
    assert read_all(path, columns=["a"]).tolist() == [[1], [2], [3]]


@pytest.mark.parametrize(("value", "said"), [(-1.0, "-1"), (None, "a missing value"), (float("inf"), "inf")])
def test_bad_weights_are_refused_with_their_row(tmp_path, value, said):
    pq.write_table(pa.table({"a": [1, 2, 3], "w": [1.0, 0.0, value]}), tmp_path / "t.parquet")
    with pytest.raises(
        InputError, match=rf"weights 'w' must not .*t\.parquet, row group 0, row 2 has {said}"
    ):
        read_all(tmp_path / "t.parquet", weight="w")


BAD_REQUESTS = [
    ({"target": "why"}, "Unknown target 'why'"),
    ({"columns": ["sice"]}, "Unknown column 'sice'. Did you mean 'size'?"),
    ({"weight": "x"}, "Unknown weight 'x'"),
    ({"weight": "town"}, "weights 'town' must be numbers, but the column holds texts"),
    ({"weight": 3}, "weight must be the name of a column, got 3"),
    ({"target": "y", "columns": ["y", "size"]}, "'y' can't be input and target or weight at once"),
    ({"target": "y", "weight": "y"}, "'y' can't be target and weight at once"),
    ({"columns": []}, "No column is left as an input"),
    ({"columns": ["size", "size"]}, "columns names 'size' twice"),
    ({"target": [1]}, "target must be the names of columns, got 1"),
    ({"where": "size >"}, "can't be parsed"),
    ({"where": "sise > 0"}, "Unknown column in where 'sise'. Did you mean 'size'?"),
    ({"delimiter": ";"}, "scan got the option 'delimiter', but parquet data takes none"),
]


@pytest.mark.parametrize(("request_", "message"), BAD_REQUESTS, ids=[m[:30] for _, m in BAD_REQUESTS])
def test_bad_requests(parquet, request_, message):
    with pytest.raises(InputError, match=message):
        samara.scan(parquet, **request_)


def test_bad_options_of_text(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    for options, message in (
        ({"delimiter": "::"}, "delimiter must be one character, got '::'"),
        ({"delimeter": ";"}, "Unknown option of csv 'delimeter'. Did you mean 'delimiter'?"),
        ({"kinds": {"c": "text"}}, "Unknown column in kinds 'c'"),
        ({"kinds": {"a": "int"}}, "Unknown kind 'int'"),
    ):
        with pytest.raises(InputError, match=message):
            samara.scan(tmp_path / "t.csv", **options)


def test_a_table_without_rows(tmp_path):
    pq.write_table(TABLE[:0], tmp_path / "t.parquet")
    scan = samara.scan(tmp_path / "t.parquet", target="y")
    assert (scan.n_rows, scan.pieces, len(scan.schema)) == (0, (), 7)
    with pytest.raises(InputError, match="no rows"):
        scan.head()
