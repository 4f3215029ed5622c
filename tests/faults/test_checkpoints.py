"""A fit that is killed, interrupted or out of disk goes on later, and ends in the same bits."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from samara import ELMClassifier, ELMRegressor, InputError, KernelELMRegressor, LockedError, StoreError
from samara.engines import Threads
from samara.store import read_record
from samara.summaries import Moments
from tests.faults import killed_fits
from tests.faults.checks import FITTED, ROOT, python

pytestmark = pytest.mark.usefixtures("every_pass_is_worth_threads")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((1536, 5))
Y = np.sin(3 * X[:, 0]) * X[:, 1]
BLOCKS = 48  # of 32 rows: blocks of the look


class Stop(Exception):  # noqa: N818 - it is none
    """What ends a fit in the middle."""


def stopping(after, error=Stop, workers=2):
    """An engine whose fit fails after so many blocks."""
    seen = []

    def count(*ignored):
        seen.append(1)
        if len(seen) == after:
            raise error

    return Threads(workers, 32, count)


def coef_of(model):
    return model.model_.coef.tobytes() + model.model_.intercept.tobytes()


def assert_unfitted(model):
    assert [name for name in FITTED if name in vars(model)] == []


def interrupted(path, model, after=60, error=Stop, every=0):
    """Files of a fit that was stopped; the model is left unfitted, its engine whole again."""
    workers = model.engine.workers if model.engine else 2
    model.set_params(engine=stopping(after, error, workers))
    with pytest.raises(error):
        model.fit(X, Y, checkpoint=path, every=every)
    assert_unfitted(model)
    model.set_params(engine=Threads(workers, 32))
    return sorted(os.listdir(path.parent))


@pytest.fixture(autouse=True)
def short_looks(monkeypatch):
    """Blocks of the look as short as the others: compiled, it takes so few rows in one go."""
    monkeypatch.setattr("samara.prepare.LOOK_CELLS", 1)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.ckpt"


@pytest.fixture(scope="module")
def kills(tmp_path_factory):
    """What came of 52 kills, four a case."""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    folder = tmp_path_factory.mktemp("kills")
    done = python("-W", "ignore", "-m", "tests.faults.killed_fits", "kill", folder, 4)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", killed_fits.CASES)
def test_killed_at_random_moments_it_ends_in_the_same_bits(kills, case):
    """As a fit without a checkpoint, and leaves nothing behind, not even what a kill inside a write left."""
    found = kills[case]
    assert len(found["wanted"]) == 64
    assert found["found"] == found["wanted"]
    assert found["left"] == []


def test_the_kills_were_inside_passes_and_inside_writes(kills):
    """Or they would have shown nothing."""
    files = [count for found in kills.values() for count in found["files"]]
    assert len(files) >= 50
    assert {1, 2} <= set(files)  # in the first pass, and later
    assert max(kills["auto"]["files"]) > 1
    assert sum(found["inside"] for found in kills.values()) >= 5


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_written_down_is_not_computed_again(path, monkeypatch, workers):
    """The look is read from its file, and the moments go on behind the last block written down."""
    rows = []
    update = Moments.update
    monkeypatch.setattr(
        Moments, "update", lambda self, block: (rows.append(len(block)), update(self, block))[1]
    )
    make = {"engine": Threads(workers, 32), "random_state": 0}
    wanted = coef_of(ELMRegressor(20, **make).fit(X, Y))
    assert sum(rows) == len(X)
    model = ELMRegressor(20, **make)
    assert interrupted(path, model, BLOCKS + 20) == ["run.ckpt", "run.ckpt.1"]
    assert read_record(path).header["done"]
    record = read_record(f"{path}.1")
    assert not record.header["done"]
    rows.clear()
    assert coef_of(model.fit(X, Y, checkpoint=path)) == wanted
    skipped = sum(lane["blocks"] for lane in record.header["lanes"])
    assert skipped >= 18 - workers
    assert sum(rows) <= len(X) - 20 * skipped  # blocks are of 26 to 32 rows, for there are folds
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("after", range(1, 2 * BLOCKS, 7))
@pytest.mark.parametrize("selection", ["kfold", "loo"])
def test_stopped_after_any_block(path, after, selection, monkeypatch):
    """In the look, in the moments, in the leave-one-out pass."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)  # the process lives on, and a write a block waits long
    model = ELMRegressor(20, selection=selection, random_state=0, engine=Threads(2, 32))
    wanted = coef_of(model.fit(X, Y))
    model = ELMRegressor(20, selection=selection, random_state=0)
    interrupted(path, model, after)
    assert coef_of(model.fit(X, Y, checkpoint=path, every=0)) == wanted
    assert os.listdir(path.parent) == []


