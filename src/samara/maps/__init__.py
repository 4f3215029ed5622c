"""h(x): hidden layers, scalings and codings."""

from samara.maps.compiled import fused
from samara.maps.layers import LAYERS, Additive, Radial
from samara.maps.nodes import AdditiveNodes, DirectLink, Project, RadialNodes, as_dtype, leading
from samara.maps.scaling import AsFloat, ClassCodes, QuantileNormal, Standardize

__all__ = [
    "LAYERS",
    "Additive",
    "AdditiveNodes",
    "AsFloat",
    "ClassCodes",
    "DirectLink",
    "Project",
    "QuantileNormal",
    "Radial",
    "RadialNodes",
    "Standardize",
    "as_dtype",
    "fused",
    "leading",
]
