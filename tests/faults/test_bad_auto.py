"""What the automatic estimators refuse, in one line, and odd tables that they take."""

import numpy as np
import pytest

import samara
from samara import AutoELMClassifier, AutoELMRegressor, BudgetError, InputError, NonFiniteError
from tests.faults.checks import refused

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 3))
Y = X[:, 0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"time": -1}, 'time must be above 0, a text such as "30s" or "5min", seconds or None; got -1'),
        ({"time": 0}, "time must be above 0"),
        ({"time": "3 parsecs"}, "time must be above 0.*got '3 parsecs'"),
        ({"time": [3]}, "time must be above 0"),
        ({"rounds": 0}, "rounds must be a whole number of 1 or more, or None; got 0"),
        ({"rounds": 1.5}, "rounds must be a whole number.*got 1.5"),
        ({"rounds": True}, "rounds must be a whole number.*got True"),
        ({"engine": "gpu"}, "Unknown engine"),
        ({"memory": "lots"}, "memory"),
    ],
    ids=str,
)
def test_parameters(parameters, message):
    refused(AutoELMRegressor(**parameters), InputError, message, X, Y)
    refused(AutoELMClassifier(**parameters), InputError, message, X, Y > 0)


def test_rows():
    broken = X.copy()
    broken[3, 1] = np.nan
    refused(AutoELMRegressor(), NonFiniteError, r"Input X contains NaN \(column 1, row 3\)", broken, Y)
    refused(AutoELMClassifier(), InputError, "needs two classes or more", X, np.ones(40))
    refused(AutoELMClassifier(class_weight={7: 1.0}), InputError, "class_weight names a class", X, Y > 0)
    with pytest.raises(InputError, match="AutoELMRegressor has no checkpoints: use checkpoint=None"):
        AutoELMRegressor().fit(X, Y, checkpoint="here")


def test_memory_that_holds_nothing():
    refused(AutoELMRegressor(memory="10kB"), BudgetError, "memory allows 10", X, Y)


@pytest.mark.parametrize(
    ("rows", "targets"),
    [
        (np.ones((20, 2)), np.arange(20.0)),
        (X, np.ones(40)),
        (np.repeat(X[:1], 12, axis=0), np.arange(12.0)),
        (X[:2], Y[:2]),
        (X * 1e150, Y * 1e-150),
    ],
    ids=["constant X", "constant y", "copies of one row", "two rows", "huge"],
)
def test_odd_tables_still_give_a_model(rows, targets):
    model = AutoELMRegressor(None, rounds=4, random_state=0).fit(rows, targets)
    found = model.predict(rows)
    assert np.isfinite(found).all()
    assert np.abs(found - targets.mean()).max() <= 2 * np.ptp(targets) + 1e-6 * np.abs(targets).max()


def test_nothing_to_plan():
    with pytest.raises(InputError, match="an automatic one chooses them in its fit"):
        samara.plan(AutoELMRegressor(), X, Y)


def test_predicting_without_a_fit():
    from sklearn.exceptions import NotFittedError

    for model in (AutoELMRegressor(), AutoELMClassifier()):
        with pytest.raises(NotFittedError):
            model.predict(X)
        with pytest.raises(NotFittedError):
            _ = model.models_
