"""The figures of the report against what counting row by row gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara.report import pareto_front
from samara.report.scores import (
    COVERED,
    brier,
    confusion,
    coverage,
    mistakes,
    normal_quantiles,
    r2_and_rmse,
    reliability,
)

few = st.integers(0, 3).map(float)


@given(st.lists(st.tuples(few, few, few), min_size=1, max_size=12))
def test_a_point_is_on_the_front_if_and_only_if_no_other_beats_it(points):
    def beats(a, b):
        return all(p <= q for p, q in zip(a, b, strict=True)) and a != b

    expected = [not any(beats(other, point) for other in points) for point in points]
    assert pareto_front(points).tolist() == expected


def test_the_front_leaves_out_what_is_not_known_and_keeps_ties():
    assert pareto_front([[1, 1], [1, 1], [np.nan, 0]]).tolist() == [True, True, False]
    assert pareto_front(np.zeros((0, 3))).shape == (0,)


@given(st.lists(st.tuples(st.sampled_from("cab"), st.sampled_from("cab")), min_size=1, max_size=30))
def test_confusion_and_mistakes_count_pairs(pairs):
    classes = np.array(["b", "c", "a"])  # in no order
    true, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    table = confusion(true, predicted, classes)
    for i, t in enumerate(classes):
        for j, p in enumerate(classes):
            assert table[i, j] == pairs.count((t, p))
    found = mistakes(table, 4)
    counts = sorted((pairs.count((t, p)) for t in "abc" for p in "abc" if t != p), reverse=True)[:4]
    assert [each.count for each in found] == [count for count in counts if count]
    for each in found:
        assert each.share == each.count / np.sum(true == classes[each.true])


def test_r2_rmse_and_coverage_of_known_values():
    true = np.array([1.0, 2.0, 3.0, 6.0])
    r2, rmse = r2_and_rmse(true, true + np.array([1, -1, 1, -1]))
    assert (r2, rmse) == (pytest.approx(1 - 4 / 14), 1.0)
    assert np.isnan(r2_and_rmse(np.ones(3), np.ones(3))[0])
    residuals = np.array([-0.4, 0.9, -1.6, 2.2, 4.0])
    expected = [sum(abs(residuals) <= k) / 5 for k in COVERED]
    assert coverage(residuals, 1.0).tolist() == expected


def test_normal_quantiles_are_symmetric_and_known():
    q = normal_quantiles(20)
    np.testing.assert_allclose(q, -q[::-1], atol=1e-12)
    assert q[-1] == pytest.approx(1.959964, abs=1e-6)


def test_brier_is_scikit_learns():
    from sklearn.metrics import brier_score_loss

    rng = np.random.default_rng(0)
    p = rng.random(50)
    y = (rng.random(50) < p).astype(int)
    assert brier(np.stack([1 - p, p], axis=1), y) == pytest.approx(brier_score_loss(y, p))
    three = np.array([[1.0, 0, 0], [0.5, 0.25, 0.25]])
    assert brier(three, np.array([0, 1])) == pytest.approx((0 + 0.25 + 0.5625 + 0.0625) / 2)


def test_reliability_bins_every_row_once_and_its_intervals_are_wilsons():
    stated = np.array([0.0, 0.05, 0.31, 0.39, 0.35, 0.97, 1.0])
    came = np.array([0.0, 0, 1, 0, 0, 1, 1])
    found = reliability(stated, came)
    assert found.counts.tolist() == [2, 3, 2]
    np.testing.assert_allclose(found.came, [0, 1 / 3, 1])
    np.testing.assert_allclose(found.stated, [0.025, 0.35, 0.985])
    z2 = 1.959963984540054**2
    assert found.low[0] == pytest.approx(0, abs=1e-12)
    assert found.high[0] == pytest.approx(z2 / (2 + z2))
    assert found.gap == pytest.approx((2 * 0.025 + 3 * (0.35 - 1 / 3) + 2 * 0.015) / 7)
