"""The classifier: weights of classes, probabilities, labels of any kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris
from sklearn.utils.class_weight import compute_class_weight

from samara import ELMClassifier
from samara.estimators.scores import project_to_simplex
from tests.oracles import nearest_probabilities, relative_gap


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    keep = np.r_[0:50, 50:80, 100:120]  # uneven classes
    return X[keep], y[keep]


@pytest.mark.parametrize("alpha", [1.0, "auto"])
def test_balanced_class_weights_are_sample_weights(iris, alpha):
    """class_weight="balanced" is scikit-learn's balanced weight on each row."""
    X, y = iris
    factors = compute_class_weight("balanced", classes=np.unique(y), y=y)
    balanced = ELMClassifier(20, alpha=alpha, class_weight="balanced", random_state=0).fit(X, y)
    explicit = ELMClassifier(20, alpha=alpha, random_state=0).fit(X, y, factors[y])
    assert balanced.alpha_ == pytest.approx(explicit.alpha_, rel=1e-12)
    assert relative_gap(balanced.coef_, explicit.coef_) < 1e-9


@pytest.mark.parametrize("alpha", [1.0, "auto"])
def test_a_dict_of_class_weights_multiplies_sample_weights(iris, alpha):
    """They multiply the rows' own weights; classes not named weigh 1 (hpelm lost them in its last refit)."""
    X, y = iris
    own = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = ELMClassifier(20, alpha=alpha, class_weight={0: 3.0, 2: 0.25}, random_state=0).fit(X, y, own)
    explicit = ELMClassifier(20, alpha=alpha, random_state=0).fit(X, y, own * np.array([3.0, 1.0, 0.25])[y])
    assert relative_gap(model.coef_, explicit.coef_) < 1e-9
    plain = ELMClassifier(20, alpha=alpha, random_state=0).fit(X, y, own)
    assert relative_gap(model.coef_, plain.coef_) > 1e-3


def test_balanced_weights_count_sample_weights(iris):
    """Balanced means that every class has the same total weight."""
    X, y = iris
    own = np.random.default_rng(0).uniform(0.5, 2, len(y))
    totals = np.bincount(y, own)
    explicit = ELMClassifier(20, alpha=1.0, random_state=0).fit(X, y, own * (totals.sum() / (3 * totals))[y])
    model = ELMClassifier(20, alpha=1.0, class_weight="balanced", random_state=0).fit(X, y, own)
    assert relative_gap(model.coef_, explicit.coef_) < 1e-9


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "labels", [np.array(["tern", "auk", "gull"]), np.array([7, -2, 30]), np.array([0.5, 2.0, 1.0])]
)
def test_labels_of_any_kind(iris, labels, n_classes):
    """Strings and numbers come back as given, in sorted order of classes_."""
    X, y = iris
    if labels.dtype.kind == "f":
        labels = labels.round()
    X, y = X[y < n_classes], labels[y[y < n_classes]]
    model = ELMClassifier(20, random_state=0).fit(X, y)
    assert model.classes_.tolist() == np.unique(y).tolist()
    assert model.predict(X).dtype == y.dtype
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities(iris, n_classes):
    """Rows add up to 1, none is negative, and the largest is the class predicted."""
    X, y = iris
    X, y = X[y < n_classes], y[y < n_classes]
    model = ELMClassifier(20, random_state=0).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (len(X), n_classes)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert p.min() >= 0
    clear = np.sort(p, axis=1)[:, -1] - np.sort(p, axis=1)[:, -2] > 1e-9
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)][clear], model.predict(X)[clear])
    shape = (len(X),) if n_classes == 2 else (len(X), n_classes)
    assert model.decision_function(X).shape == shape


def test_probabilities_estimate_probabilities():
    """On labels drawn with known probability least squares is close to it on average, as it is."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    truth = 1 / (1 + np.exp(-2 * X[:, 0]))
    model = ELMClassifier(60, calibration=None, random_state=0).fit(X, rng.random(6000) < truth)
    assert np.abs(model.predict_proba(X)[:, 1] - truth).mean() < 0.03


@given(P=arrays(float, st.tuples(st.integers(1, 5), st.integers(2, 6)), elements=st.floats(-3, 3)))
def test_projection_onto_probabilities_is_the_nearest(P):
    """Each row is moved to the nearest point of the simplex."""
    found = project_to_simplex(P)
    np.testing.assert_allclose(found, [nearest_probabilities(row) for row in P], atol=1e-12)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({9: 1.0}, "not in y: 9"),
        ({0: -1.0}, "non-negative"),
        ({0: 0.0, 1: 0.0, 2: 0.0}, "not all zero"),
        ("balance", "balanced"),
        (3.0, "got 3.0"),
    ],
)
def test_bad_class_weights_are_refused(iris, class_weight, message):
    """Unknown classes, negative weights and other words are errors that name what was given."""
    X, y = iris
    with pytest.raises(ValueError, match=message):
        ELMClassifier(5, class_weight=class_weight).fit(X, y)


def test_constructor_arguments_reach_the_last_fit(iris):
    """What was asked for is what was fitted (hpelm's train() dropped the constructor's arguments)."""
    X, y = iris
    model = ELMClassifier(
        [4, 9],
        hidden="tanh",
        alpha=[0.5, 2.0],
        solver="qr",
        selection="loo",
        direct_link=True,
        random_state=0,
    ).fit(X, y)
    assert model.plan_.solver == "qr"
    assert model.selection_.method == "loo"
    assert model.selection_.n_hidden.tolist() == [4, 9]
    assert model.selection_.alphas.tolist() == [0.5, 2.0]
    assert model.model_.maps[-1].nodes.activation == "tanh"
    assert model.coef_.shape == (3, 4 + model.n_hidden_)