def test_a_finished_fit_removes_its_files_and_no_others(path):
    """However alike their names."""
    others = [
        path.with_name(name) for name in ("run.ckpt.bak", "run.ckpt.1.old", "run.ckpt.99999", "run.ckpt1")
    ]
    for other in others:
        other.write_text("mine")
    ELMRegressor(20, random_state=0).fit(X, Y, checkpoint=path, every=0)
    assert sorted(os.listdir(path.parent)) == sorted(other.name for other in others)


def test_a_link_is_followed(path):
    """The file lies where the link points, and so do those of later passes."""
    (path.parent / "far").mkdir()
    path.symlink_to(path.parent / "far" / "there")
    model = ELMRegressor(20, random_state=0)
    interrupted(path, model, BLOCKS + 20)
    assert sorted(os.listdir(path.parent / "far")) == ["there", "there.1"]
    model.fit(X, Y, checkpoint=path)
    assert os.listdir(path.parent / "far") == []


def test_a_relative_path_and_odd_names(tmp_path, monkeypatch):
    """Characters that mean something in patterns mean nothing here."""
    monkeypatch.chdir(tmp_path)
    for name in ("a[1-9].*", "ü ?", "x"):
        model = ELMRegressor(20, random_state=0)
        interrupted(tmp_path / name, model, BLOCKS + 20)
        model.fit(X, Y, checkpoint=name)
        assert os.listdir(tmp_path) == []


