"""Brute force for kernel models: scikit-learn's kernels, a linear system a fit, refits for scores."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

KERNELS = ["rbf", "linear", "polynomial", "laplacian", "sigmoid", "cosine"]
DEFINITE = [name for name in KERNELS if name != "sigmoid"]
GAMMA = 0.2


def kernel_matrix(X, Z=None, name="rbf", gamma=GAMMA, degree=3, coef0=1.0):
    """k(X, Z) by scikit-learn."""
    given = {"gamma": gamma, "degree": degree, "coef0": coef0}
    return pairwise_kernels(X, Z, metric=name, filter_params=True, **given)


def kernel_ridge(K, Y, alpha, weight=None, intercept=True):
    """Coefficients and intercepts of min Σw(Kc + b − y)² + α·cᵀKc: (K + α/w)c + b = y, Σc = 0."""
    n, Y = len(K), np.asarray(Y, float).reshape(len(K), -1)
    w = np.ones(n) if weight is None else np.asarray(weight, float)
    A = K + np.diag(alpha / w)
    if not intercept:
        return np.linalg.solve(A, Y), np.zeros(Y.shape[1])
    edge = np.ones((n, 1))
    bordered = np.block([[A, edge], [edge.T, np.zeros((1, 1))]])
    solution = np.linalg.solve(bordered, np.vstack([Y, np.zeros((1, Y.shape[1]))]))
    return solution[:-1], solution[-1]


def held_out_scores(K, Y, labels, alphas, weight=None, intercept=True):
    """Mean squared errors (A, t) of rows by models without them and without the others of their label."""
    Y = np.asarray(Y, float).reshape(len(K), -1)
    w = np.ones(len(K)) if weight is None else np.asarray(weight, float)
    scores = np.zeros((len(alphas), Y.shape[1]))
    for a, alpha in enumerate(alphas):
        for label in np.unique(labels):
            test, train = labels == label, labels != label
            c, b = kernel_ridge(K[np.ix_(train, train)], Y[train], alpha, w[train], intercept)
            errors = Y[test] - K[np.ix_(test, train)] @ c - b
            scores[a] += w[test] @ errors**2
    return scores / w.sum()


def centred_matrix(K, weight=None, intercept=True):
    """√w·K·√w without the direction of √w that an intercept takes out."""
    root = np.sqrt(np.ones(len(K)) if weight is None else weight)
    K = root[:, None] * K * root
    if not intercept:
        return K
    u = root / np.linalg.norm(root)
    P = np.eye(len(K)) - np.outer(u, u)
    return P @ K @ P


def quadratic_features(X, gamma=GAMMA, coef0=1.0):
    """φ with φ(x)·φ(z) = (γ x·z + coef0)²."""
    d = X.shape[1]
    pairs = [(i, j) for i in range(d) for j in range(i, d)]
    squares = [(1.0 if i == j else np.sqrt(2)) * gamma * X[:, i] * X[:, j] for i, j in pairs]
    return np.column_stack([np.full(len(X), coef0), np.sqrt(2 * gamma * coef0) * X, *squares])
