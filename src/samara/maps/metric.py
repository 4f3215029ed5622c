"""A metric of the inputs: x ↦ M^½x, after which plain distances and products are those of M."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from samara.core import Array, FeatureMap
from samara.maps.nodes import AdditiveNodes, Project


@dataclass(frozen=True)
class ColumnFactors:
    """Each column times a number of its own; sparse rows stay sparse."""

    factors: Array  # (d,)

    @property
    def n_out(self) -> int:
        return len(self.factors)

    def __call__(self, X: Any, out: Array | None = None) -> Any:
        """The rows with their columns weighed."""
        if sparse.issparse(X):
            return sparse.csr_array(X @ sparse.diags_array(self.factors))
        return np.multiply(X, self.factors, out=out)


def metric_map(root: Array, dtype: np.dtype[np.floating]) -> FeatureMap:
    """The map x ↦ M^½x for the root of a metric, (d, d), or (d,) of one without mixed terms."""
    return Project(root.astype(dtype)) if root.ndim == 2 else ColumnFactors(root.astype(dtype))


def behind_metric(nodes: AdditiveNodes, root: Array) -> AdditiveNodes:
    """The same nodes of M^½x with the root folded into their weights: wᵀM^½x = (M^½w)ᵀx."""
    W = nodes.weights[:-1].astype(np.float64)
    turned = root @ W if root.ndim == 2 else root[:, None] * W
    weights = np.concatenate([turned, nodes.weights[-1:]]).astype(nodes.dtype)
    return replace(nodes, weights=weights)
