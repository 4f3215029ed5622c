"""Brute force in plain NumPy: what every clever path has to agree with."""

from __future__ import annotations

import numpy as np


def centred_rows(H, Y, weight=None, intercept=True):
    """√w·(H − μ), √w·(Y − ȳ) and both means; the means are zero without an intercept."""
    H, Y = np.asarray(H, float), np.asarray(Y, float).reshape(len(H), -1)
    w = np.ones(len(H)) if weight is None else np.asarray(weight, float)
    mu, nu = np.zeros(H.shape[1]), np.zeros(Y.shape[1])
    if intercept:
        mu, nu = w @ H / w.sum(), w @ Y / w.sum()
    root = np.sqrt(w)[:, None]
    return root * (H - mu), root * (Y - nu), mu, nu


def ridge(H, Y, alpha, weight=None, intercept=True):
    """Coefficients (L, t) and intercepts (t,) of min Σw‖hβ + β₀ − y‖² + α‖β‖², by stacked least squares."""
    A, B, mu, nu = centred_rows(H, Y, weight, intercept)
    L = A.shape[1]
    if alpha == 0:
        coef = np.linalg.pinv(A) @ B
    else:
        stacked = np.vstack([A, np.sqrt(alpha) * np.eye(L)])
        coef = np.linalg.lstsq(stacked, np.vstack([B, np.zeros((L, B.shape[1]))]), rcond=None)[0]
    return coef, nu - mu @ coef


def held_out_squares(H, Y, alpha, train, test, weight=None, intercept=True):
    """Squared errors (n_test, t) on some rows of a ridge fit on others."""
    H, Y = np.asarray(H, float), np.asarray(Y, float).reshape(len(H), -1)
    coef, constant = ridge(H[train], Y[train], alpha, None if weight is None else weight[train], intercept)
    return (Y[test] - H[test] @ coef - constant) ** 2


def kfold_scores(H, Y, folds, alphas, sizes, weight=None, intercept=True):
    """Mean held-out squared errors (S, A, t): one refit a fold, ridge and size."""
    w = np.ones(len(H)) if weight is None else np.asarray(weight, float)
    t = np.asarray(Y).reshape(len(H), -1).shape[1]
    scores = np.zeros((len(sizes), len(alphas), t))
    for s, size in enumerate(sizes):
        for a, alpha in enumerate(alphas):
            for fold in np.unique(folds[w > 0]):
                train, test = (folds != fold) & (w > 0), (folds == fold) & (w > 0)
                scores[s, a] += w[test] @ held_out_squares(
                    H[:, :size], Y, alpha, train, test, weight, intercept
                )
    return scores / w.sum()


def loo_scores(H, Y, alphas, sizes, weight=None, intercept=True):
    """Mean leave-one-out squared errors (S, A, t): one refit a row, the row left out entirely."""
    return kfold_scores(H, Y, np.arange(len(H)), alphas, sizes, weight, intercept)


def hat_matrix(H, alpha, weight=None, intercept=True):
    """S with √w·fitted = S·(√w·y)."""
    w = np.ones(len(H)) if weight is None else np.asarray(weight, float)
    A, _, _, _ = centred_rows(H, np.zeros(len(H)), weight, intercept)
    S = A @ np.linalg.solve(A.T @ A + alpha * np.eye(A.shape[1]), A.T)
    return S + np.outer(np.sqrt(w), np.sqrt(w)) / w.sum() if intercept else S


def gcv_score(H, y, alpha, intercept=True):
    """(1/n)‖(I − S)y‖² / (tr(I − S)/n)², Golub, Heath and Wahba's formula."""
    n = len(H)
    slack = np.eye(n) - hat_matrix(H, alpha, None, intercept)
    return np.sum((slack @ y) ** 2) / n / (np.trace(slack) / n) ** 2


def lcurve_point(H, y, alpha, weight=None, intercept=True):
    """(log ‖Hβ − y‖, log ‖β‖) of one ridge."""
    A, B, _, _ = centred_rows(H, y, weight, intercept)
    coef, _ = ridge(H, y, alpha, weight, intercept)
    return np.array([np.log(np.linalg.norm(B - A @ coef)), np.log(np.linalg.norm(coef))])


def lcurve_curvature(H, y, alpha, weight=None, intercept=True, step=1e-2):
    """Curvature of the L-curve at one ridge by fourth-order differences in log α; positive at the corner."""
    at = [lcurve_point(H, y, alpha * np.exp(k * step), weight, intercept) for k in (-2, -1, 0, 1, 2)]
    first = (at[0] - 8 * at[1] + 8 * at[3] - at[4]) / (12 * step)
    second = (-at[0] + 16 * at[1] - 30 * at[2] + 16 * at[3] - at[4]) / (12 * step**2)
    return (first[0] * second[1] - second[0] * first[1]) / np.sum(first**2) ** 1.5


def nearest_probabilities(p, steps=200):
    """The point of the simplex nearest to p: bisection on the shift that makes positive parts add to 1."""
    low, high = p.min() - 1, p.max()
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(p - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(p - (low + high) / 2, 0)


def relative_gap(a, b):
    """Largest difference, relative to the largest entry of b."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return float(
        np.max(np.abs(a - b), initial=0.0) / max(np.max(np.abs(b), initial=0.0), np.finfo(float).tiny)
    )
