"""Schindler's data sets DS1 to DS4, made by his listing 3.1; DS4 is 200,000 × 300."""

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import Trial
from bench.papers.schindler_printed import RECIPES

Rows = tuple[np.ndarray, np.ndarray]

SEED = 1  # of the split in experiments that have one: he gives none


def folder(name: str) -> Path:
    """Where a generated set is kept between runs."""
    return Path(tempfile.gettempdir()) / "samara-bench" / "schindler-sets" / name


def made(name: str, rows: int) -> Rows:
    """A set of his listing, or one of fewer rows by the same recipe."""
    from sklearn.datasets import make_regression

    _, columns, informative, noise, rank, _ = RECIPES[name]
    X, y = make_regression(
        rows, columns, n_informative=informative, noise=noise, effective_rank=rank, random_state=1
    )
    return X, y


def generate(name: str) -> None:
    """Make a data set, unless it is there already."""
    if folder(name).exists():
        return
    print(f"generating {name} ...", flush=True)
    X, y = made(name, RECIPES[name][0])
    unfinished = folder(f"{name}-unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    np.save(unfinished / "X", X)
    np.save(unfinished / "y", y)
    unfinished.rename(folder(name))  # only when complete: an interrupted run leaves no half of a set behind


small = lru_cache(maxsize=4)(made)


def split(name: str, seed: int = SEED, rows: int | None = None) -> tuple[np.ndarray, ...]:
    """Rows to train on, to test on, their targets; ``rows``: of a set that has only so many."""
    from sklearn.model_selection import train_test_split

    if rows is None:
        generate(name)
        X, y = np.load(folder(name) / "X.npy", mmap_mode="r"), np.load(folder(name) / "y.npy")
    else:
        X, y = small(name, rows)
    train, test = train_test_split(np.arange(len(y)), test_size=RECIPES[name][-1], random_state=seed)
    return np.asarray(X[train]), np.asarray(X[test]), y[train], y[test]


def error(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """The root mean square of the residuals."""
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))


def trial(name: str, model: Any, tiny: Any, rows: int | None = None) -> Trial:
    """Fit on the training part; the test part is not kept while the fit is measured."""
    X, _, y, _ = split(name, rows=rows)

    def describe(fitted: Any) -> dict[str, Any]:
        _, X_test, _, y_test = split(name, rows=rows)
        return {"train_rmse": error(fitted, X, y), "test_rmse": error(fitted, X_test, y_test)}

    return Trial(run=lambda: model.fit(X, y), describe=describe, warm_up=lambda: tiny.fit(X[:64], y[:64]))
