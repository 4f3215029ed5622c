"""Several labels a row: the same as so many fits to two classes, through every way to predict."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import accuracy_score, f1_score, hamming_loss

import samara
from samara import ELMClassifier, InputError, KernelELMClassifier

X, Y = make_multilabel_classification(300, 8, n_classes=4, random_state=0)
MODELS = [
    *(
        ELMClassifier(n_hidden=30, alpha=0.1, solver=solver, random_state=0)
        for solver in ("gram", "qr", "dual", "lsqr")
    ),
    *(KernelELMClassifier(alpha=0.1), KernelELMClassifier(alpha=0.1, solver="nystroem", random_state=0)),
]


@pytest.mark.parametrize("model", MODELS)
def test_they_are_so_many_fits_to_two_classes(model):
    whole = model.fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(model.predict(X), (whole > 0).astype(int))
    np.testing.assert_array_equal(model.classes_, np.arange(4))
    for label in range(4):
        alone = type(model)(**model.get_params()).fit(X, Y[:, label])
        np.testing.assert_allclose(whole[:, label], alone.decision_function(X), atol=1e-7)


@pytest.mark.parametrize("calibration", ["temperature", "isotonic", None])
@pytest.mark.parametrize("cls", [ELMClassifier, KernelELMClassifier])
def test_probabilities_are_of_each_label(cls, calibration):
    P = cls(calibration=calibration, random_state=0).fit(X[:200], Y[:200]).predict_proba(X[200:])
    assert P.shape == (100, 4)
    assert ((P >= 0) & (P <= 1)).all()
    assert np.mean((P - Y[200:]) ** 2) < 0.8 * np.mean((Y[:200].mean(axis=0) - Y[200:]) ** 2)


def test_labels_of_any_kind_and_the_score():
    model = ELMClassifier(n_hidden=30, random_state=0)
    found = model.fit(X, Y).predict(X)
    for same in (Y.astype(bool), Y.astype(float), sparse.csr_array(Y), Y.tolist()):
        np.testing.assert_array_equal(model.fit(X, same).predict(X), found)
        assert model.score(X, same) == pytest.approx(accuracy_score(Y, found))
    assert samara.evaluate(model, X, Y)["hamming_loss"] == pytest.approx(hamming_loss(Y, found))
    assert samara.evaluate(model, X, Y)["rows"] == 300


def test_columns_of_different_types_are_labels_all_the_same():
    pd = pytest.importorskip("pandas")
    model = ELMClassifier(n_hidden=30, random_state=0)
    found = model.fit(X, Y[:, :2]).predict(X)
    mixed = pd.DataFrame({"a": Y[:, 0].astype(bool), "b": Y[:, 1]})
    nullable = pd.DataFrame(Y[:, :2], columns=["a", "b"]).astype("Int64")
    for same in (mixed, nullable, nullable.astype("boolean"), Y[:, :2].astype(object)):
        np.testing.assert_array_equal(model.fit(X, same).predict(X), found)
        assert model.score(X, same) == pytest.approx(accuracy_score(Y[:, :2], found))
        assert samara.evaluate(model, X, same)["hamming_loss"] == pytest.approx(hamming_loss(Y[:, :2], found))
    for missing in (pd.NA, None, "one", float("nan"), 0.5):
        odd = mixed.astype(object)
        odd.iloc[3, 1] = missing
        with pytest.raises(InputError, match="labels, 0 or 1 each, got "):
            model.fit(X, odd)


def test_every_label_has_a_threshold():
    model = ELMClassifier(n_hidden=30, threshold="f1", random_state=0).fit(X, Y)
    assert model.threshold_.shape == (4,)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) > model.threshold_)
    plain = ELMClassifier(n_hidden=30, random_state=0).fit(X, Y)
    rare = Y.mean(axis=0).argmin()
    assert f1_score(Y[:, rare], model.predict(X)[:, rare]) >= f1_score(Y[:, rare], plain.predict(X)[:, rare])
    given = ELMClassifier(n_hidden=30, threshold=-0.3, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(given.predict(X), given.decision_function(X) > -0.3)


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("cls", [ELMClassifier, KernelELMClassifier])
def test_a_file_tells_the_same(cls, count, tmp_path):
    model = cls(threshold="f1", random_state=0).fit(X, Y[:, :count])
    model.save(tmp_path / "model.samara")
    loaded = samara.load(tmp_path / "model.samara")
    for name in ("predict", "predict_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(loaded, name)(X), getattr(model, name)(X))


@pytest.mark.parametrize("calibration", ["temperature", None])
@pytest.mark.parametrize("threshold", ["f1", None])
def test_an_onnx_model_tells_the_same(threshold, calibration):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    model = ELMClassifier(n_hidden=20, threshold=threshold, calibration=calibration, random_state=0)
    model.fit(X, Y)
    session = runtime.InferenceSession(samara.to_onnx(model).SerializeToString())
    label, P, scores = session.run(["label", "probabilities", "scores"], {"X": X})
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_allclose(P, model.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-12)


def test_frames_are_fitted_and_files_told(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(kind=np.where(X[:, 0] > 5, "big", "small"))
    model = ELMClassifier(n_hidden=30, random_state=0).fit(frame, Y)
    frame.to_parquet(tmp_path / "rows.parquet")
    rows = samara.scan(tmp_path / "rows.parquet")
    np.testing.assert_array_equal(np.concatenate(list(model.predict_batches(rows))), model.predict(frame))
    done = model.predict_to(rows, tmp_path / "told.parquet")
    assert done.columns == ("predicted 0", "predicted 1", "predicted 2", "predicted 3")
    told = pd.read_parquet(tmp_path / "told.parquet").to_numpy()
    np.testing.assert_array_equal(told, model.predict(frame))
    model.save(tmp_path / "model.samara")
    np.testing.assert_array_equal(samara.load(tmp_path / "model.samara").predict(rows), model.predict(frame))


def test_a_fit_to_one_class_a_row_forgets_the_labels():
    model = ELMClassifier(n_hidden=20, random_state=0).fit(X, Y).fit(X, Y[:, 0])
    assert model.predict(X).shape == (300,)


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({}, Y + 1, "labels, 0 or 1 each, got 2: give one column of classes"),
        ({}, np.where(Y, "yes", "no"), "labels, 0 or 1 each, got"),
        ({"class_weight": "balanced"}, Y, "class_weight is for one class a row"),
        ({"ordinal": True}, Y, "ordinal=True is for one class a row, and y has several columns"),
    ],
)
@pytest.mark.parametrize("cls", [ELMClassifier, KernelELMClassifier])
def test_what_does_not_go_with_several_labels(cls, parameters, y, message):
    with pytest.raises(InputError, match=message):
        cls(**parameters).fit(X, y)


def test_rows_that_arrive_have_one_class():
    with pytest.raises(InputError, match="partial_fit takes one class a row, got several columns"):
        ELMClassifier().partial_fit(X, Y)
    model = ELMClassifier(n_hidden=10, random_state=0).fit(X, Y)
    with pytest.raises(InputError, match="and this model has several labels: use fit"):
        model.partial_fit(X, Y[:, 0])


def test_scans_have_one_target(tmp_path):
    pd = pytest.importorskip("pandas")
    pd.DataFrame(np.hstack([X, Y]), columns=list("abcdefghijkl")).to_parquet(tmp_path / "rows.parquet")
    rows = samara.scan(tmp_path / "rows.parquet", target=["k", "l"])
    with pytest.raises(InputError, match="one target"):
        ELMClassifier().fit(rows)
