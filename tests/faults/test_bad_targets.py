"""Thresholds, labels, orders and links that can't be used: every message says what to do."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from samara import ELMClassifier, InputError, KernelELMClassifier
from samara.left_out_checks import check_targets
from samara.links import Log, Logit
from samara.store import RefusedError

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("threshold", ["f2", True, [0.1]])
def test_a_threshold_that_is_none(threshold):
    with pytest.raises(InputError, match="threshold"):
        ELMClassifier(n_hidden=10, threshold=threshold).fit(X, Y)


def test_a_threshold_that_is_infinite():
    with pytest.raises(InputError, match="threshold must be a finite number, got inf"):
        KernelELMClassifier(threshold=np.inf).fit(X, Y)


@pytest.mark.parametrize("cls", [ELMClassifier, KernelELMClassifier])
def test_one_number_for_three_classes(cls):
    with pytest.raises(InputError, match=r"threshold=0\.2 is for two classes: of several take"):
        cls(threshold=0.2).fit(X, Y)


@pytest.mark.parametrize("solver", ["lsqr", "sketch", "tiles", "submodels"])
def test_a_solver_that_leaves_no_rows_out(solver):
    rank = 4 if solver == "sketch" else "auto"
    model = ELMClassifier(n_hidden=10, solver=solver, rank=rank, alpha=0.1, threshold="f1", random_state=0)
    with pytest.raises(InputError, match='threshold="f1" is chosen by rows that are left out'):
        model.fit(X, Y)
    assert not hasattr(model, "model_")


def test_a_threshold_to_be_chosen_by_rows_that_are_gone():
    with pytest.raises(InputError, match="partial_fit keeps none: give it as a number"):
        ELMClassifier(threshold="f1").partial_fit(X, Y)


@pytest.mark.parametrize(
    ("fitted", "message"),
    [
        ({"threshold_": np.zeros(3)}, "its threshold is not that of 1 outputs"),
        ({"threshold_": float("nan")}, "its threshold can't be"),
        ({"link_": Logit(1.0, 0.0)}, "the bounds of its logit can't be"),
        ({"smearing_": np.ones(1)}, "its factors are not of a log"),
        ({"link_": Log(), "smearing_": np.zeros(1)}, "its factors are not of a log"),
        ({"link_": Log(), "smearing_": np.ones(2)}, "factors of the log"),
    ],
)
def test_what_no_file_holds(fitted, message):
    with pytest.raises(RefusedError, match=message):
        check_targets(fitted, 1)


def test_several_thresholds_of_several_outputs():
    check_targets({"threshold_": np.zeros(3)}, 3)
    with pytest.raises(RefusedError, match="its threshold is not that of 3 outputs"):
        check_targets({"threshold_": 0.5}, 3)
