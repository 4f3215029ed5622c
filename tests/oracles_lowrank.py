"""Jankowski and Linowiecki's algorithms to the letter: one column at a time."""

from __future__ import annotations

import numpy as np

LIMIT = 10 * np.sqrt(2 / np.pi)


def construct_q(A, epsilon, r, omega, most):
    """Algorithm 2: Q and the watched values; at most ``most`` columns. Projects twice, as one must."""
    A = np.asarray(A, float)
    h = [A @ next(omega) for _ in range(r)]
    Q, watched = np.empty((len(A), 0)), []
    while True:
        watched.append(max(np.linalg.norm(v) for v in h[-r:]))
        if watched[-1] <= epsilon / LIMIT or Q.shape[1] == most:
            return Q, np.array(watched)
        Q = _add_column(A, Q, h, r, omega)


def construct_qg(A, epsilon, r, tau, omega, most):
    """Algorithms 3 and 4: Q and the watched values."""
    A = np.asarray(A, float)
    h = [A @ next(omega) for _ in range(r)]
    Q, watched = np.empty((len(A), 0)), [max(np.linalg.norm(v) for v in h)]
    state = {"i": 0, "last": 0.0, "falls": np.zeros(r)}
    go_on = True
    while go_on and Q.shape[1] < most:
        Q = _add_column(A, Q, h, r, omega)
        m = max(np.linalg.norm(v) for v in h[-r:])
        watched.append(m)
        go_on = gradient_desc(m, epsilon, r, tau, state)
    return Q, np.array(watched)


def gradient_desc(m, epsilon, r, tau, state):
    """Algorithm 3: whether to go on."""
    if m <= epsilon / LIMIT:
        return False
    state["falls"][state["i"] % r] = max(0, state["last"] - m)
    state["i"] += 1
    state["last"] = m
    return state["i"] <= r or state["falls"].mean() > tau


def _add_column(A, Q, h, r, omega):
    """Lines 9 to 17 of Algorithm 2; ``h`` is changed."""
    j = Q.shape[1]
    v = h[j] - Q @ (Q.T @ h[j])
    v -= Q @ (Q.T @ v)
    q = v / np.linalg.norm(v)
    Q = np.column_stack([Q, q])
    new = A @ next(omega)
    h.append(new - Q @ (Q.T @ new))
    for i in range(j + 1, j + r):
        h[i] = h[i] - q * (q @ h[i])
    return Q


def gaussian_columns(seed, n):
    """The columns of Ω that a generator gives."""
    rng = np.random.default_rng(seed)
    while True:
        yield rng.standard_normal(n)


def spectrum_matrix(m, n, singular, seed=0):
    """A matrix with given singular values."""
    rng = np.random.default_rng(seed)
    k = len(singular)
    U, V = (np.linalg.qr(rng.normal(size=(size, k)))[0] for size in (m, n))
    return (U * np.asarray(singular)) @ V.T


def rbf_nodes(rows, columns, inputs=8, width=None, seed=0):
    """Gaussian nodes on standard normal data: what an RBF network's hidden layer looks like."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, inputs))
    Z = X[rng.permutation(rows)[:columns]]
    squares = (X**2).sum(1)[:, None] + (Z**2).sum(1) - 2 * X @ Z.T
    return np.exp(-np.maximum(squares, 0) / (2 * (width or np.sqrt(inputs)) ** 2))
