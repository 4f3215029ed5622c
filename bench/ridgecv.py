"""Choosing a ridge: scikit-learn's RidgeCV, handed the hidden layer, against a fit that computes it as well.

RidgeCV gets the very hidden layer of the fit (same nodes, same scaling), so leave-one-out must choose the
same ridge and arrive at the same coefficients. ``python -m bench.ridgecv``
"""

from typing import Any

import numpy as np

from bench.harness import Comparison, Contender, Target, compare, options, publish
from bench.measure import Trial

ALPHAS = [float(alpha) for alpha in np.logspace(-2, 4, 10)]
N_FEATURES = 40


def table(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Random inputs; a target curved and noisy enough that the best ridge lies well inside the grid."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, N_FEATURES))
    directions = rng.standard_normal((10, 4)) / np.sqrt(10)
    y = np.sin(X[:, :10] @ directions).sum(axis=1) + 0.5 * rng.standard_normal(n_rows)
    return X, y


def regressor(n_hidden: int, **estimator: Any) -> Any:
    """The network all contenders share: the same seed gives the same nodes."""
    from samara import ELMRegressor

    return ELMRegressor(n_hidden=n_hidden, hidden="sigmoid", random_state=0, **estimator)


def choice(alpha: float, coef: np.ndarray) -> dict[str, Any]:
    """The chosen ridge, and the coefficients for the comparison."""
    return {"alpha": float(alpha), "_coef": np.ravel(coef).tolist()}


def samara(n_rows: int, n_hidden: int, selection: str) -> Trial:
    """Hidden layer, selection and solution in one fit."""
    X, y = table(n_rows)
    model = regressor(n_hidden, alpha=ALPHAS, selection=selection)
    return Trial(
        run=lambda: model.fit(X, y),
        describe=lambda fitted: choice(fitted.alpha_, fitted.coef_),
        warm_up=lambda: regressor(10, alpha=ALPHAS, selection=selection).fit(X[:64], y[:64]),
    )


def ridgecv(n_rows: int, n_hidden: int) -> Trial:
    """RidgeCV on the hidden layer, whose computation is not counted."""
    from sklearn.linear_model import RidgeCV

    X, y = table(n_rows)
    H = np.ascontiguousarray(regressor(n_hidden, alpha=1.0).fit(X, y).model_.features(X))
    return Trial(
        run=lambda: RidgeCV(ALPHAS).fit(H, y),
        describe=lambda fitted: choice(fitted.alpha_, fitted.coef_),
        warm_up=lambda: RidgeCV(ALPHAS).fit(H[:64, :10], y[:64]),
    )


def disagreement(comparison: Comparison) -> tuple[float | None, float | None]:
    """How far the two leave-one-outs differ, relatively: in the ridge chosen, and most in a coefficient."""
    ours, theirs = comparison.results("samara_loo"), comparison.results("ridgecv")
    if not ours or not theirs:
        return None, None
    coef, expected = np.array(ours["_coef"]), np.array(theirs["_coef"])
    coef_gap = float(np.max(np.abs(coef - expected)) / np.max(np.abs(expected)))
    return abs(ours["alpha"] / theirs["alpha"] - 1), coef_gap


def speed_up(comparison: Comparison, name: str) -> float | None:
    """How many times faster than RidgeCV."""
    return comparison.ratio("ridgecv", name)


def peak_share(comparison: Comparison, name: str) -> float | None:
    """Peak memory as a share of RidgeCV's."""
    ours, theirs = comparison.peak_mb(name), comparison.peak_mb("ridgecv")
    return ours / theirs if ours is not None and theirs else None


def targets(comparison: Comparison) -> list[Target]:
    """What was promised."""
    alpha_gap, coef_gap = disagreement(comparison)
    return [
        Target("one-pass K-fold: times faster", speed_up(comparison, "samara_kfold"), 15, at_least=True),
        Target("exact leave-one-out: times faster", speed_up(comparison, "samara_loo"), 8, at_least=True),
        Target("one-pass K-fold: peak / RidgeCV's", peak_share(comparison, "samara_kfold"), 0.1),
        Target("exact leave-one-out: peak / RidgeCV's", peak_share(comparison, "samara_loo"), 0.1),
        Target("leave-one-out: relative difference in ridge", alpha_gap, 1e-12),
        Target("leave-one-out: relative difference in coefficients", coef_gap, 1e-6),
    ]


def main() -> None:
    chosen = options("Time the choice of a ridge against scikit-learn's RidgeCV.").parse_args()
    sizes = {"n_rows": 2_000, "n_hidden": 100} if chosen.quick else {"n_rows": 50_000, "n_hidden": 1_000}
    by_kfold, by_loo = {**sizes, "selection": "kfold"}, {**sizes, "selection": "loo"}
    sides = [
        Contender("ridgecv", "bench.ridgecv:ridgecv", sizes),
        Contender("samara_kfold", "bench.ridgecv:samara", by_kfold, reference="ridgecv"),
        Contender("samara_loo", "bench.ridgecv:samara", by_loo, reference="ridgecv"),
    ]
    comparison = compare(sides, chosen)
    publish("ridgecv", comparison, targets(comparison), chosen)


if __name__ == "__main__":
    main()
