"""The command line where things go wrong: exit codes, messages, nothing left behind."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from samara.cli import app

SMALL = ("--n-hidden", "20")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table."""
    made = tmp_path_factory.mktemp("faults")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 3))
    columns = {"width": X[:, 0], "height": X[:, 1], "depth": X[:, 2], "price": X.sum(axis=1)}
    columns["name"] = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)]
    pq.write_table(pa.table(columns), made / "t.parquet")
    return made


@pytest.fixture(scope="module")
def model(folder):
    path = folder / "m.samara"
    assert run("fit", folder / "t.parquet", "--target", "price", *SMALL, "-o", path).exit_code == 0
    return path


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)


def _sizeless(text):
    """Without sizes of memory: what the process holds changes from one run to the next."""
    return re.sub(r"[\d.]+ [kMG]B", "…", text)


def refused(code, *arguments):
    """The one line that a command ends with; no traceback, and the same in JSON."""
    done, told = run(*arguments), run(*arguments, "--json")
    assert (done.exit_code, told.exit_code) == (code, code), done.output
    assert "Traceback" not in done.output
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("samara: ")
    error = json.loads(told.stdout)["error"]
    assert error["exit_code"] == code
    assert _sizeless(last) == _sizeless(f"samara: {error['message']}")
    return error["message"]


def test_memory_that_runs_out_in_reading_is_not_the_files(folder, tmp_path, monkeypatch):
    """The sentence names both ways out, and the exit code is not that of bad data."""

    def full(*_):
        raise MemoryError("malloc of size 64 failed")

    monkeypatch.setattr("samara.sources.parquet.RowGroup.batches", full)
    told = refused(70, "fit", folder / "t.parquet", "--target", "price", *SMALL, "-o", tmp_path / "m.samara")
    assert "t.parquet" in told
    assert "can't be read: the memory is used up. Free some" in told


# --- usage: 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "price", "-o", "m"], "No data given"),
        (["t.parquet", "-o", "m"], "No target given: --target NAME says which column to predict."),
        (["t.parquet", "--target", "price"], "No file to write the model to: give --out MODEL."),
        (["t.parquet", "--target", "price", "-o", "m", "--solver", "gramm"], "Did you mean 'gram'?"),
        (["t.parquet", "--target", "price", "-o", "m", "--hidden", "sigmoit"], "Did you mean 'sigmoid'?"),
        (["t.parquet", "--target", "price", "-o", "m", "--n-hidden", "many"], "Unknown n_hidden 'many'."),
        (["t.parquet", "--target", "price", "-o", "m", "--alpha", "-1"], "alpha must be 0 or more"),
        (["t.parquet", "--target", "price", "-o", "m", "--memory", "lots"], "'lots'"),
        (["t.parquet", "--target", "price", "-o", "m", "--kernel", "rbf"], "--kernel is for --model kernel."),
        (
            ["t.parquet", "--target", "price", "-o", "m", "--model", "kernel", "--n-hidden", "9"],
            "--n-hidden is for --model elm.",
        ),
        (
            ["t.parquet", "--target", "price", "-o", "m", "--class-weight", "balanced"],
            "--class-weight is for classes; this is a regression, for price holds fractions.",
        ),
        (
            ["t.parquet", "--target", "price", "-o", "m", "--calibration", "isotonic"],
            "--calibration is for classes; this is a regression",
        ),
        (
            ["t.parquet", "--target", "price", "-o", "m", "--threshold", "f1"],
            "--threshold is for classes; this is a regression, for price holds fractions.",
        ),
        (
            ["t.parquet", "--target", "price", "-o", "m", "--task", "classification", "--link", "log"],
            "--link is for numbers; this is a classification, for as asked.",
        ),
        (
            ["t.parquet", "--target", "price", "-o", "m", "--task", "classification", "--no-intervals"],
            "--intervals is for numbers; this is a classification, for as asked.",
        ),
    ],
)
def test_what_cannot_be_run_as_given(folder, monkeypatch, arguments, message):
    monkeypatch.chdir(folder)
    assert message in refused(2, "fit", *arguments)
    assert not (folder / "m").exists()


@pytest.mark.parametrize(
    "arguments", [["fitt"], ["fit", "--no-such"], ["fit", "--seed", "x"], ["fit", "--model", "elms"], []]
)
def test_what_the_parser_refuses(arguments):
    done = run(*arguments)
    assert done.exit_code == 2
    assert "Traceback" not in done.output


def test_a_budget_that_no_fit_can_keep(folder, tmp_path):
    out = tmp_path / "m.samara"
    budget = ("--memory", "10MB", "--n-hidden", "2000")
    told = refused(2, "fit", folder / "t.parquet", "--target", "price", *budget, "-o", out)
    assert "10 MB" in told
    assert not out.exists()


def test_probabilities_of_numbers(model, folder, tmp_path):
    told = refused(2, "predict", model, folder / "t.parquet", "--proba", "-o", tmp_path / "p.csv")
    assert told == f"--proba is for classes; {model} predicts numbers."


# --- data: 65


def test_a_wrong_target_is_suggested(folder, tmp_path):
    told = refused(65, "fit", folder / "t.parquet", "--target", "prise", "-o", tmp_path / "m")
    assert "Did you mean 'price'?" in told


def test_text_is_no_number(folder, tmp_path):
    regression = ("--target", "name", "--task", "regression", "-o", tmp_path / "m")
    assert "name" in refused(65, "fit", folder / "t.parquet", *regression)


def test_a_column_that_is_missing_at_predict_time(model, folder, tmp_path):
    pq.write_table(pq.read_table(folder / "t.parquet").drop(["height"]), tmp_path / "t.parquet")
    assert "height" in refused(65, "predict", model, tmp_path / "t.parquet", "-o", tmp_path / "p.csv")
    assert not (tmp_path / "p.csv").exists()


