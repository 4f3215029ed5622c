"""Classes in order: cumulative codes, the median class, and every way to predict."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import samara
from samara import ELMClassifier, ELMRegressor, InputError, KernelELMClassifier

X, NUMBERS = load_diabetes(return_X_y=True)
Y = np.digitize(NUMBERS, np.quantile(NUMBERS, [0.2, 0.4, 0.6, 0.8]))


@pytest.mark.parametrize(
    "model", [ELMClassifier(n_hidden=100, random_state=0), KernelELMClassifier(scale="standard")]
)
def test_the_mean_absolute_error_is_smaller_than_without_the_order(model):
    def error(ordinal):
        model.set_params(ordinal=ordinal)
        found = []
        for seed in range(3):
            rows = np.random.default_rng(seed).permutation(len(X))
            model.fit(X[rows[:300]], Y[rows[:300]])
            found.append(np.abs(model.predict(X[rows[300:]]) - Y[rows[300:]]).mean())
        return np.mean(found)

    assert error(True) < error(False)


@pytest.mark.parametrize("solver", ["gram", "qr", "lsqr", "dual"])
def test_outputs_are_those_of_a_fit_to_which_classes_a_row_lies_above(solver):
    model = ELMClassifier(n_hidden=30, alpha=0.1, solver=solver, ordinal=True, random_state=0).fit(X, Y)
    above = np.where(Y[:, None] > np.arange(4), 1.0, -1.0)
    numbers = ELMRegressor(n_hidden=30, alpha=0.1, solver=solver, random_state=0).fit(X, above)
    np.testing.assert_allclose(model.decision_function(X), numbers.predict(X), atol=1e-8)
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) > 0).sum(axis=1))


@pytest.mark.parametrize("calibration", ["temperature", "isotonic", None])
def test_probabilities_are_some_and_their_median_is_the_label(calibration):
    model = ELMClassifier(n_hidden=30, ordinal=True, calibration=calibration, random_state=0).fit(X, Y)
    P = model.predict_proba(X)
    assert P.shape == (len(X), 5)
    assert (P >= 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)
    if calibration != "isotonic":
        median = (np.cumsum(P, axis=1)[:, :4] < 0.5).sum(axis=1)
        np.testing.assert_array_equal(model.predict(X), median)


def test_of_two_classes_the_order_says_nothing():
    y = Y > 2
    for cls in (ELMClassifier, KernelELMClassifier):
        models = [cls(ordinal=ordinal, random_state=0).fit(X, y) for ordinal in (False, True)]
        plain, ordered = (model.predict_proba(X) for model in models)
        np.testing.assert_allclose(ordered, plain, atol=1e-12)


def test_numbers_of_any_kind_keep_their_labels(tmp_path):
    labels = np.array([-3, 0, 2, 10, 11])[Y]
    model = ELMClassifier(n_hidden=30, ordinal=True, random_state=0).fit(X, labels)
    assert set(model.predict(X)) <= set(labels)
    assert model.score(X, labels) == pytest.approx(np.mean(model.predict(X) == labels))
    model.save(tmp_path / "model.samara")
    loaded = samara.load(tmp_path / "model.samara")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_rows_that_arrive_in_any_order_of_classes():
    rows = np.argsort(-Y, kind="stable")
    model = ELMClassifier(n_hidden=20, alpha=0.1, scale=None, ordinal=True, calibration=None, random_state=0)
    whole = model.fit(X, Y).decision_function(X)
    arriving = ELMClassifier(**model.get_params())
    for part in np.array_split(rows, 3):
        arriving.partial_fit(X[part], Y[part])
    np.testing.assert_allclose(arriving.decision_function(X), whole, atol=1e-6)


def test_class_weights_are_repeats():
    twice = np.concatenate([np.arange(len(X)), np.flatnonzero(Y == 4)])
    options = {"n_hidden": 20, "alpha": 0.1, "scale": None, "ordinal": True, "random_state": 0}
    weighted = ELMClassifier(class_weight={4: 2.0}, **options).fit(X, Y).decision_function(X)
    repeated = ELMClassifier(**options).fit(X[twice], Y[twice]).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-8)


def test_files_and_frames(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    frame.assign(y=Y).to_parquet(tmp_path / "rows.parquet")
    rows = samara.scan(tmp_path / "rows.parquet", target="y")
    options = {"n_hidden": 30, "alpha": 0.1, "ordinal": True, "random_state": 0}
    for cls, own in ((ELMClassifier, options), (KernelELMClassifier, {"alpha": 0.1, "ordinal": True})):
        read, held = cls(**own).fit(rows), cls(**own).fit(X, Y)
        np.testing.assert_allclose(read.decision_function(frame), held.decision_function(X), atol=1e-6)
        assert read.score(rows) == pytest.approx(read.score(frame, Y))


@pytest.mark.parametrize("calibration", ["temperature", None])
def test_an_onnx_model_tells_the_same(calibration):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    model = ELMClassifier(n_hidden=20, ordinal=True, calibration=calibration, random_state=0).fit(X, Y)
    session = runtime.InferenceSession(samara.to_onnx(model).SerializeToString())
    label, P, scores = session.run(["label", "probabilities", "scores"], {"X": X})
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_allclose(P, model.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_onnx_model_tells_by_the_threshold(n_classes):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    y = np.minimum(Y, n_classes - 1)
    model = ELMClassifier(n_hidden=20, threshold="balanced_accuracy", random_state=0).fit(X, y)
    session = runtime.InferenceSession(samara.to_onnx(model).SerializeToString())
    (label,) = session.run(["label"], {"X": X})
    np.testing.assert_array_equal(label, model.predict(X))
    assert np.any(model.threshold_ != 0)


@pytest.mark.parametrize("cls", [ELMClassifier, KernelELMClassifier])
def test_texts_have_no_order(cls):
    texts = np.array(["cold", "cool", "mild", "warm", "hot"])[Y]
    with pytest.raises(InputError, match=r"in the order of their numbers, and 'cold' is none: code the cl"):
        cls(ordinal=True).fit(X, texts)


def test_what_does_not_go_with_an_order():
    with pytest.raises(InputError, match="ordinal must be True or False, got 'yes'"):
        ELMClassifier(ordinal="yes").fit(X, Y)
    with pytest.raises(InputError, match="predicts the median class, without a threshold"):
        ELMClassifier(ordinal=True, threshold="f1").fit(X, Y)
    model = ELMClassifier(n_hidden=10, ordinal=True).fit(X, Y)
    with pytest.raises(InputError, match="partial_fit does not go on from a fit with ordinal=True"):
        model.partial_fit(X, Y)
