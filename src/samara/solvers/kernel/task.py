"""What a kernel solver is given, and what it gives back."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from samara.core import Array, Engine
from samara.errors import ConditionWarning, InputError
from samara.maps import Gramian
from samara.solvers.kernel.tiles import Weighted
from samara.solvers.task import Rank

Report = Callable[[str, int, int], None]  # what is going on, how much of it was just done, how much in all


@dataclass(frozen=True)
class KernelTask:
    """min ‖√w(Kc + b − y)‖² + α cᵀKc, with b where there is an intercept, for several columns of y."""

    gramian: Gramian
    targets: Array  # (n, t) float64, centred and scaled
    weights: Array | None = None  # (n,), positive
    keys: Array | None = None  # of the rows' content: copies have one key
    fit_intercept: bool = True
    alphas: tuple[float, ...] | None = None  # the ridges; None: a grid in proportion to the trace
    rank: Rank = "auto"
    workers: int = 1
    engine: Engine | None = None  # who multiplies with the matrix; None: threads of this process
    most: int = 2000  # columns of a preconditioner
    spare: int = 0  # bytes for tiles kept from one product to the next
    entropy: int = 0
    report: Report | None = None

    @property
    def n(self) -> int:
        """Rows."""
        return self.gramian.n

    @property
    def matrix(self) -> Any:
        """The kernel matrix with the rows' weights in it."""
        return self.gramian if self.weights is None else Weighted(self.gramian, np.sqrt(self.weights))

    @cached_property
    def roots(self) -> Array:
        """√w of every row."""
        return np.ones(self.n) if self.weights is None else np.sqrt(self.weights)

    @cached_property
    def constant(self) -> Array | None:
        """The unit vector along √w that an intercept takes out of the problem."""
        return self.roots / np.linalg.norm(self.roots) if self.fit_intercept else None

    @property
    def Y(self) -> Array:  # noqa: N802 - a matrix
        """√w·y, without what the intercept explains."""
        return without(self.constant, self.roots[:, None] * self.targets)

    def solution(self, c: Array, Ku: Array) -> Solution:
        """The model of c with (K + αI)c = Y; the intercept makes the residuals' mean 0."""
        u, roots = self.constant, self.roots
        coef = roots[:, None] * c
        if u is None:
            return Solution(coef, np.zeros(c.shape[1]))
        along = u @ (roots[:, None] * self.targets) - Ku @ c
        return Solution(coef, along / np.linalg.norm(roots))

    def rng(self) -> np.random.Generator:
        """Randomness of the solver alone."""
        return np.random.default_rng(np.random.SeedSequence([self.entropy, 2]))

    def columns(self, most: int) -> int | None:
        """The rank as a number, at most ``most``; None where it is to be found."""
        if isinstance(self.rank, str):
            return None
        rank = round(self.rank * self.n) if isinstance(self.rank, float) else int(self.rank)
        if rank > self.n:
            raise InputError(f"rank {rank:,} is above the {self.n:,} rows.")
        return max(1, min(rank, most))


@dataclass(frozen=True)
class Solution:
    """f(x) = Σᵢ k(x, xᵢ)·coefᵢ + intercept."""

    coef: Array  # (n, t)
    intercept: Array  # (t,)


class DualFactor(Protocol):
    """A kernel matrix made ready for every ridge."""

    @property
    def rank(self) -> int:
        """Directions in which the kernel is represented."""
        ...

    @property
    def trace(self) -> float:
        """Of the matrix solved with: the scale a ridge is measured in."""
        ...

    @property
    def error(self) -> float:
        """Estimate of ‖K − K̃‖_F, of the matrix solved with; 0 for an exact one."""
        ...

    def solve(self, alpha: float) -> Solution:
        """The model of one ridge."""
        ...

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """Errors √w·e (n, t) of each row by the model without it, and without the others of its group."""
        ...

    def condition(self, alpha: float) -> float:
        """Condition number of K + αI."""
        ...


def without(constant: Array | None, V: Array) -> Array:
    """The columns of V less what they have of the constant direction."""
    return V if constant is None else V - np.multiply.outer(constant, constant @ V)


def rounding_of(values: Array, Ku: Array, dtype: np.dtype[np.floating]) -> float:
    """Size below which eigenvalues of n rows are rounding, of what the intercept took out as well."""
    scale = max(float(np.abs(values).max(initial=0.0)), float(np.linalg.norm(Ku)))
    # Errors of float32 entries are independent: their matrix has a norm of √n of them, not n.
    rows = len(Ku) if dtype == np.float64 else np.sqrt(len(Ku))
    return float(rows * np.finfo(dtype).eps * scale)


def warn_of_sign(values: Array, rounding: float) -> bool:
    """Whether eigenvalues are negative beyond rounding, which is warned of."""
    lowest, largest = float(values.min(initial=0.0)), float(np.abs(values).max(initial=0.0))
    if lowest >= -max(rounding, 1e-10 * len(values) * largest):
        return False
    warnings.warn(
        f"The kernel is not positive definite: the smallest eigenvalue of its matrix is {lowest:.2g}, "
        f"the largest {largest:.2g}. The solution is not the minimum of a penalised error.",
        ConditionWarning,
        stacklevel=2,
    )
    return True


def some_left_out(n: int) -> int:
    """Of n rows those left out of a system of one ridge: their solves take less than its factor took."""
    return int(np.clip(n / 6, 1000, 2000))


def groups_of(labels: Array) -> list[Array]:
    """The rows of each label that several rows have."""
    order = np.argsort(labels, kind="stable")
    edges = np.flatnonzero(np.diff(labels[order])) + 1
    return [rows for rows in np.split(order, edges) if len(rows) > 1]


def excluded(c: Array, diagonal: Array, groups: Sequence[Array], block: Callable[[Array], Array]) -> Array:
    """Errors of rows held out: c_i / [A⁻¹]_ii alone, [A⁻¹]_gg⁻¹c_g for a group."""
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = c / diagonal[:, None]
    for rows in groups:
        errors[rows] = np.linalg.solve(block(rows), c[rows])
    return errors
