"""What the catalogue says."""

import re

import pytest

from samara.cli.bench import PAPERS
from samara.datasets import catalogue
from samara.datasets.bundled import bundled

ENTRIES = catalogue()


def test_names_are_sorted_and_usable_as_file_names():
    names = [entry.name for entry in ENTRIES]
    assert names == sorted(set(names))
    assert len(names) == 71
    assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in names)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_is_whole(entry):
    assert entry.rows > 100
    assert entry.columns > 0
    assert (entry.task == "classification") == (entry.classes >= 2)
    assert sum(entry.split) == (entry.rows if entry.split else 0)
    assert len(entry.categorical) <= entry.columns
    assert entry.targets[0] == "target"
    assert set(entry.papers) <= set(PAPERS)
    assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
    assert entry.licence
    assert entry.source
    assert not re.search(r"\bhttp|/work|/home|pypi|npm", entry.source)


def test_no_two_entries_share_a_copy_or_values():
    numbers = [entry.openml for entry in ENTRIES if entry.openml]
    assert len(numbers) == len(set(numbers))
    assert len({entry.sha256 for entry in ENTRIES}) == len(ENTRIES)


def test_papers_have_their_sets():
    used = {paper: [entry.name for entry in ENTRIES if paper in entry.papers] for paper in PAPERS}
    assert used["bi"] == ["arcene", "pendigits", "segment", "shuttle"]
    assert len(used["jankowski"]) == 13
    assert len(used["men-wang"]) == 8
    assert len(used["liu"]) == 7


def test_where_says_where_to_get_it():
    where = {entry.name: entry.where for entry in ENTRIES}
    assert where["letter"] == "comes with samara"
    assert where["iris"] == "comes with scikit-learn"
    assert where["abalone"] == "fetched from OpenML, 183; UCI Machine Learning Repository, Abalone"
    assert where["a9a"].startswith("a9a.parquet in the folder of data sets; LIBSVM")


def test_what_is_said_to_be_on_board_is():
    on_board = {entry.name for entry in ENTRIES if entry.comes_with}
    assert on_board == {
        "letter",
        "ionosphere",
        "iris",
        "wine",
        "breast_cancer_wdbc",
        "diabetes_reg",
        "digits",
    }
    for name in on_board:
        assert "target" in bundled(name)
