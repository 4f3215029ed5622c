"""The column map: what becomes of numbers, texts and missing values."""

import pickle

import numpy as np
import pytest

from samara.errors import InputError
from samara.maps import ClassCodes, Columns, CrossEncoded, Encoded, LabelCodes, Levels, Number
from samara.rowkeys import fold_of, row_keys
from samara.schema import Column

SCHEMA = (
    Column("age", "number"),
    Column("city", "text"),
    Column("member", "boolean"),
    Column("shop", "text"),
    Column("day", "date"),
    Column("note", "text"),
)
CODINGS = (
    Number(40.0, flag=True),
    Levels(np.array([3.0, 8.0]), ("Oslo", "Paris"), np.array([0.7, 0.3]), flag=True),
    Number(0.5),
    Encoded(
        np.array([2.0, 5.0]),
        ("a", "b"),
        np.array([[1.0, -1.0], [2.0, -2.0]]),
        np.array([9.0, -9.0]),
        ("u", "v"),
    ),
    Number(18000.0),
    None,
)
NAN = np.nan
ROWS = np.array(
    [[20, 8, 1, 5, 17000, 4], [NAN, NAN, NAN, NAN, NAN, NAN], [30, 4, 0, 6, 19000, 1], [NAN, 3, 1, 2, 1, 9]]
)
WANTED = np.array(
    [
        [20, 0, 0, 1, 0, 1, 2, -2, 17000],
        [40, 1, 0, 0, 1, 0.5, 9, -9, 18000],
        [30, 0, 0, 0, 1, 0, 9, -9, 19000],
        [40, 1, 1, 0, 0, 1, 1, -1, 1],
    ]
)


def test_every_coding():
    """Missing and new texts are one; a column that says nothing is left out."""
    columns = Columns(SCHEMA, CODINGS)
    np.testing.assert_array_equal(columns(ROWS), WANTED)
    assert columns.n_out == 9
    wanted = "age, age missing, city = Oslo, city = Paris, city missing, member, shop → u, shop → v, day"
    assert ", ".join(columns.names_out) == wanted
    np.testing.assert_array_equal(np.flatnonzero(columns.indicators), [1, 2, 3, 4, 5])
    assert not columns.is_identity


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_into_rows_that_are_there(dtype):
    """In their precision, rows of rubbish overwritten, also with gaps between them."""
    room = np.full((4, 20), 77, dtype)
    out = room[:, 3:12]
    assert Columns(SCHEMA, CODINGS)(ROWS, out=out) is out
    np.testing.assert_array_equal(out, WANTED.astype(dtype))
    assert (room[:, 12:] == 77).all()


def test_any_tile_of_rows_is_the_rows_of_the_tile():
    """Each row is mapped by itself; no row is one too."""
    columns = Columns(SCHEMA, CODINGS)
    for start in range(4):
        np.testing.assert_array_equal(columns(ROWS[start : start + 2]), WANTED[start : start + 2])
    assert columns(ROWS[:0]).shape == (0, 9)


def test_a_category_code_beyond_all_known_ones():
    """Codes below, between and above the known ones are new."""
    coding = CODINGS[1]
    np.testing.assert_array_equal(coding(np.array([0.0, 5.0, 2.0**52, NAN]))[:, -1], [1, 1, 1, 1])
    empty = Encoded(np.zeros(0), (), np.zeros((0, 1)), np.array([4.0]), ("u",))
    np.testing.assert_array_equal(empty(np.array([1.0, NAN])), [[4.0], [4.0]])


def test_a_new_text_where_none_was_missing_gets_the_shares():
    """As a missing number gets the mean: the means of the indicators."""
    coding = Levels(np.array([3.0, 8.0]), ("Oslo", "Paris"), np.array([0.75, 0.25]))
    found = coding(np.array([8.0, 5.0, 3.0, NAN]))
    np.testing.assert_array_equal(found, [[0, 1], [0.75, 0.25], [1, 0], [0.75, 0.25]])


def test_complete_numbers_stay_as_they_are():
    """And are known to."""
    columns = Columns(SCHEMA[:1] + SCHEMA[2:3], (Number(1.0), Number(0.3)))
    assert columns.is_identity
    X = np.random.default_rng(0).normal(size=(7, 2))
    np.testing.assert_array_equal(columns(X), X)
    assert not Columns(SCHEMA[:1] + SCHEMA[5:], (Number(1.0), None)).is_identity


def test_training_rows_are_encoded_by_other_folds():
    """The value of the fold that the raw row falls into; all else is as in the plain map."""
    rng = np.random.default_rng(0)
    X = ROWS[rng.integers(0, 4, 200)]
    X[:, 4] = rng.integers(0, 50, 200)
    values = rng.normal(size=(3, 3, 2))
    columns = Columns(SCHEMA, CODINGS)
    crossed = CrossEncoded(columns, {3: values}, 3)
    found, folds = crossed(X), fold_of(row_keys(X), 3)
    place = {2.0: 0, 5.0: 1}
    for row, fold, shop in zip(found, folds, X[:, 3], strict=True):
        np.testing.assert_array_equal(row[6:8], values[fold, place.get(shop, 2)])
    others = [0, 1, 2, 3, 4, 5, 8]
    np.testing.assert_array_equal(found[:, others], columns(X)[:, others])
    assert crossed.n_out == 9


def test_maps_travel():
    """A pickled map is the map, before and after its first use."""
    columns = Columns(SCHEMA, CODINGS)
    for made in (columns, CrossEncoded(columns, {3: np.zeros((5, 3, 2))}, 5)):
        first = pickle.loads(pickle.dumps(made))
        np.testing.assert_array_equal(first(ROWS), made(ROWS))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(made))(ROWS), made(ROWS))


def test_rows_of_another_width_are_refused():
    """By both numbers."""
    with pytest.raises(InputError, match="X has 5 columns; the model was fitted on 6"):
        Columns(SCHEMA, CODINGS)(ROWS[:, :5])


@pytest.mark.parametrize("order", [[7.0, 3.0], [3.0, 7.0], [9.0, 3.0, 7.0]])
def test_label_codes_are_class_codes(order):
    """Raw values in the order of the classes they stand for."""
    y = np.random.default_rng(0).choice(order, 30)[:, None]
    codes = LabelCodes.of(np.array(order), "kind")
    positions = np.array([order.index(value) for value in y[:, 0]])[:, None]
    wanted = ClassCodes(np.arange(len(order)))
    np.testing.assert_array_equal(codes(y), wanted(positions))
    assert codes.n_out == wanted.n_out
    out = np.empty((30, codes.n_out))
    assert codes(y, out=out) is out


def test_a_class_that_was_not_there_in_the_fit():
    """Refused by the name of the target."""
    with pytest.raises(InputError, match="1 of 3 rows of 'kind' hold an unknown class"):
        LabelCodes.of(np.array([1.0, 2.0]), "kind")(np.array([[1.0], [2.0], [3.0]]))
