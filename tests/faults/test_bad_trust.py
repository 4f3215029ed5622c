"""Probabilities and intervals that can't be had: every message says what to do."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import samara
from samara import ELMClassifier, ELMRegressor, InputError, KernelELMClassifier, KernelELMRegressor
from samara.calibration import Isotonic, Temperature
from samara.left_out_checks import check_left_out
from samara.store import RefusedError

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 90, "0.9", None, float("nan")])
def test_a_coverage_that_is_none(coverage):
    model = ELMRegressor(n_hidden=10, random_state=0).fit(X, Y)
    with pytest.raises(InputError, match=r"coverage must be a number between 0 and 1, such as 0\.9; got"):
        model.predict_interval(X, coverage=coverage)


@pytest.mark.parametrize("model", [ELMRegressor(), KernelELMRegressor()])
def test_an_interval_before_a_fit(model):
    with pytest.raises(NotFittedError):
        model.predict_interval(X)


@pytest.mark.parametrize("solver", ["lsqr", "sketch", "tiles", "submodels"])
def test_an_interval_of_a_solver_that_leaves_no_rows_out(solver):
    rank = 4 if solver == "sketch" else "auto"
    model = ELMRegressor(n_hidden=10, solver=solver, rank=rank, alpha=0.1, random_state=0).fit(X, Y)
    with pytest.raises(InputError, match="knows no errors of rows that were left out: fit it"):
        model.predict_interval(X)


@pytest.mark.parametrize("solver", ["sketch", "ssvd", "pcg", "divide"])
def test_an_interval_of_a_kernel_model_that_was_given_its_ridge(solver):
    options = {"solver": solver, "rank": "auto" if solver == "divide" else 20, "random_state": 0}
    model = KernelELMRegressor(alpha=0.1, **options).fit(X, Y)
    with pytest.raises(InputError, match='kernel models by another solver need alpha as a list or "auto"'):
        model.predict_interval(X)
    with pytest.raises(InputError, match=r'leave none out.*need alpha as a list or "auto"'):
        KernelELMClassifier(alpha=0.1, threshold="f1", **options).fit(X, Y)
    chosen = KernelELMRegressor(alpha=[0.1, 1.0], **options).fit(X, Y)
    assert (np.diff(chosen.predict_interval(X), axis=0) > 0).all()


def test_an_interval_after_partial_fit():
    model = ELMRegressor(n_hidden=10, random_state=0).fit(X, Y).partial_fit(X[:3], Y[:3])
    with pytest.raises(InputError, match="partial_fit keeps none"):
        model.predict_interval(X)


@pytest.mark.parametrize("calibration", ["temprature", 1, True])
def test_a_calibration_that_is_none(calibration):
    with pytest.raises(InputError, match="calibration"):
        ELMClassifier(n_hidden=10, calibration=calibration).fit(X, Y)


def test_a_missing_number_is_named():
    model = ELMRegressor(n_hidden=10, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        model.predict_interval(np.where(X > 7, np.nan, X))


def test_isotonic_probabilities_have_no_onnx_form():
    pytest.importorskip("onnx")
    model = ELMClassifier(n_hidden=10, calibration="isotonic", random_state=0).fit(X, Y)
    with pytest.raises(InputError, match=r'Isotonic .* no ONNX form: fit with calibration="temperature"'):
        samara.to_onnx(model)


@pytest.mark.parametrize(
    "lie",
    [
        Temperature(-1.0),
        Temperature(float("inf")),
        Isotonic((), ()),
        Isotonic((np.array([0.0, 1.0]),), (np.array([0.5, 0.2]),)),
        Isotonic((np.array([1.0, 0.0]),), (np.array([0.2, 0.5]),)),
        Isotonic((np.array([0.0, 1.0]),), (np.array([0.2, 1.5]),)),
    ],
)
def test_lies_about_a_calibration(lie):
    with pytest.raises(RefusedError):
        check_left_out(lie, None, (10, 1))


@pytest.mark.parametrize("name", ["scores", "weight", "errors"])
def test_lies_about_intervals(name):
    found = ELMRegressor(n_hidden=10, random_state=0).fit(X, Y).intervals_
    check_left_out(None, found, (10, 1))
    for lie in (getattr(found, name)[:-1], np.full_like(getattr(found, name), np.nan)):
        with pytest.raises(RefusedError):
            check_left_out(None, replace(found, **{name: lie}), (10, 1))
    with pytest.raises(RefusedError):
        check_left_out(None, found, (11, 1))
    with pytest.raises(RefusedError):
        check_left_out(None, replace(found, weight=-found.weight), (10, 1))
