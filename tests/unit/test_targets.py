"""Which task a target is taken for."""

import numpy as np
import pytest

from samara.core import Chunk
from samara.schema import Column
from samara.targets import LOOK_ROWS, guess_task


class Rows:
    """A piece of a table whose target holds these values; counts what is read of it."""

    name = "rows"

    def __init__(self, values):
        self.values, self.read = np.asarray(values, float), 0

    @property
    def n_rows(self):
        return len(self.values)

    def chunks(self, rows, start=0, stop=None, labels=False):
        for first in range(start, min(stop or self.n_rows, self.n_rows), rows):
            y = self.values[first : min(first + rows, stop or self.n_rows), None]
            self.read += len(y)
            yield Chunk(np.zeros((len(y), 1)), y)


def guess(kind, *pieces):
    return guess_task((Column("y", kind),), [Rows(piece) for piece in pieces])


@pytest.mark.parametrize(("kind", "task"), [("text", "classification"), ("boolean", "classification")])
def test_texts_and_booleans_are_classes(kind, task):
    assert guess(kind).name == task
    assert guess(kind).why == f"y is a {kind}"


@pytest.mark.parametrize(
    ("values", "task", "why"),
    [
        ([1, 2, 3, 2], "classification", "y has 3 distinct whole numbers"),
        ([0.5, 1, 2], "regression", "y holds fractions"),
        (range(20), "classification", "y has 20 distinct whole numbers"),
        (range(21), "regression", "y has more than 20 distinct values"),
        ([np.nan, 1, 0], "classification", "y has 2 distinct whole numbers"),
        ([np.nan], "regression", "y is a number"),
    ],
)
def test_few_whole_numbers_are_classes(values, task, why):
    found = guess("number", values)
    assert (found.name, found.why) == (task, why)


def test_dates_and_several_targets_are_numbers():
    assert guess("date", [1, 2]).name == "regression"
    several = (Column("a", "number"), Column("b", "number"))
    assert guess_task(several, []).why == "2 targets"


def test_a_table_sorted_by_its_target_is_looked_at_in_many_places():
    pieces = [np.full(50, number) for number in range(30)]
    assert guess("number", *pieces).why == "y has 8 distinct whole numbers"
    assert (
        guess("number", *[np.arange(number, number + 4) for number in range(0, 120, 4)]).name == "regression"
    )


def test_not_more_than_the_look_is_read():
    rows = Rows(np.zeros(3 * LOOK_ROWS))
    guess_task((Column("y", "number"),), [rows])
    assert rows.read == LOOK_ROWS
    rows = Rows(np.arange(3 * LOOK_ROWS))
    guess_task((Column("y", "number"),), [rows])
    assert rows.read == 4096
