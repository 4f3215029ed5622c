"""Raw tables that can't be used: each is refused by the name of its column."""

import numpy as np
import pytest

from samara.core import Block
from samara.errors import InputError
from samara.schema import Column
from samara.summaries import ColumnProfile, Limits
from tests.tables import CLASS, PRICE, Table

ONE = (Column("age", "number"), Column("size", "number"))


def look(X=None, y=None, weight=None, targets=PRICE, **options):
    """A look at a small table."""
    made = ColumnProfile(ONE, targets, **options)
    X = np.ones((4, 2)) if X is None else X
    y = np.arange(4.0)[:, None] if y is None else y
    made.update(Block(X, y, None if weight is None else np.array(weight), 0))
    return made


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_an_infinite_input(value, dtype):
    """Beside a missing value as well."""
    X = np.ones((4, 2), dtype)
    X[1:, 1] = np.nan, value, 3
    with pytest.raises(InputError, match="Column 'size' holds an infinite value: give finite numbers"):
        look(X)


def test_missing_and_infinite_targets():
    """With the number of rows, and what to do."""
    y = np.array([[1.0], [np.nan], [np.nan], [2.0]])
    with pytest.raises(
        InputError, match=r"Target 'price' is missing in 2 of 4 rows.*where=\"price is not null\""
    ):
        look(y=y)
    with pytest.raises(InputError, match="Target 'price' is infinite in 1 of 4 rows"):
        look(y=np.array([[1.0], [np.inf], [3.0], [2.0]]))


def test_rows_of_no_weight_may_hold_anything():
    """They are not looked at."""
    X, y = np.ones((4, 2)), np.ones((4, 1))
    X[1, 0], y[2, 0] = np.inf, np.nan
    profile = look(X, y, [1.0, 0.0, 0.0, 2.0])
    assert (profile.n_rows, profile.weight) == (2, 3.0)
    assert look(X, y, [0.0, 0.0, 0.0, 0.0]).n_rows == 0


@pytest.mark.parametrize("weight", [np.nan, -1.0, np.inf])
def test_weights_that_are_none(weight):
    """Missing, negative or infinite."""
    with pytest.raises(InputError, match="A weight must be 0 or more, and finite"):
        look(weight=[1.0, weight, 1.0, 1.0])


def test_a_text_is_no_number_to_predict():
    """Before a row is read."""
    with pytest.raises(InputError, match="Target 'kind' holds text: use a classifier"):
        ColumnProfile(ONE, CLASS)


def test_a_classifier_has_one_target():
    """Not none, not two."""
    with pytest.raises(InputError, match="needs one target column; 2 were given"):
        ColumnProfile(ONE, (*PRICE, *CLASS), classes=True)


@pytest.mark.parametrize("settle", [1, 10**6])
def test_a_number_is_no_class(settle, monkeypatch):
    """Found out during the pass, or at its end; in merges too."""
    monkeypatch.setattr("samara.summaries.levels.SETTLE_ROWS", settle)
    match = "Target 'price' has more than 3 distinct values and looks like a number: use a regressor"
    with pytest.raises(InputError, match=match):
        look(classes=True, limits=Limits(classes=3)).classes  # noqa: B018
    first = look(y=np.array([[0.0], [1.0], [1.0], [0.0]]), classes=True, limits=Limits(classes=3))
    second = look(y=np.array([[2.0], [3.0], [2.0], [3.0]]), classes=True, limits=Limits(classes=3))

    def merged():
        first.merge(second)
        return first.classes

    with pytest.raises(InputError, match=match):
        merged()


def test_classes_of_text_need_their_texts():
    """A model that can't say what it predicts is of no use."""
    table = Table(20, kinds=2)
    del table.labels["kind"]
    with pytest.raises(InputError, match="The texts of target 'kind' are needed"):
        table.profiled().classes  # noqa: B018
