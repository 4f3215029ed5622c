"""Tables, JSON and progress."""

import io
import json
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from samara.cli import progress as progress_module
from samara.cli.options import Shown
from samara.cli.output import Output, plain
from samara.cli.progress import PassProgress, pass_table
from samara.cli.told import duration, number, scores, selected, size


def test_json_holds_no_numpy_and_nothing_infinite():
    found = plain({"a": np.float64(1.5), "b": np.array([1, 2]), "c": float("nan"), 4: (True, None, "é")})
    assert json.loads(json.dumps(found, allow_nan=False)) == {
        "a": 1.5,
        "b": [1, 2],
        "c": None,
        "4": [True, None, "é"],
    }


def test_json_is_all_that_standard_output_gets(capsys):
    output = Output(Shown(json=True))
    output.facts([("a", "b")])
    output.rows(["a", "b"], [["1", "2"]])
    output.text("words")
    output.note("a remark")
    output.warning("mind")
    output.result({"a": 1})
    out, err = capsys.readouterr()
    assert json.loads(out) == {"a": 1, "warnings": ["mind"]}
    assert err.splitlines() == ["a remark", "warning: mind"]


def test_names_with_brackets_are_printed_as_they_are(capsys):
    output = Output(Shown())
    output.facts([("[bold]x[/bold]", ":smile: [red]")])
    output.rows(["name", "n", "why"], [["[a]", "1", "[b]"]], marked=0)
    out = capsys.readouterr().out
    assert "[bold]x[/bold]  :smile: [red]" in out
    assert "[a]" in out


def test_quiet_prints_no_table(capsys):
    output = Output(Shown(quiet=True))
    output.facts([("a", "b")])
    output.note("remark")
    output.result({})
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (number(0.123456), "0.1235"),
        (number(1234567.8), "1,234,568"),
        (number(float("nan")), "–"),
        (duration(0.123), "0.12 s"),
        (duration(61), "61 s"),
        (duration(600), "10.0 min"),
        (duration(9000), "2.5 h"),
        (duration(None), "–"),
        (size(None), "–"),
        (selected(None), "none: ridge and size were given"),
        (scores({"rows": 1000, "r2": 0.5, "rmse": 2.0}), "R² 0.5, RMSE 2 on 1,000 rows"),
    ],
)
def test_numbers_in_words(told, text):
    assert told == text


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes a second at each look, and a memory of 100 MB; threads of others have their own."""
    seconds = iter(range(1000))
    ticking = SimpleNamespace(monotonic=lambda: float(next(seconds)))
    monkeypatch.setattr(progress_module, "time", ticking)
    monkeypatch.setattr(progress_module, "memory_text", lambda limit: f"100 MB of {limit}")


def test_progress_in_lines_where_there_is_no_terminal(clock):
    stream = io.StringIO()
    with PassProgress(Console(file=stream, width=100, force_terminal=False), False, 7) as progress:
        for _ in range(4):
            progress("look", 25, 100)
        for _ in range(20):
            progress("moments; step", 5, None)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "look: 100 %, 25 rows/s, 100 MB of 7"
    assert lines[1].startswith("moments: 25 rows, ")
    assert len(lines) == 5


def test_quiet_progress_still_counts(clock):
    stream = io.StringIO()
    with PassProgress(Console(file=stream, force_terminal=False), True, None) as progress:
        for _ in range(3):
            progress("step", 10, 10)
    assert stream.getvalue() == ""
    assert pass_table(progress.passes) == [{"name": "step", "times": 3, "rows": 30, "seconds": 3.0}]


def test_bars_on_a_terminal():
    stream = io.StringIO()
    with PassProgress(Console(file=stream, width=100, force_terminal=True), False, 10**9) as progress:
        for _ in range(2):
            progress("solve", 10, 10)
    assert "solve" in stream.getvalue()
    assert "solve 2" in stream.getvalue()
    assert "of 1 GB" in stream.getvalue() or "rows/s" in stream.getvalue()
