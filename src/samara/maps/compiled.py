"""Scaling and nodes in one compiled call a block."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from samara.core import Array, FeatureMap
from samara.linalg import kernels
from samara.linalg.hidden import Layer, fill_outputs, fill_rows
from samara.maps.nodes import AdditiveNodes, RadialNodes
from samara.maps.scaling import AsFloat, Standardize

KINDS = {
    "sigmoid": kernels.SIGMOID,
    "tanh": kernels.TANH,
    "rbf": kernels.GAUSSIAN,
    "multiquadric": kernels.MULTIQUADRIC,
    "relu": kernels.RELU,
    "linear": kernels.LINEAR,
}


@dataclass(frozen=True)
class Fused:
    """Scaled inputs through a layer of nodes: h(x) − shift of a whole block without the interpreter."""

    scaling: Standardize | AsFloat
    nodes: AdditiveNodes | RadialNodes
    by_tiles: ClassVar[bool] = False

    @property
    def n_out(self) -> int:
        return self.nodes.n_out

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Hidden rows of input rows."""
        made = np.empty((len(X), self.n_out), self.nodes.dtype) if out is None else out
        return self.fill(X, made, None)

    def fill(self, X: Any, out: Array, shift: Array | None) -> Array:
        """The hidden rows, less the shift, into ``out``, whose rows must be contiguous."""
        dtype = self.nodes.dtype
        less = np.zeros(self.n_out, dtype) if shift is None else np.ascontiguousarray(shift, dtype)
        fill_rows(X, self._layer, less, out)
        return out

    def outputs(self, X: Any, coef: Array, intercept: Array, out: Array) -> None:
        """h(x)·coef + intercept into ``out``, without the hidden rows; refuses inputs that are not finite."""
        fill_outputs(X, self._layer, coef, intercept, out)

    @cached_property
    def _layer(self) -> Layer:
        kind = _kind(self.nodes)
        weights = np.ascontiguousarray(self.nodes.multiplied(kernels.EXPONENT[kind]))
        if isinstance(self.scaling, Standardize):
            mean, factor = self.scaling.mean.astype(np.float64), 1 / self.scaling.spread.astype(np.float64)
            return Layer(mean, factor, weights, kind)
        return Layer(np.zeros(self.scaling.n_out), np.ones(self.scaling.n_out), weights, kind)

    def __getstate__(self) -> dict[str, Any]:
        """Without what is worked out from the nodes, which is as large."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def fused(maps: tuple[FeatureMap, ...], sparse: bool) -> tuple[FeatureMap, ...]:
    """The same maps, each scaling and its nodes in one, where that is compiled and the rows are dense."""
    match maps:
        case (Standardize() | AsFloat() as scaling, AdditiveNodes() | RadialNodes() as nodes, *rest):
            known = _kind(nodes) >= 0 and nodes.dtype in (np.float32, np.float64)
            if known and not sparse and kernels.compiled() and _divides(scaling):
                return (Fused(scaling, nodes), *fused(tuple(rest), sparse))
    return (maps[0], *fused(maps[1:], sparse)) if maps else maps


def _divides(scaling: Standardize | AsFloat) -> bool:
    """Whether one by the spread is a number: the inputs are multiplied with it."""
    return isinstance(scaling, AsFloat) or bool(np.all(scaling.spread > 1 / np.finfo(np.float64).max))


def _kind(nodes: AdditiveNodes | RadialNodes) -> int:
    """Number of the compiled activation, −1 where there is none."""
    return KINDS.get(nodes.activation if isinstance(nodes, AdditiveNodes) else nodes.function, -1)