def test_a_column_too_many_at_predict_time(model, folder, tmp_path):
    table = pq.read_table(folder / "t.parquet")
    pq.write_table(table.append_column("extra", table["width"]), tmp_path / "t.parquet")
    predict = ("predict", model, tmp_path / "t.parquet", "-o", tmp_path / "p.csv")
    assert "extra" in refused(65, *predict)
    assert run(*predict, "--ignore-extra").exit_code == 0


def test_a_table_that_is_cut_short(folder, tmp_path):
    whole = (folder / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(whole[: len(whole) // 2])
    told = refused(65, "fit", tmp_path / "t.parquet", "--target", "price", "-o", tmp_path / "m")
    assert "t.parquet" in told


@pytest.mark.parametrize("command", ["inspect", "eval", "export"])
def test_a_model_file_that_is_damaged(command, model, folder, tmp_path):
    whole = bytearray(model.read_bytes())
    whole[len(whole) // 2] ^= 1
    seen = whole[:200] if command == "inspect" else whole  # inspect reads no more than the head
    (tmp_path / "m.samara").write_bytes(seen)
    more = {"eval": [folder / "t.parquet"], "export": ["--onnx", tmp_path / "m.onnx"]}.get(command, [])
    assert str(tmp_path / "m.samara") in refused(65, command, tmp_path / "m.samara", *more)


def test_a_pickle_is_no_model(tmp_path):
    (tmp_path / "m.samara").write_bytes(b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07builtins.")
    assert "m.samara" in refused(65, "inspect", tmp_path / "m.samara")


# --- input and output: 74


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "no.parquet", "--target", "y", "-o", "m"],
        ["fit", "--config", "no.toml"],
        ["inspect", "no.samara"],
        ["resume", "no.ckpt"],
        ["fit", "t.parquet", "--target", "price", "-o", "no/m"],
        ["fit", "t.parquet", "--target", "price", "-o", "m", "--report", "no/r.html"],
        ["fit", "t.parquet", "--target", "price", "-o", "."],
    ],
)
def test_files_that_are_not_there(folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    assert "no" in refused(74, *arguments) or arguments[-1] == "."


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(folder, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    told = refused(74, "fit", folder / "t.parquet", "--target", "price", "-o", closed / "m")
    assert "nothing may be written to this folder" in told


# --- inside: 70


def test_an_unexpected_error_is_one_line(model, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("by chance")

    monkeypatch.setattr("samara.cli.models.run_inspect", broken)
    told = refused(70, "inspect", model)
    assert told.startswith("internal error: ZeroDivisionError: by chance; please report")
    done = run("inspect", model, "--traceback")
    assert done.exit_code == 70
    assert "Traceback (most recent call last)" in done.stderr
    monkeypatch.setenv("SAMARA_TRACEBACK", "1")
    assert "Traceback" in run("inspect", model).stderr


# --- whole processes


def command(*arguments):
    return [sys.executable, "-m", "samara", *map(str, arguments)]


def test_exit_codes_of_the_process(folder, tmp_path):
    done = subprocess.run(command("fit"), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    done = subprocess.run(command("inspect", tmp_path / "no"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 74
    assert done.stderr == f"samara: {tmp_path / 'no'}: there is no such file or folder.\n"


def test_a_reader_that_goes_away_is_no_error(model):
    process = subprocess.Popen(command("inspect", model), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), errors) == (141, b"")


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from samara.cli import app; "
        "sys.exit(any(name in sys.modules for name in ('sklearn', 'scipy', 'pyarrow', 'pandas', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


@pytest.fixture(scope="module")
def long_fit(tmp_path_factory):
    """A table whose fit, with a checkpoint after each block, takes a second or two."""
    made = tmp_path_factory.mktemp("long")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50_000, 4))
    pq.write_table(
        pa.table({**dict(zip("abcd", X.T, strict=True)), "y": np.sin(X[:, 0]) * X[:, 1]}), made / "t.parquet"
    )
    fit = ("fit", "t.parquet", "--target", "y", "--n-hidden", "150", "--seed", "3")
    done = subprocess.run(command(*fit, "-o", "whole.samara"), cwd=made, capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return made, fit


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_a_fit_that_was_stopped_goes_on(long_fit, tmp_path, how):
    made, fit = long_fit
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore Ctrl-C
    checkpoint = tmp_path / "run.ckpt"
    arguments = command(*fit, "-o", tmp_path / "m.samara", "--checkpoint", checkpoint, "--every", "0s")
    process = subprocess.Popen(arguments, cwd=made, stderr=subprocess.PIPE, text=True)
    second = tmp_path / "run.ckpt.1"
    deadline = time.monotonic() + 60
    while not second.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(how)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == (-9 if how == signal.SIGKILL else 130), errors
    if how == signal.SIGINT:
        assert errors.splitlines()[-2:] == [
            f"`samara resume {checkpoint}` goes on from the checkpoint.",
            "samara: interrupted",
        ]
        assert not list(tmp_path.glob(".*.part"))
    assert checkpoint.exists()
    resumed = subprocess.run(
        command("resume", checkpoint, "--json"), capture_output=True, cwd=tmp_path, timeout=100
    )
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout)["data"]["rows"] == 50_000
    assert (tmp_path / "m.samara").read_bytes() == (made / "whole.samara").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["m.samara"]


def test_a_command_file_that_was_changed_is_refused(tmp_path):
    for text in ("{", "[]", '{"folder": "/", "options": {"model": {"sede": 1}}}', '{"options": {}}'):
        (tmp_path / "run.ckpt.command").write_text(text, encoding="utf-8")
        assert "is not what a fit wrote" in refused(65, "resume", tmp_path / "run.ckpt")
