"""Rates, means over trials and times of several fits."""

import numpy as np
import pytest

from bench.papers.splits import file_split
from bench.papers.trials import ROUNDS, averaged, faster_figure, interleaved, rate_figure, rates


class Threshold:
    """Says 1 above the mean of what it learned from."""

    def fit(self, X, y):
        self.mean = X.mean()

    def predict(self, X):
        return (X[:, 0] > self.mean).astype(int)


def test_rates_are_per_cent_of_new_and_of_learned_rows():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    X_test = np.array([[0.0], [9.0], [9.0]])
    found = rates(Threshold(), (X, X_test, np.array([0, 0, 1, 1]), np.array([0, 1, 0])))
    assert found == {"rate": 66.667, "training_rate": 100.0}


def test_means_and_deviations():
    assert averaged([1.0, 3.0]) == {"ours": 2.0, "deviation": 1.0, "repeats": 2}
    assert averaged([]) == {"ours": None}


def test_rate_on_few_rows_is_given_its_standard_error():
    figure = rate_figure(("set", "exact"), (90.0, 0.0), [88.0], 100)
    assert figure.rounding == pytest.approx(3.0)
    assert figure.verdict == "holds"
    assert rate_figure(("set", "exact"), (90.0, 0.0), [80.0], 100).verdict == "does not hold"
    assert rate_figure(("set", "exact"), (None, 0.0), [], 100).verdict == "not measured"


def test_fits_are_timed_in_turn_after_a_first_round():
    calls = []
    found = interleaved({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")})
    assert calls == ["a", "b"] * (1 + ROUNDS)
    assert set(found) == {"a", "b"}
    figure = faster_figure(("set", "faster"), 2.0, {"a": 3.0, "b": 1.0}, ("a", "b"))
    assert (figure.ours, figure.verdict, figure.counts) == (3.0, "better", False)
    assert faster_figure(("set", "faster"), 2.0, None, ("a", "b")).verdict == "not measured"


@pytest.mark.parametrize("tested", ["test", "valid"])
def test_official_rows_are_taken(tmp_path, tested):
    import pandas as pd

    rows = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "target": list("abab")})
    rows.assign(split=["train", tested, "train", "other"]).to_parquet(tmp_path / "set.parquet")
    X, X_test, y, y_test = file_split("set", tmp_path, np.random.default_rng(0))
    assert (X.ravel().tolist(), X_test.ravel().tolist()) == ([0.0, 2.0], [1.0])
    assert (y.tolist(), y_test.tolist()) == ([0, 0], [1])


def test_no_file_no_rows(tmp_path):
    assert file_split("set", tmp_path, np.random.default_rng(0)) is None
    assert file_split("set", None, np.random.default_rng(0)) is None
