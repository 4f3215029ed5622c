"""Records come back as they were, and are safetensors files to anyone else."""

import json
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from samara.errors import InputError, StoreError
from samara.store import read_record, write_record
from tests.traced import traced_peak

DTYPES = [
    "float32",
    "float64",
    "int64",
    "uint64",
    "int32",
    "bool",
    "intp",
    "float16",
    "uint8",
    "int8",
    "int16",
]

shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
arrays = st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(dtype, shapes))
names = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=8).filter("__metadata__".__ne__)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(), v, max_size=3))


def assert_same(found, wanted):
    """Names, dtypes, shapes and bits."""
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()


@given(st.dictionaries(st.text(), values, max_size=4), st.dictionaries(names, arrays, max_size=5))
def test_what_is_written_is_read(tmp_path_factory, header, kept):
    """Any dtype, any shape, any header; and the safetensors package reads the same."""
    path = tmp_path_factory.mktemp("records") / "a.samara"
    write_record(path, header, kept)
    record = read_record(path)
    assert record.header == header
    assert json.dumps(record.header) == json.dumps(header)  # the order of the keys too
    assert_same(record.arrays, kept)
    assert_same(load_file(path), kept)
    assert os.listdir(path.parent) == ["a.samara"]


def test_the_metadata_is_for_everyone(tmp_path):
    """Format, header and checksum are read by the safetensors package."""
    write_record(tmp_path / "a", {"alpha": 0.5}, {"coef": np.arange(3.0)})
    with safe_open(tmp_path / "a", "np") as file:
        metadata = file.metadata()
    assert metadata["format"] == "samara 1"
    assert json.loads(metadata["header"]) == {"alpha": 0.5}
    assert len(metadata["sha256"]) == 64


@pytest.mark.parametrize(
    "view",
    [
        pytest.param(lambda A: A.T, id="transposed"),
        pytest.param(lambda A: A[::-2, ::3], id="strided"),
        pytest.param(lambda A: A.astype(">f8"), id="big-endian"),
        pytest.param(lambda A: np.asfortranarray(A)[:, 1:], id="columns"),
        pytest.param(lambda A: np.broadcast_to(A[0], A.shape), id="broadcast"),
        pytest.param(lambda A: A[:, :0], id="no columns"),
        pytest.param(lambda A: A.reshape(1, 1, -1).T, id="three axes"),
        pytest.param(lambda A: A[:2].repeat(700, axis=1)[:, ::2], id="long rows"),
    ],
)
def test_arrays_of_any_layout(tmp_path, view):
    """Several pieces long, and not in C order."""
    array = view(np.random.default_rng(0).normal(size=(1500, 1100)))
    write_record(tmp_path / "a", {}, {"A": array})
    assert_same(read_record(tmp_path / "a").arrays, {"A": array})


def test_a_memory_map_is_kept(tmp_path):
    """Read from the disk, written to the disk."""
    np.save(tmp_path / "X.npy", np.arange(60.0).reshape(12, 5))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    write_record(tmp_path / "a", {}, {"X": X})
    found = read_record(tmp_path / "a").arrays
    assert_same(found, {"X": np.asarray(X)})
    assert type(found["X"]) is np.ndarray


@pytest.mark.parametrize("order", ["C", "F"])
def test_no_second_copy_is_made(tmp_path, order):
    """Writing takes a piece of 4 MB at most, reading the arrays and nothing beside them."""
    array = np.ones((2000, 1000), order=order)  # 16 MB
    assert traced_peak(lambda: write_record(tmp_path / "a", {}, {"A": array})) < 4.3e6
    assert traced_peak(lambda: read_record(tmp_path / "a")) < 16.3e6
    assert_same(read_record(tmp_path / "a").arrays, {"A": array})


def test_the_arrays_are_the_readers_own(tmp_path):
    """Writing to them changes neither the file nor another reading."""
    write_record(tmp_path / "a", {}, {"A": np.zeros(4), "b": np.array(1.0)})
    first = read_record(tmp_path / "a").arrays
    first["A"] += 1
    first["b"] += 1
    assert_same(read_record(tmp_path / "a").arrays, {"A": np.zeros(4), "b": np.array(1.0)})


def test_equal_contents_give_equal_files(tmp_path):
    """In whatever order and layout the arrays are given."""
    A, b = np.arange(6.0).reshape(2, 3), np.arange(3, dtype=np.float32)
    write_record(tmp_path / "one", {"k": [1]}, {"A": A, "b": b})
    write_record(tmp_path / "two", {"k": [1]}, {"b": b, "A": np.asfortranarray(A)})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_arrays_are_aligned(tmp_path):
    """Each begins at a multiple of the width of its numbers, for those who map the file into memory."""
    kept = {str(i): np.ones(i, dtype) for i, dtype in enumerate(["bool", "f4", "f8", "i2", "i8", "u1"], 1)}
    write_record(tmp_path / "a", {}, kept)
    data = (tmp_path / "a").read_bytes()
    length = int.from_bytes(data[:8], "little")
    for name, array in kept.items():
        assert (8 + length + json.loads(data[8 : 8 + length])[name]["data_offsets"][0]) % array.itemsize == 0


def test_the_file_keeps_its_permissions_and_its_links(tmp_path):
    """The old file's mode stays, and a symbolic link still points to the file."""
    path, link = tmp_path / "a", tmp_path / "link"
    write_record(path, {}, {})
    path.chmod(0o640)
    link.symlink_to(path)
    write_record(link, {"n": 2}, {})
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert read_record(path).header == read_record(link).header == {"n": 2}


@pytest.mark.parametrize(
    "header",
    [
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": (1, 2)},
        {"a": {1: 2}},
        {1: 2},
        {"a": {1, 2}},
        {"a": np.arange(3)},
        {"a": 10**5000},
    ],
    ids=["nan", "inf", "tuple", "inner key", "key", "set", "array", "long number"],
)
def test_a_header_that_would_change_is_refused(tmp_path, header):
    """Nothing is written."""
    with pytest.raises(InputError, match="header"):
        write_record(tmp_path / "a", header, {})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("objects", np.array([object()])),
        ("text", np.array(["a"])),
        ("complex", np.ones(2, complex)),
        ("dates", np.zeros(2, "M8[s]")),
        ("fields", np.zeros(2, "f8,i4")),
        ("__metadata__", np.zeros(2)),
        ("a\nb", np.zeros(2)),
        ("\ud800", np.zeros(2)),
    ],
)
def test_an_array_that_cannot_be_kept_is_refused(tmp_path, name, array):
    """By its name; nothing is written."""
    with pytest.raises(InputError, match=r"array .* file") as caught:
        write_record(tmp_path / "a", {}, {name: array})
    assert repr(name) in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_a_safetensors_file_of_others_is_refused(tmp_path):
    """It carries no header and no checksum of ours."""
    save_file({"A": np.zeros(3)}, tmp_path / "a.safetensors")
    with pytest.raises(StoreError, match=r"a\.safetensors can't be used: .* not one of Samara"):
        read_record(tmp_path / "a.safetensors")


def test_a_missing_file_is_not_a_broken_one(tmp_path):
    """A checkpoint that isn't there yet can be told from one that is damaged."""
    with pytest.raises(FileNotFoundError, match=r"run\.ckpt"):
        read_record(tmp_path / "run.ckpt")
