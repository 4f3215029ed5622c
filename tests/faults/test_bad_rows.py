"""Bad rows are refused in one sentence that names the column and the row; nothing is half-fitted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from samara import ELMClassifier, ELMRegressor, InputError, NonFiniteError, SamaraError
from samara.engines import Threads
from tests.faults.checks import refused, survives

pytestmark = pytest.mark.usefixtures("every_pass_is_worth_threads")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = X[:, 0] + RNG.normal(size=400)
LABELS = np.where(Y > 0, "up", "down")
NAMES = ["length", "width", "height"]


def _spoilt(value, row=317, column=1):
    bad = X.copy()
    bad[row, column] = value
    return bad


@pytest.fixture(params=["regressor", "classifier"])
def case(request):
    regressor = request.param == "regressor"
    made = ELMRegressor if regressor else ELMClassifier
    return made(5, engine=Threads(2, 50)), Y if regressor else LABELS


BAD = [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
FRAMES = ("pandas", "polars")  # a NaN in them is a missing value, and allowed


@pytest.mark.parametrize(
    ("kind", "value", "word"),
    [
        (kind, value, word)
        for kind in ("array", "float32", "sparse", *FRAMES)
        for value, word in BAD
        if word == "infinity" or kind not in FRAMES
    ],
)
def test_values_that_are_not_finite_are_named(case, value, word, kind):
    """The first column and row of a NaN or an infinity in X, with the column's name where it has one."""
    estimator, y = case
    bad = {
        "array": lambda a: a,
        "float32": lambda a: a.astype(np.float32),
        "pandas": lambda a: pd.DataFrame(a, columns=NAMES),
        "polars": lambda a: pl.DataFrame(dict(zip(NAMES, a.T, strict=True))),
        "sparse": sp.csr_matrix,
    }[kind](_spoilt(value))
    text = refused(estimator, NonFiniteError, f"contains {word}", bad, y)
    assert "column 1" in text
    assert "row 317" in text
    assert ("'width'" in text) == (kind in ("pandas", "polars"))


def test_the_first_of_several_is_named():
    """Row by row: the first bad row, and its first bad column."""
    bad = _spoilt(np.nan, 20, 2)
    bad[20, 1] = np.inf
    bad[300, 0] = np.nan
    assert "column 1, row 20" in refused(ELMRegressor(5), NonFiniteError, "infinity", bad, Y)


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_targets_that_are_not_finite_are_named(value, word):
    """The row of y; the column too where y is a table."""
    y = Y.copy()
    y[123] = value
    assert "row 123" in refused(ELMRegressor(5), NonFiniteError, f"y contains {word}", X, y)
    text = refused(ELMRegressor(5), NonFiniteError, "y contains", X, np.column_stack([Y, y]))
    assert "row 123, column 1" in text


@pytest.mark.parametrize(
    "y", [np.where(np.arange(400) == 5, None, Y), np.where(np.arange(400) == 5, "x", Y.astype(object))]
)
def test_targets_that_are_not_numbers(y):
    """An object column with a hole or a word in it is refused."""
    refused(ELMRegressor(5), ValueError, "NaN|could not convert|row 5", X, y)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_prediction_refuses_what_is_not_finite(case, value):
    """The same sentence at prediction and transformation."""
    estimator, y = case
    estimator.fit(X, y)
    for method in (estimator.predict, estimator.transform):
        with pytest.raises(NonFiniteError, match=r"column 1.*row 317"):
            method(_spoilt(value))


@pytest.mark.parametrize(
    ("rows", "y", "message"),
    [
        (np.zeros((0, 3)), np.zeros(0), "0 sample"),
        (np.zeros((1, 3)), np.zeros(1), "1 sample|minimum of 2"),
        (np.zeros((9, 0)), np.zeros(9), r"0 feature"),
        (np.zeros(9), np.zeros(9), "1D array|2D array"),
        (np.zeros((9, 3)), np.zeros(8), "inconsistent|samples"),
        (np.zeros((2, 3, 4)), np.zeros(2), "dim 3|3D"),
        (np.zeros((9, 3), complex), np.zeros(9), "[Cc]omplex"),
    ],
    ids=["empty", "one row", "no column", "vector", "lengths differ", "cube", "complex"],
)
def test_tables_of_a_wrong_shape(rows, y, message):
    """Empty, one row, no column, wrong dimensions."""
    with pytest.raises(ValueError, match=message):
        ELMRegressor(5).fit(rows, y)


