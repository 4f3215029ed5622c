"""∂k(x, z)/∂x, summed over the centres z with given weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from samara.core import Array, dense
from samara.errors import InputError
from samara.maps.kernel_rows import KernelRows
from samara.maps.kernels import Kernel

CENTRES = 2048  # at a time: with 256 rows 4 MB a matrix


def kernel_pulled_back(rows: KernelRows, X: Any, G: Array) -> Array:
    """Σ_z G_z ∂k(x, z)/∂x of rows X, (b, t, d), for weights G of the shape (b or 1, t, M)."""
    kernel = rows.kernel
    if kernel.name in ("callable", "precomputed"):
        what = "A kernel function of your own" if kernel.name == "callable" else 'kernel="precomputed"'
        raise InputError(f"{what} has no derivative that is known: use a kernel by name.")
    X = np.asarray(dense(X), np.float64)
    made = np.zeros((len(X), G.shape[1], X.shape[1]))
    for lo in range(0, rows.n_out, CENTRES):
        some = rows.centres[lo : lo + CENTRES]
        Z = np.asarray(some.toarray() if sparse.issparse(some) else some, np.float64)
        made += _FORMS[kernel.name](kernel, X, Z, G[..., lo : lo + CENTRES])
    return made


def towards(X: Array, Z: Array, W: Array) -> Array:
    """Σ_z W_z (x − z)."""
    return np.asarray(X[:, None] * W.sum(axis=2, keepdims=True) - W @ Z)


def _of_distance(kernel: Kernel, X: Array, Z: Array, G: Array) -> Array:
    """k′(r)(x − z)/r; at r = 0 the Laplace kernel has a tip, on which the sides cancel."""
    r, gamma = cdist(X, Z), kernel.gamma
    if kernel.name == "rbf":
        rate = -2 * gamma * np.exp(-gamma * r**2)
    elif kernel.name == "laplace":
        rate = np.zeros_like(r)
        np.divide(-gamma * np.exp(-gamma * r), r, out=rate, where=r > 0)
    elif kernel.name == "matern32":
        rate = -3 * gamma**2 * np.exp(-np.sqrt(3) * gamma * r)
    else:
        a = np.sqrt(5) * gamma * r
        rate = -5 / 3 * gamma**2 * (1 + a) * np.exp(-a)
    return towards(X, Z, G * rate[:, None])


def _laplacian(kernel: Kernel, X: Array, Z: Array, G: Array) -> Array:
    """−γ k sign(x − z), a column at a time."""
    W = G * (-kernel.gamma * np.exp(-kernel.gamma * cdist(X, Z, "cityblock")))[:, None]
    columns = [np.einsum("btm,bm->bt", W, np.sign(x[:, None] - z)) for x, z in zip(X.T, Z.T, strict=True)]
    return np.stack(columns, axis=2)


def _of_product(kernel: Kernel, X: Array, Z: Array, G: Array) -> Array:
    """g′(p) z with p = γ x·z + coef0."""
    p = kernel.gamma * (X @ Z.T) + kernel.coef0
    if kernel.name == "polynomial":
        rate = kernel.degree * kernel.gamma * p ** (kernel.degree - 1)
    else:
        rate = kernel.gamma * (1 - np.tanh(p) ** 2)
    return np.asarray((G * rate[:, None]) @ Z)


def _linear(kernel: Kernel, X: Array, Z: Array, G: Array) -> Array:
    return np.broadcast_to(G @ Z, (len(X), G.shape[1], X.shape[1]))


def _cosine(kernel: Kernel, X: Array, Z: Array, G: Array) -> Array:
    """(z/‖z‖ − k x/‖x‖)/‖x‖, 0 for a row of zeros."""
    (U, length), (V, _) = _directions(X), _directions(Z)
    W = np.broadcast_to(G, (len(X), *G.shape[1:]))
    along = np.einsum("btm,bm->bt", W, U @ V.T)
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return np.asarray((W @ V - along[..., None] * U[:, None]) * inverse[:, None])


def _directions(X: Array) -> tuple[Array, Array]:
    """Rows of length 1, and their lengths (n, 1)."""
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(length > 0, length, 1.0), length


_FORMS = {
    **dict.fromkeys(("rbf", "laplace", "matern32", "matern52"), _of_distance),
    "laplacian": _laplacian,
    **dict.fromkeys(("polynomial", "sigmoid"), _of_product),
    "linear": _linear,
    "cosine": _cosine,
}
