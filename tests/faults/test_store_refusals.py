"""Files of others, and files made to deceive, are refused without running or allocating anything."""

import hashlib
import json
import os
import pickle
import random
import zipfile

import numpy as np
import pytest

from samara.errors import StoreError
from samara.store import read_record, write_record
from tests.faults.checks import refused_file
from tests.traced import traced_peak


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_not_opened(tmp_path, protocol):
    """Of any protocol, short or as long as the length that its first bytes pretend."""
    path, caught = tmp_path / "model.samara", tmp_path / "caught"
    for padding in (b"", b"\0" * 100_000):
        path.write_bytes(pickle.dumps([Trap(str(caught)), padding], protocol))
        message = refused_file(path)
        assert "pickle" in message or protocol < 2
        assert not caught.exists()


def test_arrays_of_objects_are_not_opened(tmp_path):
    """A .npy and a .npz with pickles inside."""
    path, caught = tmp_path / "model.npy", tmp_path / "caught"
    objects = np.array([Trap(str(caught))], dtype=object)
    np.save(path, objects, allow_pickle=True)
    assert "it is a NumPy .npy file" in refused_file(path)
    np.savez(tmp_path / "model.npz", objects)
    assert "it is a zip archive" in refused_file(tmp_path / "model.npz")
    assert not caught.exists()


def test_other_files_are_refused(tmp_path):
    """By name where they have one."""
    path = tmp_path / "model.samara"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "b" * 100)
    assert "it is a zip archive" in refused_file(path)
    for start in (b"a,b\n1,2\n3,4\n", b"{}", b'{"a": [1, 2, 3, 4]}', b"\0" * 5000, os.urandom(500)):
        path.write_bytes(start)
        refused_file(path)


def forged(path, head, data=b"", length=None):
    """A file with this head, its checksum made to fit where there is room for it."""
    entries = json.dumps(head, separators=(",", ":")) if not isinstance(head, bytes) else head.decode()
    text = entries.encode() + b" " * (-len(entries.encode()) % 8)
    start = (len(text) if length is None else length).to_bytes(8, "little")
    checksum = hashlib.sha256(start + text + data).hexdigest().encode()
    path.write_bytes(start + text.replace(b"0" * 64, checksum) + data)


def head(header="{}", metadata=(), **arrays):
    """A head as we would write it."""
    entry = {"format": "samara 1", "header": header, "sha256": "0" * 64, **dict(metadata)}
    return {"__metadata__": entry, **arrays}


def array(dtype="F64", shape=(1,), end=8, **more):
    """An entry of a head."""
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [0, end], **more}


def test_a_forged_file_can_be_right(tmp_path):
    """Or the refusals below would show nothing."""
    forged(tmp_path / "a", head('{"n": 1}', A=array()), np.array([2.5]).tobytes())
    record = read_record(tmp_path / "a")
    assert record.header == {"n": 1}
    assert record.arrays["A"].tolist() == [2.5]


EIGHT = b"\1" + b"\0" * 7
FORGERIES = {
    "newer": (head(metadata={"format": "samara 2"}), b"", "it is of format 2, .* update Samara"),
    "version 0": (head(metadata={"format": "samara 0"}), b"", "not one of Samara"),
    "other format": (head(metadata={"format": "pt"}), b"", "not one of Samara"),
    "format no text": (head(metadata={"format": 1}), b"", "head is damaged"),
    "no metadata": ({"A": array()}, EIGHT, "not one of Samara"),
    "metadata no object": ({"__metadata__": [1]}, b"", "head is damaged"),
    "unknown field": (head(metadata={"more": "x"}), b"", "head is damaged"),
    "unknown field of an array": (head(A=array(more=1)), EIGHT, "head is damaged"),
    "header no text": (head(header={}), b"", "head is damaged"),
    "header no object": (head(header="[1]"), b"", "header is not a JSON object"),
    "header no JSON": (head(header="{"), b"", "header is not a JSON object"),
    "deep header": (head(header="[" * 100_000), b"", "header is not a JSON object"),
    "checksum no text": (head(metadata={"sha256": 5}), b"", "head is damaged"),
    "wrong checksum": (head(metadata={"sha256": "1" * 64}), b"", "checksum doesn't fit"),
    "huge array": (head(A=array(shape=(1 << 40,), end=8 << 40)), EIGHT, "bytes too short"),
    "overflowing shape": (head(A=array(shape=(1 << 61, 1 << 61), end=8)), EIGHT, "head is damaged"),
    "huge and empty": (head(A=array(shape=(0, 1 << 61), end=0)), b"", "can't be held|bytes too"),
    "lying shape": (head(A=array(shape=(2,))), EIGHT, "head is damaged"),
    "negative shape": (head(A=array(shape=(-1, -1))), EIGHT, "head is damaged"),
    "truth as a length": (head(A=array(shape=(True,))), EIGHT, "head is damaged"),
    "fraction as a length": (head(A=array(shape=(1.0,))), EIGHT, "head is damaged"),
    "65 axes": (head(A=array(shape=(1,) * 65)), EIGHT, "head is damaged"),
    "unknown dtype": (head(A=array("BF16", (4,))), EIGHT, "head is damaged"),
    "dtype no text": (head(A=array(["F64"])), EIGHT, "head is damaged"),
    "overlap": (head(A=array(), B=array()), EIGHT, "head is damaged"),
    "array no object": (head(A=[1]), b"", "head is damaged"),
    "neither true nor false": (head(A=array("BOOL", (8,))), b"\2" * 8, "neither true nor false"),
    "deep head": (b'{"a":' + b"[" * 100_000, b"", "head is damaged"),
    "no JSON": (b"{" * 8, b"", "head is damaged"),
    "a list": (b"[]", b"", "not a file of Samara"),
    "long number": (b'{"a":' + b"9" * 5000 + b"}", b"", "head is damaged"),
    "twice": (json.dumps(head())[:-1].encode() + b',"A":{},"A":{}}', b"", "head is damaged"),
    "other spelling": (json.dumps(head()).encode(), b"", "head is damaged"),
}


@pytest.mark.parametrize(("forgery", "data", "message"), FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_file_is_refused(tmp_path, forgery, data, message):
    """Though its checksum fits; within 3 MB of memory."""
    forged(tmp_path / "a", forgery, data)

    def read():
        with pytest.raises(StoreError, match=message):
            read_record(tmp_path / "a")

    assert traced_peak(read) < 3e6
    refused_file(tmp_path / "a")


@pytest.mark.parametrize("length", [1 << 60, (1 << 64) - 1, 100_000_001, 99_999_992, 0, 1])
def test_a_lying_length_of_the_head_is_refused(tmp_path, length):
    """Nothing of that size is asked for."""
    forged(tmp_path / "a", head(A=array()), EIGHT, length)
    refused_file(tmp_path / "a")


def test_mutated_files_give_only_clean_errors(tmp_path):
    """Bytes changed, cut out, put in and swapped at random: refused, every time."""
    path, chance = tmp_path / "a", random.Random(0)
    write_record(path, {"classes": ["a", "b"]}, {"A": np.arange(20.0), "n": np.array(3)})
    data = path.read_bytes()
    for _ in range(1500):
        mutant = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            lo = chance.randrange(len(mutant))
            hi = min(len(mutant), lo + chance.randint(0, 12))
            mutant[lo:hi] = chance.choice(
                [b"", b"0", b'"', b"{", chance.randbytes(hi - lo), mutant[hi : hi + 9]]
            )
        if mutant != data:
            path.write_bytes(mutant)
            refused_file(path)
