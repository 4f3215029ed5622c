"""Hidden layers whose nodes are drawn at random: h(x) = g(xᵀW + b), or functions of a distance to centres."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from samara.core import Array, FeatureMap, dense
from samara.maps.activations import ACTIVATIONS, prescale
from samara.maps.fields import PooledFields
from samara.maps.kernel_rows import KernelRows, Whitened
from samara.maps.scaling import Standardize


@dataclass(frozen=True)
class AdditiveNodes:
    """g(xᵀW + b); the bias is the last row of ``weights``, so that one product does both."""

    weights: Array  # (d + 1, L)
    activation: str

    @property
    def n_out(self) -> int:
        return int(self.weights.shape[1])

    @property
    def dtype(self) -> np.dtype[np.floating]:
        return self.weights.dtype

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Hidden rows of input rows."""
        H = np.empty((X.shape[0], self.n_out), self.weights.dtype) if out is None else out
        if hasattr(X, "indptr") or self.n_out < X.shape[1]:  # a copy of the rows would be more than the bias
            H[...] = X @ self._product[:-1]
            H += self._product[-1]
        else:
            augmented = np.empty((len(X), len(self.weights)), self.weights.dtype)
            augmented[:, :-1] = X
            augmented[:, -1] = 1
            np.matmul(augmented, self._product, out=H)
        with np.errstate(over="ignore"):
            ACTIVATIONS[self.activation](H)
        return H

    @cached_property
    def _product(self) -> Array:
        return self.multiplied(prescale(self.activation, self.weights.dtype))

    def __getstate__(self) -> dict[str, Any]:
        """Without what is worked out from the weights, which is as large."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def multiplied(self, factor: float) -> Array:
        """(d + 1, L): multiplied by [x, 1] it gives ``factor`` times xᵀw + b."""
        return np.multiply(self.weights, factor, dtype=self.weights.dtype)

    def after(self, scaling: Standardize) -> AdditiveNodes:
        """The same nodes with the scaling folded into the weights, so that sparse rows stay sparse."""
        folded = self.weights[:-1] / scaling.spread[:, None]
        bias = self.weights[-1] - scaling.mean @ folded
        return replace(self, weights=np.concatenate([folded, bias[None]]).astype(self.weights.dtype))


@dataclass(frozen=True)
class RadialNodes:
    """exp(−γ‖x − c‖²), or the multiquadric √(1 + γ‖x − c‖²)."""

    centres: Array  # (L, d)
    gamma: Array  # (L,)
    function: str

    @property
    def n_out(self) -> int:
        return len(self.centres)

    @property
    def dtype(self) -> np.dtype[np.floating]:
        return self.centres.dtype

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Hidden rows of input rows: one augmented product gives γ‖x − c‖², then in place."""
        X = dense(X).astype(self.centres.dtype, copy=False)
        H = np.empty((len(X), self.n_out), self.centres.dtype) if out is None else out
        augmented = np.empty((len(X), X.shape[1] + 2), X.dtype)
        augmented[:, :-2] = X
        np.einsum("ij,ij->i", X, X, out=augmented[:, -2])
        augmented[:, -1] = 1
        np.matmul(augmented, self._product, out=H)
        np.maximum(H, 0, out=H)  # rounding can leave a distance just below zero
        if self.function == "rbf":
            np.negative(H, out=H)
            np.exp(H, out=H)
        else:
            H += 1
            np.sqrt(H, out=H)
        return H

    @cached_property
    def _product(self) -> Array:
        return self.multiplied(1.0)

    def __getstate__(self) -> dict[str, Any]:
        """Without what is worked out from the centres, which is as large."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def multiplied(self, factor: float) -> Array:
        """(d + 2, L): multiplied by [x, ‖x‖², 1] it gives ``factor`` times γ‖x − c‖²."""
        norms = np.einsum("ij,ij->i", self.centres, self.centres)
        rows = np.concatenate([-2 * self.centres.T, np.ones((1, self.n_out)), norms[None]])
        return np.ascontiguousarray(rows.astype(self.dtype) * (factor * self.gamma).astype(self.dtype))


@dataclass(frozen=True)
class DirectLink:
    """[x, h(x)]: the inputs themselves beside the nodes (RVFL); they come first, so nodes nest."""

    n_inputs: int
    nodes: FeatureMap
    by_tiles: ClassVar[bool] = True

    @property
    def n_out(self) -> int:
        return self.n_inputs + self.nodes.n_out

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Input rows with their hidden rows."""
        X = dense(X)
        made = np.empty((len(X), self.n_out), X.dtype) if out is None else out
        return self.fill(X, made, None)

    def fill(self, X: Any, out: Array, shift: Array | None) -> Array:
        """Both less the shift, into ``out``, in one pass over the inputs.

        The nodes' own rows lie back to back, for the activation of 2000 rows with gaps took 0.3 ms, and
        without 0.02.
        """
        X, d = dense(X), self.n_inputs
        np.subtract(X, 0 if shift is None else shift[:d], out=out[:, :d])
        np.subtract(self.nodes(X), 0 if shift is None else shift[d:], out=out[:, d:])
        return out


@dataclass(frozen=True)
class Project:
    """Coordinates along a few directions: h ↦ hᵀV."""

    directions: Array  # (L, k)

    @property
    def n_out(self) -> int:
        return int(self.directions.shape[1])

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Projected rows."""
        return np.matmul(dense(X), self.directions, out=out)


@dataclass(frozen=True)
class FirstNodes:
    """The first columns of a map: a smaller model of the same nodes."""

    whole: FeatureMap
    n_out: int

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """The leading features of the rows."""
        H = self.whole(X)[:, : self.n_out]
        if out is None:
            return H
        out[...] = H
        return out


def leading(feature_map: FeatureMap, n_out: int) -> FeatureMap:
    """The map that gives the first ``n_out`` columns, without computing the others where it can."""
    if n_out == feature_map.n_out:
        return feature_map
    match feature_map:
        case AdditiveNodes():
            return replace(feature_map, weights=np.ascontiguousarray(feature_map.weights[:, :n_out]))
        case RadialNodes():
            return replace(feature_map, centres=feature_map.centres[:n_out], gamma=feature_map.gamma[:n_out])
        case KernelRows() | Whitened():
            return feature_map.leading(n_out)
        case DirectLink() if n_out > feature_map.n_inputs:
            return replace(feature_map, nodes=leading(feature_map.nodes, n_out - feature_map.n_inputs))
    return FirstNodes(feature_map, n_out)


def as_dtype(feature_map: FeatureMap, dtype: np.dtype[np.floating]) -> FeatureMap:
    """The same nodes in another precision."""
    match feature_map:
        case AdditiveNodes() | RadialNodes() if feature_map.dtype == dtype:
            return feature_map
        case AdditiveNodes():
            return replace(feature_map, weights=feature_map.weights.astype(dtype))
        case RadialNodes():
            return replace(
                feature_map, centres=feature_map.centres.astype(dtype), gamma=feature_map.gamma.astype(dtype)
            )
        case PooledFields():
            return replace(feature_map, filters=feature_map.filters.astype(dtype))
        case KernelRows():
            return replace(feature_map, dtype=dtype)
        case Whitened(rows, triangle):
            return Whitened(replace(rows, dtype=dtype), triangle.astype(dtype))
    return feature_map
