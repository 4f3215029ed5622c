"""Clusters that fail: workers killed, packages missing, schedulers gone."""

import os
import signal
import sys
from threading import Lock

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

import samara
from samara import ELMRegressor, KernelELMRegressor
from samara.engines import DaskEngine
from samara.errors import BudgetError, ClusterError, InputError, StoreError
from tests.problems import make_problem

PROBLEM = make_problem(21, 6000, 4, 1, weighted=False)


def test_a_killed_worker_changes_nothing_but_the_time(cluster):
    """Killed when the first of its parts is done: its rows, sums and tasks are all made anew elsewhere."""
    victims = list(cluster.run(os.getpid).values())[:1]

    def kill(name, rows, total):
        if name == "moments" and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    model = ELMRegressor(60, random_state=0)
    expected = PROBLEM.fit(model.set_params(engine=DaskEngine(cluster, workers=4))).model_
    found = PROBLEM.fit(model.set_params(engine=DaskEngine(cluster, workers=4, progress=kill))).model_
    assert not victims
    assert found.coef.tobytes() == expected.coef.tobytes()
    cluster.wait_for_workers(2, timeout=30)


def test_a_worker_killed_between_tiles_changes_nothing(cluster):
    """The rows of a kernel model go to another worker, which makes the tiles anew."""
    victims = list(cluster.run(os.getpid).values())[:1]

    def kill(name, rows, total):
        if name == "kernel" and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    some, model = PROBLEM.rows(np.arange(1500)), KernelELMRegressor(solver="ssvd", rank=20, random_state=0)
    expected = some.fit(model.set_params(engine=DaskEngine(cluster, workers=2))).model_
    found = some.fit(model.set_params(engine=DaskEngine(cluster, workers=2, progress=kill))).model_
    assert not victims
    assert found.coef.tobytes() == expected.coef.tobytes()
    cluster.wait_for_workers(2, timeout=30)


def test_a_bad_cell_is_named_as_ever(cluster):
    """An error on a worker is the same error here, and leaves the cluster usable."""
    X = PROBLEM.X.copy()
    X[4567, 2] = np.nan
    with pytest.raises(InputError, match=r"row 4567"):
        ELMRegressor(10, engine=cluster).fit(X, PROBLEM.y)
    assert PROBLEM.fit(ELMRegressor(10, engine=cluster)).n_hidden_ == 10


class Stuck:
    """A map that holds what can't travel."""

    n_out = 4

    def __init__(self):
        self.lock = Lock()

    def __call__(self, X, out=None):
        return X


def test_what_cannot_travel_is_refused(cluster):
    """Before any task is there."""
    with pytest.raises(InputError, match=r"What the workers need can't be sent to them: cannot pickle"):
        PROBLEM.fit(ELMRegressor(hidden=Stuck(), engine=cluster))


class Needy:
    """A summary that needs what the worker has not."""

    def update(self, block):
        import no_such_package  # noqa: F401

    def merge(self, other):
        pass


def test_a_package_that_is_missing_on_a_worker_is_named(cluster):
    """When a task runs into it."""
    from samara.sources import ArraySource

    engine = DaskEngine(cluster, block_rows=100).ready()
    with pytest.raises(ClusterError, match="A worker has no package no_such_package: install it on all"):
        engine.summarize(ArraySource(np.zeros((600, 1)), np.zeros((600, 1))), Needy)


def test_a_finished_pass_is_not_done_again(cluster, tmp_path):
    """A checkpoint keeps the passes of a cluster that were finished."""
    told = []

    def interrupt(name, rows, total):
        told.append(name)
        if name == "moments":
            raise KeyboardInterrupt

    model = ELMRegressor(20, random_state=0, engine=DaskEngine(cluster, progress=interrupt))
    with pytest.raises(KeyboardInterrupt):
        model.fit(PROBLEM.X, PROBLEM.y, checkpoint=tmp_path / "run.ckpt")
    assert "look" in told
    told.clear()
    model.set_params(engine=DaskEngine(cluster, progress=lambda name, rows, total: told.append(name)))
    model.fit(PROBLEM.X, PROBLEM.y, checkpoint=tmp_path / "run.ckpt")
    assert set(told) == {"moments"}
    whole = PROBLEM.fit(ELMRegressor(20, random_state=0, engine=cluster))
    assert model.coef_.tobytes() == whole.coef_.tobytes()


@pytest.fixture
def lonely():
    """A cluster of one worker, to be broken."""
    with LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as made:
        yield made


def test_the_only_worker_dies(lonely):
    """What was meant for it is done by the one that comes in its place."""
    with Client(lonely) as client:
        victims = list(client.run(os.getpid).values())

        def kill(name, rows, total):
            if name == "moments" and victims:
                os.kill(victims.pop(), signal.SIGKILL)

        model = ELMRegressor(20, alpha=1.0, random_state=0)
        found = PROBLEM.fit(model.set_params(engine=DaskEngine(client, workers=4, progress=kill))).coef_
        assert not victims
        whole = PROBLEM.fit(model.set_params(engine=DaskEngine(client, workers=4))).coef_
        assert found.tobytes() == whole.tobytes()


