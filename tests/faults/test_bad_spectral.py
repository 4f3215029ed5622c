"""Graphs, labels and parameters that spectral regression and two-stage models can't use, in one sentence."""

import sys
import types

import numpy as np
import pytest

from samara import InputError, NonFiniteError, SpectralRegression, TwoStageELMClassifier, TwoStageELMRegressor
from samara.estimators import neighbours
from samara.maps import Additive, Radial

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
y = np.arange(30) % 3


@pytest.mark.parametrize(
    ("parameters", "labels", "message"),
    [
        ({"supervision": "some"}, y, "Unknown supervision 'some'. Known: semi, supervised, unsupervised."),
        ({"embedding": "liner"}, y, "Unknown embedding 'liner'. Did you mean 'linear'?"),
        ({"embedding": 3}, y, "Unknown embedding 3."),
        ({"similarity": "hot"}, y, "Unknown similarity 'hot'."),
        ({"delta": 0}, y, "delta must be above 0 and at most 1, got 0."),
        ({"delta": "much"}, y, "delta must be above 0 and at most 1, got 'much'."),
        ({"sigma": -1}, y, 'sigma must be a positive number or "median", got -1.'),
        ({"n_neighbors": 0}, y, "n_neighbors must be a whole number of at least 1, got 0."),
        ({"n_components": 1.5}, y, "n_components must be a whole number of at least 1, got 1.5."),
        ({"n_components": 3}, y, "3 classes have 2 responses at most, got n_components=3."),
        (
            {"n_components": 30, "supervision": "unsupervised"},
            y,
            "30 rows have 29 responses at most, got n_components=30.",
        ),
        (
            {"n_neighbors": 30, "supervision": "unsupervised"},
            y,
            "n_neighbors=30 needs 31 rows or more, got 30: use at most 29.",
        ),
        ({}, y * 0, "SpectralRegression needs two classes or more; y holds one class only: 0."),
        (
            {"supervision": "semi"},
            np.where(y == 1, 1, -1),
            "SpectralRegression needs two classes or more; y holds one class only: 1.",
        ),
        ({"supervision": "semi"}, y * 0 - 1, 'y holds no label, −1 only: use supervision="unsupervised".'),
        (
            {"supervision": "unsupervised", "similarity": "heat", "sigma": 1e-5},
            y,
            "sigma=1e-05 leaves rows without neighbours: use a larger one.",
        ),
        ({"alpha": -1}, y, "alpha must be 0 or more"),
    ],
)
def test_spectral_regression_says_what_it_needs(parameters, labels, message):
    with pytest.raises(InputError) as caught:
        SpectralRegression(**parameters).fit(X, labels)
    assert str(caught.value).startswith(message)


def test_more_pieces_than_components_tell_apart():
    far = np.concatenate([X + 100 * k for k in range(4)])
    with pytest.raises(
        InputError, match=r"in 4 pieces, which 2 components can't tell apart: use more n_neighb"
    ):
        SpectralRegression(supervision="unsupervised").fit(far)
    Z = SpectralRegression("kernel", supervision="unsupervised", n_components=3).fit(far).transform(far)
    pieces = Z.reshape(4, 30, 3)
    assert pieces.std(axis=1).max() < 0.1 < pieces.mean(axis=1).std(axis=0).min()


def test_a_class_of_one_row_has_a_response_of_its_own():
    labels = np.where(np.arange(30) == 0, 7, y % 2)
    Z = SpectralRegression("kernel", alpha=1e-6).fit(X, labels).transform(X)
    assert Z.shape == (30, 2)
    assert np.linalg.norm(Z[1:] - Z[0], axis=1).min() > 1
    semi = SpectralRegression(supervision="semi").fit(X, np.where(labels == 1, -1, labels))
    assert semi.transform(X).shape == (30, 1)
    assert TwoStageELMClassifier(n_hidden=20, random_state=0).fit(X, labels).classes_.tolist() == [0, 1, 7]


def test_a_nan_is_named_before_neighbours_are_looked_for():
    broken = X.copy()
    broken[4, 1] = np.nan
    for supervision in ("supervised", "semi", "unsupervised"):
        with pytest.raises(NonFiniteError, match=r"Input X contains NaN \(column 1, row 4\)"):
            SpectralRegression(supervision=supervision).fit(broken, y)


def test_a_scan_is_refused(tmp_path):
    import samara

    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "\n".join(f"{i},{i % 2}" for i in range(9)))
    with pytest.raises(InputError, match="takes rows in memory, not a scan"):
        SpectralRegression().fit(samara.scan(path, target="y"))


def test_a_fit_that_fails_leaves_what_was_there():
    model = SpectralRegression().fit(X, y)
    before = model.transform(X)
    with pytest.raises(InputError):
        model.fit(X, y * 0)
    np.testing.assert_array_equal(model.transform(X), before)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"second_stage": "pared"}, "Unknown second_stage 'pared'. Did you mean 'paired'?"),
        (
            {"second_stage": "paired", "embedding": "linear"},
            'second_stage="paired" reuses the weights of Gaussian nodes: use embedding="elm".',
        ),
        (
            {"second_stage": "literal", "embedding": Additive("tanh")},
            'second_stage="literal" reuses the weights of Gaussian nodes: use embedding="elm".',
        ),
        ({"hidden": "spline"}, "Unknown hidden layer 'spline'."),
        ({"n_hidden": 0}, "n_hidden must be a positive whole number"),
        ({"embedding": Radial("cubic")}, "Unknown function 'cubic'."),
    ],
)
@pytest.mark.parametrize("cls", [TwoStageELMClassifier, TwoStageELMRegressor])
def test_two_stages_say_what_they_need(cls, parameters, message):
    with pytest.raises(InputError) as caught:
        cls(**parameters).fit(X, y)
    assert str(caught.value).startswith(message)


def test_two_stages_have_no_checkpoints(tmp_path):
    with pytest.raises(InputError, match="TwoStageELMRegressor has no checkpoints: use checkpoint=None"):
        TwoStageELMRegressor().fit(X, y, checkpoint=tmp_path / "fit.samara")


def test_two_stages_need_two_classes():
    with pytest.raises(
        InputError, match="TwoStageELMClassifier needs two classes or more; y holds one class"
    ):
        TwoStageELMClassifier().fit(X, y * 0)


def test_neighbours_of_many_rows_are_found_by_descent(monkeypatch):
    """Where the package is there: its rows are taken, each row itself left out."""

    class NNDescent:
        def __init__(self, rows, n_neighbors, random_state):
            distances = np.linalg.norm(rows[:, None] - rows, axis=2)
            nearest = np.argsort(distances, axis=1)[:, :n_neighbors]
            self.neighbor_graph = nearest, np.take_along_axis(distances, nearest, axis=1).astype(np.float32)

    exact = neighbours.neighbour_distances(X, 4, 0)
    module = types.ModuleType("pynndescent")
    module.NNDescent = NNDescent
    module.__spec__ = types.SimpleNamespace(name="pynndescent")
    monkeypatch.setitem(sys.modules, "pynndescent", module)
    monkeypatch.setattr(neighbours, "MANY_ROWS", 30)
    found = neighbours.neighbour_distances(X, 4, 0)
    np.testing.assert_allclose(found.toarray(), exact.toarray(), rtol=1e-6)
