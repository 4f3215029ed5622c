"""Every command, on small tables."""

import json
import re

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import samara

INPUTS, SMALL = "size,weight,colour", ("--n-hidden", "40")
COMMANDS = ["plan", "fit", "resume", "eval", "predict", "inspect", "export", "tradeoff", "demo"]


@pytest.fixture(scope="module")
def data(folder):
    return ("--target", "price", "--columns", INPUTS, folder / "train.parquet")


def result_of(done):
    """The one JSON object on standard output."""
    assert done.exit_code == 0, done.output
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def test_help_lists_every_command_and_the_exit_codes(run):
    done = run("--help")
    assert done.exit_code == 0
    assert all(name in done.stdout for name in COMMANDS)
    assert "Exit codes: 0 done" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_json(run, name):
    done = run(name, "--help")
    assert done.exit_code == 0
    assert "--json" in done.stdout


def test_version(run):
    assert run("--version").stdout == f"samara {samara.__version__}\n"


def test_fit_ends_with_a_table(run, data, folder, tmp_path):
    test = ("--test", folder / "test.parquet")
    done = run("fit", *data, *SMALL, *test, "--memory", "2GB", "-o", tmp_path / "m.samara")
    assert done.exit_code == 0
    lines = [re.split(r"  +", line)[0] for line in done.stdout.splitlines()]
    assert lines == ["data", "model", "solver", "ridge", "held out", "test", "time", "peak memory", "written"]
    assert "1,500 rows × 3 columns, target price" in done.stdout
    assert "limit 2 GB" in done.stdout
    assert "regression: price holds fractions" in done.stderr
    assert re.search(r"moments: 100 %, [\d,]+ rows/s, .* of 2 GB", done.stderr)


def test_fit_in_json(run, data, folder, tmp_path):
    out = tmp_path / "m.samara"
    found = result_of(run("fit", *data, *SMALL, "--test", folder / "test.parquet", "--json", "-o", out))
    assert found["model"] == str(out)
    assert found["data"] == {"rows": 1500, "columns": 3, "targets": ["price"]}
    assert found["task"] == {"name": "regression", "why": "price holds fractions"}
    assert found["size"] == {"nodes": 40}
    assert found["selection"]["what"] == "RMSE"
    assert 0 < found["selection"]["error"] < found["selection"]["score"] < 0.6
    assert found["test"]["rows"] == 400
    assert found["test"]["rmse"] < 0.6
    assert found["memory"]["peak"] > 0
    assert [one["name"] for one in found["passes"]] == ["look", "moments"]
    assert found["config_hash"] == samara.inspect(out).config
    assert found["warnings"] == []


def test_quiet_says_nothing(run, data, tmp_path):
    done = run("fit", *data, *SMALL, "--quiet", "-o", tmp_path / "m.samara")
    assert (done.exit_code, done.output) == (0, "")


@pytest.mark.parametrize(
    ("target", "more", "estimator"),
    [
        ("grade", ["--class-weight", "balanced"], "ELMClassifier"),
        ("grade", ["--threshold", "balanced_accuracy"], "ELMClassifier"),
        ("stars", [], "ELMClassifier"),
        ("stars", ["--task", "regression", "--direct-link"], "ELMRegressor"),
        ("grade", ["--model", "kernel", "--gamma", "0.5", "--rank", "30"], "KernelELMClassifier"),
        ("price", ["--alpha", "0.1,1", "--n-hidden", "20,40", "--hidden", "tanh"], "ELMRegressor"),
    ],
)
def test_models(run, folder, tmp_path, target, more, estimator):
    data = ("--target", target, "--columns", INPUTS, folder / "train.parquet")
    out = tmp_path / "m.samara"
    nodes = [] if {"kernel", "20,40"} & set(more) else SMALL
    found = result_of(run("fit", *data, *nodes, *more, "--json", "-o", out))
    assert found["estimator"] == estimator
    scores = result_of(run("eval", out, folder / "test.parquet", "--ignore-extra", "--json"))["scores"]
    assert scores.get("accuracy", scores.get("r2")) > 0.7


