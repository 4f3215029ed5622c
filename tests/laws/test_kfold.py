"""One-pass K-fold equals refitting, for every ridge, size and target."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMClassifier, ELMRegressor
from samara.selection import KFold
from tests.oracles import centred_rows, kfold_scores
from tests.problems import problems, ridges

SIZES = [3, 7, 15]


def _features(problem, **options):
    """H of the largest size: the smaller ones are its leading columns."""
    model = ELMRegressor(SIZES[-1], alpha=1.0, random_state=problem.seed, **options)
    return problem.fit(model).model_.features(problem.X)


def _variance(problem, intercept=True):
    """What a model without inputs would score: the unit the tolerance is in."""
    _, Y, _, _ = centred_rows(np.zeros((len(problem.X), 1)), problem.y, problem.weight, intercept)
    return np.sum(Y**2, axis=0) / (len(problem.X) if problem.weight is None else problem.weight.sum())


@pytest.mark.parametrize("solver", ["gram", "qr", "dual", "svd"])
@given(
    problem=problems(rows=(25, 100)),
    low=ridges(-2, 1),
    intercept=st.booleans(),
    n_folds=st.integers(2, 6),
    link=st.booleans(),
)
def test_kfold_equals_refitting(solver, problem, low, intercept, n_folds, link):
    """Scores of every ridge and leading size are those of refits on the other folds, to 1e-10."""
    shared = {"fit_intercept": intercept, "direct_link": link, "solver": solver}
    alphas = [low, 3 * low, 30 * low]
    model = ELMRegressor(SIZES, alpha=alphas, selection=KFold(n_folds), random_state=problem.seed, **shared)
    found = problem.fit(model).selection_
    columns = [size + (problem.X.shape[1] if link else 0) for size in SIZES]
    H = _features(problem, **shared)
    expected = kfold_scores(H, problem.y, problem.folds(n_folds), alphas, columns, problem.weight, intercept)
    gap = np.abs(found.target_scores - expected) / _variance(problem, intercept)
    assert gap.max() < 1e-10
    np.testing.assert_allclose(
        found.scores, expected.mean(axis=-1), atol=1e-10 * _variance(problem, intercept).max()
    )


@given(problem=problems(rows=(40, 100), targets=(1, 1)), bins=st.integers(2, 4))
def test_kfold_of_class_codes_equals_refitting(problem, bins):
    """A classifier's scores are those of refits to ±1 codes."""
    labels = np.digitize(problem.y, np.quantile(problem.y, np.linspace(0, 1, bins + 1)[1:-1]))
    codes = np.where(labels[:, None] == np.arange(bins), 1.0, -1.0)[:, 1 if bins == 2 else 0 :]
    model = ELMClassifier(SIZES, alpha=[0.1, 1.0], random_state=problem.seed)
    found = model.fit(problem.X, labels, problem.weight).selection_.target_scores
    expected = kfold_scores(_features(problem), codes, problem.folds(), [0.1, 1.0], SIZES, problem.weight)
    assert np.abs(found - expected).max() < 1e-10


@given(problem=problems(rows=(60, 120), weighted=False))
def test_kfold_errors_are_standard_errors_over_folds(problem):
    """The standard error is that of the folds' scores, each averaged over the targets."""
    found = problem.fit(ELMRegressor(7, alpha=[0.1, 1.0], random_state=problem.seed)).selection_
    H = problem.fit(ELMRegressor(7, alpha=1.0, random_state=problem.seed)).model_.features(problem.X)
    folds = problem.folds()
    by_fold = []
    for fold in np.unique(folds):  # all rows trained on but the fold's; scored on the fold's alone
        only = np.where(folds == fold, 1, 0)
        scored = kfold_scores(H, problem.y, only, [0.1, 1.0], [7])
        trained_on_fold = _one_fold(H, problem.y, only == 1)
        by_fold.append((scored * len(H) - trained_on_fold) / (only == 1).sum())
    pooled = np.mean(by_fold, axis=-1)
    errors = np.std(pooled, axis=0, ddof=1) / np.sqrt(len(by_fold))
    np.testing.assert_allclose(found.errors, errors, rtol=1e-7)
    assert found.n_folds == len(by_fold)


def _one_fold(H, y, held):
    """Squared errors on the other rows of fits on the held ones, (1, A, t)."""
    from tests.oracles import held_out_squares

    return np.stack([held_out_squares(H, y, alpha, held, ~held).sum(axis=0) for alpha in (0.1, 1.0)])[None]
