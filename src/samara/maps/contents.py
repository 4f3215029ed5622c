"""What the parts of a map give away."""

from __future__ import annotations

from typing import Any

from samara.maps.beside import Beside
from samara.maps.kernel_rows import KernelRows, Whitened
from samara.maps.leaves import LeafRows
from samara.maps.nodes import DirectLink, FirstNodes, RadialNodes
from samara.maps.scaling import OwnScaling


def holds_rows(feature_map: Any) -> bool:
    """Whether rows of the training data, scaled, are among the parts of a map."""
    match feature_map:
        case KernelRows():
            return feature_map.kernel.name != "precomputed"
        case RadialNodes():
            return True
        case Whitened(rows=inner) | LeafRows(rows=inner) | DirectLink(nodes=inner) | FirstNodes(whole=inner):
            return holds_rows(inner)
        case OwnScaling(scaling=inner):
            return holds_rows(inner)
        case Beside(chains=chains):
            return any(holds_rows(one) for chain in chains for one in chain)
    return False
