"""Ill-conditioned streams: a window of sums leaves directions out and says so, triangles keep them."""

from dataclasses import dataclass

import numpy as np
import pytest

from samara import ConditionWarning, ELMRegressor, InputError

N, L = 2000, 50


@dataclass(frozen=True)
class Identity:
    n_out: int = L

    def __call__(self, X, out=None):
        return np.positive(X, out=out)


def problem(condition, offset=0.0):
    rng = np.random.default_rng(0)
    U = np.linalg.qr(rng.standard_normal((N, L)))[0]
    V = np.linalg.qr(rng.standard_normal((L, L)))[0]
    H = np.sqrt(N) * (U * np.geomspace(1, 1 / condition, L)) @ V.T
    return H, offset + H @ rng.standard_normal(L) + 0.1 * rng.standard_normal(N)


def streamed(H, T, fit_intercept, **options):
    model = ELMRegressor(hidden=Identity(), alpha=0, scale=None, fit_intercept=fit_intercept, **options)
    for lo in range(0, N, 100):
        model.partial_fit(H[lo : lo + 100], T[lo : lo + 100])
    return model.predict(H)


def wanted(H, T, fit_intercept):
    rows = np.column_stack([np.ones(N), H]) if fit_intercept else H
    return rows @ np.linalg.lstsq(rows, T, rcond=1e-15)[0]


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("condition", [1e8, 1e10, 1e12])
def test_sums_without_a_ridge_miss_what_they_leave_out_and_no_more(condition, fit_intercept):
    H, T = problem(condition, offset=3.0 * fit_intercept)
    fitted = wanted(H, T, fit_intercept)
    with pytest.warns(ConditionWarning, match="left out"):
        found = streamed(H, T, fit_intercept, window=N)
    assert np.linalg.norm(found - fitted) <= 0.1 * np.sqrt(L)  # at most the noise along all directions
    residual = np.linalg.norm(T - found)
    assert residual <= 1.01 * np.linalg.norm(T - fitted)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("condition", [1e4, 1e8, 1e10])
@pytest.mark.parametrize("update", ["information", "qr"])
def test_triangles_keep_them(condition, fit_intercept, update):
    """Sums of squares would lose a ridge of 0, so the default keeps triangles for it too."""
    H, T = problem(condition, offset=3.0 * fit_intercept)
    fitted = wanted(H, T, fit_intercept)
    found = streamed(H, T, fit_intercept, update=update)
    assert np.linalg.norm(found - fitted) <= 1e-6 * np.linalg.norm(fitted)


def test_what_is_kept_is_said_and_depends_on_the_ridge():
    """The plan names it; rows can be unlearned from sums of squares only."""
    H, T = problem(1e2)
    options = {"hidden": Identity(), "scale": None}
    tiny = ELMRegressor(alpha=0, **options).partial_fit(H, T)
    plain = ELMRegressor(alpha=1e-3, **options).partial_fit(H, T)
    assert "as triangles" in tiny.plan_.reasons[0]
    assert "triangles" not in plain.plan_.reasons[0]
    with pytest.raises(InputError, match="tiny"):
        tiny.unlearn(H[:10], T[:10])
    plain.unlearn(H[:10], T[:10])


def test_a_fit_that_needed_triangles_goes_on_with_them():
    """partial_fit after a fit with a ridge of 0 is the fit of all rows."""
    H, T = problem(1e9)
    model = ELMRegressor(hidden=Identity(), alpha=0, scale=None).fit(H[:1500], T[:1500])
    found = model.partial_fit(H[1500:], T[1500:]).predict(H)
    assert np.linalg.norm(found - wanted(H, T, True)) <= 1e-6 * np.linalg.norm(found)
