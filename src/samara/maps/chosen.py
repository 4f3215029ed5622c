"""Some of the columns of a map, without computing the others where that can be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samara.core import Array, FeatureMap
from samara.maps.compiled import Fused
from samara.maps.kernel_rows import KernelRows
from samara.maps.nodes import AdditiveNodes, DirectLink, RadialNodes


@dataclass(frozen=True)
class ChosenColumns:
    """Some columns of a map that gives them only together."""

    whole: FeatureMap
    columns: Array  # numbers of them

    @property
    def n_out(self) -> int:
        return len(self.columns)

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """These features of the rows."""
        return np.take(self.whole(X), self.columns, axis=1, out=out, mode="clip")


def chosen(feature_map: FeatureMap, columns: Array) -> FeatureMap:
    """The map that gives these columns alone, in their order."""
    match feature_map:
        case Fused():
            return replace(feature_map, nodes=chosen(feature_map.nodes, columns))  # type: ignore[arg-type]
        case AdditiveNodes():
            return replace(feature_map, weights=np.ascontiguousarray(feature_map.weights[:, columns]))
        case RadialNodes():
            return replace(
                feature_map, centres=feature_map.centres[columns], gamma=feature_map.gamma[columns]
            )
        case KernelRows():
            return replace(feature_map, centres=feature_map.centres[columns])
        case DirectLink() if columns.min() >= feature_map.n_inputs:
            return chosen(feature_map.nodes, columns - feature_map.n_inputs)
    return ChosenColumns(feature_map, columns)
