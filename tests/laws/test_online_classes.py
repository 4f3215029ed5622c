"""Classes as they arrive: announced, not announced, late, in any order; and one of them alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from samara import ELMClassifier, InputError
from samara.solvers.sequential import Woodbury
from tests.problems import make_problem, problems
from tests.streams import batches, cuts, frozen_by, gap, streamed

TABLE = make_problem(8, 160, 3, 1, weighted=True)
NAMES = np.array(["kea", "auk", "owl", "tern", "rook"])
PIECES = batches(160, [0.1, 0.3, 0.6])
LABELS = [[3, -1, 7], np.array([4, 2], np.int8), [0.0, 2.0, 1.0], [True, False], np.array(["b", "a"], object)]
OPTIONS = [{"direct_link": True}, {"fit_intercept": False}, {"dtype": "float32"}, {"hidden": "relu"}]
UPDATES = ["information", "qr", "woodbury", Woodbury("direct", resync=5)]


def _labels(y, count):
    """Classes by the size of a target; their names are not in that order."""
    return NAMES[np.digitize(y, np.quantile(y, np.arange(1, count) / count))]


@given(problem=problems(rows=(12, 200), targets=(1, 1)), shares=cuts(), count=st.integers(2, 5))
def test_any_batches_give_one_fit(problem, shares, count):
    """Classes that turn up late, strings in no order: as if all had been known from the start."""
    labels = _labels(problem.y, count)
    model = ELMClassifier(15, alpha=0.5, scale=None, random_state=problem.seed)
    learned = streamed(model, problem.X, labels, batches(len(labels), shares), problem.weight)
    whole = clone(model).fit(problem.X, labels, problem.weight)
    np.testing.assert_array_equal(learned.classes_, whole.classes_)
    assert gap(learned, whole, problem.X) < 1e-9
    np.testing.assert_array_equal(learned.predict(problem.X), whole.predict(problem.X))


@given(problem=problems(rows=(40, 200), targets=(1, 1)), shares=cuts(), count=st.integers(2, 4))
def test_the_choices_are_those_of_one_fit(problem, shares, count):
    """Ridge, a list of sizes, and a ridge for each class."""
    labels = _labels(problem.y, count)
    for options in ({}, {"alpha_per_target": True}, {"alpha": [0.1, 1.0, 10.0]}):
        model = ELMClassifier([6, 15], scale=None, random_state=problem.seed, **options)
        learned = streamed(model, problem.X, labels, batches(len(labels), shares), problem.weight)
        whole = clone(model).fit(problem.X, labels, problem.weight)
        np.testing.assert_allclose(learned.alpha_, whole.alpha_, rtol=1e-9)
        assert learned.n_hidden_ == whole.n_hidden_
        np.testing.assert_allclose(learned.selection_.scores, whole.selection_.scores, rtol=1e-6)
        assert gap(learned, whole, problem.X) < 1e-7


@pytest.mark.parametrize("update", UPDATES, ids=str)
@pytest.mark.parametrize("window", [None, 50])
@pytest.mark.parametrize("count", [2, 5])
def test_classes_in_their_order_of_arrival(update, window, count):
    """Rows sorted by class: each update, and windows, take a new class in when it comes."""
    if window and update not in ("information", "qr"):
        pytest.skip("Woodbury's formula has no window")
    labels = _labels(TABLE.y, count)
    order = np.argsort(labels, kind="stable")[::-1]
    X, labels = TABLE.X[order], labels[order]
    model = ELMClassifier(12, alpha=0.5, scale=None, update=update, window=window, random_state=0)
    learned = clone(model)
    for piece in [slice(i, i + 7) for i in range(0, 160, 7)]:
        learned.partial_fit(X[piece], labels[piece])
        last = slice(0 if window is None else max(0, piece.stop - window), piece.stop)
        if len(np.unique(labels[last])) == len(learned.classes_) > 1:
            whole = clone(model).set_params(update="information").fit(X[last], labels[last])
            assert gap(learned, whole, X) < 1e-8


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("update", UPDATES, ids=str)
def test_announced_classes(late, update):
    """Announcing classes that come anyway changes nothing, at once or later."""
    labels = _labels(TABLE.y, 4)
    model = ELMClassifier(12, alpha=0.5, scale=None, update=update, random_state=0)
    learned = clone(model)
    for number, piece in enumerate(PIECES):
        known = NAMES[[3, 1, 0, 2]] if number == int(late) else None
        learned.partial_fit(TABLE.X[piece], labels[piece], classes=known)
    whole = clone(model).set_params(update="information").fit(TABLE.X, labels)
    assert gap(learned, whole, TABLE.X) < 1e-8
    np.testing.assert_array_equal(learned.classes_, whole.classes_)


def test_an_announced_class_that_never_comes_is_never_said():
    """It has an output of its own, which is -1 for every row."""
    labels = _labels(TABLE.y, 2)
    model = ELMClassifier(12, alpha=0.5, random_state=0).partial_fit(TABLE.X, labels, classes=NAMES[:3])
    assert model.classes_.tolist() == sorted(NAMES[:3])
    absent = model.classes_.tolist().index("owl")
    np.testing.assert_allclose(model.decision_function(TABLE.X)[:, absent], -1, atol=1e-9)
    assert "owl" not in model.predict(TABLE.X)


def test_one_class_so_far_is_told_and_more_may_come():
    """Asking is refused in one sentence; learning goes on."""
    labels = _labels(TABLE.y, 2)
    first = np.flatnonzero(labels == "kea")
    model = ELMClassifier(8, alpha=1.0, scale=None, random_state=0)
    model.partial_fit(TABLE.X[first], labels[first])
    for ask in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(InputError, match="Only one class was seen so far: 'kea'"):
            ask(TABLE.X)
    rest = np.flatnonzero(labels != "kea")
    model.partial_fit(TABLE.X[rest], labels[rest])
    assert gap(model, clone(model).fit(TABLE.X, labels), TABLE.X) < 1e-9


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_every_kind_of_label(labels):
    """Numbers, truth values and objects; a label is the same in every batch."""
    y = np.asarray(labels)[np.arange(160) % len(labels)]
    model = ELMClassifier(8, alpha=1.0, scale=None, random_state=0)
    learned = streamed(model, TABLE.X, y, batches(160, [1 / 160, 2 / 160, 0.4]))
    whole = clone(model).fit(TABLE.X, y)
    np.testing.assert_array_equal(learned.classes_, whole.classes_)
    assert learned.classes_.dtype == whole.classes_.dtype
    assert gap(learned, whole, TABLE.X) < 1e-9


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_every_option(options, kind):
    """Also with weights, sparse rows and the scaling of the first batch."""
    labels = _labels(TABLE.y, 3)
    model = ELMClassifier(12, alpha=1.0, random_state=0, **options)
    learned = streamed(model, kind(TABLE.X), labels, PIECES, TABLE.weight)
    first = frozen_by(TABLE.X[PIECES[0]], TABLE.weight[PIECES[0]])
    whole = clone(model).set_params(scale=first).fit(kind(TABLE.X), labels, TABLE.weight)
    assert gap(learned, whole, TABLE.X) < (2e-3 if "dtype" in options else 1e-9)


def test_text_and_numbers_are_not_mixed():
    """The classes so far stay as they were."""
    model = ELMClassifier(8, alpha=1.0, random_state=0).partial_fit(TABLE.X[:4], [0, 1, 0, 1])
    before = model.decision_function(TABLE.X)
    for bad in (["a", "b"], np.array(["a", "b"], object)):
        with pytest.raises(InputError, match="all text or all numbers"):
            model.partial_fit(TABLE.X[:2], bad)
    np.testing.assert_array_equal(model.decision_function(TABLE.X), before)
