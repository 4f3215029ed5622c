"""Conditions on rows: what they mean, and what they refuse."""

import pickle

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import samara
from samara.errors import InputError
from samara.sources.tables import plain
from samara.sources.where import columns_in, kept_rows, parse_where

TABLE = pa.table(
    {
        "n": [0, 1, 2, 3, 4, 5],
        "price": [1.0, None, 3.0, float("nan"), -2.0, 10.0],
        "land": ["DE", "FR", None, "IT", "it's", 'say "a = b"'],
        "floor space": [1, 2, None, 4, 5, 6],
        "day": pa.array([0, 1, 2, 3, 4, None], pa.date32()),
    }
)

MEANINGS = [
    ("price > 0", [0, 2, 5]),
    ("not (price > 0)", [4]),  # a NaN is missing, and so fulfils no comparison
    ("price != 3", [0, 4, 5]),
    ("price is null", [1, 3]),
    ("price is not null", [0, 2, 4, 5]),
    ("price is None or n == 0", [0, 1, 3]),
    ("0 < price <= 3", [0, 2]),
    ("price = 3", [2]),
    ("land in ['DE', 'FR']", [0, 1]),
    ("land not in ('DE', 'FR') and n < 4", [2, 3]),  # a missing land is in no list
    ('land == "it\'s"', [4]),
    ("land = 'say \"a = b\"'", [5]),
    ("`floor space` >= 4", [3, 4, 5]),
    ("n / 2 == 1.5", [3]),
    ("-n + 2 * n - 1 > 3", [5]),
    ("n in [-1, 2]", [2]),
    ("day > '1970-01-03'", [3, 4]),
    ("'1970-01-03' >= day", [0, 1, 2]),
    ("(n > 1 and n < 4) or not n < 5", [2, 3, 5]),
]


def kept(where):
    (batch,) = TABLE.to_batches()
    return kept_rows(plain(batch, columns_in(where, TABLE.schema)), where, "t").column("n").to_pylist()


@pytest.mark.parametrize(("text", "rows"), MEANINGS, ids=[text for text, _ in MEANINGS])
def test_meanings(text, rows):
    where = parse_where(text, TABLE.schema)
    assert kept(where) == rows
    assert kept(pickle.loads(pickle.dumps(where))) == rows


def test_expressions_are_taken_as_they_are():
    where = pc.field("n") > 3
    assert parse_where(where, TABLE.schema) is where
    assert parse_where(None, TABLE.schema) is None


def test_columns_that_a_condition_speaks_of():
    where = parse_where("`floor space` > 1 and (n < 3 or price is null)", TABLE.schema)
    assert columns_in(where, TABLE.schema) == ("n", "price", "floor space")


REFUSED = [
    ("price >", "can't be parsed.*invalid syntax"),
    ("price > 0)", "can't be parsed at character 10"),
    ("f(price) > 0", r"holds 'f\(price\)' \(character 1\)"),
    ("n > 0 and price.real", r"holds 'price.real' \(character 11\)"),
    ("price[0] > 1", r"holds 'price\[0\]'"),
    ("price ** 2 > 1", r"holds 'price \*\* 2'"),
    ("(lambda: 0)() > n", "holds"),
    ("[n for n in land] == 3", "holds"),
    ("__import__('os').system('true') == n", "holds"),
    ("land in day", "holds 'day'"),
    ("land in ['DE', n]", "holds 'n'"),
    ("price is 3", "holds '3'"),
    ("day > 'yesterday'", "holds \"'yesterday'\""),
    ("n > b'a'", "holds"),
    ("n > -'a'", "holds a constant that can't be used: bad operand type"),
    ("n in [1, 'a']", "holds a constant that can't be used"),
    ("n > 99999999999999999999999", "holds a constant that can't be used"),
    ("5", "names no column"),
    ("prise > 0", "Unknown column in where 'prise'. Did you mean 'price'?"),
    ("`floor  space` > 0", "Unknown column in where 'floor  space'. Did you mean 'floor space'?"),
    ("", "can't be parsed"),
    ("(" * 500 + "n" + ")" * 500 + " > 0", "can't be parsed"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[text[:30] for text, _ in REFUSED])
def test_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_where(text, TABLE.schema)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("land > 3", "can't be used"),
        ("n + 1", "gives int64 instead of true"),
        ("1 > 0", "speaks of no column"),
    ],
)
def test_refused_by_the_types(text, message):
    with pytest.raises(InputError, match=message):
        columns_in(parse_where(text, TABLE.schema), TABLE.schema)


def test_other_objects_are_refused():
    with pytest.raises(InputError, match="where must be a text or a pyarrow expression, got int"):
        parse_where(3, TABLE.schema)


def test_a_sum_that_overflows_is_told_with_its_place(tmp_path):
    pq.write_table(pa.table({"n": [1, 2**62], "y": [0.0, 1.0]}), tmp_path / "t.parquet")
    scan = samara.scan(tmp_path / "t.parquet", target="y", where="n + 9000000000000000000 > 3")
    with pytest.raises(InputError, match=r"where can't be worked out in .*t\.parquet, row group 0: overflow"):
        scan.head()
