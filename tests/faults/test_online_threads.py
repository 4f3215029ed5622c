"""Two threads on one model: batches are taken in one after another, and readers see whole models."""

from threading import Thread

import numpy as np
import pytest
from sklearn.base import clone

from samara import ELMClassifier, ELMRegressor
from tests.streams import gap

RNG = np.random.default_rng(3)
X = RNG.normal(size=(400, 3))
Y = np.sin(X[:, 0]) + X[:, 1]
BATCHES = [slice(i, i + 10) for i in range(0, 400, 10)]


def _run(*works):
    """Run in threads; what one raises is raised here."""
    raised = []

    def guarded(work):
        try:
            work()
        except Exception as error:
            raised.append(error)

    threads = [Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


@pytest.mark.parametrize("update", ["information", "qr", "woodbury"])
def test_batches_of_two_threads_are_all_learned(update):
    """Every row once: the model of all rows, in whatever order they came."""
    model = ELMRegressor(8, alpha=0.5, scale=None, update=update, random_state=0).partial_fit(X[:10], Y[:10])

    def learn(pieces):
        for piece in pieces:
            model.partial_fit(X[piece], Y[piece])

    _run(lambda: learn(BATCHES[1::2]), lambda: learn(BATCHES[2::2]))
    assert model._stream.n_rows == 400
    assert gap(model, clone(model).set_params(update="information").fit(X, Y), X) < 1e-8


def test_two_first_batches_make_one_stream():
    """Whichever comes first draws the nodes; the other goes on."""
    model = ELMRegressor(8, alpha=0.5, scale=None, random_state=0)
    _run(*(lambda p=piece: model.partial_fit(X[p], Y[p]) for piece in BATCHES[:8]))
    assert model._stream.n_rows == 80
    assert gap(model, clone(model).fit(X[:80], Y[:80]), X) < 1e-9


def test_predictions_while_another_thread_learns_classes():
    """Outputs and classes always belong together, also when a batch that fails comes between."""
    labels = np.repeat(["d", "c", "b", "a"], 100)
    model = ELMClassifier(8, alpha=0.5, scale=None, random_state=0)
    model.partial_fit(X[[0, 100]], labels[[0, 100]])

    def learn():
        for piece in BATCHES:
            model.partial_fit(X[piece], labels[piece])
            with pytest.raises(ValueError, match="NaN"):
                model.partial_fit(np.full((1, 3), np.nan), labels[:1])

    def read():
        for _ in range(60):
            made = model.predict_proba(X[:5])
            assert made.shape[1] in (2, 3, 4)
            np.testing.assert_allclose(made.sum(axis=1), 1)
            assert set(model.predict(X[:5])) <= set("abcd")
            assert np.isfinite(model.coef_).all()
            assert model.alpha_ == 0.5

    _run(learn, read, read)
    assert gap(model, clone(model).fit(np.r_[X[[0, 100]], X], np.r_[labels[[0, 100]], labels]), X) < 1e-9
