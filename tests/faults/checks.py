"""What every refusal has to leave behind: nothing."""

import subprocess
import sys

import numpy as np
import pytest

from samara.errors import StoreError
from samara.store import read_record
from tests.faults.apart import ROOT, surroundings

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


def refused_file(path):
    """The sentence with which a file is refused."""
    with pytest.raises(StoreError) as caught:
        read_record(path)
    message = str(caught.value)
    assert message.startswith(f"{path} can't be ")
    assert message.endswith(".")
    assert "\n" not in message
    return message


def python(*arguments):
    """A Python of its own, which finds what we find."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=surroundings(),
        check=False,
        timeout=60,
    )
