"""Schindler's data sets DS1 to DS4: the errors of his Tables 3.1 and 3.2, in less memory than his PR-ELM.

Beside samara runs PR-ELM (his Algorithm 3) written plainly in NumPy, in 20 partitions, the most he tried.
``python -m bench.schindler`` (``--sets DS1 DS4`` narrows; DS4 takes a while to generate, once)
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import Comparison, Contender, Target, compare, options, publish
from bench.measure import Trial

N_HIDDEN = 1000
ALPHA = 1e-4  # "a small fixed value", which one he does not say; this small, the errors do not depend on it
PARTITIONS = 20

# His listing 3.1: rows, columns, informative columns, noise, effective rank, share of rows kept for testing.
RECIPES = {
    "DS1": (20_000, 20, 15, 0.01, 10, 0.2),
    "DS2": (20_000, 100, 40, 0.2, 20, 0.2),
    "DS3": (50_000, 40, 30, 0.05, 15, 0.3),
    "DS4": (200_000, 300, 140, 0.05, 50, 0.3),
}
# His Tables 3.1 and 3.2, PR-ELM: RMSE in training and testing, peak memory in MB.
PUBLISHED = {
    "DS1": (0.01006, 0.00985, 30.6),
    "DS2": (0.20056, 0.19866, 31.2),
    "DS3": (0.05009, 0.05052, 50.3),
    "DS4": (0.05020, 0.05014, 77.6),
}


def folder(name: str) -> Path:
    """Where a generated set is kept between runs."""
    return Path(tempfile.gettempdir()) / "samara-bench" / "schindler" / name


def generate(name: str) -> None:
    """Make a data set as in his listing, unless it is there already. He gives no seed for the split."""
    if folder(name).exists():
        return
    from sklearn.datasets import make_regression
    from sklearn.model_selection import train_test_split

    print(f"generating {name} ...", flush=True)
    rows, columns, informative, noise, rank, test_share = RECIPES[name]
    X, y = make_regression(
        rows, columns, n_informative=informative, noise=noise, effective_rank=rank, random_state=1
    )
    parts = train_test_split(X, y, test_size=test_share, random_state=1)
    unfinished = folder(f"{name}-unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    for part, array in zip(("X_train", "X_test", "y_train", "y_test"), parts, strict=True):
        np.save(unfinished / part, array)
    unfinished.rename(folder(name))  # only when complete: an interrupted run leaves no half of a set behind


def load(name: str, part: str) -> tuple[np.ndarray, np.ndarray]:
    """The "train" or the "test" part."""
    return np.load(folder(name) / f"X_{part}.npy"), np.load(folder(name) / f"y_{part}.npy")


def trial(name: str, model: Any, small: Any) -> Trial:
    """Fit on the training part; the test part is not loaded before the fit is measured."""
    X, y = load(name, "train")

    def describe(fitted: Any) -> dict[str, Any]:
        X_test, y_test = load(name, "test")
        return {
            "train_rmse": float(np.sqrt(np.mean((fitted.predict(X) - y) ** 2))),
            "test_rmse": float(np.sqrt(np.mean((fitted.predict(X_test) - y_test) ** 2))),
        }

    return Trial(run=lambda: model.fit(X, y), describe=describe, warm_up=lambda: small.fit(X[:64], y[:64]))


class PlainPRELM:
    """His Algorithm 3 to the letter: H'H and H't summed partition by partition, one solve at the end."""

    def __init__(self, n_hidden: int) -> None:
        self.n_hidden = n_hidden

    def hidden(self, X: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-(X @ self.weights + self.bias)))

    def fit(self, X: np.ndarray, y: np.ndarray) -> "PlainPRELM":
        rng = np.random.default_rng(0)
        self.weights = rng.standard_normal((X.shape[1], self.n_hidden))
        self.bias = rng.standard_normal(self.n_hidden)
        P = ALPHA * np.eye(self.n_hidden)
        Q = np.zeros(self.n_hidden)
        for rows in np.array_split(np.arange(len(X)), PARTITIONS):
            H = self.hidden(X[rows[0] : rows[-1] + 1])
            P += H.T @ H
            Q += H.T @ y[rows]
        self.coef = np.linalg.solve(P, Q)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.concatenate([self.hidden(rows) @ self.coef for rows in np.array_split(X, PARTITIONS)])


def plain(name: str) -> Trial:
    return trial(name, PlainPRELM(N_HIDDEN), PlainPRELM(10))


def samara(name: str) -> Trial:
    from samara import ELMRegressor

    # Unscaled, as his: inputs of size 1e-3 keep the nodes in their linear range, and his targets are linear.
    # Standardised, 1000 nodes leave more than the noise: RMSE 0.06 to 0.15 on DS4, by size of the weights.
    fixed = {"hidden": "sigmoid", "alpha": ALPHA, "scale": None, "dtype": "float64", "random_state": 0}
    return trial(name, ELMRegressor(n_hidden=N_HIDDEN, **fixed), ELMRegressor(n_hidden=10, **fixed))


def with_room(rmse: float, rows: float) -> float:
    """His error plus three standard deviations: the noise in another split's rows is not the noise in his."""
    return float(rmse * (1 + 3 / np.sqrt(2 * rows)))


def targets(comparison: Comparison, name: str) -> list[Target]:
    """His figures."""
    train, test, peak = PUBLISHED[name]
    rows, *_, test_share = RECIPES[name]
    results = comparison.results(f"{name} samara")
    return [
        Target(
            f"{name}: training RMSE", results.get("train_rmse"), with_room(train, rows * (1 - test_share))
        ),
        Target(f"{name}: testing RMSE", results.get("test_rmse"), with_room(test, rows * test_share)),
        Target(f"{name}: peak above input, MB", comparison.peak_mb(f"{name} samara"), peak),
    ]


def main() -> None:
    parser = options("Repeat experiment 7 of Schindler's thesis.")
    parser.add_argument("--sets", nargs="+", choices=RECIPES, help="which (default all; DS1 with --quick)")
    chosen = parser.parse_args()
    names = chosen.sets or (["DS1"] if chosen.quick else list(RECIPES))
    sides = []
    for name in names:
        generate(name)
        reference = f"{name} plain PR-ELM"
        sides.append(Contender(reference, "bench.schindler:plain", {"name": name}))
        sides.append(
            Contender(f"{name} samara", "bench.schindler:samara", {"name": name}, reference=reference)
        )
    comparison = compare(sides, chosen)
    publish("schindler", comparison, [t for name in names for t in targets(comparison, name)], chosen)


if __name__ == "__main__":
    main()
