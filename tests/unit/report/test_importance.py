"""Shuffling a column shows what the model takes from it."""

import numpy as np
import pytest

from samara import InputError
from samara.report import permutation_importance


def r2(true, predicted):
    return 1 - np.mean((true - predicted) ** 2) / np.var(true)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 4000))
    return {"a": a, "b": b, "c": c}, 2 * a + b


def predict(columns):
    return 2 * columns["a"] + columns["b"]


def test_drops_are_twice_the_share_of_variance(rows):
    columns, y = rows
    found = permutation_importance(predict, columns, y, r2, seed=1, rows=4000)
    assert [each.name for each in found] == ["a", "b", "c"]
    # A shuffled column adds its own variance twice: R² falls by 2·4/5 and 2·1/5.
    assert found[0].drop == pytest.approx(1.6, abs=0.1)
    assert found[1].drop == pytest.approx(0.4, abs=0.05)
    assert (found[2].drop, found[2].error) == (0.0, 0.0)
    assert 0 < found[0].error < 0.05


def test_the_seed_decides_and_few_rows_are_used(rows):
    columns, y = rows
    seen = []

    def watched(given):
        seen.append(len(given["a"]))
        return predict(given)

    first = permutation_importance(watched, columns, y, r2, seed=3, rows=100)
    assert set(seen) == {100}
    assert first == permutation_importance(predict, columns, y, r2, seed=3, rows=100)
    assert first != permutation_importance(predict, columns, y, r2, seed=4, rows=100)


def test_texts_are_shuffled_too_and_nothing_given_is_changed():
    columns = {"t": np.array(["u", "v"] * 50, object)}
    before = columns["t"].copy()
    y = columns["t"] == "u"
    [found] = permutation_importance(lambda c: c["t"] == "u", columns, y, lambda t, p: np.mean(t == p))
    assert found.drop == pytest.approx(0.5, abs=0.15)
    assert (columns["t"] == before).all()


@pytest.mark.parametrize(("columns", "given"), [({}, "no columns"), ({"a": np.ones(2)}, "a: 2")])
def test_columns_of_other_lengths_are_refused(columns, given):
    with pytest.raises(InputError, match=f"as many rows as y, 3; given were {given}"):
        permutation_importance(predict, columns, np.ones(3), r2)
