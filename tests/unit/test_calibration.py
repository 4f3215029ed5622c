"""Temperature and isotonic curves against brute force and scikit-learn, and through every way to predict."""

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.datasets import load_iris, make_classification
from sklearn.isotonic import IsotonicRegression

import samara
from samara import DeepELMClassifier, ELMClassifier, KernelELMClassifier, TwoStageELMClassifier
from samara.calibration import Isotonic, Temperature, best_temperature, learned, rising, smoothed, two_sided


def outputs_of(n_classes, n=300, seed=0):
    rng = np.random.default_rng(seed)
    places = rng.integers(0, n_classes, n)
    codes = np.where(np.arange(n_classes) == places[:, None], 1.0, -1.0) + rng.normal(size=(n, n_classes))
    return (codes[:, 1:] if n_classes == 2 else codes), places, rng.uniform(0.2, 3, n)


def log_loss(steepness, outputs, places, weight):
    """What a temperature makes smallest."""
    Z = steepness * two_sided(outputs)
    losses = -(smoothed(places, weight, Z.shape[1]) * log_softmax(Z, axis=1)).sum(axis=1)
    return weight @ losses / weight.sum()


def expected_error(P, y):
    """Calibration error in 15 bins of the largest probability."""
    sure, right = P.max(axis=1), P.argmax(axis=1) == y
    bins = np.minimum((sure * 15).astype(int), 14)
    gaps = [abs(right[bins == b].mean() - sure[bins == b].mean()) * (bins == b).mean() for b in set(bins)]
    return sum(gaps)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_temperature_has_the_smallest_loss_of_a_grid(n_classes):
    outputs, places, weight = outputs_of(n_classes)
    found = best_temperature(outputs, places, weight)
    grid = found.steepness * np.geomspace(0.1, 10, 2001)
    losses = [log_loss(steepness, outputs, places, weight) for steepness in grid]
    assert abs(np.argmin(losses) - 1000) <= 1
    rows = np.arange(len(places))
    plain = -np.average(np.log(found(outputs)[rows, places]), weights=weight)
    assert log_loss(found.steepness, outputs, places, weight) == pytest.approx(plain, rel=0.02)


def test_rows_that_are_all_told_right_leave_a_doubt():
    outputs = np.array([[-1.0], [1.0], [-0.9], [1.1]])
    P = best_temperature(outputs, np.array([0, 1, 0, 1]), np.ones(4))(outputs)
    assert (P.max(axis=1) < 0.97).all()


def test_outputs_that_say_the_opposite_say_nothing():
    outputs = np.array([[1.0], [-1.0]])
    assert best_temperature(outputs, np.array([0, 1]), np.ones(2)) == Temperature(0.0)


def test_a_weight_of_two_is_the_row_twice():
    outputs, places, _ = outputs_of(3, n=2000)
    rows = np.random.default_rng(1).integers(1, 3, 2000)
    twice = learned("temperature", np.repeat(outputs, rows, axis=0), np.repeat(places, rows))
    weighted = learned("temperature", outputs, places, rows.astype(float))
    assert twice.steepness == pytest.approx(weighted.steepness, rel=1e-9)


@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_weights_of_any_size_leave_a_temperature(size):
    outputs, places, weight = outputs_of(3)
    found = learned("temperature", outputs, places, weight).steepness
    assert learned("temperature", outputs, places, size * weight).steepness == pytest.approx(found, rel=0.03)


def test_rising_curves_are_those_of_scikit_learn():
    outputs, places, weight = outputs_of(2)
    x, came = np.round(outputs[:, 0], 1), (places == 1).astype(float)  # with ties
    theirs = IsotonicRegression(out_of_bounds="clip").fit(x, came, sample_weight=weight)
    grid = np.linspace(-4, 4, 999)
    np.testing.assert_allclose(np.interp(grid, *rising(x, came, weight)), theirs.predict(grid), atol=1e-12)


def test_isotonic_shares_of_several_classes_add_up():
    outputs, places, weight = outputs_of(4)
    found = learned("isotonic", outputs, places, weight)
    P = found(np.vstack([outputs, np.full((1, 4), -99.0)]))
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_allclose(P[-1], 0.25)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_the_calibration_error_falls(n_classes, method):
    X, y = make_classification(
        4000, 12, n_informative=6, n_classes=n_classes, flip_y=0.1, random_state=n_classes
    )
    errors = {}
    for calibration in (None, method):
        model = ELMClassifier(n_hidden=200, calibration=calibration, random_state=0).fit(X[:1000], y[:1000])
        errors[calibration] = expected_error(model.predict_proba(X[1000:]), y[1000:])
    assert errors[method] < 0.7 * errors[None]


