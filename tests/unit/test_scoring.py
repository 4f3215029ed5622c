"""Scores added up over batches, against scikit-learn's over all rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score

from samara.schema import text_code
from samara.scoring import ClassScores, NumberScores, class_places


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 999),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    targets=st.integers(1, 3),
    weighted=st.booleans(),
)
def test_numbers_are_scored_alike_however_they_are_cut(seed, cuts, targets, weighted):
    rng = np.random.default_rng(seed)
    true = 1e3 + rng.standard_normal((60, targets)) * [1, 10, 0.1][:targets]
    predicted = true + rng.standard_normal((60, targets))
    weight = rng.integers(0, 3, 60).astype(float) if weighted else None
    scores = NumberScores()
    for part in np.split(np.arange(60), sorted(cuts)):
        scores.update(true[part], predicted[part], None if weight is None else weight[part])
    found = scores.scores()
    assert scores.rows == 60
    assert found["r2"] == pytest.approx(r2_score(true, predicted, sample_weight=weight), rel=1e-9)
    assert found["mae"] == pytest.approx(mean_absolute_error(true, predicted, sample_weight=weight))
    rmse = np.sqrt(np.average((true - predicted) ** 2, axis=0, weights=weight)).mean()
    assert found["rmse"] == pytest.approx(rmse)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 999), cut=st.integers(0, 60))
def test_classes_are_scored_alike_however_they_are_cut(seed, cut):
    rng = np.random.default_rng(seed)
    true, predicted, weight = rng.integers(0, 4, 60), rng.integers(0, 4, 60), rng.random(60)
    scores = ClassScores(np.array(list("abcd")))
    for part in (slice(0, cut), slice(cut, 60)):
        scores.update(true[part], predicted[part], weight[part])
    found = scores.scores()
    assert found["accuracy"] == pytest.approx(accuracy_score(true, predicted, sample_weight=weight))
    wanted = balanced_accuracy_score(true, predicted, sample_weight=weight)
    assert found["balanced_accuracy"] == pytest.approx(wanted)


def test_a_class_that_the_model_does_not_know_is_never_right():
    scores = ClassScores(np.array(["a", "b"]))
    scores.update(np.array([0, -1, 1, -1]), np.array([0, 0, 1, 1]))
    assert scores.scores() == {"accuracy": 0.5, "balanced_accuracy": 1.0}


def test_no_rows_have_no_score():
    assert all(np.isnan(one) for one in NumberScores().scores().values())
    assert all(np.isnan(one) for one in ClassScores(np.array([0, 1])).scores().values())


def test_a_constant_target_has_no_r2():
    scores = NumberScores()
    scores.update(np.ones((4, 1)), np.zeros((4, 1)))
    assert np.isnan(scores.scores()["r2"])
    assert scores.scores()["rmse"] == 1


@pytest.mark.parametrize(
    "classes", [np.array(["x", "a", "ä"]), np.array([3, 1, 2]), np.array([False, True])], ids=str
)
def test_labels_are_found_by_their_codes(classes):
    raw = np.array([text_code(one) if isinstance(one, str) else float(one) for one in classes.tolist()])
    order = np.array([1, 0, 1])
    assert class_places(classes, raw[order]).tolist() == order.tolist()
    assert class_places(classes, np.array([-7.0, np.nan])).tolist() == [-1, -1]
