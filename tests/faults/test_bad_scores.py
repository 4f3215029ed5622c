"""Rows that a fitted model can't be scored or run on, and models that are not fitted yet."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.exceptions import NotFittedError

import samara
from samara import ELMClassifier, ELMRegressor
from samara.errors import InputError
from samara.estimators.scores import evaluate

X = np.random.default_rng(0).standard_normal((60, 2))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A table with a text, and a target that only a row without weight lacks."""
    made = tmp_path_factory.mktemp("scores") / "t.parquet"
    y, weight = X[:, 0].copy(), np.ones(60)
    y[5], weight[5] = np.nan, 0.0
    text = np.where(X[:, 1] > 0, "a", "b")
    pq.write_table(pa.table({"x": X[:, 0], "text": text, "the y": y, "w": weight}), made)
    return made


def model(y=X[:, 0]):
    return ELMRegressor(5, alpha=1.0, random_state=0).fit(X, y)


def test_targets_of_another_number():
    """NumPy would stretch one column over the other."""
    with pytest.raises(InputError, match="y has 2 targets where the model has 1"):
        model().score(X, X)
    with pytest.raises(InputError, match="y has 1 targets where the model has 2"):
        model(X).score(X, X[:, 0])


def test_texts_for_a_model_of_numbers(path):
    """Their codes are no numbers that it knows."""
    for use in (model().predict, model().transform, model().partial_fit):
        with pytest.raises(InputError, match="fitted on an array of numbers, and column 'text' holds texts"):
            use(samara.scan(path, columns=["x", "text"], target="the y"))


def test_a_target_that_only_rows_without_weight_lack(path):
    """The fit leaves them out, and so does the score."""
    given = samara.scan(path, columns=["x"], target="the y", weight="w")
    fitted = ELMRegressor(5, alpha=1.0, random_state=0).fit(given)
    whole = np.arange(60) != 5
    assert fitted.score(given) == pytest.approx(fitted.score(pa.table({"x": X[whole, 0]}), X[whole, 0]))
    missing = samara.scan(path, columns=["x"], target="the y")
    told = "Target 'the y' is missing in .*where=\"`the y` is not null\""
    for use in (fitted.score, fitted.fit):
        with pytest.raises(InputError, match=told):
            use(missing)


@pytest.mark.parametrize("kind", [ELMRegressor, ELMClassifier])
def test_a_model_that_is_not_fitted(path, kind):
    given = samara.scan(path, columns=["x"], target="text")
    for use in (kind().transform, kind().predict, kind().score, lambda rows: evaluate(kind(), rows)):
        with pytest.raises(NotFittedError):
            use(given)
