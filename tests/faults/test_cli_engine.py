"""``--engine`` on the command line: a cluster used, named and watched, and one that can't be."""

import json
import sys

import dask
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import samara
from samara.cli import app
from samara.errors import ClusterError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table."""
    made = tmp_path_factory.mktemp("engine")
    X = np.random.default_rng(0).standard_normal((1500, 3))
    columns = {"width": X[:, 0], "height": X[:, 1], "depth": X[:, 2], "price": X.sum(axis=1)}
    pq.write_table(pa.table(columns), made / "t.parquet", row_group_size=200)
    return made


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)


def fit(folder, *arguments):
    return run("fit", folder / "t.parquet", "--target", "price", "--n-hidden", "15", *arguments)


def test_every_command_works_on_a_cluster(cluster, folder, tmp_path, monkeypatch):
    """The same model, scores and predictions, and where the cluster can be watched; no client but its own."""
    monkeypatch.setattr("distributed.client._global_clients", {})
    address = cluster.scheduler.address
    engine = ("--engine", address.replace("tcp://", "dask://"), "--json")
    done = fit(folder, "-o", tmp_path / "m.samara", "--test", folder / "t.parquet", *engine)
    assert done.exit_code == 0, done.output
    assert f"dashboard: {cluster.dashboard_link}" in done.stderr
    told = json.loads(done.stdout)
    assert told["engine"] == {"name": engine[1], "dashboard": cluster.dashboard_link}
    assert told["memory"]["workers"] > 10_000_000
    assert any("the limit of a worker" in reason for reason in told["reasons"])
    assert fit(folder, "-o", tmp_path / "here.samara").exit_code == 0
    one, other = (samara.load(tmp_path / name) for name in ("m.samara", "here.samara"))
    assert one.engine is None
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9)
    use = (tmp_path / "m.samara", folder / "t.parquet")
    scores = json.loads(run("eval", *use, *engine).stdout)
    assert scores["scores"] == pytest.approx(told["test"], rel=1e-12)
    written = json.loads(run("predict", *use, "-o", tmp_path / "out", *engine).stdout)
    assert (written["rows"], written["parts"]) == (1500, len(list((tmp_path / "out").iterdir())))
    assert written["engine"]["dashboard"] == cluster.dashboard_link
    plan = json.loads(run("plan", folder / "t.parquet", "--target", "price", *engine).stdout)
    assert plan["engine"] == told["engine"]
    assert plan["memory"] == told["memory"]["limit"]


def test_the_largest_worker_is_told_of(cluster, folder, tmp_path):
    """In the table at the end of a fit."""
    config = tmp_path / "run.toml"
    config.write_text(f'[run]\nengine = "{cluster.scheduler.address}"\nmemory = "1GB"\n')
    done = fit(folder, "-o", tmp_path / "m.samara", "--config", config)
    line = next(line for line in done.stdout.splitlines() if line.startswith("peak memory"))
    assert "MB in the largest worker (predicted" in line
    assert "limit 1 GB)" in line
    assert "in this process" in line


def test_resume_keeps_the_engine(cluster, folder, tmp_path, monkeypatch):
    """A fit that lost its cluster leaves its options where a pass was finished, and goes on with them."""
    checkpoint, address = tmp_path / "run.ckpt", cluster.scheduler.address
    from samara.engines import DaskEngine

    real = DaskEngine.summarize

    def lost(self, source, make, name="pass"):
        if name == "moments":
            raise ClusterError("The Dask scheduler is gone.")
        return real(self, source, make, name)

    options = ("-o", tmp_path / "m.samara", "--checkpoint", checkpoint, "--engine", address)
    with monkeypatch.context() as patch:
        patch.setattr(DaskEngine, "summarize", lost)
        done = fit(folder, *options)
    assert done.exit_code == 74
    assert done.stderr.splitlines()[-1] == "samara: The Dask scheduler is gone."
    kept = json.loads((tmp_path / "run.ckpt.command").read_text())
    assert kept["options"]["run"]["engine"] == address
    told = json.loads(run("resume", checkpoint, "--json").stdout)
    assert told["engine"]["name"] == address
    assert [one["name"] for one in told["passes"]] == ["moments"]
    assert not checkpoint.exists()
    assert not (tmp_path / "run.ckpt.command").exists()


def test_an_error_leaves_no_options_behind(folder, tmp_path):
    """Unless there is a checkpoint to go on from; another's options stay as they were."""
    command = tmp_path / "run.ckpt.command"
    options = ("-o", tmp_path / "m.samara", "--checkpoint", tmp_path / "run.ckpt")
    assert fit(folder, *options, "--columns", "no_such").exit_code == 65
    assert not command.exists()
    command.write_text("of another fit")
    assert fit(folder, *options, "--columns", "no_such").exit_code == 65
    assert command.read_text() == "of another fit"


@pytest.mark.parametrize(
    ("engine", "code", "message"),
    [
        ("thread", 2, "Unknown engine 'thread'. Did you mean 'threads'?"),
        ("dask", 2, "Unknown engine 'dask'."),
        ("dask://127.0.0.1:9", 74, "No Dask scheduler answers at tcp://127.0.0.1:9"),
    ],
)
def test_an_engine_that_is_none(folder, tmp_path, engine, code, message):
    """One sentence, and the exit code of a wrong option or of something that does not answer."""
    with dask.config.set({"distributed.comm.timeouts.connect": "300ms"}):
        done = fit(folder, "-o", tmp_path / "m.samara", "--engine", engine)
        use = run("predict", tmp_path / "m.samara", folder / "t.parquet", "-o", tmp_path / "out")
    assert done.exit_code == code
    assert done.stderr.splitlines()[-1].startswith(f"samara: {message}")
    assert use.exit_code == 74  # there is no model
    assert "Traceback" not in done.output


def test_without_the_package(folder, tmp_path, monkeypatch):
    """What to install is said."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = fit(folder, "-o", tmp_path / "m.samara", "--engine", "dask://127.0.0.1:9")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1] == (
        "samara: A Dask cluster needs the package distributed: pip install samara[dask]."
    )
