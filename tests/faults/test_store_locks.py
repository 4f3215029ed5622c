"""Locks: one holder at a time, among processes and threads, and none after its death."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from samara.errors import LockedError, StoreError
from samara.store import held
from tests.faults.checks import ROOT, python


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of run.ckpt."""
    paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
    with subprocess.Popen(
        [sys.executable, "-m", "tests.faults.killed_writers", "hold", tmp_path / "run.ckpt"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        try:
            assert int(process.stdout.readline()) == process.pid
            yield process
        finally:
            process.kill()


def test_another_process_is_named_and_its_death_frees_the_lock(tmp_path, holder):
    """Even a death by SIGKILL, which leaves the lock file behind."""
    path = tmp_path / "run.ckpt"
    with pytest.raises(LockedError) as caught, held(path):
        pass
    assert str(caught.value) == (
        f"{path} is in use by process {holder.pid}: wait for it, end it, or use another file."
    )
    with held(tmp_path / "other.ckpt"):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert os.listdir(tmp_path) == ["run.ckpt.lock"]
    with held(path):
        assert (tmp_path / "run.ckpt.lock").read_text() == f"{os.getpid()}\n"
    assert os.listdir(tmp_path) == []


def test_another_thread_is_locked_out(tmp_path):
    """And the same one too; afterwards the lock is free."""
    path, said = tmp_path / "run.ckpt", []

    def work():
        try:
            with held(path):
                said.append("held")
        except LockedError as error:
            said.append(str(error))

    with held(path):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        work()
    work()
    refusal = (
        f"{path} is in use by another fit in this process ({os.getpid()}): wait for it, or use another file."
    )
    assert said == [refusal, refusal, "held"]


def test_the_lock_ends_with_an_error(tmp_path):
    """Whatever the block raises comes out as it was."""
    with pytest.raises(KeyboardInterrupt), held(tmp_path / "a"):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []
    with held(tmp_path / "a"):
        pass


def test_a_link_is_locked_with_its_file(tmp_path):
    """Two names of one file share its lock."""
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with held(tmp_path / "a"), pytest.raises(LockedError, match="link is in use"), held(tmp_path / "link"):
        pass


def test_who_has_not_said_its_name_yet(tmp_path):
    """A holder that was just about to write its pid."""
    with held(tmp_path / "a"):
        (tmp_path / "a.lock").write_text("")
        with pytest.raises(LockedError, match="by another process: wait for it"), held(tmp_path / "a"):
            pass


def test_a_lock_file_of_another_is_not_removed(tmp_path):
    """If someone deleted ours by hand and made another."""
    with held(tmp_path / "a"):
        (tmp_path / "a.lock").unlink()
        (tmp_path / "a.lock").write_text("other\n")
    assert (tmp_path / "a.lock").read_text() == "other\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_does_not_free_the_lock(tmp_path):
    """It leaves the block of its parent by an error of its own, and the parent still holds the lock."""
    code = f"""
import os
from samara.errors import LockedError
from samara.store import held
child = None
try:
    with held({str(tmp_path / "a")!r}):
        child = os.fork()
        if child == 0:
            raise ValueError
        os.waitpid(child, 0)
        try:
            with held({str(tmp_path / "a")!r}):
                print("two")
        except LockedError:
            print("one")
except ValueError:
    os._exit(0)
"""
    assert python("-W", "ignore", "-c", code).stdout == "one\n"
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    """The pid can't be written; the lock is not held."""

    def full(fd, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with (
        pytest.raises(StoreError, match=r"a can't be locked: No space left on device\."),
        held(tmp_path / "a"),
    ):
        pass
    monkeypatch.undo()
    with held(tmp_path / "a"):
        pass


def test_only_what_was_left_of_this_file_is_removed(tmp_path):
    """Not what someone is writing with a name that begins alike."""
    left = [".run.0123456789ab.part", ".run.ckpt.0123456789ab.part", ".run.mine.part", "run.ckpt"]
    for name in left:
        (tmp_path / name).touch()
    with held(tmp_path / "run"):
        assert sorted(os.listdir(tmp_path)) == [*left[1:], "run.lock"]


def test_a_lock_that_cannot_be_made(tmp_path):
    """There is no folder for it."""
    with pytest.raises(StoreError, match=r"can't be locked: No such file"), held(tmp_path / "missing" / "a"):
        pass


def test_threads_that_compete_are_never_two(tmp_path):
    """Though the lock file is removed and made anew each time."""
    inside, most, done = [], [], []

    def work():
        count = 0
        while count < 100:
            try:
                with held(tmp_path / "a"):
                    inside.append(1)
                    most.append(len(inside))
                    inside.pop()
                    count += 1
            except LockedError:
                pass
        done.append(count)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [100] * 4
    assert max(most) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_processes_that_compete_are_never_two(tmp_path):
    """Each adds to a number in a file; not one addition is lost."""
    done = python("-W", "ignore", "-m", "tests.faults.killed_writers", "count", tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"number": 800, "left": ["number"]}