def test_without_a_seed_it_goes_on_with_the_nodes_it_began_with(path, monkeypatch):
    """The entropy is in the file; a second fit draws others."""
    model = ELMRegressor(20)
    interrupted(path, model, BLOCKS + 20)
    entropy = read_record(path).header["entropy"]
    found = coef_of(model.fit(X, Y, checkpoint=path))

    class Drawn:
        def randint(self, high):
            return entropy

    assert found != coef_of(ELMRegressor(20, engine=Threads(2, 32)).fit(X, Y))
    monkeypatch.setattr("samara.estimators.parameters.check_random_state", lambda seed: Drawn())
    assert found == coef_of(ELMRegressor(20, engine=Threads(2, 32)).fit(X, Y))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals of threads")
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_inside_a_pass(path, workers):
    """It ends soon, not at the end of the pass, and the next call goes on."""
    seen = []
    slow = Threads(workers, 32, lambda name, rows, total: (seen.append(rows), time.sleep(0.02)))
    model = ELMRegressor(20, random_state=0, engine=slow)
    main = threading.main_thread().ident
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may ignore it
    timer = threading.Timer(0.3, signal.pthread_kill, [main, signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y, checkpoint=path, every=0)
    assert sum(seen) < 2 * len(X)  # the look, and not all of the pass
    timer.join()
    assert_unfitted(model)
    assert os.listdir(path.parent) == ["run.ckpt"]
    engine = Threads(workers, 32)
    wanted = coef_of(ELMRegressor(20, random_state=0, engine=engine).fit(X, Y))
    assert coef_of(model.set_params(engine=engine).fit(X, Y, checkpoint=path)) == wanted


def test_a_failing_worker_stops_the_others_and_nothing_is_written_after_it(path):
    """A summary may be half updated by then."""
    written, files = [], []

    def count(*ignored):
        written.append(1)
        if len(written) == 10:
            files.append(path.read_bytes())
            raise Stop

    model = ELMRegressor(20, random_state=0, engine=Threads(2, 32, count))
    with pytest.raises(Stop):
        model.fit(X, Y, checkpoint=path, every=0)
    assert len(written) < 16
    assert path.read_bytes() == files[0]


@pytest.mark.parametrize("half", [slice(0, 768), slice(768, 1536)])
def test_a_worker_without_rows(path, half):
    """All of them have no weight: nobody waits for it."""
    weight = np.ones(len(X))
    weight[half] = 0
    model = ELMRegressor(20, random_state=0, engine=stopping(30))
    with pytest.raises(Stop):
        model.fit(X, Y, weight, checkpoint=path, every=0)
    model.set_params(engine=Threads(2, 32))
    wanted = coef_of(ELMRegressor(20, random_state=0, engine=Threads(2, 32)).fit(X, Y, weight))
    assert coef_of(model.fit(X, Y, weight, checkpoint=path, every=0)) == wanted


@pytest.mark.parametrize("row", [0, 1000, 1535])
def test_a_nan_in_the_middle_leaves_the_old_model(path, row):
    """And says where it is."""
    model = ELMRegressor(20, random_state=0, engine=Threads(2, 32)).fit(X, Y)
    before = coef_of(model)
    bad = X.copy()
    bad[row, 3] = np.nan
    with pytest.raises(InputError, match=rf"NaN.*column 3.*row {row}|row {row}.*column 3"):
        model.fit(bad, Y, checkpoint=path, every=0)
    assert coef_of(model) == before


FULL_DISK = """\
import resource, sys
import numpy as np
import samara.linalg.workers
import samara.prepare
from samara import ELMRegressor, StoreError
from samara.engines import Threads
samara.prepare.LOOK_CELLS = 1
samara.linalg.workers._WORTH_THREADS = 0.0
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
rng = np.random.default_rng(0)
X = rng.standard_normal((1536, 5))
model = ELMRegressor(20, random_state=0, engine=Threads(2, 32))
try:
    model.fit(X, np.sin(3 * X[:, 0]) * X[:, 1], checkpoint=sys.argv[1], every=0)
except StoreError as error:
    print(error, hasattr(model, "model_"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits on file sizes")
@pytest.mark.parametrize("limit", [300, 8000])
def test_a_full_disk_leaves_the_old_checkpoint(path, limit):
    """Full in the head, or among the moments: one sentence, and with more room the fit goes on."""
    model = ELMRegressor(20, random_state=0)
    interrupted(path, model, BLOCKS + 20)
    if limit < 1000:
        os.unlink(f"{path}.1")
    wanted = {file: Path(file).read_bytes() for file in path.parent.iterdir()}
    file = f"{path}.1"
    done = python("-c", FULL_DISK, path, limit)
    assert done.stderr == ""
    assert done.stdout == f"{file} can't be written: File too large; what was there is unchanged. False\n"
    assert {file: file.read_bytes() for file in path.parent.iterdir()} == wanted
    fresh = ELMRegressor(20, random_state=0, engine=Threads(2, 32)).fit(X, Y)
    assert coef_of(model.fit(X, Y, checkpoint=path)) == coef_of(fresh)


READ_ONLY = """\
import os, sys
from importlib.metadata import version
import numpy as np
from samara import ELMRegressor, StoreError
version("samara")  # loads modules that only root may be able to read
if os.geteuid() == 0:
    os.setuid(65534)  # to root every folder is open
model = ELMRegressor(20, random_state=0)
try:
    model.fit(np.eye(50), np.arange(50), checkpoint=sys.argv[1])
except StoreError as error:
    print(error, hasattr(model, "model_"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_a_folder_that_may_not_be_written():
    """It is refused before any row is read."""
    folder = Path(tempfile.mkdtemp())  # the folders of pytest are closed to other users
    try:
        folder.chmod(0o555)
        done = python("-c", READ_ONLY, folder / "run.ckpt")
        assert (done.stderr, done.stdout) == (
            "",
            f"{folder / 'run.ckpt'} can't be locked: Permission denied. False\n",
        )
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_places_that_are_none(tmp_path):
    """A folder, a folder that is not there, a number."""
    model = ELMRegressor(20, random_state=0)
    (tmp_path / "folder").mkdir()
    for path, error, message in (
        (tmp_path / "folder", StoreError, "folder can't be used: it is a folder"),
        (tmp_path / "missing" / "run.ckpt", StoreError, "can't be locked: No such file"),
        (5, InputError, "checkpoint must be the name of a file, got 5"),
        (b"run.ckpt", InputError, "checkpoint must be the name of a file"),
    ):
        with pytest.raises(error, match=message):
            model.fit(X, Y, checkpoint=path)
        assert_unfitted(model)
    assert os.listdir(tmp_path) == ["folder"]
    assert os.listdir(tmp_path / "folder") == []


@pytest.mark.parametrize("every", ["", "30", "s", "-1s", "30 days", -1, np.nan, np.inf, None, True, [3]])
def test_intervals_that_are_none(path, every):
    """Refused with and without a checkpoint."""
    for where in (path, None):
        model = ELMRegressor(20, random_state=0)
        with pytest.raises(InputError, match="An interval is a text such as"):
            model.fit(X, Y, checkpoint=where, every=every)
        assert_unfitted(model)
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("every", [0, 0.5, "1ms", "2min", "1h", np.float32(3)])
def test_intervals(path, every):
    ELMClassifier(20, random_state=0).fit(X, Y > 0, checkpoint=path, every=every)


def test_two_processes_on_one_checkpoint(path):
    """The second is told who is there; the first ends well."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(ROOT)])}
    command = [sys.executable, "-W", "ignore", "-m", "tests.faults.killed_fits", "fit", str(path), "gram"]
    first = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    end = time.monotonic() + 30
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.005)
    model = ELMRegressor(40, random_state=0)
    with pytest.raises(LockedError, match=rf"run\.ckpt is in use by process {first.pid}: wait for it"):
        model.fit(X, Y, checkpoint=path)
    assert_unfitted(model)
    out, _ = first.communicate(timeout=30)
    assert json.loads(out) == killed_fits.fitted("gram")
    assert os.listdir(path.parent) == []


def test_two_threads_on_one_checkpoint(path):
    """Likewise, be it one model or two."""
    slow = Threads(2, 32, lambda *ignored: time.sleep(0.005))
    model = ELMRegressor(20, random_state=0, engine=slow)
    first = threading.Thread(target=model.fit, args=(X, Y), kwargs={"checkpoint": path, "every": 0})
    first.start()
    while not path.exists() and first.is_alive():
        time.sleep(0.001)
    with pytest.raises(LockedError, match="by another fit in this process"):
        ELMRegressor(20, random_state=0).fit(X, Y, checkpoint=path)
    first.join()
    assert coef_of(model) == coef_of(ELMRegressor(20, random_state=0, engine=Threads(2, 32)).fit(X, Y))
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("solver", ["auto", "exact", "sketch", "pcg", "divide"])
def test_kernel_solvers_without_checkpoints(path, solver):
    """They say so; `nystroem` has them."""
    model = KernelELMRegressor(solver=solver, random_state=0)
    with pytest.raises(InputError, match=r'has no checkpoints.*Use solver="nystroem" or checkpoint=None'):
        model.fit(X, Y, checkpoint=path)
    assert_unfitted(model)
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("after", [5, BLOCKS + 5])
def test_nystroem_goes_on(path, after):
    """Its look and its moments."""
    make = {"solver": "nystroem", "rank": 30, "random_state": 0}
    model = KernelELMRegressor(**make)
    interrupted(path, model, after)
    wanted = coef_of(KernelELMRegressor(**make, engine=Threads(2, 32)).fit(X, Y))
    assert coef_of(model.fit(X, Y, checkpoint=path, every=0)) == wanted
    assert os.listdir(path.parent) == []


def test_solvers_that_pass_many_times_begin_their_passes_anew(path):
    """Only the look is written down; the result is the same."""
    for solver in ("lsqr", "dual"):
        make = {"solver": solver, "alpha": 1.0, "random_state": 0}
        wanted = coef_of(ELMRegressor(20, **make, engine=Threads(2, 32)).fit(X, Y))
        model = ELMRegressor(20, **make)
        assert interrupted(path, model, BLOCKS + 5) == ["run.ckpt"]
        assert coef_of(model.fit(X, Y, checkpoint=path, every=0)) == wanted
        assert os.listdir(path.parent) == []
