"""A scaling given up front is that which a fit would have learned, or any map that keeps the columns."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp

from samara import ELMClassifier, ELMRegressor, InputError, KernelELMRegressor
from samara.maps import QuantileNormal, Standardize
from tests.oracles import relative_gap

RNG = np.random.default_rng(5)
X = RNG.normal(size=(240, 4)) * [1, 5, 0.1, 30] + [0, 3, -1, 100]
Y = np.sin(X[:, 0]) + X[:, 1] / 5
OURS = Standardize(X.mean(axis=0), X.std(axis=0), np.dtype("float64"))


@dataclass(frozen=True)
class Halved:
    """Half of every column, in a plain array."""

    n_out: int = 4

    def __call__(self, X, out=None):
        """The rows, halved."""
        assert isinstance(X, np.ndarray)
        return X / 2


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(("dtype", "gap"), [("float64", 1e-9), ("float32", 1e-3)])
@pytest.mark.parametrize("options", [{}, {"direct_link": True}, {"hidden": "rbf"}, {"hidden": "sine"}])
def test_a_given_standardization_is_the_learned_one(kind, dtype, gap, options):
    """Mean and spread of the rows, handed over in float64, give the fit of scale="standard"."""
    model = ELMRegressor(15, alpha=1.0, dtype=dtype, random_state=0, **options)
    learned = model.fit(kind(X), Y).predict(X)
    given = model.set_params(scale=OURS).fit(kind(X), Y)
    assert relative_gap(given.predict(X), learned) < gap
    assert given.coef_.dtype == dtype


def test_given_quantiles_are_the_learned_ones():
    """The same for quantile scaling, whose sample is all rows here."""
    model = ELMRegressor(15, alpha=1.0, scale="quantile", random_state=0)
    learned = model.fit(X, Y).predict(X)
    given = model.set_params(scale=QuantileNormal.learn(X, np.dtype("float64"))).fit(X, Y).predict(X)
    assert relative_gap(given, learned) < 1e-9


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("model", [ELMRegressor(15, alpha=1.0), KernelELMRegressor(alpha=1.0)])
def test_a_map_of_the_users_own_scales(kind, model):
    """It gets dense rows, and the fit is that of rows scaled beforehand."""
    model.set_params(scale=None, random_state=0)
    beforehand = model.fit(X / 2, Y).predict(X / 2)
    own = model.set_params(scale=Halved()).fit(kind(X), Y)
    assert relative_gap(own.predict(kind(X)), beforehand) < 1e-9


@pytest.mark.parametrize("gamma", ["scale", "median", "auto"])
@pytest.mark.parametrize("solver", ["exact", "nystroem"])
def test_kernels_take_a_given_scaling(gamma, solver):
    """Width and model of a kernel are those of the learned scaling."""
    model = KernelELMRegressor(gamma=gamma, solver=solver, alpha=0.1, random_state=0)
    learned = model.set_params(scale="standard").fit(X, Y).predict(X)
    assert relative_gap(model.set_params(scale=OURS).fit(X, Y).predict(X), learned) < 1e-7


@pytest.mark.parametrize("model", [ELMRegressor(5), ELMClassifier(5), KernelELMRegressor()])
def test_other_columns_or_no_map_are_refused(model):
    """In one sentence, before anything is fitted."""
    labels = Y > 0
    with pytest.raises(InputError, match="it gives 4, X has 3"):
        model.set_params(scale=OURS).fit(X[:, :3], labels)
    for bad in (7, np.ones(4), "standart", len):
        with pytest.raises(InputError, match="Unknown scale"):
            model.set_params(scale=bad).fit(X, labels)