def test_config_says_the_same_as_flags(run, data, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    (tmp_path / "run.toml").write_text(
        f"""
        [data]
        path = "train.parquet"
        target = "price"
        columns = ["size", "weight", "colour"]
        [model]
        n_hidden = 40
        alpha = [0.1, 1]
        [run]
        out = "{tmp_path / "filed.samara"}"
        """,
        encoding="utf-8",
    )
    flags = ("--alpha", "0.1,1", "-o", tmp_path / "flags.samara")
    filed = result_of(run("fit", "--config", tmp_path / "run.toml", "--json"))
    given = result_of(
        run("fit", "train.parquet", "--target", "price", "--columns", INPUTS, *SMALL, *flags, "--json")
    )
    assert filed["config_hash"] == given["config_hash"]
    assert (tmp_path / "filed.samara").read_bytes() == (tmp_path / "flags.samara").read_bytes()


def test_flags_win_over_the_config(run, data, tmp_path):
    (tmp_path / "run.toml").write_text("[model]\nn_hidden = 10\nseed = 3\n", encoding="utf-8")
    config = ("--config", tmp_path / "run.toml")
    found = result_of(run("fit", *data, *config, *SMALL, "--json", "-o", tmp_path / "m.samara"))
    assert found["size"] == {"nodes": 40}


def test_report(run, data, folder, tmp_path):
    pytest.importorskip("plotly")
    report = ("--report", tmp_path / "r.html", "-o", tmp_path / "m.samara")
    found = result_of(run("fit", *data, *SMALL, *report, "--json"))
    assert found["report"] == str(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "price: ELMRegressor" in page
    assert "colour" in page


def test_eval(run, model, folder):
    done = run("eval", model, folder / "test.parquet", "--ignore-extra")
    assert re.search(r"scores  R² 0\.\d+, RMSE 0\.\d+, MAE 0\.\d+ on 400 rows", done.stdout)
    found = result_of(run("eval", model, folder / "test.parquet", "--ignore-extra", "--json"))
    assert found["targets"] == ["price"]
    assert set(found["scores"]) == {"rows", "r2", "rmse", "mae"}


def test_eval_of_several_targets_between_commas(run, folder, tmp_path):
    out, table = tmp_path / "two.samara", folder / "test.parquet"
    given = ("--columns", "size,colour", *SMALL, "--out", out)
    assert run("fit", table, "--target", "price,weight", *given).exit_code == 0
    known = result_of(run("eval", out, table, "--ignore-extra", "--json"))
    named = run("eval", out, table, "--ignore-extra", "--json", "--target", "weight, price")
    assert result_of(named)["scores"] == pytest.approx(known["scores"])


def test_ignore_extra_needs_names(run, tmp_path):
    (tmp_path / "t.svm").write_text("".join(f"{i} 1:{i} 2:{i * i}\n" for i in range(1, 40)))
    out = tmp_path / "m.samara"
    assert run("fit", tmp_path / "t.svm", "--target", "label", *SMALL, "--out", out).exit_code == 0
    done = run("eval", out, tmp_path / "t.svm", "--ignore-extra")
    assert done.exit_code == 2
    assert "--ignore-extra needs a model whose inputs have names" in done.stderr


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_predict(run, model, folder, tmp_path, suffix):
    out = tmp_path / f"p.{suffix}"
    found = result_of(run("predict", model, folder / "test.parquet", "--ignore-extra", "--json", "-o", out))
    assert found == {
        "model": str(model),
        "rows": 400,
        "columns": ["predicted"],
        "parts": 1,
        "written": str(out),
        "engine": {"name": "threads", "dashboard": None},
        "warnings": [],
    }
    written = pq.read_table(out) if suffix == "parquet" else pyarrow.csv.read_csv(out)
    wanted = samara.load(model).predict(samara.scan(folder / "test.parquet", columns=INPUTS.split(",")))
    assert np.allclose(written["predicted"].to_numpy(), wanted, rtol=1e-12)


def test_predict_sets_the_target_aside(run, folder, tmp_path):
    table = pq.read_table(folder / "train.parquet").select(["size", "colour", "grade"])
    pq.write_table(table, tmp_path / "t.parquet")
    fit = ("fit", tmp_path / "t.parquet", "--target", "grade", *SMALL, "-o", tmp_path / "m.samara")
    assert run(*fit).exit_code == 0
    for name in ("with", "without"):
        pq.write_table(table if name == "with" else table.drop(["grade"]), tmp_path / f"{name}.parquet")
        predict = ("predict", tmp_path / "m.samara", tmp_path / f"{name}.parquet", "--proba", "--json")
        found = result_of(run(*predict, "-o", tmp_path / f"{name}.csv"))
        assert found["columns"] == ["probability of high", "probability of low"]
    assert (tmp_path / "with.csv").read_bytes() == (tmp_path / "without.csv").read_bytes()


def test_predict_with_intervals(run, model, folder, tmp_path):
    out, rows = tmp_path / "p.parquet", folder / "test.parquet"
    done = run("predict", model, rows, "--ignore-extra", "--interval", "0.8", "--json", "-o", out)
    assert result_of(done)["columns"] == ["predicted", "lower", "upper"]
    written, scan = pq.read_table(out), samara.scan(rows, columns=INPUTS.split(","))
    lower, upper = samara.load(model).predict_interval(scan, 0.8)
    assert np.allclose(written["lower"].to_numpy(), lower, rtol=1e-12)
    assert np.allclose(written["upper"].to_numpy(), upper, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "kind"), [("isotonic", "Isotonic"), ("temperature", "Temperature"), ("none", "NoneType")]
)
def test_fit_with_a_calibration(run, folder, tmp_path, name, kind):
    data = (folder / "train.parquet", "--target", "grade", "--columns", "size,colour", *SMALL)
    assert run("fit", *data, "--calibration", name, "-o", tmp_path / "m.samara").exit_code == 0
    assert type(samara.load(tmp_path / "m.samara").calibration_).__name__ == kind


def test_fit_without_intervals(run, folder, tmp_path):
    data = (folder / "train.parquet", "--target", "price", "--columns", INPUTS, *SMALL)
    assert run("fit", *data, "--no-intervals", "-o", tmp_path / "m.samara").exit_code == 0
    assert samara.load(tmp_path / "m.samara").intervals_ is None


def test_fit_with_a_link(run, folder, tmp_path):
    data = (folder / "train.parquet", "--target", "price", "--columns", INPUTS, *SMALL)
    done = run("fit", *data, "--link", "logit", "-o", tmp_path / "m.samara")
    assert done.exit_code != 0
    assert 'link="logit" takes targets between 0 and 1' in done.stderr
    assert run("fit", *data, "--link", "exp", "-o", tmp_path / "m.samara").exit_code == 2


def test_inspect(run, model):
    done = run("inspect", model)
    assert "ELMRegressor" in done.stdout
    assert "size (number), weight (number), colour (text)" in done.stdout
    assert "plan: solver gram" in done.stdout
    found = result_of(run("inspect", model, "--json"))
    assert found["contains_training_rows"] is False
    assert found["columns"] == [["size", "number"], ["weight", "number"], ["colour", "text"]]


def test_export(run, model, tmp_path):
    pytest.importorskip("onnx")
    found = result_of(run("export", model, "--onnx", tmp_path / "m.onnx", "--json"))
    assert found["inputs"] == ["size", "weight", "colour"]
    assert (tmp_path / "m.onnx").stat().st_size > 1000


def test_export_without_onnx(run, model, tmp_path, monkeypatch):
    monkeypatch.setattr("samara.cli.models.find_spec", lambda name: None)
    done = run("export", model, "--onnx", tmp_path / "m.onnx")
    assert done.exit_code == 2
    assert "export needs onnx: pip install samara[onnx]" in done.stderr


def test_plan(run, data):
    done = run("plan", *data, "--memory", "2GB")
    assert done.exit_code == 0
    assert len(re.findall(r"^→ ", done.stdout, re.MULTILINE)) == 1
    assert "limit 2 GB" in done.stdout
    found = result_of(run("plan", *data, "--json"))
    assert found["chosen"] == "gram"
    gram = next(one for one in found["candidates"] if one["solver"] == "gram")
    assert gram["chosen"]
    assert gram["peak_bytes"] > found["resident"] > 0


def test_a_plan_of_what_does_not_fit_says_so(run, data):
    found = result_of(run("plan", *data, "--memory", "50MB", "--json"))
    assert found["chosen"] is None
    assert "50 MB" in found["refusal"]


def test_tradeoff(run, data, folder, tmp_path):
    pytest.importorskip("plotly")
    plot = ("--plot", tmp_path / "t.html", "--test", folder / "test.parquet")
    done = run("tradeoff", *data, "--n-hidden", "20", "--alpha", "1", *plot)
    assert done.exit_code == 0, done.output
    assert "on the front" in done.stdout
    assert (tmp_path / "t.html").exists()
    found = result_of(run("tradeoff", *data, "--n-hidden", "20", *plot, "--json"))
    gram = next(one for one in found["trials"] if one["solver"] == "gram")
    assert gram["seconds"] > 0
    assert gram["error"] < 1
    assert any(one["on_front"] for one in found["trials"])


def test_demo(run, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("samara.demo.SIZES", [50, 100])
    found = result_of(run("demo", "--output", tmp_path / "plots", "--json"))
    assert set(found) >= {"data", "plan", "accuracy", "plots"}


def test_a_transformer_is_inspected_but_predicts_nothing(run, folder, tmp_path):
    path = tmp_path / "pca.samara"
    samara.AdaptivePCA(2).fit(np.random.default_rng(0).standard_normal((20, 3))).save(path)
    done = run("inspect", path)
    assert done.exit_code == 0
    assert "AdaptivePCA" in done.stdout
    assert result_of(run("inspect", path, "--json"))["estimator"] == "AdaptivePCA"
    done = run("predict", path, folder / "test.parquet", "-o", tmp_path / "out.parquet")
    assert done.exit_code != 0
    assert "holds AdaptivePCA, which predicts nothing" in done.stderr
