"""How a point is chosen on a score surface."""

import numpy as np
import pytest

from samara.selection import Surface, choose

ALPHAS = np.array([0.1, 1.0, 10.0])


def _surface(by_fold, alphas=ALPHAS):
    """A surface from scores (K, S, A, t) of equally heavy folds."""
    by_fold = np.asarray(by_fold, float)
    n_folds, n_sizes = by_fold.shape[:2]
    return Surface(
        sizes=10 * np.arange(1, n_sizes + 1),
        alphas=alphas[: by_fold.shape[2]],
        scores=by_fold.mean(axis=0),
        errors=by_fold.std(axis=0, ddof=1) / np.sqrt(n_folds),
        by_fold=by_fold,
    )


def _one_target(rows):
    """(K, S, A) → (K, S, A, 1)."""
    return np.asarray(rows, float)[..., None]


def test_the_best_ridge_of_one_size():
    """One size: the smallest score."""
    scores = _one_target([[[3, 1, 2]], [[3.5, 1.5, 2]]])
    found = choose(_surface(scores), "kfold", np.ones(1), 0, False)
    assert (found.best_n_hidden, found.best_alpha) == (10, 1.0)
    assert found.best_score == pytest.approx(1.25)
    assert found.n_folds == 2


def test_a_smaller_size_within_one_standard_error_wins():
    """Excess over the best, fold by fold: mean 0.1, standard error 0.2 → the smaller size."""
    best = np.array([1.0, 1.0, 1.0, 1.0])
    excess = np.array([0.1, 0.7, -0.5, 0.1])  # mean 0.1, sd 0.49, standard error 0.245
    scores = np.stack([best + excess, best], axis=1)[:, :, None, None]
    assert choose(_surface(scores), "kfold", np.ones(1), 0, False).best_n_hidden == 10


def test_a_smaller_size_that_is_surely_worse_loses():
    """The same mean excess with a standard error of 0.01 → the larger size."""
    best = np.array([1.0, 5.0, 2.0, 9.0])  # hard folds are hard for both: no excuse
    excess = np.array([0.1, 0.12, 0.08, 0.1])
    scores = np.stack([best + excess, best], axis=1)[:, :, None, None]
    assert choose(_surface(scores), "kfold", np.ones(1), 0, False).best_n_hidden == 20


def test_each_size_is_judged_at_its_own_best_ridge():
    """The smaller size needs another ridge: it is compared at that one and gets that one."""
    scores = _one_target(np.tile([[[9.0, 9.0, 1.0], [1.0, 9.0, 9.0]]], (3, 1, 1)))
    found = choose(_surface(scores), "kfold", np.ones(1), 0, False)
    assert (found.best_n_hidden, found.best_alpha) == (10, 10.0)


def test_without_folds_the_best_size_is_taken():
    """Leave-one-out has no folds to take differences over."""
    scores = np.array([[[1.01]], [[1.0]]])
    surface = Surface(np.array([10, 20]), ALPHAS[:1], scores, np.full_like(scores, 0.5))
    found = choose(surface, "loo", np.ones(1), 0, False)
    assert (found.best_n_hidden, found.n_folds) == (20, 0)


def test_a_ridge_for_each_target():
    """Per target the argmin of its own column; pooled otherwise."""
    scores = np.tile(np.array([[[5.0, 1.0], [2.0, 2.0], [1.0, 7.0]]]), (3, 1, 1, 1))
    found = choose(_surface(scores), "kfold", np.ones(2), 0, True)
    np.testing.assert_array_equal(found.best_alpha, [10.0, 0.1])
    assert choose(_surface(scores), "kfold", np.ones(2), 0, False).best_alpha == 1.0


def test_scores_come_in_the_units_of_the_targets():
    """Scores and errors are multiplied by the squared spread of each target."""
    scores = np.tile(np.array([[[1.0, 2.0]]]), (2, 1, 1, 1))
    found = choose(_surface(scores), "kfold", np.array([10.0, 1.0]), 0, False)
    np.testing.assert_allclose(found.target_scores, [[[100.0, 2.0]]])
    np.testing.assert_allclose(found.scores, [[51.0]])


def test_the_curvature_has_no_units():
    """For the L-curve the score is left as it is."""
    surface = Surface(np.array([10]), ALPHAS[:2], np.array([[[-2.0], [-1.0]]]), np.full((1, 2, 1), np.nan))
    found = choose(surface, "lcurve", np.array([10.0]), 0, False)
    np.testing.assert_array_equal(found.scores, [[-2.0, -1.0]])
    assert found.best_alpha == 0.1


def test_links_are_not_counted_as_nodes():
    """Sizes are told in nodes, without the inputs that a direct link adds."""
    found = choose(_surface(_one_target([[[1.0]], [[1.0]]])), "kfold", np.ones(1), 4, False)
    assert found.n_hidden.tolist() == [6]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_not_finite_are_never_chosen(bad):
    """A ridge whose score blew up is passed over."""
    scores = _one_target(np.tile([[[bad, 2.0, 3.0]]], (3, 1, 1)))
    with np.errstate(invalid="ignore"):
        found = choose(_surface(scores), "kfold", np.ones(1), 0, False)
    assert found.best_alpha == 1.0


def test_where_nothing_is_finite_the_largest_ridge_is_taken():
    """The most cautious answer when every score is useless, one target or a ridge each."""
    surface = Surface(np.array([10]), ALPHAS, np.full((1, 3, 2), np.nan), np.full((1, 3, 2), np.nan))
    assert choose(surface, "gcv", np.ones(2), 0, False).best_alpha == 10.0
    np.testing.assert_array_equal(choose(surface, "gcv", np.ones(2), 0, True).best_alpha, [10.0, 10.0])


def test_huge_spreads_do_not_overflow_the_choice():
    """Targets of 1e200 still choose their ridge."""
    scores = np.tile(np.array([[[3.0, 3.0], [1.0, 1.0]]]), (2, 1, 1, 1))
    assert choose(_surface(scores), "kfold", np.array([1e200, 1e200]), 0, False).best_alpha == 1.0
