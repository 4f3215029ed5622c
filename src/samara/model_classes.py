"""Who may be in a model file: a class that is not here is neither written nor read."""

from __future__ import annotations

from collections.abc import Mapping

from samara.calibration import Isotonic, Temperature
from samara.continued import StreamState
from samara.engines import Threads
from samara.intervals import Intervals
from samara.kernel_settings import Nystroem
from samara.left_out import Leverage, Pull
from samara.linalg.gaps import Pieces
from samara.linalg.stops import EnergyStop, ErrorStop, GradientStop, RidgeStop
from samara.links import Log, Logit
from samara.maps import (
    Additive,
    AdditiveNodes,
    AsFloat,
    Beside,
    ColumnFactors,
    Columns,
    DirectLink,
    Encoded,
    Fill,
    FilledColumns,
    Kernel,
    KernelRows,
    Landmarks,
    LeafRows,
    Levels,
    LocalFields,
    Number,
    OwnScaling,
    PooledFields,
    Project,
    QuantileNormal,
    Radial,
    RadialNodes,
    Standardize,
    Tree,
    TreeLeaves,
    UnitRows,
    Whitened,
)
from samara.maps.nodes import FirstNodes
from samara.model import Model
from samara.plans import Plan
from samara.schema import Column
from samara.search import Entry, Leaderboard
from samara.selection import Gcv, KFold, LCurve, Loo, Selection
from samara.solvers import (
    Dual,
    FastSvd,
    FastSvdGradient,
    Gram,
    Lsqr,
    Precondition,
    Qr,
    Rsvd,
    Sketch,
    Submodels,
    Svd,
    Tiles,
)
from samara.solvers.kernel import Divide, Exact, KernelSketch, Leaves, Pcg, Ssvd
from samara.solvers.sequential import Woodbury
from samara.summaries import Layout

CLASSES: Mapping[str, type] = {
    cls.__name__: cls
    for cls in (
        *(Model, Plan, Selection, Threads),
        *(Standardize, AsFloat, UnitRows, QuantileNormal, OwnScaling),
        *(Additive, Radial, Landmarks, AdditiveNodes, RadialNodes, DirectLink, Project, FirstNodes),
        *(LocalFields, PooledFields, ColumnFactors),
        *(Kernel, KernelRows, Whitened, LeafRows, Tree, TreeLeaves, Beside),
        *(Columns, Column, Number, Levels, Encoded, FilledColumns, Fill, Pieces),
        *(KFold, Loo, Gcv, LCurve),
        *(Gram, Qr, Svd, Dual, Rsvd, FastSvd, FastSvdGradient, Sketch, Lsqr, Precondition, Tiles, Submodels),
        *(ErrorStop, GradientStop, EnergyStop, RidgeStop),
        *(Exact, KernelSketch, Ssvd, Pcg, Divide, Leaves, Nystroem, Woodbury),
        *(StreamState, Layout),
        *(Log, Logit),
        *(Entry, Leaderboard),
        *(Temperature, Isotonic, Intervals, Leverage, Pull),
    )
}
