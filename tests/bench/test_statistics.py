"""Methods compared over data sets, against Demšar's worked example and SciPy."""

import numpy as np
import pytest
from scipy import stats

from bench.statistics import critical_difference, diagram, friedman, ranks, wins_ties_losses

# Ranks of Table 6 in Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7 (2006):
# C4.5, with m tuned, with cf tuned, with both, on 14 data sets.
DEMSAR = np.array(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ]
)
TIED = 3 * (2**3 - 2) + (4**3 - 4)  # three pairs and one set where all are equal


def test_mean_ranks_of_the_published_example():
    np.testing.assert_array_equal(ranks(DEMSAR), DEMSAR)
    np.testing.assert_allclose(ranks(DEMSAR).mean(axis=0), [3.143, 2.000, 2.893, 1.964], atol=5e-4)


def test_friedman_of_the_published_example():
    """The paper's 9.28 is without the correction for ties that SciPy makes."""
    statistic, p = friedman(DEMSAR)
    n_sets, k = DEMSAR.shape
    assert statistic * (1 - TIED / (n_sets * k * (k**2 - 1))) == pytest.approx(9.28, abs=0.005)
    assert p == pytest.approx(stats.chi2.sf(statistic, k - 1))


@pytest.mark.parametrize(("level", "published"), [(0.05, 1.25), (0.10, 1.12)])
def test_critical_difference_of_the_published_example(level, published):
    assert critical_difference(4, 14, level) == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(
    ("n_methods", "quantile"), [(2, 1.960), (3, 2.343), (5, 2.728), (7, 2.949), (10, 3.164)]
)
def test_quantiles_of_the_published_table(n_methods, quantile):
    """Demšar's Table 5(a), level 0.05."""
    found = critical_difference(n_methods, 6) / np.sqrt(n_methods * (n_methods + 1) / 36)
    assert found == pytest.approx(quantile, abs=1e-3)


def test_ranks_put_a_missing_result_last():
    found = ranks(np.array([[0.2, np.nan, 0.1], [np.nan, 0.1, np.nan]]))
    np.testing.assert_array_equal(found, [[2, 3, 1], [2.5, 1, 2.5]])


def test_wins_ties_losses_by_hand():
    rng = np.random.default_rng(0)
    errors, deviations = rng.random((20, 4)), 0.2 * rng.random((20, 4))
    tally = wins_ties_losses(errors, deviations)
    for i in range(4):
        for j in range(4):
            gaps = errors[:, i] - errors[:, j]
            allowed = np.maximum(deviations[:, i], deviations[:, j])
            expected = [np.sum(gaps < -allowed), np.sum(abs(gaps) <= allowed), np.sum(gaps > allowed)]
            assert [tally.wins[i, j], tally.ties[i, j], tally.losses[i, j]] == expected
    np.testing.assert_array_equal(tally.wins, tally.losses.T)
    np.testing.assert_array_equal(np.diag(tally.ties), 20)


def test_a_missing_result_loses_to_one_that_is_there():
    tally = wins_ties_losses(np.array([[0.5, np.nan, np.nan]]), np.array([[0.1, 0.0, np.nan]]))
    np.testing.assert_array_equal(tally.wins[0], [0, 1, 1])
    np.testing.assert_array_equal(tally.losses[:, 0], [0, 1, 1])
    assert tally.ties[1, 2] == tally.wins[1, 2] == tally.losses[1, 2] == 0


def test_the_diagram_joins_what_does_not_differ():
    """With four methods on 14 sets, ranks 1 apart do not differ and ranks 2 apart do."""
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    ax = diagram(DEMSAR, names).axes[0]
    assert "less than 1.25 apart" in ax.get_xlabel()
    texts = " ".join(text.get_text() for text in ax.texts)
    assert all(name in texts for name in names)
    apart = np.array([[1, 2, 3, 4]] * 14)
    bars = [line for line in diagram(apart, names).axes[0].lines if len(set(line.get_ydata())) == 1]
    spans = {tuple(sorted(np.round(bar.get_xdata(), 6))) for bar in bars}
    assert {(1, 2), (2, 3), (3, 4)} <= spans
    assert not {(1, 3), (2, 4), (1, 4)} & spans
