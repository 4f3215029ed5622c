"""Every check scikit-learn has for estimators, with no expected failures."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from samara import ELMClassifier, ELMRegressor


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@parametrize_with_checks(
    [
        ELMRegressor(),
        ELMClassifier(),
        *(ELMRegressor(20, solver=solver) for solver in ("rsvd", "sketch", "lsqr", "precondition")),
        ELMClassifier(20, solver="lsqr"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
