"""A file is the old one or the new one, whatever happens; and a broken one is refused in one sentence."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from samara.errors import StoreError
from samara.store import read_record, write_record
from tests.faults.checks import python, refused_file

OLD = ({"state": "old", "alpha": 0.5}, {"A": np.arange(300.0).reshape(30, 10), "b": np.array([True, False])})
NEW = ({"state": "new"}, {"A": np.ones((400, 10)), "b": np.array(3, np.int32)})


@pytest.fixture
def path(tmp_path):
    """The old file."""
    write_record(tmp_path / "run.ckpt", *OLD)
    return tmp_path / "run.ckpt"


def assert_untouched(path, wanted=OLD):
    """The file holds this state, and nothing lies beside it."""
    record = read_record(path)
    assert record.header == wanted[0]
    for name, array in wanted[1].items():
        np.testing.assert_array_equal(record.arrays[name], array)
    assert os.listdir(path.parent) == [path.name]


def test_a_file_cut_short_is_refused_file(path):
    """At every seventh byte, and at the last ones."""
    data = path.read_bytes()
    for length in [*range(0, len(data), 7), *range(len(data) - 8, len(data))]:
        path.write_bytes(data[:length])
        assert "short" in refused_file(path) or length == 0
    path.write_bytes(b"")
    assert refused_file(path).endswith("it is empty.")


def test_bytes_too_many_are_refused_file(path):
    """Behind the arrays, or between head and arrays."""
    data = path.read_bytes()
    path.write_bytes(data + b"\0")
    assert "1 bytes too long" in refused_file(path)
    head = 8 + int.from_bytes(data[:8], "little")
    path.write_bytes(data[:head] + b"\0" * 8 + data[head:])
    assert "8 bytes too long" in refused_file(path)


def test_every_flipped_byte_is_detected(path):
    """Every byte of the head, spaces at its end included, every seventh of the arrays; three flips each."""
    data = bytearray(path.read_bytes())
    head = 8 + int.from_bytes(data[:8], "little")
    places = [*range(head), *range(head, len(data), 7)]
    assert len(places) > 500
    for place in places:
        for flip in (0x01, 0x20, 0xFF):
            data[place] ^= flip
            path.write_bytes(data)
            refused_file(path)
            data[place] ^= flip
    path.write_bytes(data)
    assert_untouched(path)


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["disk", "key"]
)
@pytest.mark.parametrize(("call", "when"), [("replace", 1), ("fsync", 1), ("open", 1), ("open", 2)])
def test_an_error_inside_the_write_leaves_the_old_file(path, monkeypatch, call, when, error):
    """Whichever call fails; nothing is left beside it."""
    break_call(monkeypatch, call, when, error)
    with pytest.raises(StoreError if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        write_record(path, *NEW)
    monkeypatch.undo()
    if isinstance(error, OSError):
        assert str(caught.value) == (
            f"{path} can't be written: No space left on device; what was there is unchanged."
        )
        assert caught.value.__cause__ is error
    assert_untouched(path)


@pytest.mark.parametrize("when", [1, 2, 3, 4])
def test_an_error_in_each_of_the_writes_leaves_the_old_file(path, monkeypatch, when):
    """Head, arrays, and the head again with its checksum."""
    break_call(monkeypatch, "write", when, OSError(5, "Input/output error"))
    with pytest.raises(StoreError, match="Input/output error"):
        write_record(path, *NEW)
    monkeypatch.undo()
    assert_untouched(path)


def break_call(monkeypatch, name, when, error):
    """Have the n-th call of a function of the system fail."""
    working, calls = getattr(os, name), []

    def broken(*arguments, **options):
        calls.append(name)
        if len(calls) == when:
            raise error
        return working(*arguments, **options)

    monkeypatch.setattr(os, name, broken)


def test_the_system_may_write_a_few_bytes_at_a_time(path, monkeypatch):
    """As it does when it is interrupted."""
    working = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: working(fd, bytes(data)[:1000]))
    write_record(path, *NEW)
    monkeypatch.undo()
    assert_untouched(path, NEW)


def test_a_folder_that_cannot_be_flushed_is_told(path, monkeypatch):
    """The new file is in place by then, and whole."""
    break_call(monkeypatch, "fsync", 2, OSError(5, "Input/output error"))
    with pytest.raises(StoreError, match=r"run\.ckpt was written, but might not outlast a power cut: Input"):
        write_record(path, *NEW)
    monkeypatch.undo()
    assert_untouched(path, NEW)


def test_a_folder_that_is_never_flushed_does_not_matter(path, monkeypatch):
    """Some network file systems know no such thing."""
    break_call(monkeypatch, "fsync", 2, OSError(22, "Invalid argument"))
    write_record(path, *NEW)
    assert_untouched(path, NEW)


FULL_DISK = """\
import resource, sys
import numpy as np
from samara.errors import StoreError
from samara.store import write_record
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    write_record(sys.argv[1], {}, {"A": np.ones(100_000)})
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits on file sizes")
@pytest.mark.parametrize("limit", [10, 300_000])
def test_a_full_disk_leaves_the_old_file(path, limit):
    """Full in the head, or among the arrays."""
    done = python("-c", FULL_DISK, path, limit)
    assert done.stderr == ""
    assert done.stdout == f"{path} can't be written: File too large; what was there is unchanged.\n"
    assert_untouched(path)


READ_ONLY = """\
import os, sys
from samara.errors import StoreError
from samara.store import held, write_record
if os.geteuid() == 0:
    os.setuid(65534)  # to root every folder is open
try:
    write_record(sys.argv[1], {}, {})
except StoreError as error:
    print(error)
try:
    with held(sys.argv[1]):
        pass
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_a_folder_that_may_not_be_written():
    """For writing and for locking."""
    folder = Path(tempfile.mkdtemp())  # the folders of pytest are closed to other users
    try:
        path = folder / "run.ckpt"
        write_record(path, *OLD)
        folder.chmod(0o555)
        done = python("-c", READ_ONLY, path)
        assert done.stderr == ""
        assert done.stdout.splitlines() == [
            f"{path} can't be written: Permission denied; what was there is unchanged.",
            f"{path} can't be locked: Permission denied.",
        ]
        assert_untouched(path)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_folder_that_is_not_there(tmp_path):
    """It is named, and not made."""
    with pytest.raises(StoreError, match=r"run\.ckpt can't be written: there is no folder .*missing"):
        write_record(tmp_path / "missing" / "run.ckpt", *NEW)
    assert os.listdir(tmp_path) == []


def test_a_folder_in_place_of_the_file(tmp_path):
    """It is neither read nor replaced."""
    folder = tmp_path / "run.ckpt"
    folder.mkdir()
    with pytest.raises(StoreError, match=r"run\.ckpt can't be written: it is a folder"):
        write_record(folder, *NEW)
    assert "it is a folder" in refused_file(folder)
    assert os.listdir(tmp_path) == ["run.ckpt"]
    assert os.listdir(folder) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    """Nobody ever writes to it."""
    os.mkfifo(tmp_path / "pipe")
    assert "not a file" in refused_file(tmp_path / "pipe")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_writers_leave_a_state_that_was_written(tmp_path):
    """Killed at random moments; what they left beside the file is gone with the next lock."""
    done = python("-W", "ignore", "-m", "tests.faults.killed_writers", "kill", tmp_path, 3)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    numbers = found["numbers"]
    assert len(numbers) > 10
    assert numbers == sorted(numbers)
    assert numbers[-1] > 0  # they got on
    assert found["leftovers"] > 0  # and were killed inside a write
