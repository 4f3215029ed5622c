"""Interpreters that wait, and the forks that run the trials."""

import pytest

from bench.forked import Forks
from bench.harness import Contender, surroundings

ONCE = [{}]
CLOCK = {"limit": 60, "enough": 60, "brief": 0}
SPLITS = [{"split": 0}, {"split": 1}]


def side(function, **kwargs):
    return Contender(function, f"tests.bench.sleeping:{function}", kwargs)


def test_runs_end_after_one_that_takes_enough(forks):
    sleeper = side("trial", seconds=0.01)
    runs = sleeper.run_each(forks, SPLITS, CLOCK)
    assert [run["results"]["predicted"] for run in runs] == [0, 1]
    assert all(run["seconds"] >= 0.01 > run["predict_seconds"] for run in runs)
    assert len(sleeper.run_each(forks, SPLITS, {**CLOCK, "enough": 0.005})) == 1


def test_a_run_that_takes_too_long_is_late(forks):
    run = side("trial", seconds=30).run_each(forks, SPLITS, {**CLOCK, "limit": 0.5})
    assert run == {"error": "took longer than 0.5 s", "late": True}
    assert len(side("trial", seconds=0).run_each(forks, SPLITS, CLOCK)) == 2  # the next one is served


@pytest.mark.parametrize(
    ("function", "error"),
    [
        ("refused", "SystemExit: no such thing"),
        ("gone", "ended with exit code 3"),
        ("absent", "AttributeError: module 'tests.bench.sleeping' has no attribute 'absent'"),
    ],
)
def test_what_goes_wrong_is_an_answer_too(forks, function, error):
    assert side(function).run_each(forks, ONCE, CLOCK) == {"error": error}
    assert len(side("trial", seconds=0).run_each(forks, SPLITS, CLOCK)) == 2


def test_what_is_printed_is_no_answer(forks):
    assert side("noisy").run_each(forks, ONCE, CLOCK)[0]["results"] == {}


def test_the_next_fork_has_what_was_imported_and_nothing_else(forks):
    first, second = (side("importing", module="colorsys").run_each(forks, ONCE, CLOCK)[0] for _ in range(2))
    assert [first["results"]["there"], second["results"]["there"]] == [False, True]
    assert first["results"]["process"] != second["results"]["process"]


def test_an_interpreter_that_ends_is_said_so(tmp_path):
    """There is no bench to import in an empty folder."""
    with Forks(1, surroundings, str(tmp_path)) as forks:
        for _ in range(2):
            run = side("trial", seconds=0).run_each(forks, SPLITS, CLOCK)
            assert run == {"error": "its interpreter ended"}
