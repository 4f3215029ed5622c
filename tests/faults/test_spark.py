"""Spark that fails: workers killed, packages missing, sessions stopped, users who give up."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import samara
from samara import ELMRegressor
from samara.engines import SparkEngine, spark_tasks
from samara.engines import spark as module
from samara.errors import ClusterError, InputError, NonFiniteError
from samara.sources import ArraySource
from tests.problems import make_problem

PROBLEM = make_problem(21, 6000, 4, 1, weighted=False)


class Odd:
    """A map that gives its rows on, and does something odd in the worker that comes first, or in all."""

    n_out = 4

    def __init__(self, act, once=None):
        self.act, self.once, self.home = act, once, os.getpid()

    def __call__(self, X, out=None):
        if os.getpid() != self.home and self._mine():
            self.act()
        if out is None:
            return X
        out[:] = X
        return out

    def _mine(self):
        if self.once is None:
            return True
        try:
            os.close(os.open(self.once, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_worker_changes_nothing_but_the_time(spark, tmp_path):
    """Killed in the middle of a part, which another does anew."""
    mark = tmp_path / "killed"
    model = ELMRegressor(hidden=Odd(die, mark), engine=SparkEngine(spark, processes=3), random_state=0)
    found = PROBLEM.fit(model).model_
    assert mark.exists()
    expected = PROBLEM.fit(model).model_
    assert found.coef.tobytes() == expected.coef.tobytes()


@pytest.mark.slow
def test_workers_that_always_die(spark):
    """Spark gives up after four times."""
    with pytest.raises(ClusterError, match=r"^Workers of Spark died again and again: they may need more mem"):
        PROBLEM.fit(ELMRegressor(hidden=Odd(die), engine=spark))


def test_a_bad_cell_is_named_as_ever(spark, tmp_path):
    """An error in a task is the same error here, is not tried again, and leaves the session usable."""
    X = PROBLEM.X.copy()
    X[4567, 2] = np.nan
    with pytest.raises(NonFiniteError, match=r"^Input X contains NaN \(column 2, row 4567\)\.$"):
        ELMRegressor(10, engine=spark).fit(X, PROBLEM.y)
    frame = spark.createDataFrame([(1.0, 2.0), (float("inf"), 3.0)], "a double, y double")
    with pytest.raises(
        InputError, match=r"^Column 'a' holds infinity \(partition \d of the Spark data frame, row \d\)"
    ):
        ELMRegressor(10, engine=spark).fit(samara.scan(frame, target="y"))
    assert PROBLEM.fit(ELMRegressor(10, engine=spark)).n_hidden_ == 10


def trip():
    raise ZeroDivisionError("a map of the user's")


class ShyError(Exception):
    """An error that can't travel."""

    def __init__(self, one, other):
        super().__init__(f"{one} and {other}")


def be_shy():
    raise ShyError(1, 2)


def test_an_error_of_the_users_comes_as_itself(spark):
    """Where it can travel; else as what it says."""
    with pytest.raises(ZeroDivisionError, match=r"^a map of the user's$"):
        PROBLEM.fit(ELMRegressor(hidden=Odd(trip), engine=spark))
    with pytest.raises(ClusterError, match=r"^A task failed: ShyError: 1 and 2$"):
        PROBLEM.fit(ELMRegressor(hidden=Odd(be_shy), engine=spark))


class Needy:
    """A summary that needs what the worker has not."""

    def update(self, block):
        import no_such_package  # noqa: F401

    def merge(self, other):
        pass


def test_what_is_missing_on_a_worker_is_named(spark, monkeypatch, tmp_path):
    """A package that a task needs, samara itself, another version of it, another Python."""
    source = ArraySource(np.zeros((600, 1)), np.zeros((600, 1)))
    engine = SparkEngine(spark, block_rows=100).ready()
    with pytest.raises(ClusterError, match=r"^A worker has no package no_such_package: install it on all of"):
        engine.summarize(source, Needy)
    with monkeypatch.context() as patch:
        patch.setattr(module, "samara_version", lambda: "99.0")
        with pytest.raises(ClusterError, match=r"^The workers have samara \S+, this process 99.0: install"):
            engine.summarize(source, Needy)
    with monkeypatch.context() as patch:
        patch.setattr(spark.sparkContext, "pythonVer", "3.99")
        with pytest.raises(
            ClusterError, match=r"^The workers run Python 3\.\d+, this process 3.99: set PYSP"
        ):
            engine.summarize(source, Needy)
    (tmp_path / "samara.py").write_text("raise ModuleNotFoundError(\"No module named 'samara'\")")
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(tmp_path))
    with pytest.raises(ClusterError, match=r"^A worker has no package samara: install it on all of them, or"):
        engine.summarize(source, Needy)


