"""Random regression problems for the laws: hypothesis draws a shape and a seed, NumPy the numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from samara.engines import Threads
from samara.rowkeys import fold_of, row_keys


@dataclass(frozen=True)
class Problem:
    """Rows, targets and weights."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    seed: int

    def __repr__(self):
        weighted = self.weight is not None
        return f"Problem(X={self.X.shape}, y={self.y.shape}, {weighted=}, seed={self.seed})"

    def rows(self, index):
        """The same problem on some rows, in that order."""
        weight = None if self.weight is None else self.weight[index]
        return replace(self, X=self.X[index], y=self.y[index], weight=weight)

    def folds(self, n_folds=5):
        """The fold that each row's content puts it into."""
        return fold_of(row_keys(self.X), n_folds)

    def fit(self, estimator):
        """Fit an estimator to it."""
        return estimator.fit(self.X, self.y, self.weight)


def make_problem(seed, n, d, t, weighted):
    """A smooth function of d inputs with noise, t targets of different scale and offset."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 3, d) + rng.normal(size=d)
    signal = np.sin(X @ rng.normal(size=(d, t))) + X @ rng.normal(size=(d, t)) / 3
    y = (signal + 0.3 * rng.normal(size=(n, t))) * 10.0 ** rng.integers(-1, 2, t) + 5 * rng.normal(size=t)
    weight = rng.uniform(0.2, 3, n) if weighted else None
    return Problem(X, y[:, 0] if t == 1 else y, weight, seed)


def problems(rows=(30, 120), targets=(1, 3), weighted=None):
    """Problems of random shape."""
    return st.builds(
        make_problem,
        seed=st.integers(0, 10**6),
        n=st.integers(*rows),
        d=st.integers(1, 5),
        t=st.integers(*targets),
        weighted=st.booleans() if weighted is None else st.just(weighted),
    )


def engines(largest_block=700):
    """Any number of threads, any block."""
    return st.builds(Threads, workers=st.integers(1, 4), block_rows=st.integers(1, largest_block))


def ridges(low=-2.0, high=2.0):
    """Ridges spread evenly in the exponent."""
    return st.floats(low, high).map(lambda exponent: float(10.0**exponent))