def test_a_cluster_that_is_of_no_use_says_why(lonely):
    """No samara on a worker, then no worker, then no scheduler."""
    with dask.config.set({"distributed.comm.timeouts.connect": "500ms"}):
        client = Client(lonely)
        model = ELMRegressor(10, alpha=1.0, engine=client)

        def hide():
            sys.modules["samara"] = None

        client.run(hide)
        with pytest.raises(
            ClusterError, match=r"Worker tcp://127.0.0.1:\d+ has no package samara: install it"
        ):
            PROBLEM.fit(model)
        client.run(lambda: sys.modules.pop("samara"))

        def leave(name, rows, total):
            lonely.close()

        with pytest.raises(ClusterError, match=r"The Dask scheduler at tcp://127.0.0.1:\d+ is gone"):
            PROBLEM.fit(model.set_params(engine=DaskEngine(client, progress=leave)))
        with pytest.raises(ClusterError, match=r"The Dask scheduler at .* is gone"):
            PROBLEM.fit(model.set_params(engine=client))
        client.close()


def test_other_versions_on_a_worker_are_named(cluster, monkeypatch):
    """Samara's to the letter, Python's second number, NumPy's first."""
    model = ELMRegressor(10, engine=cluster)
    with monkeypatch.context() as patch:
        patch.setattr("samara.engines.connections.version", lambda name: "9.9")
        with pytest.raises(
            ClusterError, match=r"Worker tcp.* has Samara .*, and here it is Samara 9.9: install the same"
        ):
            PROBLEM.fit(model)
    told = cluster.get_versions()
    worker = next(iter(told["workers"].values()))
    monkeypatch.setattr(cluster, "get_versions", lambda: told)
    worker["packages"]["numpy"] = "1.26.4"
    with pytest.raises(ClusterError, match=r"Worker tcp.* has NumPy 1, and here it is NumPy 2"):
        PROBLEM.fit(model)
    worker["host"]["python"] = "3.9.1.final.0"
    with pytest.raises(ClusterError, match=r"Worker tcp.* has Python 3.9, and here it is Python 3.1"):
        PROBLEM.fit(model)


def test_the_limit_of_a_worker_is_kept(cluster, monkeypatch):
    """Where no memory is given; one that is given counts instead."""
    monkeypatch.setattr("samara.engines.dask.room_of", lambda client: (50_000_000, 20_000_000))
    model = ELMRegressor(3000, alpha=1.0, solver="gram", engine=cluster)
    with pytest.raises(
        BudgetError, match=r"of the whole process; memory allows 50 MB, of which 20 MB are in"
    ):
        PROBLEM.fit(model)
    plan = PROBLEM.fit(ELMRegressor(10, alpha=1.0, engine=cluster)).plan_
    assert "memory 50 MB: the limit of a worker, for none was given" in plan.reasons
    assert (plan.memory, plan.resident) == (50_000_000, 20_000_000)
    assert PROBLEM.fit(model.set_params(memory="1GB", n_hidden=100)).plan_.memory == 10**9


def test_a_cluster_without_workers():
    """It would wait for ever."""
    with (
        LocalCluster(
            n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
        ) as empty,
        Client(empty) as client,
        pytest.raises(ClusterError, match=r"The cluster at tcp://127.0.0.1:\d+ has no workers: start some"),
    ):
        PROBLEM.fit(ELMRegressor(10, engine=client))


def test_nobody_at_the_address():
    """The address is in the message."""
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "300ms"}),
        pytest.raises(
            ClusterError, match=r"No Dask scheduler answers at tcp://127.0.0.1:9 .*check the address"
        ),
    ):
        PROBLEM.fit(ELMRegressor(10, engine="dask://127.0.0.1:9"))


@pytest.mark.parametrize("engine", ["dask", 3, "http://127.0.0.1:9", "sparks"])
def test_what_is_no_engine(engine):
    """The kinds there are are listed."""
    with pytest.raises(
        InputError,
        match=r"Unknown engine .* Known: a SparkSession, a distributed.Client, dask://host:port, spark, thr",
    ):
        PROBLEM.fit(ELMRegressor(10, engine=engine))


def test_negative_numbers(cluster):
    """As with threads."""
    with pytest.raises(InputError, match="An engine needs no negative numbers, got DaskEngine"):
        PROBLEM.fit(ELMRegressor(10, engine=DaskEngine(cluster, block_rows=-1)))


def test_collections_that_do_not_belong_together(cluster):
    """Cut in different ways, or of different length, or not from Dask."""
    da = pytest.importorskip("dask.array")
    X = da.from_array(PROBLEM.X, chunks=(2000, 4))
    model = ELMRegressor(10, alpha=1.0, engine=cluster)
    with pytest.raises(InputError, match="cut into 3 and 6 partitions: cut them alike"):
        model.fit(X, da.from_array(PROBLEM.y, chunks=1000))
    with pytest.raises(InputError, match="With X from Dask the others must be from Dask too, got ndarray"):
        model.fit(X, PROBLEM.y)
    with pytest.raises(
        InputError, match=r"partition \d: X, y and weights differ in their rows: \[\d+, \d+\]"
    ):
        model.fit(X, da.from_array(PROBLEM.y, chunks=((3000, 1500, 1500),)))


@pytest.mark.parametrize("engine", ["tcp://127.0.0.1:9", "spark"])
def test_no_file_makes_a_connection(tmp_path, monkeypatch, engine):
    """A model file that names a cluster is refused: opening it would trust whoever answers there."""
    path = tmp_path / "m.samara"
    model = PROBLEM.fit(ELMRegressor(10, alpha=1.0, random_state=0))
    with monkeypatch.context() as patch:
        patch.setattr("samara.estimators.saving._revived", lambda *_: None)
        patch.setattr("samara.estimators.saving.is_cluster", lambda engine: False)
        model.set_params(engine=engine).save(path)
    with pytest.raises(StoreError, match="its engine is a cluster, which no saved model has"):
        samara.load(path)
