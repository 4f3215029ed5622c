"""Texts and numbers as plotly.js takes them."""

import numpy as np
import pytest

from samara.report.charts import drawn_rows, label, log_axis, numbers, tick


def test_labels_are_never_tags_and_lose_their_middle():
    assert label("<b>x</b> & y") == "&lt;b&gt;x&lt;/b&gt; &amp; y"
    assert label("a long name with number 17", 12) == "a long …r 17"
    assert len(label("x" * 100, 24)) == 24
    assert label(7) == "7"


def test_numbers_have_few_digits_and_none_where_there_is_none():
    assert numbers([1 / 3, np.nan, np.inf, 123456.7]) == [0.33333, None, None, 123460.0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.02, "0.02"),
        (500.0, "500"),
        (20000.0, "20,000"),
        (1e-6, "10<sup>−6</sup>"),
        (2e8, "2·10<sup>8</sup>"),
    ],
)
def test_ticks_are_short(value, text):
    assert tick(value) == text


def test_a_logarithmic_axis_numbers_a_few_places():
    for low, high in ((700, 4000), (1e-8, 1e8), (1, 1)):
        made = log_axis("x", np.array([low, high, 0.0, np.nan]))
        inside = [at for at in made["tickvals"] if low / 2 <= at <= high * 2]
        assert 1 <= len(inside) <= 9, (low, high)
        assert len(made["tickvals"]) == len(made["ticktext"])


def test_at_most_5000_rows_are_drawn_the_first_and_the_last_among_them():
    rows, said = drawn_rows(12_345)
    assert (len(rows), rows[0], rows[-1], len(set(rows.tolist()))) == (5000, 0, 12_344, 5000)
    assert said == "5,000 of 12,345 rows are drawn, evenly spaced."
    assert drawn_rows(3)[1] == "All 3 rows are drawn."
    assert drawn_rows(1)[1] == "One row is drawn."
