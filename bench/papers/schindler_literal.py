"""Schindler's Algorithms 2, 3 and 5 to the letter, in NumPy; Algorithm 2 in parts that can be watched."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise

import numpy as np

from bench.online.literal import sigmoid

Array = np.ndarray
Watch = Callable[[str], AbstractContextManager[None]]


class Literal:
    """Random sigmoid nodes and a prediction in blocks of rows."""

    def __init__(self, n_hidden: int, alpha: float, seed: int = 0) -> None:
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.seed = seed

    def draw(self, n_columns: int) -> None:
        """Weights and biases."""
        rng = np.random.default_rng(self.seed)
        self.weights = rng.standard_normal((n_columns, self.n_hidden))
        self.bias = rng.standard_normal(self.n_hidden)

    def hidden(self, X: Array) -> Array:
        """Rows of H."""
        return sigmoid(X, self.weights, self.bias)

    def predict(self, X: Array) -> Array:
        """Hβ, never the whole of H."""
        return np.concatenate([self.hidden(rows) @ self.coef for rows in np.array_split(X, 20)])

    coef: Array


class LiteralPRELM(Literal):
    """Algorithm 3: H'H and H't summed partition by partition, one solve at the end."""

    def __init__(self, n_hidden: int, alpha: float, partitions: int, seed: int = 0) -> None:
        super().__init__(n_hidden, alpha, seed)
        self.partitions = partitions

    def fit(self, X: Array, y: Array) -> "LiteralPRELM":
        """All partitions in turn."""
        self.draw(X.shape[1])
        P, Q = self.alpha * np.eye(self.n_hidden), np.zeros(self.n_hidden)
        for rows in np.array_split(np.arange(len(X)), self.partitions):
            H = self.hidden(X[rows[0] : rows[-1] + 1])
            P += H.T @ H
            Q += H.T @ y[rows]
        self.coef = np.linalg.solve(P, Q)
        return self


class LiteralRSVDELM(Literal):
    """Algorithms 4 and 5: one product with a Gaussian matrix of l columns, no power iterations."""

    def __init__(self, n_hidden: int, alpha: float, rank: int, seed: int = 0) -> None:
        super().__init__(n_hidden, alpha, seed)
        self.rank = rank

    def fit(self, X: Array, y: Array) -> "LiteralRSVDELM":
        """Needs H in full."""
        self.draw(X.shape[1])
        H = self.hidden(X)
        rng = np.random.default_rng([self.seed, 1])
        Q = np.linalg.qr(H @ rng.standard_normal((self.n_hidden, self.rank)))[0]
        W, s, Vt = np.linalg.svd(Q.T @ H, full_matrices=False)
        self.coef = Vt.T @ (s / (s**2 + self.alpha) * (W.T @ (Q.T @ y)))
        return self


class LiteralOSRELM(Literal):
    """Algorithm 2 with β in one go (eq. 2.21); with several ridges the first chunk chooses one by PRESS."""

    def __init__(self, n_hidden: int, alphas: Sequence[float], pair: tuple[int, int], seed: int = 0) -> None:
        super().__init__(n_hidden, alphas[0], seed)
        self.alphas = alphas
        self.pair = pair

    def fit(self, X: Array, y: Array, watch: Watch) -> "LiteralOSRELM":
        """In the four parts of his Fig. 3.4."""
        self.draw(X.shape[1])
        (lo, hi), *rest = edges(len(X), self.pair)
        with watch("H0"):
            H = self.hidden(X[lo:hi])
        with watch("first chunk"):
            self._start(H, y[lo:hi, None])
        with watch("rest of chunks"):
            for lo, hi in rest:
                self._learn(self.hidden(X[lo:hi]))
        del H
        with watch("beta"):
            self.coef = self.R_inverse @ (self.hidden(X).T @ y)
        return self

    def _start(self, H: Array, T: Array) -> None:
        """R⁻¹ of the first chunk (eq. 2.18 or, with a choice of ridges, 2.22 to 2.26)."""
        if len(self.alphas) > 1:
            U, s, Vt = np.linalg.svd(H, full_matrices=False)
            self.alpha = min(self.alphas, key=lambda alpha: press(U, s, T, alpha))
            self.R_inverse = (Vt.T / (s**2 + self.alpha)) @ Vt
        else:
            self.R_inverse = np.linalg.inv(H.T @ H + self.alpha * np.eye(H.shape[1]))

    def _learn(self, H: Array) -> None:
        """Update R⁻¹ by one chunk, eq. 2.20."""
        RHt = self.R_inverse @ H.T
        self.R_inverse -= RHt @ np.linalg.inv(np.eye(len(H)) + H @ RHt) @ RHt.T


def edges(n_rows: int, pair: tuple[int, int]) -> list[tuple[int, int]]:
    """First and last row of each chunk."""
    first, others = pair
    return list(pairwise([0, *range(first, n_rows, others), n_rows]))


def press(U: Array, s: Array, T: Array, alpha: float) -> float:
    """Sum of squared leave-one-out errors, eq. 2.22 to 2.25; the whole matrix HAT, as Algorithm 2 says."""
    hat = (U * (s**2 / (s**2 + alpha))) @ U.T
    return float(np.sum(((T - hat @ T) / (1 - np.diag(hat))[:, None]) ** 2))
