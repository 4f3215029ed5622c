"""From a fit to batches, from batches to a fit, and through a pickle."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from samara import ELMClassifier, ELMRegressor, InputError
from tests.problems import make_problem
from tests.streams import batches, frozen_by, gap, streamed

PROBLEM = make_problem(11, 200, 3, 2, weighted=True)
X, Y, W = PROBLEM.X, PROBLEM.y, PROBLEM.weight
LABELS = np.array(["c", "a", "d", "b"])[np.digitize(Y[:, 0], np.quantile(Y[:, 0], [0.25, 0.5, 0.75]))]
PIECES = batches(200, [0.3, 0.35, 0.7])
STREAMS = [
    {},
    {"alpha": "auto"},
    {"update": "qr"},
    {"update": "woodbury"},
    {"forget": 0.95},
    {"window": 30},
    {"dtype": "float32"},
]


@pytest.mark.parametrize("solver", ["gram", "qr", "dual", "svd", "auto"])
@pytest.mark.parametrize("options", [{"alpha": 0.5}, {}, {"n_hidden": [5, 12], "alpha": [0.1, 1.0]}], ids=str)
@pytest.mark.parametrize("first", [60, 8])
def test_partial_fit_goes_on_from_a_fit(solver, options, first):
    """The rows of the fit count as if they had been the first batch, whichever solver left its summary."""
    given = {"n_hidden": 12, "scale": None, "random_state": 0, **options}
    model = ELMRegressor(**given, solver=solver).fit(X[:first], Y[:first], W[:first])
    model.set_params(solver="auto").partial_fit(X[first:], Y[first:], W[first:])
    whole = ELMRegressor(**given).fit(X, Y, W)
    np.testing.assert_allclose(model.alpha_, whole.alpha_, rtol=1e-9)
    assert gap(model, whole, X) < 1e-7


@pytest.mark.parametrize("solver", ["gram", "qr", "dual", "svd"])
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("alpha", [0.5, "auto"])
def test_a_classifier_goes_on_from_a_fit(solver, count, alpha):
    """Two classes or four; one more may come later."""
    labels = LABELS if count == 4 else np.where(LABELS < "c", "low", "up")
    labels[150:] = "zebra"
    model = ELMClassifier(12, alpha=alpha, scale=None, solver=solver, random_state=0)
    model.fit(X[:60], labels[:60], W[:60]).set_params(solver="auto")
    for piece in batches(200, [0.3, 0.4, 0.8])[1:]:
        model.partial_fit(X[piece], labels[piece], sample_weight=W[piece])
    whole = clone(model).fit(X, labels, W)
    np.testing.assert_array_equal(model.classes_, whole.classes_)
    np.testing.assert_allclose(model.alpha_, whole.alpha_, rtol=1e-9)
    assert gap(model, whole, X) < 1e-7


def test_the_triangle_goes_on_from_a_triangle_only():
    """Moments have lost what update="qr" keeps."""
    model = ELMRegressor(12, alpha=1e-8, scale=None, update="qr", random_state=0)
    learned = model.set_params(solver="qr").fit(X[:60], Y[:60], W[:60]).partial_fit(X[60:], Y[60:], W[60:])
    assert gap(learned, clone(model).fit(X, Y, W), X) < 1e-8
    model.set_params(solver="gram", alpha=1.0).fit(X[:60], Y[:60])
    with pytest.raises(InputError, match='goes on from a fit by solver="qr" only'):
        model.partial_fit(X, Y)


def test_rows_of_a_fit_can_be_unlearned():
    """Those of the fit, and those after it."""
    model = ELMRegressor(12, alpha=0.5, scale=None, random_state=0).fit(X[:60], Y[:60], W[:60])
    model.unlearn(X[:20], Y[:20], W[:20]).partial_fit(X[60:], Y[60:], W[60:]).unlearn(X[90:], Y[90:], W[90:])
    assert gap(model, clone(model).fit(X[20:90], Y[20:90], W[20:90]), X) < 1e-9


@pytest.mark.parametrize(
    "changed", [{"alpha": "auto"}, {"n_hidden": 7}, {"dtype": "float32"}, {"fit_intercept": False}], ids=str
)
def test_other_parameters_after_a_fit_are_refused(changed):
    """What the fit left was made with those before; the model stays."""
    model = ELMRegressor(12, alpha=0.5, scale=None, random_state=0).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(InputError, match="fit was made with other"):
        model.set_params(**changed).partial_fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("options", [{"window": 10}, {"update": "woodbury"}], ids=str)
def test_what_keeps_rows_or_inverses_begins_with_partial_fit(options):
    """A fit has left neither."""
    model = ELMRegressor(5, alpha=1.0, **options).fit(X, Y)
    with pytest.raises(InputError, match="begin with partial_fit"):
        model.partial_fit(X, Y)


@pytest.mark.parametrize("make", [ELMRegressor, ELMClassifier])
def test_fit_starts_anew(make):
    """Batches before it leave no trace: neither scaling, classes nor rows."""
    target = Y if make is ELMRegressor else LABELS
    other = -Y if make is ELMRegressor else np.full(200, "x")
    model = make(12, alpha=0.5, random_state=0).partial_fit(100 * X, other).fit(X[:90], target[:90])
    assert gap(model, clone(model).fit(X[:90], target[:90]), X) == 0
    model.partial_fit(X[90:], target[90:])
    whole = clone(model).set_params(scale=frozen_by(X[:90])).fit(X, target)
    assert gap(model, whole, X) < 1e-9


@pytest.mark.parametrize("options", STREAMS, ids=str)
@pytest.mark.parametrize("make", [ELMRegressor, ELMClassifier])
@pytest.mark.parametrize(
    "again", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "copy"]
)
def test_a_stream_goes_on_after_a_pickle(options, make, again):
    """Before or after it was solved; the copy and the original no longer touch each other."""
    target = Y if make is ELMRegressor else LABELS
    model = streamed(make(12, **{"alpha": 0.5, "random_state": 0, **options}), X, target, PIECES[:2])
    twin = again(model)
    expected = model.predict(X)
    other = again(model).partial_fit(-X, target)
    for piece in PIECES[2:]:
        model.partial_fit(X[piece], target[piece])
        twin.partial_fit(X[piece], target[piece])
    single = "dtype" in options  # asking for results carries the float32 sums over
    assert gap(twin, model, X) <= (1e-5 if single else 0)
    assert not np.array_equal(other.predict(X), expected)


def test_a_fitted_model_from_a_pickle_says_why_it_cannot_go_on():
    """Its summary is not part of the pickle; what it predicts is."""
    model = ELMRegressor(12, alpha=0.5, random_state=0).fit(X, Y)
    twin = pickle.loads(pickle.dumps(model))
    for method in (twin.partial_fit, twin.unlearn):
        with pytest.raises(InputError, match="stays with the estimator that was fitted"):
            method(X, Y)
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
