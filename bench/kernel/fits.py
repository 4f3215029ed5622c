"""The contenders: every function makes its rows and returns a Trial."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.kernel.data import arm, classes
from bench.measure import Trial
from bench.papers.splits import Split
from bench.peers.promises import friedman

REGRESSIONS: dict[str, Callable[[int], Split]] = {"arm": arm, "friedman": friedman}
RESULTS = ("alpha_", "gamma_", "rank_", "n_iter_", "residual_", "approximation_error_")
SMALL = 64


def rmse(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Root of the mean square error."""
    return float(np.sqrt(np.mean((np.ravel(model.predict(X)) - y) ** 2)))


def account(model: Any) -> dict[str, Any]:
    """What a fitted model says of itself, so far as it is a number above 0."""
    kept = {name: getattr(model, name, None) for name in RESULTS}
    return {name[:-1]: value for name, value in kept.items() if np.isscalar(value) and value}


def regressor(data: str, n_rows: int, model: dict[str, Any]) -> Trial:
    """A kernel ELM; the error is that of rows not fitted, their noise included."""
    from samara import KernelELMRegressor
    from samara.engines import Threads

    X, X_test, y, y_test = REGRESSIONS[data](n_rows)
    workers = model.get("engine")
    made = {**model, "random_state": 0, "engine": Threads(workers=workers) if workers else None}
    tiny = {**made, "rank": "auto", "memory": None}
    return Trial(
        run=lambda: KernelELMRegressor(**made).fit(X, y),
        describe=lambda fitted: {"test_rmse": rmse(fitted, X_test, y_test), **account(fitted)},
        warm_up=lambda: KernelELMRegressor(**tiny).fit(X[:SMALL], y[:SMALL]),
    )


def same_as_kernel_ridge(data: str, n_rows: int, model: dict[str, Any]) -> Trial:
    """A kernel ELM with one ridge and no intercept; how far its predictions are from KernelRidge's."""
    X, X_test, y, _ = REGRESSIONS[data](n_rows)
    made = regressor(data, n_rows, model)

    def describe(fitted: Any) -> dict[str, Any]:
        expected = _kernel_ridge(model).fit(X, y).predict(X_test)
        gap = np.max(np.abs(fitted.predict(X_test) - expected)) / np.max(np.abs(expected))
        return {**made.describe(fitted), "gap": float(gap)}

    return Trial(run=made.run, describe=describe, warm_up=made.warm_up)


def _kernel_ridge(model: dict[str, Any]) -> Any:
    from sklearn.kernel_ridge import KernelRidge

    return KernelRidge(kernel="rbf", gamma=model["gamma"], alpha=model["alpha"])


def kernel_ridge(data: str, n_rows: int, model: dict[str, Any], dtype: str = "float64") -> Trial:
    """scikit-learn's, one fit; it computes in the precision of its input."""
    X, X_test, y, y_test = REGRESSIONS[data](n_rows)
    X = X.astype(dtype)
    return Trial(
        run=lambda: _kernel_ridge(model).fit(X, y),
        describe=lambda fitted: {"test_rmse": rmse(fitted, X_test.astype(dtype), y_test)},
        warm_up=lambda: _kernel_ridge(model).fit(X[:SMALL], y[:SMALL]),
    )


def two_steps(data: str, n_rows: int, model: dict[str, Any], dtype: str) -> Trial:
    """KernelRidge's two steps, matrix and Cholesky solve: SciPy's ``solve`` crashes at 20,000 rows."""
    from scipy.linalg import cho_factor, cho_solve
    from sklearn.metrics.pairwise import rbf_kernel

    X, X_test, y, y_test = REGRESSIONS[data](n_rows)
    X = X.astype(dtype)

    def run(rows: int) -> Any:
        K = rbf_kernel(X[:rows], gamma=model["gamma"])
        K.flat[:: rows + 1] += model["alpha"]
        return cho_solve(cho_factor(K, overwrite_a=True, check_finite=False), y[:rows])

    def describe(dual: Any) -> dict[str, Any]:
        predictions = rbf_kernel(X_test.astype(dtype), X, gamma=model["gamma"]) @ dual
        return {"test_rmse": float(np.sqrt(np.mean((predictions - y_test) ** 2)))}

    return Trial(run=lambda: run(n_rows), describe=describe, warm_up=lambda: run(SMALL))


def grid_search(data: str, n_rows: int, gamma: float, alphas: list[float]) -> Trial:
    """GridSearchCV over KernelRidge: one fit a ridge and fold, and one at the end."""
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV

    X, X_test, y, y_test = REGRESSIONS[data](n_rows)

    def search(rows: int) -> Any:
        found = GridSearchCV(
            KernelRidge(kernel="rbf", gamma=gamma),
            {"alpha": alphas},
            cv=5,
            n_jobs=None,
            scoring="neg_mean_squared_error",
        )
        return found.fit(X[:rows], y[:rows])

    return Trial(
        run=lambda: search(n_rows),
        describe=lambda fitted: {
            "test_rmse": rmse(fitted, X_test, y_test),
            "alpha": float(fitted.best_params_["alpha"]),
        },
        warm_up=lambda: search(SMALL),
    )


def classifier(name: str, folder: str | None, most: int, model: dict[str, Any]) -> Trial:
    """A kernel ELM on standardised inputs; per cent of the test rows that are right."""
    from samara import KernelELMClassifier
    from samara.kernel_settings import Nystroem

    X, X_test, y, y_test = classes(name, folder, most)
    made = {**model, "scale": "standard", "random_state": 0}
    if "centres" in made:
        made["solver"] = Nystroem(made.pop("centres"))

    def describe(fitted: Any) -> dict[str, Any]:
        right = 100 * float(np.mean(fitted.predict(X_test) == y_test))
        return {"accuracy": right, "n_rows": len(X), **account(fitted)}

    return Trial(
        run=lambda: KernelELMClassifier(**made).fit(X, y),
        describe=describe,
        warm_up=lambda: KernelELMClassifier(**made).fit(X[:256], y[:256]),
    )
