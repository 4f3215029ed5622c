"""What every refusal has to leave behind: nothing."""

import numpy as np
import pytest

FITTED = (
    "model_",
    "alpha_",
    "selection_",
    "plan_",
    "n_hidden_",
    "rank_",
    "condition_",
    "classes_",
    "_n_features_out",
)


def refused(estimator, error, message, X, y, sample_weight=None):
    """The fit is refused in one line with this message, and nothing is half-fitted."""
    with pytest.raises(error, match=message) as caught:
        estimator.fit(X, y, sample_weight)
    assert "\n" not in str(caught.value)
    left = [name for name in FITTED if name in vars(estimator)]
    assert left == []
    return str(caught.value)


def survives(estimator, X, y, bad_X, bad_y, sample_weight=None):
    """A fitted model predicts the same after a refit was refused."""
    estimator.fit(X, y)
    before = estimator.predict(X)
    with pytest.raises(ValueError):  # noqa: PT011 - which error is another test's business
        estimator.fit(bad_X, bad_y, sample_weight)
    np.testing.assert_array_equal(estimator.predict(X), before)
