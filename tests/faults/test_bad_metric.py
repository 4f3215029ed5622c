"""Metrics that can't be learned: refused in one line."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from samara import BudgetError, ELMRegressor, InputError, KernelELMRegressor
from samara.maps import LocalFields
from tests.faults.checks import refused
from tests.problems import make_problem

PROBLEM = make_problem(0, 60, 3, 1, False)
X, Y = PROBLEM.X, PROBLEM.y


@pytest.mark.parametrize("cls", [ELMRegressor, KernelELMRegressor])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"metric": "agopp"}, "Unknown metric.*Did you mean 'agop'"),
        ({"metric": 3}, "Unknown metric"),
        ({"metric": "agop", "rounds": 0}, "rounds must be a whole number of 1 or more, got 0"),
        ({"metric": "agop", "rounds": 1.5}, "rounds must be a whole number of 1 or more, got 1.5"),
        ({"metric": "agop", "rounds": True}, "rounds must be a whole number of 1 or more, got True"),
    ],
    ids=str,
)
def test_names_and_rounds(cls, parameters, message):
    refused(cls(**parameters), InputError, message, X, Y)


def test_what_has_no_gradient():
    for hidden, name in (("hardlim", "hardlim"), (LocalFields((1, 3), size=1), "LocalFields")):
        refused(ELMRegressor(hidden=hidden, metric="agop"), InputError, f"not for {name}: use another", X, Y)
    for kernel in ("precomputed", lambda A, B: A @ B.T):
        model = KernelELMRegressor(kernel, metric="agop_diagonal")
        refused(model, InputError, "gradients of the kernel: use a kernel by name", X @ X.T, Y)


def test_sparse_rows_take_a_diagonal():
    rows = sparse.csr_array(X)
    for model in (ELMRegressor(5, metric="agop"), KernelELMRegressor(metric="agop")):
        refused(model, InputError, 'matrix of 3 × 3: use metric="agop_diagonal"', rows, Y)


def test_what_the_budget_does_not_hold():
    wide = np.random.default_rng(0).standard_normal((50, 2000))
    model = ELMRegressor(5, metric="agop", memory="60MB")
    refused(model, BudgetError, 'metric="agop" of 2,000 inputs needs .* MB; memory leaves', wide, Y[:50])


def test_batches_and_checkpoints(tmp_path):
    model = ELMRegressor(5, metric="agop", rounds=1, random_state=0)
    for one in (model, clone(model).fit(X, Y)):
        assert not hasattr(one, "partial_fit")
        with pytest.raises(AttributeError, match="metric='agop' is learned in several passes over all rows"):
            one.partial_fit(X, Y)
    with pytest.raises(InputError, match='metric="agop" has no checkpoints'):
        model.fit(X, Y, checkpoint=tmp_path / "half.samara")


def test_constant_targets_keep_the_plain_model():
    model = ELMRegressor(5, metric="agop", rounds=1, random_state=0).fit(X, np.ones(60))
    assert model.rounds_ == 0
    np.testing.assert_allclose(model.predict(X), 1.0)
