"""Kernel matrix → factor: the dual problem, exactly and in five approximations."""

from collections.abc import Callable
from typing import Protocol

from samara.solvers.kernel.divide import Divide, Divided
from samara.solvers.kernel.exact import Exact, OneRidge
from samara.solvers.kernel.leaves import Leafed, Leaves
from samara.solvers.kernel.pcg import Iterated, Pcg
from samara.solvers.kernel.sketch import KernelSketch
from samara.solvers.kernel.spectral import Spectral
from samara.solvers.kernel.ssvd import Ssvd, Truncated
from samara.solvers.kernel.task import DualFactor, KernelTask, Solution, groups_of, some_left_out


class KernelSolver(Protocol):
    """Kernel matrix → factor; a frozen dataclass with the settings of its method."""

    @property
    def name(self) -> str: ...
    def validate(self) -> None: ...
    def __call__(self, task: KernelTask) -> DualFactor: ...


KERNEL_SOLVERS: dict[str, Callable[[], KernelSolver]] = {
    made.name: made for made in (Exact, KernelSketch, Ssvd, Pcg, Divide, Leaves)
}

__all__ = [
    "KERNEL_SOLVERS",
    "Divide",
    "Divided",
    "DualFactor",
    "Exact",
    "Iterated",
    "KernelSketch",
    "KernelSolver",
    "KernelTask",
    "Leafed",
    "Leaves",
    "OneRidge",
    "Pcg",
    "Solution",
    "Spectral",
    "Ssvd",
    "Truncated",
    "groups_of",
    "some_left_out",
]
