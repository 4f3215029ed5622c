"""Liu et al.'s splits and models: rates with everything chosen by the fit, and times without the choice."""

import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bench.ledger import Cell
from bench.papers.running import table_of
from bench.papers.splits import Split

MODELS = ("elm", "srelm", "tselm")
COSTS = [2.0**exponent for exponent in range(-18, 51, 4)]  # of SVC; the paper's range in half as many steps


@lru_cache(maxsize=1)
def rows_of(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """All labelled rows of a set, and their classes."""
    table = table_of(name, folder)
    inputs = [column for column in table if column not in ("target", "split")]
    X = np.ascontiguousarray(table[inputs].to_numpy(dtype=np.float64))
    y = np.unique(table["target"].to_numpy(), return_inverse=True)[1]
    if name == "satimage":
        X, y = X[y < 2], y[y < 2]
    return X, y


def split(case: str, folder: Path, seed: int, persons: int | None = None) -> Split:
    """Half of the rows, or so many of each class; the rest to test on. ``persons``: only so many classes."""
    name, size = case.split("/")
    X, y = rows_of(name, folder)
    if persons is not None:
        X, y = X[y < persons], y[y < persons]
    order = np.random.default_rng(seed).permutation(len(y))
    if size == "half":
        train = order[: len(y) // 2]
    else:
        train = np.concatenate([order[y[order] == one][: int(size)] for one in np.unique(y)])
    test = np.setdiff1d(order, train)
    return X[train], X[test], y[train], y[test]


def model_of(name: str, seed: int) -> Any:
    """Ridge and number of nodes are found by the fit."""
    from sklearn.pipeline import make_pipeline

    from samara import ELMClassifier, SpectralRegression, TwoStageELMClassifier

    if name == "tselm":
        return TwoStageELMClassifier(n_hidden="auto", random_state=seed)
    plain = ELMClassifier("auto", random_state=seed)
    return plain if name == "elm" else make_pipeline(SpectralRegression(), plain)


def settled(name: str, found: Any, seed: int) -> Any:
    """The same model with what a fit has chosen, for a fit that has nothing left to choose."""
    from sklearn.pipeline import make_pipeline

    from samara import ELMClassifier, SpectralRegression, TwoStageELMClassifier

    last = found[-1] if name == "srelm" else found
    if name == "tselm":  # two stages, two ridges: coordinates of rows not seen come with choosing among them
        return TwoStageELMClassifier(
            last.embedding_,
            n_hidden=last.n_hidden_,
            alpha=sorted({last.embedding_alpha_, last.alpha_}),
            random_state=seed,
        )
    plain = ELMClassifier(last.n_hidden_, alpha=last.alpha_, random_state=seed)
    return plain if name == "elm" else make_pipeline(SpectralRegression(alpha=found[0].alpha_), plain)


def measured(rows: Split, seed: int) -> Cell:
    """Rate in per cent and seconds to train, choices included, of each model on one split."""
    X, X_test, y, y_test = rows
    cell: Cell = {}
    for name in MODELS:
        model = model_of(name, seed)
        started = time.perf_counter()
        model.fit(X, y)
        cell[f"{name}_seconds"] = round(time.perf_counter() - started, 4)
        cell[name] = round(100 * float(np.mean(model.predict(X_test) == y_test)), 3)
        if name == "tselm":
            cell["embedding"] = model.embedding_
    return cell


def timed(rows: Split, seed: int) -> Cell:
    """Seconds to train and to test, of each model at settings chosen before the clock starts."""
    X, X_test, y, _ = rows
    cell: Cell = {}
    for name in MODELS:
        model = settled(name, model_of(name, seed).fit(X, y), seed)
        started = time.perf_counter()
        model.fit(X, y)
        fitted = time.perf_counter()
        model.predict(X_test)
        cell[f"{name}_train"] = round(fitted - started, 5)
        cell[f"{name}_test"] = round(time.perf_counter() - fitted, 5)
    return cell


def support_vectors(rows: Split, costs: Sequence[float]) -> Cell:
    """The rate of scikit-learn's SVC, its C by five-fold cross-validation; standardised rows."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.model_selection import GridSearchCV
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X, X_test, y, y_test = rows
    scale = StandardScaler().fit(X)
    X, X_test = scale.transform(X), scale.transform(X_test)
    K, K_test = rbf_kernel(X), rbf_kernel(X_test, X)  # gamma 1/d; made once for all C
    search = GridSearchCV(SVC(kernel="precomputed", max_iter=20_000), {"C": list(costs)}, cv=5)
    with warnings.catch_warnings():  # of the largest C, which no iterations are enough for
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(K, y)
    rate = 100 * float(np.mean(search.predict(K_test) == y_test))
    return {"svm": round(rate, 3), "log2_C": float(np.log2(search.best_params_["C"]))}