def test_one_class():
    """A classifier with one class says which."""
    refused(ELMClassifier(5), InputError, "one class only.*'up'", X, np.full(400, "up"))


def test_one_class_left_by_the_weights():
    """The same where all rows of the other classes weigh nothing."""
    refused(ELMClassifier(5), InputError, "one class only", X, LABELS, (LABELS == "up").astype(float))


def test_a_classifier_of_numbers_without_classes():
    """Continuous targets are not classes."""
    refused(ELMClassifier(5), ValueError, "continuous|label type", X, Y)


@pytest.mark.parametrize("kind", ["array", "pandas"])
def test_a_word_among_numbers_is_named(case, kind):
    """Column, row and value of the first thing that is not a number."""
    estimator, y = case
    table = pd.DataFrame(X, columns=NAMES).astype(object)
    table.loc[7, "width"] = "wide"
    if kind == "array":
        table = table.to_numpy()
    text = refused(
        estimator, InputError, "not numeric" if kind == "array" else "mixes float and str", table, y
    )
    assert ("'width'" if kind != "array" else "Column 1") in text
    assert "row 7" in text
    assert "'wide'" in text


def test_object_columns_that_hold_numbers_are_used():
    """Numbers stored as objects are numbers."""
    expected = ELMRegressor(5, random_state=0).fit(X, Y).predict(X)
    np.testing.assert_allclose(ELMRegressor(5, random_state=0).fit(X.astype(object), Y).predict(X), expected)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.where(np.arange(400) == 9, -1.0, 1.0), r"row 9 has -1"),
        (np.where(np.arange(400) == 9, np.nan, 1.0), r"row 9 has nan|NaN"),
        (np.where(np.arange(400) == 9, np.inf, 1.0), r"row 9 has inf|infinity"),
        (np.zeros(400), "zero for every row|at least one non-zero"),
        (np.ones(399), r"sample_weight|399"),
        (np.ones((400, 2)), r"1D|sample"),
    ],
    ids=["negative", "NaN", "infinite", "all zero", "too few", "two columns"],
)
def test_bad_weights(case, weight, message):
    """Negative, NaN, infinite, all-zero or misshapen weights."""
    estimator, y = case
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y, weight)
    assert not hasattr(estimator, "model_")


@pytest.mark.parametrize(
    "bad", [_spoilt(np.nan), np.zeros((0, 3)), X[:, :2]], ids=["NaN", "empty", "lengths"]
)
def test_a_fitted_model_survives_a_failed_refit(case, bad):
    """The old model still predicts after a refused refit."""
    estimator, y = case
    survives(estimator, X, y, bad, y[: len(bad)] if len(bad) != 400 or bad.shape[1] == 3 else y[:7])


def test_a_fitted_model_survives_bad_weights_and_parameters():
    """The same where weights or parameters are refused."""
    survives(ELMRegressor(5, random_state=0), X, Y, X, Y, -np.ones(400))
    model = ELMRegressor(5, random_state=0).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(InputError):
        model.set_params(alpha=-1).fit(X[:, ::-1] + 3, Y)
    np.testing.assert_array_equal(model.set_params(alpha="auto").predict(X), before)


def test_a_fitted_model_survives_a_refit_on_other_columns():
    """A refused refit on a table of another width leaves the old model usable."""
    model = ELMRegressor(5, random_state=0).fit(X, Y)
    before = model.predict(X)
    wide = np.hstack([X, np.full((400, 1), np.nan)])
    with pytest.raises(NonFiniteError):
        model.fit(wide, Y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_the_wrong_number_of_columns_at_prediction(case):
    """Names both numbers."""
    estimator, y = case
    with pytest.raises(ValueError, match=r"2 features.*3 features"):
        estimator.fit(X, y).predict(X[:, :2])


def test_errors_are_value_errors_of_ours():
    """One tree: InputError and NonFiniteError are ValueErrors, and SamaraErrors."""
    assert issubclass(NonFiniteError, InputError)
    assert issubclass(InputError, ValueError)
    assert issubclass(InputError, SamaraError)
