"""Files of skops: the types that are named suffice, and the model is the same."""

import numpy as np
import pytest
from scipy import sparse

from samara import ELMClassifier, ELMRegressor, KernelELMClassifier, KernelELMRegressor
from samara.compat.skops import TRUSTED_TYPES
from samara.engines import Threads
from samara.kernel_settings import Nystroem
from samara.linalg.stops import ErrorStop
from samara.maps import Additive, Kernel, Radial
from samara.selection import KFold
from samara.solvers import FastSvd, Rsvd
from samara.solvers.kernel import Pcg

skops_io = pytest.importorskip("skops.io")
rng = np.random.default_rng(2)
X = rng.normal(size=(80, 3))
y = np.sin(X[:, 0]) + X[:, 1]
WORDS = np.array(["ash", "elm", "oak"])[np.digitize(y, [-1, 1])]

MODELS = {
    "plain": (ELMRegressor(8, random_state=0), X, y),
    "objects": (ELMRegressor(8, hidden=Additive("tanh"), selection=KFold(3), engine=Threads(1)), X, y),
    "sizes": (ELMRegressor(range(4, 9, 2), hidden=Radial(), direct_link=True), X, y),
    "low rank": (ELMRegressor(8, solver=Rsvd(), rank=4, scale="quantile"), X, y),
    "stop": (ELMRegressor(8, solver=FastSvd(ErrorStop(0.5)), alpha=1.0, dtype=np.dtype("float32")), X, y),
    "texts": (ELMClassifier(8), X, WORDS),
    "kernel": (KernelELMRegressor(Kernel("laplacian", 0.5)), X, y),
    "sparse": (KernelELMRegressor(), sparse.csr_array(X), y),
    "sparse matrix": (KernelELMRegressor(solver=Pcg(), alpha=1.0), sparse.csr_matrix(X), y),
    "centres": (KernelELMClassifier(solver=Nystroem("kmeans"), rank=5, dtype="float32"), X, WORDS),
}


def assert_same_after_skops(model, rows):
    """Through the bytes of a skops file, with these types trusted and no others."""
    data = skops_io.dumps(model)
    assert set(skops_io.get_untrusted_types(data=data)) <= set(TRUSTED_TYPES)
    found = skops_io.loads(data, trusted=TRUSTED_TYPES)
    np.testing.assert_array_equal(found.predict(rows), model.predict(rows))
    assert found.plan_ == model.plan_
    return found


@pytest.mark.parametrize(("model", "rows", "target"), MODELS.values(), ids=MODELS)
def test_estimators(model, rows, target):
    """Fitted models of every kind."""
    assert_same_after_skops(model.fit(rows, target), rows)


@pytest.mark.parametrize("update", ["information", "qr", "woodbury"])
def test_streams(update):
    """Models that learn as rows arrive, which go on learning."""
    model = ELMClassifier(8, update=update, alpha=0.1, random_state=0).partial_fit(X[:40], WORDS[:40])
    found = assert_same_after_skops(model, X)
    for one in (model, found):
        one.partial_fit(X[40:], WORDS[40:])
    np.testing.assert_array_equal(found.decision_function(X), model.decision_function(X))


def test_the_names_are_those_of_types_that_are_there():
    """Of modules that can be imported, each once."""
    assert len(set(TRUSTED_TYPES)) == len(TRUSTED_TYPES)
    assert "samara.estimators.regressor.ELMRegressor" in TRUSTED_TYPES
    assert not [
        name for name in TRUSTED_TYPES if not name.startswith(("samara.", "numpy.", "scipy.", "builtins."))
    ]
