"""h(x): hidden layers, scalings and codings."""

from samara.maps.beside import Beside
from samara.maps.chosen import chosen
from samara.maps.columns import Coding, Columns, CrossEncoded, Encoded, Levels, Number
from samara.maps.compiled import fused
from samara.maps.derivatives import pulled_back
from samara.maps.fields import LocalFields, PooledFields
from samara.maps.filling import Fill, FilledColumns, WithGaps, unflagged
from samara.maps.gramian import Gramian
from samara.maps.kernel_rows import KernelRows, Whitened
from samara.maps.kernels import KERNELS, OF_DISTANCE, Kernel
from samara.maps.landmarks import Landmarks, whitened
from samara.maps.layers import LAYERS, Additive, Radial
from samara.maps.leaves import LeafRows, Tree, grown
from samara.maps.metric import ColumnFactors, behind_metric, metric_map
from samara.maps.nodes import AdditiveNodes, DirectLink, Project, RadialNodes, as_dtype, leading
from samara.maps.scaling import (
    AsFloat,
    ClassCodes,
    LabelCodes,
    NoTargets,
    OneHot,
    OwnScaling,
    QuantileNormal,
    Standardize,
    UnitRows,
    given_scaling,
)
from samara.maps.tree_leaves import TreeLeaves

__all__ = [
    "KERNELS",
    "LAYERS",
    "OF_DISTANCE",
    "Additive",
    "AdditiveNodes",
    "AsFloat",
    "Beside",
    "ClassCodes",
    "Coding",
    "ColumnFactors",
    "Columns",
    "CrossEncoded",
    "DirectLink",
    "Encoded",
    "Fill",
    "FilledColumns",
    "Gramian",
    "Kernel",
    "KernelRows",
    "LabelCodes",
    "Landmarks",
    "LeafRows",
    "Levels",
    "LocalFields",
    "NoTargets",
    "Number",
    "OneHot",
    "OwnScaling",
    "PooledFields",
    "Project",
    "QuantileNormal",
    "Radial",
    "RadialNodes",
    "Standardize",
    "Tree",
    "TreeLeaves",
    "UnitRows",
    "Whitened",
    "WithGaps",
    "as_dtype",
    "behind_metric",
    "chosen",
    "fused",
    "given_scaling",
    "grown",
    "leading",
    "metric_map",
    "pulled_back",
    "unflagged",
    "whitened",
]
