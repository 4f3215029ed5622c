"""Summary → factor."""

from collections.abc import Callable
from typing import Protocol

from samara.core import Factor
from samara.solvers.fast import FastSvd, FastSvdGradient
from samara.solvers.lowrank import ProjectedFactor, Rsvd
from samara.solvers.lsqr import Lsqr
from samara.solvers.normal import Gram, IllConditionedError, NormalFactor, NormalSystem, extend
from samara.solvers.precondition import Precondition
from samara.solvers.root import Qr, RootFactor, RootSystem, numerical_rank
from samara.solvers.rows import Dual, RowFactor, RowSystem, Svd
from samara.solvers.sketch import Sketch
from samara.solvers.submodels import Submodels
from samara.solvers.task import Rank, Task
from samara.solvers.tiles import TiledFactor, Tiles
from samara.solvers.training_sets import IterativeFactor


class Solver(Protocol):
    """Rows → factor; a frozen dataclass with the settings of its method."""

    @property
    def name(self) -> str: ...
    def validate(self) -> None: ...
    def __call__(self, task: Task) -> Factor: ...


SOLVERS: dict[str, Callable[[], Solver]] = {
    made.name: made
    for made in (
        Gram,
        Qr,
        Svd,
        Dual,
        Rsvd,
        FastSvd,
        FastSvdGradient,
        Sketch,
        Lsqr,
        Precondition,
        Tiles,
        Submodels,
    )
}

__all__ = [
    "SOLVERS",
    "Dual",
    "FastSvd",
    "FastSvdGradient",
    "Gram",
    "IllConditionedError",
    "IterativeFactor",
    "Lsqr",
    "NormalFactor",
    "NormalSystem",
    "Precondition",
    "ProjectedFactor",
    "Qr",
    "Rank",
    "RootFactor",
    "RootSystem",
    "RowFactor",
    "RowSystem",
    "Rsvd",
    "Sketch",
    "Solver",
    "Submodels",
    "Svd",
    "Task",
    "TiledFactor",
    "Tiles",
    "extend",
    "numerical_rank",
]
