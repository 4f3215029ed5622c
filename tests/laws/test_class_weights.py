"""A class weight of w is w times the rows of the class, by every solver."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from samara import ELMClassifier, KernelELMClassifier
from samara.solvers.kernel import Pcg

X, Y = make_classification(120, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=0)
TIMES = {0: 1, 1: 3, 2: 2}
REPEATED = np.repeat(np.arange(len(Y)), [TIMES[label] for label in Y.tolist()])
ELM = {"n_hidden": 20, "alpha": 0.5, "scale": None, "random_state": 0}


@pytest.mark.parametrize(
    "model",
    [
        *(ELMClassifier(solver=name, **ELM) for name in ("gram", "qr", "svd", "dual", "lsqr", "tiles")),
        ELMClassifier(solver="rsvd", rank=20, **ELM),
        KernelELMClassifier(alpha=0.5, gamma=0.2, solver="exact"),
        KernelELMClassifier(alpha=0.5, gamma=0.2, solver=Pcg(tol=1e-10)),
    ],
)
def test_a_class_weight_is_rows_repeated(model):
    weighted = model.set_params(class_weight=TIMES).fit(X, Y).decision_function(X)
    repeated = model.set_params(class_weight=None).fit(X[REPEATED], Y[REPEATED]).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-6)


@pytest.mark.parametrize("scoring", ["f1", "balanced_accuracy"])
@pytest.mark.parametrize("cls", [ELMClassifier, KernelELMClassifier])
def test_so_is_the_weight_of_a_row_for_a_threshold(cls, scoring):
    options = ELM if cls is ELMClassifier else {"alpha": 0.5, "gamma": 0.2}
    weight = np.random.default_rng(0).integers(1, 4, len(Y))
    rows = np.repeat(np.arange(len(Y)), weight)
    model = cls(threshold=scoring, **options)
    for y in (Y, Y == 0):
        weighted = model.fit(X, y, sample_weight=weight).threshold_
        repeated = model.fit(X[rows], y[rows]).threshold_
        np.testing.assert_allclose(weighted, repeated, atol=1e-7)
