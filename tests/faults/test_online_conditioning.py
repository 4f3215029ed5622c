"""Ill-conditioned streams: the safe forms stay right where the literal OS-ELM fails."""

import warnings

import numpy as np
import pytest

from samara import ConditionWarning, ELMRegressor
from samara.solvers.sequential import Woodbury
from tests.oracles import relative_gap

N, L, CHUNK = 1200, 24, 40
RNG = np.random.default_rng(7)


class _AsIs:
    """The inputs are the hidden features."""

    n_out = L

    def __call__(self, X, out=None):
        """The rows."""
        if out is None:
            return np.array(X)
        out[...] = X
        return out


def features(condition):
    """(N, L) of a given condition number once centred, with a target in their range and noise."""
    U, _ = np.linalg.qr(RNG.normal(size=(N, L)) - 0.0)
    U, _ = np.linalg.qr(U - U.mean(axis=0))
    V, _ = np.linalg.qr(RNG.normal(size=(L, L)))
    H = np.sqrt(N) * (U * np.geomspace(1, 1 / condition, L)) @ V.T
    return H, H @ RNG.normal(size=L) + 0.1 * RNG.normal(size=N)


def streamed(H, y, **options):
    """A model that learns the features in chunks, and its fitted values."""
    model = ELMRegressor(hidden=_AsIs(), scale=None, **options)
    for lo in range(0, N, CHUNK):
        model.partial_fit(H[lo : lo + CHUNK], y[lo : lo + CHUNK])
    return model.predict(H)


def least_squares(H, y, alpha):
    """Fitted values by stacked least squares on centred rows."""
    A, rows = H - H.mean(axis=0), np.sqrt(alpha) * np.eye(L)
    beta = np.linalg.lstsq(np.vstack([A, rows]), np.r_[y - y.mean(), np.zeros(L)], rcond=None)[0]
    return A @ beta + y.mean()


def literal_oselm(H, y):
    """Liang et al. 2006 as written: P from an initial chunk, then Woodbury's formula and nothing else."""
    first = H[: 2 * L]
    with np.errstate(all="ignore"):
        P = np.linalg.inv(first.T @ first)
        beta = P @ first.T @ y[: 2 * L]
        for lo in range(2 * L, N, CHUNK):
            A, t = H[lo : lo + CHUNK], y[lo : lo + CHUNK]
            P = P - P @ A.T @ np.linalg.inv(np.eye(len(A)) + A @ P @ A.T) @ A @ P
            beta = beta + P @ A.T @ (t - A @ beta)
        return H @ beta


@pytest.mark.parametrize("condition", [1e2, 1e4, 1e6, 1e8, 1e10, 1e12])
@pytest.mark.parametrize("alpha", [0.0, 1e-12, 1e-6, 1e-2])
@pytest.mark.parametrize("update", ["information", "qr"])
def test_fitted_values_are_those_of_least_squares(condition, alpha, update):
    """qr to 1e-6 (1e-5 at 1e12, as two lstsq would); information too, or it warns."""
    H, y = features(condition)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = streamed(H, y, alpha=alpha, update=update)
    assert np.isfinite(made).all()
    assert all(issubclass(one.category, ConditionWarning) for one in told)
    right = relative_gap(made, least_squares(H, y, alpha)) < (1e-6 if condition < 1e12 else 1e-5)
    if update == "qr":
        assert right
        assert not told
    else:
        assert right or told
        assert relative_gap(made, y) < 1  # what was dropped is small


@pytest.mark.parametrize("condition", [1e2, 1e4, 1e6, 1e8, 1e10, 1e12])
@pytest.mark.parametrize("alpha", [0.0, 1e-6, 1e-2, "auto"])
@pytest.mark.parametrize("update", ["information", "qr"])
def test_single_precision_is_never_nan(condition, alpha, update):
    """Within what float32 features allow, with or without a warning."""
    H, y = features(condition)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConditionWarning)
        made = streamed(H.astype(np.float32), y, alpha=alpha, update=update, dtype="float32")
    assert np.isfinite(made).all()
    assert np.std(made - y) < np.std(y)


@pytest.mark.parametrize("condition", [1e2, 1e6, 1e10, 1e12])
@pytest.mark.parametrize("form", ["incremental", "direct"])
@pytest.mark.parametrize("resync", [None, 1, 10**9])
@pytest.mark.parametrize("alpha", [1e-10, 1e-4, 1.0])
def test_woodbury_never_diverges(condition, form, resync, alpha):
    """Resynchronised often or only when β drifts; where the ridge is below rounding it warns."""
    H, y = features(condition)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = streamed(H, y, alpha=alpha, update=Woodbury(form, resync))
    assert np.isfinite(made).all()
    assert all(issubclass(one.category, ConditionWarning) for one in told)
    assert relative_gap(made, least_squares(H, y, alpha)) < (0.5 if told else 1e-3 if alpha < 1e-6 else 1e-6)


def test_the_literal_formula_fails_on_the_same_stream():
    """So that this page shows what is avoided: right at a small condition number, useless at a large one."""
    H, y = features(1e2)
    coef = np.linalg.lstsq(H, y, rcond=None)[0]
    assert relative_gap(literal_oselm(H, y), H @ coef) < 1e-6
    H, y = features(1e10)
    coef = np.linalg.lstsq(H, y, rcond=None)[0]
    made = literal_oselm(H, y)
    assert not (np.isfinite(made).all() and relative_gap(made, H @ coef) < 1e-2)
