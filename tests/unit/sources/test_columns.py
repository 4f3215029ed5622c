"""Arrow columns as raw numbers."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from samara.errors import InputError
from samara.schema import text_code
from samara.sources.columns import MEMO_TEXTS, Memo, kind_of, raw_column, refuse_infinity

KINDS = [
    (pa.int8(), "number"),
    (pa.uint64(), "number"),
    (pa.float16(), "number"),
    (pa.float32(), "number"),
    (pa.decimal128(9, 2), "number"),
    (pa.duration("ms"), "number"),
    (pa.time32("s"), "number"),
    (pa.time64("ns"), "number"),
    (pa.bool_(), "boolean"),
    (pa.date32(), "date"),
    (pa.date64(), "date"),
    (pa.timestamp("s"), "date"),
    (pa.timestamp("ns", "Europe/Helsinki"), "date"),
    (pa.string(), "text"),
    (pa.large_string(), "text"),
    (pa.string_view(), "text"),
    (pa.dictionary(pa.int8(), pa.int64()), "text"),
    (pa.null(), None),
]


@pytest.mark.parametrize(("type_", "kind"), KINDS, ids=[str(type_) for type_, _ in KINDS])
def test_kinds(type_, kind):
    assert kind_of(pa.field("a", type_)) == kind


@pytest.mark.parametrize(
    "type_", [pa.list_(pa.int8()), pa.struct([("a", pa.int8())]), pa.binary(), pa.map_(pa.int8(), pa.int8())]
)
def test_what_is_no_column_of_a_model(type_):
    with pytest.raises(InputError, match=r"Column 'a' holds .*leave it out with columns="):
        kind_of(pa.field("a", type_))


@pytest.mark.parametrize(
    "type_",
    [pa.int8(), pa.uint8(), pa.int64(), pa.float16(), pa.float32(), pa.float64(), pa.decimal128(5, 1)],
)
def test_numbers_are_themselves(type_):
    values = [Decimal(1), None, Decimal(100)] if pa.types.is_decimal(type_) else [1, None, 100]
    if pa.types.is_float16(type_):
        values = [np.float16(1), None, np.float16(100)]
    made = raw_column(pa.array(values, type_), "number", Memo())
    np.testing.assert_array_equal(made, [1.0, np.nan, 100.0])
    assert made.dtype == np.float64


def test_booleans_are_0_and_1():
    made = raw_column(pa.array([True, None, False]), "boolean", Memo())
    np.testing.assert_array_equal(made, [1.0, np.nan, 0.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_nan_has_the_same_bits(dtype):
    odd = np.array([np.nan, -np.nan, 1.0], dtype)
    odd.view(np.uint32 if dtype == np.float32 else np.uint64)[1] |= 7  # another payload
    made = raw_column(pa.array([*odd.tolist(), None]), "number", Memo())
    made_odd = raw_column(pa.array(odd), "number", Memo())
    assert made.tobytes() == np.array([np.nan, np.nan, 1.0, np.nan]).tobytes()
    assert made_odd.tobytes() == np.array([np.nan, np.nan, 1.0]).tobytes()


def test_a_moment_has_the_same_bits_in_every_unit_and_zone():
    moment = dt.datetime(1969, 7, 20, 20, 17, 40)
    days = -165 + (20 * 3600 + 17 * 60 + 40) / 86_400
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "UTC", "Asia/Tokyo"):
            array = pa.array([moment, None], pa.timestamp(unit)).cast(pa.timestamp(unit, zone))
            np.testing.assert_array_equal(raw_column(array, "date", Memo()), [days, np.nan])


def test_dates_are_days():
    day = dt.date(2024, 2, 29)
    for type_ in (pa.date32(), pa.date64()):
        made = raw_column(pa.array([day, None, dt.date(1969, 12, 31)], type_), "date", Memo())
        np.testing.assert_array_equal(made, [19782.0, np.nan, -1.0])


def test_durations_and_times_are_seconds():
    spans = pa.array([dt.timedelta(hours=-1, milliseconds=250), None], pa.duration("ms"))
    np.testing.assert_array_equal(raw_column(spans, "number", Memo()), [-3599.75, np.nan])
    for type_ in (pa.time32("ms"), pa.time64("us")):
        times = pa.array([dt.time(1, 0, 0, 500_000), None], type_)
        np.testing.assert_array_equal(raw_column(times, "number", Memo()), [3600.5, np.nan])


TEXTS = ["b", None, "a", "b", "", "ä\n"]


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.string_view()])
@pytest.mark.parametrize("encoded", [False, True])
def test_texts_are_codes(type_, encoded):
    array = pa.array(TEXTS, pa.string()).dictionary_encode() if encoded else pa.array(TEXTS, type_)
    seen = {}
    made = raw_column(array, "text", Memo(), seen)
    np.testing.assert_array_equal(made, [np.nan if text is None else text_code(text) for text in TEXTS])
    assert seen == {text_code(text): text for text in TEXTS if text is not None}


def test_only_texts_in_the_rows_are_labelled():
    array = pa.DictionaryArray.from_arrays(pa.array([1, None, 1]), ["unused", "used", "also unused"])
    seen = {}
    raw_column(array, "text", Memo(), seen)
    assert seen == {text_code("used"): "used"}


def test_a_long_dictionary_is_not_coded_whole():
    memo = Memo()
    array = pa.DictionaryArray.from_arrays(pa.array([7, 90_000]), [f"t{i}" for i in range(100_000)])
    np.testing.assert_array_equal(raw_column(array, "text", memo), [text_code("t7"), text_code("t90000")])
    assert len(memo._known) == 2


def test_dictionaries_of_anything_are_texts():
    numbers = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2]), pa.array([10, None, 20]))
    made = raw_column(numbers, "text", Memo())
    np.testing.assert_array_equal(made, [text_code("10"), np.nan, np.nan, text_code("20")])


def test_the_memo_is_bounded_and_changes_nothing():
    memo = Memo()
    texts = [f"t{i}" for i in range(MEMO_TEXTS + 500)]
    for lo in (0, MEMO_TEXTS - 100, 0):
        part = texts[lo : lo + 600]
        np.testing.assert_array_equal(raw_column(pa.array(part), "text", memo), [text_code(t) for t in part])
    raw_column(pa.array(texts), "text", memo)
    assert len(memo._known) <= MEMO_TEXTS


def test_chunked_and_empty_and_null_columns():
    chunked = pa.chunked_array([[1, 2], [None]], pa.int32())
    np.testing.assert_array_equal(raw_column(chunked, "number", Memo()), [1, 2, np.nan])
    for kind in ("number", "date", "text", "boolean"):
        assert np.isnan(raw_column(pa.nulls(3), kind, Memo())).all()
    assert raw_column(pa.array([], pa.string()), "text", Memo()).shape == (0,)
    assert np.isnan(raw_column(pa.array([None, None], pa.string()), "text", Memo())).all()


def test_infinity_is_named():
    X = np.zeros((4, 2))
    X[1, 0] = np.nan
    refuse_infinity(X, ["a", "b"], "x.csv")
    X[2, 1] = -np.inf
    with pytest.raises(InputError, match=r"Column 'b' holds infinity \(x.csv, row 12\)"):
        refuse_infinity(X, ["a", "b"], "x.csv", 10)