def test_a_summary_that_spark_can_not_move():
    """Refused by the task that made it."""
    with pytest.raises(InputError, match=r"^A summary takes 0\.0 GB, and Spark moves at most 0\.0 GB in one"):
        spark_tasks.refuse_large((3, b"12345"), 4)
    spark_tasks.refuse_large((3, b"1234"), 4)


def linger():
    time.sleep(60)


def test_ctrl_c_ends_the_job(spark):
    """At once, with nothing left running."""
    tracker = spark.sparkContext.statusTracker()

    def interrupt(name, rows, total):
        if name == "look":  # the pass that follows lingers
            signal.setitimer(signal.ITIMER_REAL, 0.5)

    def press(*_):
        assert tracker.getActiveJobsIds()
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGALRM, press)
    try:
        engine = SparkEngine(spark, progress=interrupt)
        with pytest.raises(KeyboardInterrupt):
            PROBLEM.fit(ELMRegressor(hidden=Odd(linger), engine=engine))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not tracker.getActiveJobsIds()


def test_a_session_that_is_stopped(spark, spark_process, tmp_path):
    """In mid-fit, and before; with a checkpoint another session does the pass that was not finished."""
    told = []

    def stop(name, rows, total):
        told.append(name)
        if name == "moments":
            spark.stop()

    model = ELMRegressor(20, random_state=0, engine=SparkEngine(spark, progress=stop))
    gone = r"^The Spark session was stopped: start one and fit again\. A checkpoint keeps finished passes\.$"
    with pytest.raises(ClusterError, match=gone):
        model.fit(PROBLEM.X, PROBLEM.y, checkpoint=tmp_path / "run.ckpt")
    assert "look" in told
    with pytest.raises(ClusterError, match=r"^The Spark session was stopped: start another\.$"):
        PROBLEM.fit(ELMRegressor(10, engine=spark))
    told.clear()
    other = spark_process.getOrCreate()
    model.set_params(engine=SparkEngine(other, progress=lambda name, rows, total: told.append(name)))
    model.fit(PROBLEM.X, PROBLEM.y, checkpoint=tmp_path / "run.ckpt")
    assert set(told) == {"moments"}
    whole = PROBLEM.fit(ELMRegressor(20, random_state=0, engine="spark"))
    assert model.coef_.tobytes() == whole.coef_.tobytes()


def test_what_spark_can_not_take(spark):
    """Negative numbers, targets beside a data frame, columns of lists or of one name, rows for nobody."""
    frame = spark.createDataFrame([(1.0, [2.0], "b")], "a double, list array<double>, t string")
    model = ELMRegressor(10, engine=spark)
    with pytest.raises(InputError, match="An engine needs no negative numbers, got SparkEngine"):
        PROBLEM.fit(ELMRegressor(10, engine=SparkEngine(spark, processes=-1)))
    with pytest.raises(InputError, match=r"^A scan has its targets in it: .* leave y out\.$"):
        model.fit(frame.select("a"), [1.0])
    with pytest.raises(
        InputError, match=r"^The scan has no target: samara\.scan\(…, target=…\) names its col"
    ):
        model.fit(frame.select("a"), None)
    with pytest.raises(InputError, match=r"^Column 'list' holds list<element: double.*leave it out with col"):
        samara.scan(frame, target="a")
    with pytest.raises(InputError, match=r"^The Spark data frame has two columns named 'a': rename one\.$"):
        samara.scan(frame.select("a", "a"))


def test_a_machine_without_java():
    """What is needed is said."""
    code = """
import numpy as np, samara
try:
    samara.ELMRegressor(5, engine="spark").fit(np.eye(9), np.arange(9.0))
except samara.SamaraError as error:
    print(error)
"""
    bare = {**os.environ, "PATH": "/nowhere", "JAVA_HOME": "/nowhere"}
    done = subprocess.run([sys.executable, "-c", code], env=bare, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("No Spark session could be started here: it needs Java 17 or later, found")


def test_dask_does_not_read_spark(spark, cluster):
    """One sentence, before any task."""
    frame = spark.createDataFrame([(1.0, 2.0)], "a double, y double")
    with pytest.raises(
        InputError, match=r"^A Spark data frame is read by Spark: use engine=\"spark\", or thr"
    ):
        ELMRegressor(10, engine=cluster).fit(samara.scan(frame, target="y"))
