"""What scikit-learn users expect beyond its own checks: outputs, names, routing, copies."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

from samara import ELMClassifier, ELMRegressor
from samara.engines import Threads
from samara.maps import Additive, Radial
from tests.problems import make_problem

PROBLEM = make_problem(1, 90, 3, 1, True)
NAMES = ["length", "width", "height"]
FRAME = pd.DataFrame(PROBLEM.X, columns=NAMES)
LABELS = np.where(PROBLEM.y > np.median(PROBLEM.y), "big", "small")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("link", [False, True])
def test_set_output(kind, link):
    """``transform`` gives frames with the names of ``get_feature_names_out``."""
    model = ELMRegressor(5, direct_link=link, random_state=0).fit(FRAME, PROBLEM.y)
    plain = model.transform(FRAME)
    frame = model.set_output(transform=kind).transform(FRAME)
    assert type(frame).__module__.startswith(kind)
    assert list(frame.columns) == model.get_feature_names_out().tolist()
    assert len(frame.columns) == (8 if link else 5)
    np.testing.assert_array_equal(frame.to_numpy(), plain)


def test_feature_names():
    """Names of the inputs are kept; other names at prediction are refused."""
    model = ELMRegressor(5, random_state=0).fit(FRAME, PROBLEM.y)
    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == 3
    assert model.get_feature_names_out().tolist() == [f"elmregressor{k}" for k in range(5)]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME.rename(columns={"width": "depth"}))


@pytest.mark.parametrize(
    "hidden",
    ["sigmoid", "fourier", "rbf", Additive("relu", weights="sparse", bias="data"), Radial(centres="kmeans")],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_pickle_round_trip(hidden, dtype):
    """An unpickled model predicts the same bits."""
    model = ELMRegressor(5, hidden=hidden, dtype=dtype, engine=Threads(2, 64), random_state=0).fit(
        FRAME, PROBLEM.y
    )
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(FRAME), model.predict(FRAME))
    assert str(again.plan_) == str(model.plan_)


def test_a_fitted_model_is_small():
    """Neither the rows nor the Gram stay in it (pyoselm kept n×L, gfdl L²); intervals 17 a node."""
    problem = make_problem(2, 5000, 3, 1, False)
    model = problem.fit(ELMRegressor(300, alpha=1.0, random_state=0))
    intervals = 8 * (17 * 300 + 2 * 1024)
    assert len(pickle.dumps(model)) < 8 * (3 + 2) * 300 * 2 + intervals + 20_000


@pytest.mark.parametrize("estimator", [ELMRegressor, ELMClassifier])
def test_clone_keeps_every_parameter(estimator):
    """Constructors only store: a clone has the very same parameters and nothing fitted."""
    given = {
        "n_hidden": [3, 5],
        "hidden": Additive("tanh"),
        "alpha": [1, 2],
        "solver": "qr",
        "selection": "loo",
        "scale": None,
        "direct_link": True,
        "fit_intercept": False,
        "memory": "1GB",
        "engine": Threads(1, 10),
        "dtype": "float32",
        "random_state": 4,
    }
    model = estimator(**given)
    assert {name: clone(model).get_params()[name] for name in given} == given
    fitted = clone(model.fit(FRAME, LABELS if estimator is ELMClassifier else PROBLEM.y))
    assert not hasattr(fitted, "model_")


@pytest.mark.parametrize("fitted", [False, True])
def test_html_repr(fitted):
    """Notebooks show the estimator."""
    model = ELMRegressor(5, hidden=Radial())
    if fitted:
        model.fit(FRAME, PROBLEM.y)
    page = estimator_html_repr(model)
    assert "ELMRegressor" in page
    assert ("Fitted" if fitted else "Not fitted") in page


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_weights_are_routed_through_a_pipeline(routing):
    """``set_fit_request(sample_weight=True)`` brings the weights to the fit."""
    step = ELMRegressor(5, alpha=1.0, random_state=0).set_fit_request(sample_weight=True)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    pipe = make_pipeline(scaler, step).fit(PROBLEM.X, PROBLEM.y, sample_weight=PROBLEM.weight)
    scaled = StandardScaler().fit_transform(PROBLEM.X)
    direct = ELMRegressor(5, alpha=1.0, random_state=0).fit(scaled, PROBLEM.y, PROBLEM.weight)
    np.testing.assert_allclose(pipe.predict(PROBLEM.X), direct.predict(scaled), rtol=1e-12)


def test_weights_are_routed_through_a_search(routing):
    """A grid search passes the weights on to every fit and score."""
    model = (
        ELMRegressor(alpha=1.0, random_state=0)
        .set_fit_request(sample_weight=True)
        .set_score_request(sample_weight=True)
    )
    search = GridSearchCV(model, {"n_hidden": [2, 20]}, cv=3).fit(
        PROBLEM.X, PROBLEM.y, sample_weight=PROBLEM.weight
    )
    best = ELMRegressor(alpha=1.0, random_state=0, **search.best_params_).fit(
        PROBLEM.X, PROBLEM.y, PROBLEM.weight
    )
    np.testing.assert_array_equal(search.best_estimator_.predict(PROBLEM.X), best.predict(PROBLEM.X))


def test_searches_and_scores():
    """Parameters are set by name; cross-validation works on string labels."""
    search = GridSearchCV(
        make_pipeline(ELMClassifier(5, random_state=0)), {"elmclassifier__scale": ["quantile", None]}, cv=3
    )
    assert search.fit(PROBLEM.X, LABELS).best_score_ > 0.5
    assert cross_val_score(ELMClassifier(10, random_state=0), PROBLEM.X, LABELS, cv=3).mean() > 0.5


def test_predicting_before_fitting():
    """A NotFittedError, for every method and for the coefficients."""
    model = ELMClassifier()
    for method in (model.predict, model.predict_proba, model.decision_function, model.transform):
        with pytest.raises(sklearn.exceptions.NotFittedError):
            method(PROBLEM.X)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        _ = model.coef_
