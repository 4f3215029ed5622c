"""Thresholds against brute force, and through every way to predict."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score, f1_score

import samara
from samara import ELMClassifier, KernelELMClassifier
from samara.thresholds import best_threshold, best_thresholds

SCORES = {"f1": f1_score, "balanced_accuracy": balanced_accuracy_score}


def rare(n=400, n_classes=2, seed=0):
    """Classes of very different sizes that overlap."""
    weights = [0.9, 0.1] if n_classes == 2 else [0.75, 0.2, 0.05]
    return make_classification(
        n, 6, n_informative=4, n_classes=n_classes, weights=weights, class_sep=0.7, random_state=seed
    )


def middles(values):
    """Every threshold between two different outputs, and none."""
    found = np.unique(values)
    return np.append((found[1:] + found[:-1]) / 2, 0.0)


@pytest.mark.parametrize("scoring", SCORES)
@pytest.mark.parametrize("seed", range(4))
def test_of_two_classes_no_threshold_is_better(scoring, seed):
    rng = np.random.default_rng(seed)
    places = (rng.random(80) < 0.2).astype(int)
    outputs = np.round(0.5 * places + rng.normal(0, 0.5, 80) - 0.6, 1)  # with ties
    weight = rng.integers(1, 4, 80).astype(float)
    found = best_threshold(outputs, places, weight, scoring)

    def score(threshold):
        return SCORES[scoring](places, outputs > threshold, sample_weight=weight)

    best = max(score(threshold) for threshold in middles(outputs))
    assert score(found) == pytest.approx(best, abs=1e-12)
    nearer = [t for t in middles(outputs) if abs(t) < abs(found) - 1e-12]
    assert all(score(threshold) < best - 1e-12 for threshold in nearer)


@pytest.mark.parametrize("scoring", SCORES)
def test_of_several_classes_no_one_threshold_is_better(scoring):
    rng = np.random.default_rng(0)
    places = rng.choice(3, 60, p=[0.6, 0.3, 0.1])
    outputs = np.eye(3)[places] + rng.normal(0, 0.8, (60, 3))
    weight = rng.uniform(0.5, 2, 60)
    found = best_thresholds(outputs, places, weight, scoring)

    def score(thresholds):
        told = (outputs - thresholds).argmax(axis=1)
        options = {"average": "macro"} if scoring == "f1" else {}
        return SCORES[scoring](places, told, sample_weight=weight, **options)

    best = score(found)
    assert best > score(np.zeros(3))
    for of in range(3):
        for threshold in np.linspace(-4, 4, 161):
            assert score(np.where(np.arange(3) == of, threshold, found)) <= best + 1e-9


def test_weights_are_repeats():
    rng = np.random.default_rng(1)
    places, count = rng.integers(0, 3, 50), rng.integers(1, 4, 50)
    outputs = np.eye(3)[places] + rng.normal(0, 0.7, (50, 3))
    for scoring in SCORES:
        weighted = best_thresholds(outputs, places, count.astype(float), scoring)
        twice = best_thresholds(np.repeat(outputs, count, axis=0), np.repeat(places, count), None, scoring)
        np.testing.assert_allclose(weighted, twice, atol=1e-12)


def test_outputs_that_are_all_the_same_leave_it_at_zero():
    assert best_threshold(np.full(4, 0.3), np.array([0, 1, 0, 1]), None, "f1") == 0.0


@pytest.mark.parametrize("scoring", SCORES)
@pytest.mark.parametrize(
    "model",
    [
        ELMClassifier(n_hidden=15, alpha=0.5, solver="gram", scale=None, random_state=0),
        ELMClassifier(n_hidden=15, alpha=0.5, solver="qr", scale=None, random_state=0),
        ELMClassifier(n_hidden=100, alpha=0.5, solver="dual", scale=None, random_state=0),
        KernelELMClassifier(alpha=0.5, gamma=0.2),
    ],
)
def test_the_threshold_of_a_fit_is_that_of_refits_without_a_row(model, scoring):
    X, y = rare(60)
    outputs = np.empty(60)
    for row in range(60):
        kept = np.arange(60) != row
        outputs[row] = model.set_params(threshold=None).fit(X[kept], y[kept]).decision_function(X[[row]])[0]
    found = model.set_params(threshold=scoring).fit(X, y).threshold_
    assert found == pytest.approx(best_threshold(outputs, y, None, scoring), abs=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("cls", [ELMClassifier, KernelELMClassifier])
def test_labels_follow_it_and_probabilities_do_not(cls, n_classes, tmp_path):
    X, y = rare(1600, n_classes)
    plain = cls(random_state=0).fit(X[:800], y[:800])
    model = cls(random_state=0, threshold="balanced_accuracy").fit(X[:800], y[:800])
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    scores = model.decision_function(X)
    told = (
        (scores > model.threshold_).astype(int) if n_classes == 2 else (scores - model.threshold_).argmax(1)
    )
    np.testing.assert_array_equal(model.predict(X), told)
    mine, its = (balanced_accuracy_score(y[800:], one.predict(X[800:])) for one in (model, plain))
    assert mine > its
    model.save(tmp_path / "model.samara")
    loaded = samara.load(tmp_path / "model.samara")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.threshold_, model.threshold_)
    assert model.score(X, y) == pytest.approx(np.mean(model.predict(X) == y))


def test_files_are_told_by_it_too(tmp_path):
    pd, pq = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    X, y = rare(300)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y)
    frame.to_parquet(tmp_path / "rows.parquet")
    rows = samara.scan(tmp_path / "rows.parquet", target="y")
    model = ELMClassifier(n_hidden=20, threshold="f1", random_state=0).fit(rows)
    again = ELMClassifier(n_hidden=20, threshold="f1", random_state=0).fit(frame[list("abcdef")], y)
    assert model.threshold_ != 0
    assert model.threshold_ == pytest.approx(again.threshold_, abs=1e-9)
    told = model.predict(frame[list("abcdef")])
    np.testing.assert_array_equal(np.concatenate(list(model.predict_batches(rows))), told)
    model.predict_to(rows, tmp_path / "told.parquet")
    np.testing.assert_array_equal(pq.read_table(tmp_path / "told.parquet")["predicted"].to_numpy(), told)


def test_a_number_goes_on_with_partial_fit():
    X, y = rare(100)
    model = ELMClassifier(n_hidden=20, threshold=-0.5, random_state=0).partial_fit(X[:50], y[:50])
    model.partial_fit(X[50:], y[50:])
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) > -0.5)


def test_of_no_threshold_nothing_changes():
    X, y = rare(100, 3)
    model = ELMClassifier(n_hidden=20, random_state=0).fit(X, y)
    assert model.threshold_ is None
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_a_kernel_model_of_many_rows_and_one_ridge_has_one():
    X, y = rare(900)
    found = KernelELMClassifier(alpha=0.5, solver="exact", threshold="f1").fit(X[:600], y[:600])
    assert found.calibration_ is None or found.calibration_.steepness > 0
    chosen = KernelELMClassifier(alpha=[0.5, 1e9], solver="exact", threshold="f1").fit(X[:600], y[:600])
    assert found.threshold_ == pytest.approx(chosen.threshold_, abs=1e-6)
