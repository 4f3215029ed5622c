"""``samara bench``: the list of data sets, and how the benchmarks of a clone are found and called."""

import json
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from samara.cli import app
from tests.unit.datasets.made import make_table

RECORDER = """


def run(**options):
    print("measuring")
    return {"options": {key: str(value) for key, value in sorted(options.items())}}
"""


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("SAMARA_DATA", raising=False)


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """What looks like a clone of the repository; its benchmarks only say how they were called."""
    root = tmp_path / "clone"
    for part in ("papers", "peers"):
        (root / "bench" / part).mkdir(parents=True)
        (root / "bench" / part / "__init__.py").touch()
        (root / "bench" / part / "command.py").write_text(RECORDER)
    (root / "bench" / "__init__.py").touch()
    (root / "src" / "samara").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setattr("samara.__file__", str(tmp_path / "site-packages" / "lib" / "samara" / "__init__.py"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    mine = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "bench"}
    for name in mine:
        monkeypatch.delitem(sys.modules, name)
    yield root
    for name in [name for name in sys.modules if name.split(".")[0] == "bench"]:
        del sys.modules[name]


def told(done):
    """The one JSON object on standard output."""
    assert done.exit_code == 0, done.output
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def refused(done, code=2):
    """The last line of a command that failed."""
    assert done.exit_code == code, done.output
    assert done.stdout == ""
    return done.stderr.splitlines()[-1]


def test_bench_has_three_commands_with_help(run):
    assert sorted(get_command(app).commands["bench"].commands) == ["data", "papers", "peers"]
    for name in ("data", "papers", "peers"):
        done = run("bench", name, "--help")
        assert done.exit_code == 0
        assert "--json" in done.stdout


def test_data_lists_what_is_there_and_where_to_get_the_rest(run, tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(make_table("svmguide1"), tmp_path / "svmguide1.parquet")
    done = run("bench", "data", "--data", tmp_path)
    assert done.exit_code == 0
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert lines["svmguide1"].endswith("in the folder")
    assert "men-wang" in lines["svmguide1"]
    assert lines["letter"].endswith("comes with samara")
    assert "fetched from OpenML, 183" in lines["abalone"]
    assert "missing: a9a.parquet in the folder of" in lines["a9a"]
    assert lines["Folder"].startswith(f"Folder {tmp_path}: 8 of 71 data sets are there, 28 would be fetched")


def test_data_in_json(run):
    found = told(run("bench", "data", "--json"))
    assert found["folder"] is None
    assert found["there"] + found["at_openml"] + found["missing"] == len(found["sets"]) == 71
    sets = {one["name"]: one for one in found["sets"]}
    assert sets["iris"] == {
        "name": "iris",
        "rows": 150,
        "columns": 4,
        "task": "classification",
        "classes": 3,
        "papers": ["liu"],
        "licence": "CC BY 4.0",
        "source": "UCI Machine Learning Repository, Iris",
        "openml": None,
        "origin": "scikit-learn",
        "where": "comes with scikit-learn",
    }
    assert sets["a9a"]["origin"] is None


def test_data_takes_the_variable(run, tmp_path, monkeypatch):
    monkeypatch.setenv("SAMARA_DATA", str(tmp_path))
    assert told(run("bench", "data", "--json"))["folder"] == str(tmp_path)


def test_papers_gets_its_options(run, clone, tmp_path):
    done = run("bench", "papers", "--json")
    assert "measuring" in done.stderr
    defaults = {"data": "None", "fresh": "False", "minutes": "None", "quick": "False", "threads": "2"}
    assert told(done)["options"] == {**defaults, "papers": "None", "tables": "None", "pages": "None"}
    more = ("--paper", "liu,bi", "--table", "3", "--table", "Fig. 2", "--quick", "--data", tmp_path)
    rest = ("--minutes", "1.5", "--fresh", "--threads", "1", "--pages", "docs/papers", "--json")
    assert told(run("bench", "papers", *more, *rest))["options"] == {
        "papers": "['liu', 'bi']",
        "tables": "['3', 'Fig. 2']",
        "quick": "True",
        "data": str(tmp_path),
        "minutes": "1.5",
        "fresh": "True",
        "threads": "1",
        "pages": str(Path("docs/papers")),
    }


def test_peers_gets_its_options(run, clone):
    options = told(run("bench", "peers", "--sets", "iris,wine", "--quick", "--json"))["options"]
    assert options == {
        "sets": "['iris', 'wine']",
        "quick": "True",
        "data": "None",
        "minutes": "None",
        "fresh": "False",
        "threads": "2",
    }


def test_lines_of_a_benchmark_are_shown_unless_quiet(run, clone):
    assert run("bench", "peers").stdout == "measuring\n"
    assert run("bench", "peers", "--quiet").output == ""


def test_without_a_clone_there_is_one_sentence(run, clone, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refused(run("bench", "papers")) == (
        "samara: The benchmarks are not in the package: run this in a clone of the repository, "
        "which has bench/papers/command.py."
    )


def test_a_folder_that_is_no_clone_runs_nothing(run, clone):
    (clone / "src" / "samara").rmdir()
    assert "run this in a clone" in refused(run("bench", "peers"))


def test_a_package_that_a_benchmark_needs(run, clone):
    (clone / "bench" / "papers" / "command.py").write_text("import no_such_package\n")
    line = refused(run("bench", "papers"))
    assert line == "samara: The benchmarks need the package no_such_package: install it first."


@pytest.mark.parametrize(
    ("kind", "module", "code"), [("SystemExit", "builtins", 2), ("InputError", "samara.errors", 65)]
)
def test_what_a_benchmark_refuses_is_told_in_a_line(run, clone, kind, module, code):
    """An option that can't be used is no fault of the data, nor the other way round."""
    refuses = f"from {module} import {kind}\n\n\ndef run(**_):\n    raise {kind}('No such table.')\n"
    (clone / "bench" / "papers" / "command.py").write_text(refuses)
    assert refused(run("bench", "papers", "--table", "99"), code) == "samara: No such table."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["papers", "--paper", "lui"], "Unknown paper 'lui'. Did you mean 'liu'? Known: bi, jankowski, liu,"),
        (["peers", "--sets", "irs"], "Unknown data set 'irs'. Did you mean 'iris'?"),
        (["data", "--data", "no/such"], "The folder of data sets, no/such, is not there: data= has to name"),
        (["peers", "--data", "no/such"], "The folder of data sets, no/such, is not there"),
    ],
)
def test_options_that_cannot_be_used(run, clone, arguments, message):
    assert refused(run("bench", *arguments)).startswith(f"samara: {message}")


@pytest.mark.parametrize("given", [("--minutes", "-1"), ("--minutes", "soon"), ("--threads", "0")])
def test_numbers_that_are_none(run, clone, given):
    done = run("bench", "papers", *given)
    assert done.exit_code == 2
    assert f"'{given[1]}' is not a" in done.stderr