@pytest.mark.parametrize(
    "kind",
    [
        ELMClassifier(n_hidden=30, random_state=0),
        KernelELMClassifier(),
        KernelELMClassifier(solver="nystroem", rank=20, random_state=0),
        DeepELMClassifier((10,), n_hidden=30, random_state=0),
        TwoStageELMClassifier(n_hidden=30, random_state=0),
    ],
    ids=lambda kind: type(kind).__name__,
)
def test_every_classifier_is_calibrated_and_keeps_its_labels(kind):
    X, y = load_iris(return_X_y=True)
    model = kind.set_params(calibration="temperature").fit(X, y)
    assert isinstance(model.calibration_, Temperature)
    assert np.array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


def test_without_calibration_outputs_are_taken_for_shares():
    X, y = load_iris(return_X_y=True)
    model = ELMClassifier(n_hidden=30, calibration=None, random_state=0).fit(X, y == 1)
    p = np.clip((model.decision_function(X) + 1) / 2, 0, 1)
    assert model.calibration_ is None
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], p)


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_every_way_to_predict_gives_the_same_probabilities(tmp_path, method):
    import pyarrow as pa
    import pyarrow.parquet as pq

    X, y = load_iris(return_X_y=True, as_frame=True)
    pq.write_table(pa.table({**{name: X[name] for name in X}, "kind": y}), tmp_path / "iris.parquet")
    scan = samara.scan(tmp_path / "iris.parquet", target="kind")
    model = ELMClassifier(n_hidden=30, calibration=method, random_state=0).fit(scan)
    P = model.predict_proba(X)
    model.save(tmp_path / "model.samara")
    again = samara.load(tmp_path / "model.samara")
    assert type(again.calibration_) is {"temperature": Temperature, "isotonic": Isotonic}[method]
    np.testing.assert_array_equal(again.predict_proba(X), P)
    np.testing.assert_array_equal(np.concatenate(list(model.predict_batches(scan, proba=True))), P)
    model.predict_to(scan, tmp_path / "out.parquet", proba=True)
    written = pq.read_table(tmp_path / "out.parquet")
    np.testing.assert_array_equal(np.column_stack([column.to_numpy() for column in written.columns]), P)
    chance = np.clip(P[np.arange(len(y)), y], 1e-15, 1)
    assert samara.evaluate(model, X, y)["log_loss"] == pytest.approx(-np.log(chance).mean(), rel=1e-12)


def test_rows_that_arrive_later_take_the_calibration_away():
    X, y = load_iris(return_X_y=True)
    model = ELMClassifier(n_hidden=30, random_state=0).fit(X, y)
    assert model.calibration_ is not None
    model.partial_fit(X[:5], y[:5])
    assert model.calibration_ is None
    assert model.fit(X, y).calibration_ is not None


def test_rows_that_nothing_can_be_said_of_leave_outputs_as_they_are():
    X, y = load_iris(return_X_y=True)
    model = ELMClassifier(n_hidden=40, alpha=0.0, solver="svd", random_state=0).fit(X[::10], y[::10])
    assert model.calibration_ is None
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("straight", [False, True])
def test_auto_takes_what_surprises_less(straight):
    """Outputs near 2p − 1 stay; outputs of many nodes and few rows, which are not, get a temperature."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000 if straight else 300, 2))
    came = rng.random(len(X)) < 1 / (1 + np.exp(-2 * X[:, 0] if straight else -20 * X[:, 0]))
    found = {
        how: ELMClassifier(60, calibration=how, random_state=0).fit(X, came)
        for how in ("auto", "temperature", None)
    }
    same = found[None if straight else "temperature"]
    assert np.array_equal(found["auto"].predict_proba(X), same.predict_proba(X))
    assert (found["auto"].calibration_ is None) == straight


@pytest.mark.parametrize("straight", [False, True])
@pytest.mark.parametrize("cls", [ELMClassifier, KernelELMClassifier])
def test_auto_takes_what_surprises_less_of_labels_too(cls, straight):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500 if straight else 300, 2))
    chance = np.clip(0.5 + 0.2 * X, 0.02, 0.98) if straight else 1 / (1 + np.exp(-20 * X))
    came = (rng.random(chance.shape) < chance).astype(int)
    options = {"n_hidden": 60} if cls is ELMClassifier else {"kernel": "linear" if straight else "rbf"}
    found = cls(random_state=0, **options).fit(X, came)
    assert (found.calibration_ is None) == straight
    same = cls(calibration=None if straight else "temperature", random_state=0, **options).fit(X, came)
    assert np.array_equal(found.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize("straight", [False, True])
def test_auto_takes_what_surprises_less_of_ordered_classes_too(straight):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(2000 if straight else 300, 2))
    noise = rng.uniform(-1, 1, len(X)) if straight else 0.05 * rng.normal(size=len(X))
    y = np.digitize(X[:, 0] + noise, [-0.6, 0.0, 0.6] if straight else [-0.5, 0.5])
    options = {"n_hidden": 30, "ordinal": True, "random_state": 0}
    found = ELMClassifier(**options).fit(X, y)
    assert (found.calibration_ is None) == straight
    same = ELMClassifier(calibration=None if straight else "temperature", **options).fit(X, y)
    assert np.array_equal(found.predict_proba(X), same.predict_proba(X))
