"""Spark data frames as tables: the rows that the same table in a file would give."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import samara
from samara import ELMClassifier, ELMRegressor
from tests.oracles import relative_gap
from tests.raw_tables import expected, mixed_table, read, same_bits

KINDS = ["size", "rooms", "sold", "day", "at", "town"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A table of every kind of column; its beginning and its end are beside it."""
    path = tmp_path_factory.mktemp("rows") / "t.parquet"
    table = mixed_table(1600)
    table = table.append_column("zoned", table["at"].cast(pa.timestamp("us", "UTC")))
    table = table.append_column(
        "dear.`x`", pa.array([Decimal(i % 7) for i in range(1600)], pa.decimal128(9, 2))
    )
    table = table.append_column("kind", pa.array(np.where(table["y"].to_numpy() > 0, "up", "no")))
    for name, rows in (("t", table), ("first", table[:700]), ("last", table[700:])):
        pq.write_table(rows, path.with_stem(name))
    return path


@pytest.fixture
def frame(spark, file):
    """The same table as a data frame of several partitions, one of them empty, in the order of the file."""
    first, last = (spark.read.parquet(str(file.with_stem(name))) for name in ("first", "last"))
    made = first.union(last.where(last["day"] < "1900-01-01")).union(last)
    assert made.rdd.getNumPartitions() == 3
    return made


def _gap(one, other):
    return max(
        relative_gap(one.model_.coef, other.model_.coef),
        relative_gap(one.model_.intercept, other.model_.intercept),
    )


def test_values_of_every_kind(frame, file):
    """Read by anybody, a partition after the other: what the definition says, to the bit."""
    table = pq.read_table(file)
    scan = samara.scan(frame, target="y", weight="w", columns=[*KINDS, "zoned", "dear.`x`"])
    assert [column.kind for column in scan.schema] == [
        "number", "number", "boolean", "date", "date", "text", "date", "number",
    ]  # fmt: skip
    X, y, weight = read(scan)
    assert same_bits(X[:, :6], expected(table, KINDS))
    assert same_bits(X[:, 6], X[:, 4])
    np.testing.assert_array_equal(X[:, 7], np.arange(1600) % 7)
    assert same_bits(y[:, 0], table["y"].to_numpy())
    assert same_bits(weight, table["w"].to_numpy())
    assert scan.head(3)["town"].to_pylist() == table["town"].to_pylist()[:3]


def test_a_data_frame_is_fitted_where_it_is(spark, frame, file):
    """On Spark, weights and gaps included; predictions and scores come in order, as from the file."""
    asked = {"target": "y", "weight": "w", "columns": [*KINDS, "dear.`x`"], "where": "rooms > 0"}
    rows, there = (samara.scan(given, **asked) for given in (file, frame))
    model = ELMRegressor(15, random_state=0)
    here = clone(model).fit(rows)
    made = model.set_params(engine=spark).fit(there)
    assert made.alpha_ == pytest.approx(here.alpha_, rel=1e-9)
    assert _gap(made, here) < 1e-9
    np.testing.assert_allclose(made.predict(there), here.predict(rows), rtol=1e-9, atol=1e-12)
    assert made.score(there) == pytest.approx(here.score(rows), rel=1e-9)


def test_a_data_frame_is_read_by_threads_too(frame, file):
    """Its partitions are fetched one after the other."""
    rows, there = (samara.scan(given, target="y", columns=KINDS) for given in (file, frame))
    model = ELMRegressor(15, alpha=1.0, random_state=0)
    here, made = clone(model).fit(rows), clone(model).fit(there)
    assert _gap(made, here) < 1e-9
    np.testing.assert_allclose(made.predict(frame.select(KINDS)), here.predict(rows), rtol=1e-9, atol=1e-12)


def test_classes_of_a_shuffled_data_frame(spark, frame, file):
    """Texts as classes; behind a shuffle rows have no order, and sums need none."""
    given = (file, frame.repartition(4))
    rows, there = (samara.scan(one, target="kind", columns=["rooms", "town"]) for one in given)
    model = ELMClassifier(10, alpha=1.0, random_state=0)
    here, made = clone(model).fit(rows), model.set_params(engine=spark).fit(there)
    assert _gap(made, here) < 1e-9
    assert made.score(there) == here.score(rows)
