"""Every check scikit-learn has for estimators, with no expected failures."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from samara import (
    AdaptivePCA,
    AutoELMClassifier,
    AutoELMRegressor,
    DeepELMClassifier,
    DeepELMRegressor,
    ELMClassifier,
    ELMRegressor,
    KernelELMClassifier,
    KernelELMRegressor,
    LowRankImputer,
    SpectralRegression,
    TreeELMClassifier,
    TreeELMRegressor,
    TwoStageELMClassifier,
    TwoStageELMRegressor,
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@parametrize_with_checks(
    [
        ELMRegressor(),
        ELMClassifier(),
        *(ELMRegressor(20, solver=solver) for solver in ("rsvd", "sketch", "lsqr", "precondition")),
        KernelELMRegressor(),
        KernelELMClassifier(),
        *(
            KernelELMRegressor(solver=solver, alpha=0.1)
            for solver in ("sketch", "nystroem", "pcg", "divide", "leaves")
        ),
        KernelELMRegressor("precomputed"),
        KernelELMRegressor("matern32", metric="agop", rounds=1),
        ELMRegressor(20, metric="agop_diagonal", rounds=1),
        DeepELMRegressor((12, 8), n_hidden=30),
        DeepELMClassifier((12,), n_hidden=30),
        TreeELMRegressor(8),
        TreeELMClassifier(8, least=1.0),
        SpectralRegression(),
        TwoStageELMClassifier(n_hidden=20),
        TwoStageELMRegressor(n_hidden=20),
        AdaptivePCA(),
        LowRankImputer(),
        ELMRegressor(20, missing="impute"),
        AutoELMRegressor(None, rounds=3),
        AutoELMClassifier(None, rounds=1),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow  # settings behind the same face as those above
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@parametrize_with_checks(
    [
        *(ELMRegressor(20, solver=solver) for solver in ("tiles", "submodels")),
        ELMClassifier(20, solver="lsqr"),
        ELMRegressor(20, missing="flag"),
        ELMClassifier(20, missing="impute"),
        KernelELMClassifier(solver="nystroem"),
        SpectralRegression("elm", supervision="unsupervised", n_hidden=20, n_components=1),
        LowRankImputer(method="hard"),
    ]
)
def test_scikit_learn_checks_of_more_settings(estimator, check):
    check(estimator)
