"""The models without a fold equal models fitted without its rows."""

import numpy as np
import pytest

from samara import ELMClassifier, ELMRegressor
from samara.estimators.held_out import held_out_outputs
from samara.rowkeys import fold_of, row_keys
from tests.oracles import ridge


def table(n=300, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("solver", ["gram", "qr"])
@pytest.mark.parametrize("t", [1, 2])
def test_held_out_outputs_are_those_of_refits(solver, t):
    """Each row by a ridge fit of the other folds' hidden rows, by brute force."""
    X, y = table()
    Y = np.stack([y, -y + X[:, 2]], axis=1)[:, :t]
    model = ELMRegressor(30, solver=solver, random_state=0, alpha_per_target=t > 1).fit(X, Y)
    found = held_out_outputs(model, X)
    H, folds = model.transform(X), fold_of(row_keys(X), 5)
    alphas = np.broadcast_to(model.alpha_, (t,))
    for fold in range(5):
        out, rest = folds == fold, folds != fold
        for target in range(t):
            coef, intercept = ridge(H[rest], Y[rest, target : target + 1], alphas[target])
            expected = (H[out] @ coef + intercept)[:, 0]
            np.testing.assert_allclose(found[out, target], expected, rtol=1e-7, atol=1e-8)


def test_held_out_errors_are_those_of_the_selection():
    """Their mean square is the score that chose the ridge."""
    X, y = table()
    model = ELMRegressor(30, random_state=0).fit(X, y)
    errors = (held_out_outputs(model, X)[:, 0] - y) ** 2
    np.testing.assert_allclose(errors.mean(), model.selection_.scores.min(), rtol=1e-6)


def test_classes_and_no_folds():
    """Classes too; where no fold was made there is nothing to hold out."""
    X, y = table()
    labels = np.where(y > 0, "up", "down")
    model = ELMClassifier(20, random_state=0).fit(X, labels)
    outputs = held_out_outputs(model, X)
    assert 0.7 < np.mean((outputs[:, 0] > 0) == (labels == "up")) <= model.score(X, labels)
    assert held_out_outputs(ELMRegressor(20, alpha=1.0, random_state=0).fit(X, y), X) is None
