"""Deep estimators on the data at hand: what they reach, keep and tell."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits
from sklearn.model_selection import train_test_split

import samara
from samara import ConvergenceWarning, DeepELMClassifier, DeepELMRegressor, ELMClassifier, ELMRegressor
from samara.maps import AdditiveNodes, LocalFields, PooledFields

X, Y = load_digits(return_X_y=True)
TRAIN, TEST, LABELS, TRUE = train_test_split(X, Y, test_size=0.4, random_state=0)
FIELDS = LocalFields((8, 8), n_maps=12, size=3, pool=1, stride=2)


@pytest.mark.parametrize(
    ("model", "least"),
    [
        (DeepELMClassifier((60,), n_hidden=300, random_state=0), 0.95),
        (DeepELMClassifier((60, 40), n_hidden=300, activation="linear", random_state=0), 0.95),
        (DeepELMClassifier((60,), penalty="l1", n_hidden=300, random_state=0), 0.95),
        (DeepELMClassifier((FIELDS,), n_hidden=300, scale=None, random_state=0), 0.98),
        (DeepELMClassifier((FIELDS, 80), n_hidden=300, scale=None, dtype="float32", random_state=0), 0.95),
        (ELMClassifier(hidden=FIELDS, scale=None, random_state=0), 0.97),
    ],
    ids=["one", "two", "sparse", "fields", "fields and layer", "fields alone"],
)
def test_digits(model, least):
    """Every form knows handwritten digits; chance is 10 %."""
    assert model.fit(TRAIN, LABELS).score(TEST, TRUE) >= least


def test_diabetes():
    """A regressor that does about as well as one hidden layer."""
    inputs, target = load_diabetes(return_X_y=True)
    rows, held, known, wanted = train_test_split(inputs, target, random_state=0)
    deep = DeepELMRegressor((30, 20), n_hidden=100, random_state=0).fit(rows, known)
    plain = ELMRegressor(100, random_state=0).fit(rows, known)
    assert deep.score(held, wanted) > max(0.25, plain.score(held, wanted) - 0.1)
    both = DeepELMRegressor((8,), n_hidden=20, random_state=0).fit(rows, np.stack([known, -known], axis=1))
    assert both.predict(held).shape == (len(held), 2)
    assert both.coef_.shape == (2, 20)


def test_what_a_fit_tells():
    """Ridges, errors and passes of the layers; maps in their order."""
    model = DeepELMClassifier((FIELDS, 30, 20), n_hidden=50, scale=None, random_state=0).fit(TRAIN, LABELS)
    kinds = [type(one).__name__ for one in model.model_.maps]
    assert kinds[:4] == ["AsFloat", "PooledFields", "AdditiveNodes", "AdditiveNodes"]
    assert kinds[4:] == ["Standardize", "AdditiveNodes"]
    assert model.plan_.passes == 5  # two looks, two layers, the head
    assert np.isnan(model.layer_alphas_).tolist() == [True, False, False]
    assert ((model.layer_errors_[1:] > 0) & (model.layer_errors_[1:] < 1)).all()
    assert model.transform(TEST).shape == (len(TEST), 50)
    assert not hasattr(model, "partial_fit")


@pytest.mark.parametrize(
    "model",
    [
        DeepELMClassifier((12, 8), n_hidden=20, random_state=0),
        DeepELMClassifier((FIELDS,), n_hidden=20, scale=None, dtype="float32", random_state=0),
        DeepELMRegressor([9], penalty="l1", layer_alpha=[100.0, 1000.0], n_hidden=20, random_state=0),
        ELMClassifier(hidden=FIELDS, scale=None, random_state=0),
    ],
    ids=["layers", "fields", "sparse", "fields alone"],
)
def test_files_and_copies(model, tmp_path):
    """A saved, a pickled and a refitted model give the same bits."""
    model = clone(model).fit(TRAIN[:300], LABELS[:300])
    expected = model.transform(TEST).tobytes(), model.predict(TEST).tobytes()
    model.save(tmp_path / "model.samara")
    loaded = samara.load(tmp_path / "model.samara")
    for other in (loaded, pickle.loads(pickle.dumps(model)), clone(loaded).fit(TRAIN[:300], LABELS[:300])):
        assert (other.transform(TEST).tobytes(), other.predict(TEST).tobytes()) == expected
    if hasattr(model, "layer_alphas_"):
        np.testing.assert_array_equal(loaded.layer_alphas_, model.layer_alphas_)
        np.testing.assert_array_equal(loaded.layer_errors_, model.layer_errors_)
    assert not samara.inspect(tmp_path / "model.samara").contains_training_rows


def test_seeds():
    """The same seed gives the same filters and layers, another one others."""
    model = DeepELMClassifier((FIELDS, 10), n_hidden=20, scale=None, random_state=3)
    one, same = (clone(model).fit(TRAIN[:200], LABELS[:200]) for _ in range(2))
    other = clone(model).set_params(random_state=4).fit(TRAIN[:200], LABELS[:200])
    fields = [fitted.model_.maps[1] for fitted in (one, same, other)]
    assert all(isinstance(one, PooledFields) for one in fields)
    np.testing.assert_array_equal(fields[0].filters, fields[1].filters)
    assert not np.allclose(fields[0].filters, fields[2].filters)
    np.testing.assert_array_equal(one.predict(TEST), same.predict(TEST))


def test_sparse_layers_choose_their_penalty():
    """A larger penalty leaves fewer weights; the one chosen is among those given."""
    model = DeepELMRegressor((15,), penalty="l1", n_hidden=10, alpha=1.0, random_state=0)
    counts = []
    for penalty in (10.0, 300.0, 1000.0):
        nodes = clone(model).set_params(layer_alpha=penalty).fit(TRAIN, LABELS).model_.maps[1]
        assert isinstance(nodes, AdditiveNodes)
        counts.append(np.count_nonzero(nodes.weights[:-1]))
    assert counts[0] > counts[1] > counts[2] > 0
    chosen = clone(model).set_params(layer_alpha=[10.0, 1000.0, 1e7]).fit(TRAIN, LABELS)
    assert chosen.layer_alphas_[0] in (10.0, 1000.0)


def test_a_search_that_does_not_end_is_told(monkeypatch):
    """Weights that are not exact come with a warning."""
    monkeypatch.setattr("samara.linalg.lasso.CHECK_EVERY", 10_000)
    with pytest.warns(ConvergenceWarning, match="are not exact: their search ended"):
        DeepELMRegressor((5,), penalty="l1", layer_alpha=1.0, n_hidden=5).fit(TRAIN[:99], LABELS[:99])
