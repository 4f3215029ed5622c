"""Parameters that can't be used: the known names, the nearest one, the number given."""

import numpy as np
import pytest

from samara import ELMClassifier, ELMRegressor, InputError
from samara.engines import Threads
from samara.maps import Additive, Radial
from samara.selection import KFold
from tests.faults.checks import refused

X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0]


@pytest.mark.parametrize(
    ("parameters", "suggested", "known"),
    [
        ({"hidden": "sigmoyd"}, "sigmoid", "multiquadric"),
        ({"solver": "grams"}, "gram", "svd"),
        ({"selection": "k-fold"}, "kfold", "gcv"),
        ({"selection": "LOO"}, None, "loo"),
        ({"scale": "standart"}, "standard", "quantile"),
        ({"dtype": "float46"}, "float64", "float32"),
        ({"engine": "thread"}, "threads", "threads"),
        ({"n_hidden": "atuo"}, "auto", "auto"),
        ({"alpha": "automatic"}, "auto", "auto"),
        ({"hidden": Additive("sigmod")}, "sigmoid", "tanh"),
        ({"hidden": Additive(weights="unifrom")}, "uniform", "sparse"),
        ({"hidden": Additive(bias="dat")}, "data", "range"),
        ({"hidden": Radial("rbff")}, "rbf", "multiquadric"),
        ({"hidden": Radial(centres="kmean")}, "kmeans", "rows"),
    ],
    ids=str,
)
def test_unknown_names(parameters, suggested, known):
    """An unknown name lists the known ones and suggests the nearest."""
    text = refused(ELMRegressor(**parameters), InputError, "Unknown", X, Y)
    assert known in text
    if suggested:
        assert f"Did you mean '{suggested}'?" in text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "alpha must be 0 or more.*-1.0"),
        ({"alpha": [1.0, -2.0]}, "got -2.0"),
        ({"alpha": float("nan")}, "got nan"),
        ({"alpha": float("inf")}, "got inf"),
        ({"alpha": []}, "empty list"),
        ({"alpha": True}, "got True"),
        ({"alpha": None}, "got None"),
        ({"n_hidden": 0}, "positive whole number.*got 0"),
        ({"n_hidden": -5}, "got -5"),
        ({"n_hidden": 2.5}, "got 2.5"),
        ({"n_hidden": []}, r"got \[\]"),
        ({"n_hidden": [5, 0]}, r"got \[5, 0\]"),
        ({"n_hidden": None}, "got None"),
        ({"hidden": 3}, "hidden must be"),
        ({"selection": 5}, "selection must be"),
        ({"selection": KFold(1)}, "at least 2 folds, got 1"),
        ({"selection": "lcurve", "n_hidden": [3, 4]}, "one n_hidden"),
        ({"hidden": Additive(gain=-1)}, "gain must be.*-1"),
        ({"hidden": Additive(inputs_per_node=0)}, "inputs_per_node.*0"),
        ({"hidden": Radial(width=0)}, "width must be.*0"),
        ({"engine": Threads(0)}, "at least one worker"),
        ({"engine": Threads(1, -1)}, "no negative block"),
        ({"memory": "lots"}, "memory must look like.*'lots'"),
        ({"memory": -1}, "memory must be positive"),
    ],
    ids=str,
)
def test_numbers_out_of_range(parameters, message):
    """A number that can't be is named."""
    refused(ELMRegressor(**parameters), InputError, message, X, Y)


@pytest.mark.parametrize("dtype", ["int32", "float16", "nonsense", 5])
def test_precisions_that_are_not_offered(dtype):
    """Only float32 and float64."""
    refused(ELMRegressor(dtype=dtype), InputError, "Unknown dtype", X, Y)


@pytest.mark.parametrize("dtype", [np.float32, np.dtype("float32"), "f4", float, "float64"])
def test_precisions_by_any_of_their_names(dtype):
    """NumPy's types and short names are taken."""
    model = ELMRegressor(3, dtype=dtype).fit(X, Y)
    assert model.coef_.dtype == np.dtype(dtype)


def test_parameters_are_checked_before_rows_are_read():
    """A bad name is refused even where the rows are bad too."""
    refused(ELMRegressor(solver="grams"), InputError, "solver", np.full((40, 3), np.nan), Y)
    refused(ELMClassifier(hidden="x"), InputError, "hidden", np.full((40, 3), np.nan), Y > 0)


def test_constructors_do_not_check():
    """Anything may be stored; only the fit looks (scikit-learn's rule)."""
    assert ELMRegressor(n_hidden="nonsense", alpha=-1).get_params()["alpha"] == -1


def test_whole_numbers_of_numpy_are_numbers():
    """np.int64 nodes and np.float32 ridges are taken."""
    model = ELMRegressor(np.int64(4), alpha=np.float32(0.5)).fit(X, Y)
    assert (model.n_hidden_, model.alpha_) == (4, 0.5)
    ELMRegressor(np.array([3, 4]), alpha=np.array([0.1, 1])).fit(X, Y)
    ELMRegressor(range(2, 5), alpha=(0.1, 1)).fit(X, Y)
