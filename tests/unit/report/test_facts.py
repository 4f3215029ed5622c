"""Facts about columns: from memory, from a profile, and as histograms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import InputError
from samara.core import Block
from samara.report import column_facts, profile_facts
from samara.report.facts import BINS, PROBABILITIES, histogram
from samara.schema import Column, text_code
from samara.summaries.columns import ColumnProfile, Limits


def test_numbers_dates_booleans_and_texts():
    columns = {
        "n": [1.0, None, 3.0, np.nan],
        "i": np.array([1, 2, 2, 5]),
        "b": np.array([True, False, True, True]),
        "d": np.array(["1970-01-02", "1970-01-04", "NaT", "1970-01-03"], "datetime64[ns]"),
        "t": np.array(["x", "y", "x", None], object),
        "empty": np.full(4, np.nan),
    }
    n, i, b, d, t, empty = column_facts(columns)
    assert (n.kind, n.count, n.missing, n.mean, n.low, n.high) == ("number", 2, 0.5, 2.0, 1.0, 3.0)
    assert (i.kind, i.distinct, i.spread) == ("number", 3, pytest.approx(1.5))
    assert (b.kind, b.mean) == ("boolean", 0.75)
    assert (d.kind, d.low, d.high, d.missing) == ("date", 1.0, 3.0, 0.25)
    assert (t.kind, t.distinct, t.missing, t.top) == ("text", 2, 0.25, (("x", 0.5), ("y", 0.25)))
    assert (empty.count, empty.missing, empty.quantiles) == (0, 1.0, ())


def test_a_frame_of_pandas_is_a_mapping_of_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "c": pandas.Categorical(["u", None])})
    a, c = column_facts(frame)
    assert (a.mean, c.top, c.missing) == (1.5, (("u", 0.5),), 0.5)


def test_a_column_of_two_dimensions_is_refused():
    with pytest.raises(InputError, match=r"Column a must have one value a row; its shape is \(2, 2\)"):
        column_facts({"a": np.ones((2, 2))})


def test_facts_of_a_profile_are_those_of_its_rows():
    rng = np.random.default_rng(0)
    words = np.array(["red", "green", "blue"])[rng.choice(3, 400, p=[0.6, 0.3, 0.1])]
    codes = np.array([text_code(word) for word in words])
    number = np.where(rng.random(400) < 0.1, np.nan, rng.standard_normal(400))
    codes[:20] = np.nan
    X = np.stack([number, codes], axis=1)
    schema = (Column("n", "number"), Column("t", "text"))
    profile = ColumnProfile(schema, (Column("y", "number"),))
    labels = {"t": {text_code(word): word for word in ("red", "green", "blue")}}
    profile.update(Block(X, np.zeros((400, 1)), None, 0, labels=labels))
    n, t = profile_facts(profile)
    kept = [word if k >= 20 else None for k, word in enumerate(words.tolist())]
    expected_n, expected_t = column_facts({"n": number, "t": np.array(kept, object)})
    for name in ("count", "missing", "mean", "spread", "low", "high", "quantiles"):
        np.testing.assert_allclose(getattr(n, name), getattr(expected_n, name), err_msg=name)
    assert t.distinct == expected_t.distinct
    assert [name for name, _ in t.top] == [name for name, _ in expected_t.top]
    np.testing.assert_allclose([share for _, share in t.top], [share for _, share in expected_t.top])
    assert t.missing == pytest.approx(0.05)


def test_a_profile_that_left_categories_out_does_not_claim_to_have_counted_them():
    codes = np.array([text_code(f"{k}") for k in range(50)])[:, None]
    profile = ColumnProfile(
        (Column("t", "text"),), (Column("y", "number"),), limits=Limits(sample_rows=10, levels=5)
    )
    profile.update(Block(codes, np.zeros((50, 1)), None, 0))
    [t] = profile_facts(profile)
    assert t.distinct is None


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=200), st.sampled_from([1.0, 0.1]))
def test_a_histogram_from_quantiles_is_near_that_of_the_values(values, scale):
    values = np.array(values) * scale
    shares, low, high = histogram(tuple(np.quantile(values, PROBABILITIES).tolist()))
    assert values.min() <= low <= high <= values.max()
    assert (shares >= 0).all()
    left_out = np.mean((values < low) | (values > high))
    assert shares.sum() == pytest.approx(1 - left_out, abs=0.03)
    assert len(shares) == (BINS if high > low else 1)
    # The share below any edge is off by one step of the quantiles on each side, and by ties' interpolation.
    edges = np.linspace(low, high, len(shares) + 1)
    for k in range(1, len(shares)):
        at_most, below = np.mean(values <= edges[k] + 1e-9), np.mean(values < edges[k] - 1e-9)
        before = np.mean(values < low)
        slack = 0.03 + 1 / len(values)
        assert below - before - slack <= shares[:k].sum() <= at_most - before + slack


def test_a_stray_value_does_not_press_the_others_into_one_bin():
    values = np.append(np.linspace(0, 1, 999), 1e6)
    _, low, high = histogram(tuple(np.quantile(values, PROBABILITIES).tolist()))
    assert low == 0
    assert high < 1.1
