"""Mistakes in the parameters of trees get one sentence."""

import numpy as np
import pytest

import samara
from samara import BudgetError, InputError, TreeELMClassifier, TreeELMRegressor, to_onnx

X = np.random.default_rng(0).standard_normal((60, 3))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_trees": 0}, "n_trees must be a whole number above 0"),
        ({"n_trees": []}, "n_trees must be a whole number above 0"),
        ({"n_trees": True}, "n_trees must be a whole number above 0"),
        ({"n_trees": 2.5}, "n_trees must be a whole number above 0"),
        ({"leaves": 1}, "leaves must be from 2 to 64, got 1"),
        ({"leaves": 65}, "leaves must be from 2 to 64, got 65"),
        ({"leaves": 3.0}, "leaves must be a whole number, got 3.0"),
        ({"rate": 0}, "rate must be above 0 and at most 1"),
        ({"rate": "fast"}, "rate must be a number, got 'fast'"),
        ({"rate": float("nan")}, "rate must be above 0 and at most 1"),
        ({"least": 0}, "least must be a positive number"),
        ({"least": float("inf")}, "least must be a positive number"),
        ({"alpha": 0}, "alpha must be above 0: the leaves of every tree add up"),
        ({"alpha": [0.0, 1.0]}, "alpha must be above 0"),
        ({"alpha": -1}, "alpha"),
    ],
)
def test_parameters(settings, said):
    with pytest.raises(InputError, match=said):
        TreeELMRegressor(**{"n_trees": 3, **settings}).fit(X, X[:, 0])
    with pytest.raises(InputError, match=said):
        TreeELMClassifier(**{"n_trees": 3, **settings}).fit(X, X[:, 0] > 0)


def test_rows_and_requests(tmp_path):
    with pytest.raises(BudgetError, match="memory allows 1 kB"):
        TreeELMRegressor(3, memory="1kB").fit(X, X[:, 0])
    model = TreeELMRegressor(3, random_state=0)
    with pytest.raises(InputError, match="no checkpoints"):
        model.fit(X, X[:, 0], checkpoint=tmp_path / "run.ckpt")
    holed = X.copy()
    holed[4, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(holed, X[:, 0])
    model.fit(X, X[:, 0])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(holed)
    with pytest.raises(InputError, match="to_onnx takes a fitted"):
        to_onnx(model, tmp_path / "model.onnx")
    with pytest.raises(InputError, match="Leaves of trees are steps"):
        samara.explain(model, X)
    with pytest.raises(InputError, match="leaves of trees are counted"):
        samara.plan(model, X, X[:, 0])
    with pytest.raises(InputError, match="does not learn as rows arrive"):
        model.save(tmp_path / "model.samara", resumable=True)
