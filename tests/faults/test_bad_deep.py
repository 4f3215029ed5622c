"""Deep models that can't be: one sentence each."""

from dataclasses import replace

import numpy as np
import pytest

import samara
from samara import DeepELMClassifier, DeepELMRegressor, InputError, NonFiniteError
from samara.maps import LocalFields, PooledFields
from samara.model_checks import check_map
from samara.store import RefusedError
from tests.faults.checks import refused

X = np.random.default_rng(0).normal(size=(40, 16))
Y = X[:, 0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"layers": ()}, "layers is empty: give at least one size"),
        ({"layers": (0,)}, "layers must be positive whole numbers.*got 0"),
        ({"layers": (5, -3)}, "got -3"),
        ({"layers": 2.5}, "got 2.5"),
        ({"layers": (True,)}, "got True"),
        ({"layers": ("tanh",)}, "got 'tanh'"),
        ({"penalty": "L1"}, "Unknown penalty 'L1'.*Known: l1, l2"),
        ({"activation": "tahn"}, "Did you mean 'tanh'"),
        ({"layer_alpha": -1.0}, "layer_alpha must be 0 or more.*-1.0"),
        ({"layer_alpha": 0.0}, "layer_alpha must be above 0"),
        ({"layer_alpha": []}, "layer_alpha is an empty list"),
        ({"layer_alpha": "otto"}, "Unknown layer_alpha 'otto'"),
        ({"n_hidden": 0}, "n_hidden must be a positive whole number"),
        ({"layers": (LocalFields((5, 4)),)}, "does not fit an image of 5 × 4"),
        ({"layers": (LocalFields((5, 3), size=2),)}, "An image of 5 × 3 has 15 values, but the rows have 16"),
        ({"layers": (4, LocalFields((4, 4), size=2))}, "but the rows have 4 columns"),
    ],
    ids=str,
)
def test_parameters(parameters, message):
    """What is wrong, what was given."""
    model = DeepELMRegressor(**{"layers": (4,), "n_hidden": 5, "scale": None, **parameters})
    refused(model, InputError, message, X, Y)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_rows(bad):
    """A NaN is named by row and column, in a fit and afterwards; local fields hide none."""
    spoilt = X.copy()
    spoilt[7, 3] = bad
    layers = (LocalFields((4, 4), n_maps=2, size=2), 3)
    model = DeepELMClassifier(layers, n_hidden=5, scale=None, activation="hardlim", random_state=0)
    refused(model, NonFiniteError, "column 3.*row 7", spoilt, Y > 0)
    model.fit(X, Y > 0)
    with pytest.raises(NonFiniteError, match=r"column 3.*row 7"):
        model.predict(spoilt)


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        ({"image": (4, 5, 1)}, "is not of images of 16 values"),
        ({"image": (4, 4)}, "is not of images of 16 values"),
        ({"image": (-4, -4, 1)}, "is not of images of 16 values"),
        ({"size": 5}, "has fields that can't be"),
        ({"pool": -1}, "has fields that can't be"),
        ({"stride": 0}, "has fields that can't be"),
        ({"filters": np.ones((3, 2))}, "filters of map have the shape"),
        ({"filters": np.full((4, 2), np.nan)}, "filters of map hold a NaN"),
    ],
    ids=str,
)
def test_fields_of_a_file(lie, message):
    """Fields that no fit can have made are not taken from a file."""
    honest = PooledFields(np.ones((4, 2)), (4, 4, 1), 2, 1, 1)
    assert check_map(honest, 16, "map") == 18
    with pytest.raises(RefusedError, match=message):
        check_map(replace(honest, **lie), 16, "map")


def test_what_a_deep_model_does_not_do(tmp_path):
    """Neither a plan nor learning as rows arrive; a budget that can't hold a layer is refused."""
    model = DeepELMRegressor((4,), n_hidden=5, random_state=0)
    with pytest.raises(InputError, match="a deep one plans layer by layer"):
        samara.plan(model, X, Y)
    with pytest.raises(InputError, match="does not learn as rows arrive"):
        model.fit(X, Y).save(tmp_path / "model.samara", resumable=True)
    tall = np.random.default_rng(1).normal(size=(3000, 16))
    tall[5] = np.nan  # nobody has looked at the rows yet
    for layers, n_hidden in (((4, 1500), 5), ((4,), 1500)):
        greedy = DeepELMRegressor(layers, n_hidden=n_hidden, memory="30MB")
        refused(greedy, samara.BudgetError, "1,500 nodes", tall, np.arange(3000.0))
