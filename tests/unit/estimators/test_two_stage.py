"""Spectral regression and two-stage models as estimators: files, copies, pipelines, frames, plans."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import samara
from samara import ELMClassifier, SpectralRegression, StoreError, TwoStageELMClassifier, TwoStageELMRegressor
from samara.maps import Additive, Kernel, Radial
from tests.laws.test_spectral import table
from tests.unit.estimators.test_saving import saved_and_loaded

X, y = table(0)
SPARSE = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0))
MODELS = [
    SpectralRegression(),
    SpectralRegression("kernel", supervision="semi", similarity="heat"),
    SpectralRegression(Kernel("polynomial", degree=2), supervision="unsupervised"),
    SpectralRegression(Radial("multiquadric"), n_hidden=10, random_state=0),
    TwoStageELMClassifier(n_hidden=10, random_state=0),
    TwoStageELMClassifier("kernel", n_hidden=10, random_state=0, dtype="float32"),
    TwoStageELMClassifier(Additive("tanh"), n_hidden=10, hidden="sigmoid", random_state=0),
    TwoStageELMRegressor("linear", n_hidden=10, scale="standard", random_state=0),
    TwoStageELMRegressor(second_stage="paired", n_hidden=10, random_state=0),
    TwoStageELMClassifier(second_stage="literal", n_hidden=10, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("rows", [X, SPARSE], ids=["dense", "sparse"])
def test_a_saved_model_comes_back_to_the_bit(model, rows, tmp_path):
    if isinstance(model, SpectralRegression) and model.supervision == "unsupervised" and rows is SPARSE:
        model = clone(model).set_params(n_neighbors=15)
    found = saved_and_loaded(clone(model).fit(rows, y), tmp_path / "model.samara", rows)
    assert found.embedding_ in ("linear", "kernel", "elm")
    assert pickle.loads(pickle.dumps(found)).embedding_ == found.embedding_


def test_labels_out_of_order_are_refused(tmp_path):
    model = SpectralRegression().fit(X, y)
    model.classes_ = model.classes_[::-1]
    with pytest.raises(samara.InputError, match="classes are not in increasing order"):
        model.save(tmp_path / "model.samara")
    model.classes_, model._n_features_out = np.arange(3), 5
    with pytest.raises(samara.InputError, match="number of features"):
        model.save(tmp_path / "model.samara")


def test_a_spectral_regression_does_not_learn_on(tmp_path):
    with pytest.raises(samara.InputError, match="does not learn as rows arrive"):
        SpectralRegression().fit(X, y).save(tmp_path / "model.samara", resumable=True)
    with pytest.raises(StoreError):
        samara.load(__file__)


def test_a_pipeline_of_both_is_srelm():
    model = make_pipeline(SpectralRegression(), ELMClassifier(30, random_state=0)).fit(X, y)
    assert model.score(X, y) > 0.7
    assert model[0].get_feature_names_out().tolist() == ["spectralregression0", "spectralregression1"]


def test_frames_keep_their_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = SpectralRegression().set_output(transform="pandas").fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_allclose(model.transform(frame).to_numpy(), SpectralRegression().fit(X, y).transform(X))


def test_tables_with_texts_are_fitted_in_two_stages():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(word=np.array(["ash", "elm", "fir"])[y])
    model = TwoStageELMClassifier("linear", n_hidden=20, random_state=0).fit(frame, y)
    assert model.score(frame, y) == 1


def test_the_plan_is_that_of_the_first_stage():
    assert samara.plan(TwoStageELMRegressor("kernel"), X, y).chosen.solver == "exact"
    assert TwoStageELMRegressor("kernel", n_hidden=10).fit(X, y).plan_.solver in ("gram", "dual")


def test_wide_rows_take_a_linear_map_without_a_square_matrix(monkeypatch):
    """20 rows of 5000 columns: the largest array made has as many numbers as the rows."""
    rng = np.random.default_rng(0)
    wide, labels = rng.normal(size=(20, 5000)), np.arange(20) % 2
    wide[:, :50] += 2 * labels[:, None]
    made = []
    empty = np.empty

    def watched(shape, *args, **kwargs):
        made.append(int(np.prod(shape)))
        return empty(shape, *args, **kwargs)

    monkeypatch.setattr(np, "empty", watched)
    model = TwoStageELMClassifier(n_hidden=30, random_state=0).fit(wide, labels)
    assert model.embedding_ == "linear"
    assert max(made) <= 20 * 5002
    assert model.model_.maps[-3].directions.shape == (5000, 1)
    assert model.score(wide, labels) == 1
