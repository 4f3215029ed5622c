"""Whole fits: a pipeline of scikit-learn's Nystroem and RidgeCV against one ELM that chooses its ridge.

Two tables: letter recognition (16,000 × 16, 26 classes), and Friedman's first function in the shape of kin40k
(30,000 × 8). Both sides have the same number of features and try ten ridges; scores are of rows not fitted.
``python -m bench.pipeline``
"""

from typing import Any

import numpy as np

from bench.harness import Comparison, Contender, Target, compare, options, publish
from bench.measure import Trial

ALPHAS = [float(alpha) for alpha in np.logspace(-6, 3, 10)]
TABLES = ("letter", "friedman")
HIDDEN = ("rbf", "sigmoid")


def table(name: str, n_rows: int | None) -> tuple[np.ndarray, ...]:
    """X to fit and to test, y to fit and to test; ``n_rows`` cuts the rows to fit."""
    if name == "letter":
        from samara.datasets import load_letter

        X, X_test, y, y_test = load_letter(return_split=True)
    else:
        from sklearn.datasets import make_friedman1

        X, y = make_friedman1(40_000, 8, noise=1.0, random_state=0)
        X, X_test, y, y_test = X[:30_000], X[30_000:], y[:30_000], y[30_000:]
    return X[:n_rows], X_test, y[:n_rows], y_test


def trial(make: Any, name: str, n_rows: int | None) -> Trial:
    """Fit what ``make(n_features)`` makes; score it on the test rows: accuracy, or R² for a regression."""
    X, X_test, y, y_test = table(name, n_rows)
    score = "accuracy" if name == "letter" else "r2"
    return Trial(
        run=lambda: make(None).fit(X, y),
        describe=lambda fitted: {score: float(fitted.score(X_test, y_test))},
        warm_up=lambda: make(10).fit(X[:256], y[:256]),
    )


def samara(name: str, hidden: str, n_hidden: int, n_rows: int | None) -> Trial:
    """One estimator: scaling, hidden layer, ridge and solution."""
    from samara import ELMClassifier, ELMRegressor

    kind = ELMClassifier if name == "letter" else ELMRegressor

    def make(size: int | None) -> Any:
        return kind(n_hidden=size or n_hidden, hidden=hidden, alpha="auto", random_state=0)

    return trial(make, name, n_rows)


def nystroem(name: str, n_hidden: int, n_rows: int | None) -> Trial:
    """The pipeline anyone can write with scikit-learn."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import RidgeClassifierCV, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    ridge = RidgeClassifierCV if name == "letter" else RidgeCV

    def make(size: int | None) -> Any:
        features = Nystroem(n_components=size or n_hidden, random_state=0)
        return make_pipeline(StandardScaler(), features, ridge(ALPHAS))

    return trial(make, name, n_rows)


def targets(comparison: Comparison) -> list[Target]:
    """No slower, in no more memory."""
    made = []
    for name in TABLES:
        pipeline, ours = f"{name}_nystroem", f"{name}_rbf"
        peak, theirs = comparison.peak_mb(ours), comparison.peak_mb(pipeline)
        share = peak / theirs if peak is not None and theirs else None
        made.append(Target(f"{name}, rbf: times faster", comparison.ratio(pipeline, ours), 1, at_least=True))
        made.append(Target(f"{name}, rbf: peak / the pipeline's", share, 1))
    return made


def main() -> None:
    chosen = options("Time a whole fit against scikit-learn's Nystroem and RidgeCV.").parse_args()
    sizes = {"n_hidden": 100, "n_rows": 2_000} if chosen.quick else {"n_hidden": 1_000, "n_rows": None}
    sides = []
    for name in TABLES:
        pipeline = f"{name}_nystroem"
        sides.append(Contender(pipeline, "bench.pipeline:nystroem", {"name": name, **sizes}))
        for hidden in HIDDEN:
            kwargs = {"name": name, "hidden": hidden, **sizes}
            sides.append(Contender(f"{name}_{hidden}", "bench.pipeline:samara", kwargs, reference=pipeline))
    comparison = compare(sides, chosen)
    publish("pipeline", comparison, targets(comparison), chosen)


if __name__ == "__main__":
    main()
