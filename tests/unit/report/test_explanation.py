"""Explanations: gradients by raw column against differences, importance, the matrix behind it."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from samara import ELMClassifier, ELMRegressor, KernelELMRegressor, TwoStageELMClassifier, explain
from samara.maps import UnitRows

mpl.use("Agg")


def frame(n=200):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": 5 * rng.normal(size=n), "c": rng.choice([*"xyz"], n)})
    y = 2 * X["a"] + np.where(X["c"] == "x", 3.0, 0.0) + 0.1 * rng.normal(size=n)
    X.loc[3, "b"] = np.nan
    return X, y


def test_gradients_of_a_table_are_those_of_its_raw_columns():
    X, y = frame()
    model = ELMRegressor(n_hidden=30, random_state=0).fit(X, y)
    found = explain(model, X)
    for name, column in (("a", 0), ("b", 1)):
        up, down = X.copy(), X.copy()
        up[name] += 1e-5
        down[name] -= 1e-5
        slopes = (model.predict(up) - model.predict(down)) / 2e-5
        kept = X[name].notna()
        np.testing.assert_allclose(found.gradients[kept, column], slopes[kept], rtol=1e-4, atol=1e-6)
    assert np.isnan(found.gradients[3, 1])
    assert np.isnan(found.gradients[:, 2]).all()


def test_a_category_counts_with_all_its_columns():
    X, y = frame()
    found = explain(ELMRegressor(n_hidden=30, random_state=0).fit(X, y), X, y)
    assert found.names == ("a", "b", "c")
    assert [name.split()[0] for name in found.inputs] == ["a", "b", "b", "c", "c", "c"]
    squares = np.diagonal(found.agop)
    np.testing.assert_allclose(found.importance**2, [squares[0], squares[1:3].sum(), squares[3:].sum()])
    assert found.importance.argmax() == 0
    assert found.importance.argmin() == 1
    assert [one.name for one in found.permutation] == ["a", "c", "b"]


def test_the_matrix_is_the_mean_outer_product():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    model = KernelELMRegressor().fit(X, np.column_stack([X[:, 0] ** 2, X[:, 1]]))
    found = explain(model, X)
    scaled = found.gradients * X.std(axis=0)
    np.testing.assert_allclose(found.agop, np.einsum("ntd,nte->de", scaled, scaled) / 100)
    assert found.permutation == ()
    assert found.names == ("0", "1", "2")


def test_classes_lose_accuracy_by_shuffled_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] > 0, "high", "low")
    found = explain(ELMClassifier(n_hidden=30, random_state=0).fit(X, y), X, y)
    assert found.gradients.shape == (300, 2)
    assert found.permutation[0].name == "0"
    assert found.permutation[0].drop > 0.3


def test_bars_are_the_largest_columns():
    X, y = frame()
    ax = explain(ELMRegressor(n_hidden=30, random_state=0).fit(X, y), X).plot(most=2)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["c", "a"]


def test_a_missing_number_is_refused_where_the_model_knows_none():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = ELMRegressor(n_hidden=10, random_state=0).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="NaN"):
        explain(model, np.full((2, 2), np.nan))


def test_two_stages_are_explained_whatever_scaling_they_chose():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)) * rng.lognormal(size=(150, 1))  # what counts is where a row points to
    y = np.where(X[:, 0] > X[:, 1], "high", "low")
    model = TwoStageELMClassifier(n_hidden=20, random_state=0).fit(X, y)
    assert isinstance(model.model_.maps[0], UnitRows)
    assert explain(model, X).importance.argmin() == 2


def test_with_a_link_gradients_are_of_the_linked_output():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = np.exp(X[:, 0] + 0.1 * rng.normal(size=100))
    linked = explain(ELMRegressor(n_hidden=10, link="log", random_state=0).fit(X, y), X)
    plain = explain(ELMRegressor(n_hidden=10, random_state=0).fit(X, np.log(y)), X)
    np.testing.assert_allclose(linked.gradients, plain.gradients, rtol=1e-9)
