"""Derivatives of the maps: a gradient with respect to what a map gives, taken back to what it gets.

For rows X and gradients G of shape (b or 1, t, n_out), the product G·∂h/∂x has the shape (b, t, n_in).
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from samara.core import Array, FeatureMap, dense
from samara.errors import InputError
from samara.maps.beside import Beside
from samara.maps.fields import PooledFields
from samara.maps.kernel_derivatives import kernel_pulled_back, towards
from samara.maps.kernel_rows import KernelRows, Whitened
from samara.maps.leaves import LeafRows
from samara.maps.metric import ColumnFactors
from samara.maps.nodes import AdditiveNodes, DirectLink, FirstNodes, Project, RadialNodes
from samara.maps.scaling import AsFloat, OwnScaling, QuantileNormal, Standardize, UnitRows
from samara.maps.tree_leaves import TreeLeaves


@singledispatch
def pulled_back(feature_map: FeatureMap, X: Any, G: Array) -> Array:
    """G·∂h/∂x of every row; a map of the user's own has no derivative that is known."""
    raise InputError(
        f"{type(feature_map).__name__} has no derivative that is known: only Samara's own scalings, hidden "
        "layers and named kernels have one."
    )


@pulled_back.register
def _(feature_map: TreeLeaves, X: Any, G: Array) -> Array:
    raise InputError("Leaves of trees are steps: their outputs have no gradients to explain a row by.")


@pulled_back.register
def _(feature_map: AsFloat, X: Any, G: Array) -> Array:
    return G


@pulled_back.register
def _(feature_map: OwnScaling, X: Any, G: Array) -> Array:
    return pulled_back(feature_map.scaling, X, G)


@pulled_back.register
def _(feature_map: Standardize, X: Any, G: Array) -> Array:
    return np.asarray(G / feature_map.spread)


@pulled_back.register
def _(feature_map: UnitRows, X: Any, G: Array) -> Array:
    """(G − (Gu)uᵀ)/‖x‖ with u = x/‖x‖: what points along a row changes nothing; 0 for a row of zeros."""
    X = np.asarray(dense(X), np.float64)
    lengths = np.linalg.norm(X, axis=1)
    share = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    U = X * share[:, None]
    return np.asarray((G - (G @ U[:, :, None]) * U[:, None]) * share[:, None, None])


@pulled_back.register
def _(feature_map: QuantileNormal, X: Any, G: Array) -> Array:
    """The slope to the right of each value, 0 beyond the knots."""
    X = np.asarray(dense(X), np.float64)
    slopes = np.zeros(X.shape)
    for j, (knots, scores) in enumerate(zip(feature_map.knots, feature_map.scores, strict=True)):
        steps = np.concatenate([[0.0], np.diff(scores) / np.diff(knots), [0.0]])
        slopes[:, j] = steps[np.searchsorted(knots, X[:, j], side="right")]
    return np.asarray(G * slopes[:, None])


@pulled_back.register
def _(feature_map: ColumnFactors, X: Any, G: Array) -> Array:
    return np.asarray(G * feature_map.factors.astype(np.float64))


@pulled_back.register
def _(feature_map: Project, X: Any, G: Array) -> Array:
    return np.asarray(G @ feature_map.directions.T.astype(np.float64))


@pulled_back.register
def _(feature_map: FirstNodes, X: Any, G: Array) -> Array:
    beyond = feature_map.whole.n_out - feature_map.n_out
    return pulled_back(feature_map.whole, X, np.pad(G, ((0, 0), (0, 0), (0, beyond))))


@pulled_back.register
def _(feature_map: DirectLink, X: Any, G: Array) -> Array:
    d = feature_map.n_inputs
    return np.asarray(G[..., :d] + pulled_back(feature_map.nodes, X, G[..., d:]))


@pulled_back.register
def _(feature_map: AdditiveNodes, X: Any, G: Array) -> Array:
    W = feature_map.weights.astype(np.float64)
    z = np.asarray(X @ W[:-1]) + W[-1]
    return np.asarray((G * slope(feature_map.activation, z)[:, None]) @ W[:-1].T)


def slope(activation: str, z: Array) -> Array:
    """g′(z); that of a step is 0, and where relu bends its left one."""
    match activation:
        case "tanh":
            return np.asarray(1 - np.tanh(z) ** 2)
        case "sigmoid":
            h = 0.5 + 0.5 * np.tanh(z / 2)
            return np.asarray(h * (1 - h))
        case "relu":
            return (z > 0).astype(np.float64)
        case "sine":
            return np.cos(z)
        case "fourier":
            return -np.sin(z)
        case "hardlim":
            return np.zeros_like(z)
    return np.ones_like(z)


@pulled_back.register
def _(feature_map: RadialNodes, X: Any, G: Array) -> Array:
    X, C = np.asarray(dense(X), np.float64), feature_map.centres.astype(np.float64)
    gamma, H = feature_map.gamma.astype(np.float64), np.asarray(feature_map(X), np.float64)
    rate = -2 * gamma * H if feature_map.function == "rbf" else gamma / H
    return towards(X, C, G * rate[:, None])


@pulled_back.register
def _(feature_map: PooledFields, X: Any, G: Array) -> Array:
    return feature_map.pulled_back(X, G)


@pulled_back.register
def _(feature_map: KernelRows, X: Any, G: Array) -> Array:
    return kernel_pulled_back(feature_map, X, G)


@pulled_back.register
def _(feature_map: LeafRows, X: Any, G: Array) -> Array:
    """Within the leaf of each row; the leaves themselves have no slope."""
    X = np.asarray(dense(X), np.float64)
    made, edges = np.zeros((len(X), G.shape[1], X.shape[1])), feature_map.edges
    for leaf, rows in feature_map.parts(X):
        own = G[..., edges[leaf] : edges[leaf + 1]]
        made[rows] = kernel_pulled_back(
            feature_map.leaves[leaf], X[rows], own if len(own) == 1 else own[rows]
        )
    return made


@pulled_back.register
def _(feature_map: Whitened, X: Any, G: Array) -> Array:
    flat = G.reshape(-1, G.shape[2]).T.astype(np.float64)
    inner = solve_triangular(feature_map.triangle.astype(np.float64), flat).T
    return kernel_pulled_back(feature_map.rows, X, np.asarray(inner).reshape(G.shape))


@pulled_back.register
def _(feature_map: Beside, X: Any, G: Array) -> Array:
    """The sum over the chains, each from its last map to its first."""
    total = np.zeros(())
    for chain, columns in feature_map.parts():
        seen = [X]
        for inner in chain[:-1]:
            seen.append(inner(seen[-1]))
        down = G[..., columns]
        for inner, rows in zip(chain[::-1], seen[::-1], strict=True):
            down = pulled_back(inner, rows, down)
        total = total + down
    return total
