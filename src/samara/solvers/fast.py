"""`fast_svd` and `fast_svd_gradient`: as many directions as a stop asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.core import Array, Factor
from samara.errors import InputError
from samara.linalg import ErrorStop, GradientStop, RidgeStop, Stop
from samara.linalg.basis import orthonormalized
from samara.linalg.triangular import triangle
from samara.solvers.lowrank import ProjectedFactor, project, whole_space
from samara.solvers.normal import NormalSystem
from samara.solvers.root import RootSystem
from samara.solvers.rows import RowFactor
from samara.solvers.subspace import probe_norms, subspace_by_stop
from samara.solvers.task import Task

_SEEN = 1e-7  # of the largest probe: what is below is rounding in the root of a Gram matrix
_ERROR_STOP, _GRADIENT_STOP = ErrorStop(), GradientStop()


@dataclass(frozen=True)
class FastSvd:
    """Fast SVD with a stop of its own (Jankowski and Linowiecki, Algorithms 2 and 5), streamed.

    Two passes, 6nLk flops for the k columns at which the stop is met; ``rank`` is the most it may take. Where
    k is above a fourth of the columns of H, one pass for its Gram matrix is cheaper, and the stop is read
    from that.

    Parameters
    ----------
    stop : ErrorStop, GradientStop or RidgeStop
        When there are enough columns. Its numbers are in the units of H.
    """

    stop: Stop = _ERROR_STOP
    name = "fast_svd"

    def validate(self) -> None:
        """Refuse a stop that does not read probes."""
        if getattr(self.stop, "watches", None) != "probes":
            raise InputError(
                "A solver can't watch the energy left: use ErrorStop, GradientStop or RidgeStop, "
                f"got {self.stop!r}."
            )
        self.stop.validate()

    def __call__(self, task: Task) -> Factor:
        """Find the directions, then summarize the rows along them."""
        most = task.given_rank() or task.most
        found = subspace_by_stop(task, self.stop, most=most)
        return beyond(task, self.stop, most) if found is None else project(task, found)


@dataclass(frozen=True)
class FastSvdGradient(FastSvd):
    """Fast SVD that also stops where the error hardly falls any more (Algorithms 3 to 5).

    Parameters
    ----------
    stop : ErrorStop, GradientStop or RidgeStop
        When there are enough columns. Its numbers are in the units of H.
    """

    stop: Stop = _GRADIENT_STOP
    name = "fast_svd_gradient"


def beyond(task: Task, stop: Stop, most: int) -> Factor:
    """More directions than are worth drawing: the stop read from an exact summary of the rows.

    With SᵀS = HᵀH the triangle of SΩ is that of HΩ, so the columns counted are those of the algorithm. A root
    of a Gram matrix shows nothing below 1e-7 of the largest probe; a stop that asks for less uses all of it.
    """
    factor = whole_space(task)
    if isinstance(factor, RowFactor):
        return factor
    omega = task.rng().standard_normal((most + stop.r, task.n_columns)).T
    probes = probe_norms(triangle(factor.root() @ omega), stop.r)
    count = None if isinstance(stop, RidgeStop) else _certain(stop, probes)
    if count is None and most == task.most:
        return factor
    system, used = factor.system(), most + stop.r if count is None else max(1, count)
    basis = orthonormalized(centred_products(system, omega[:, :used])[:, : task.n_columns])
    turn = factor.turned(basis).system().spectrum()[1][:, : min(used, most)]
    directions = basis @ turn
    return ProjectedFactor(factor.turned(directions), directions, task.source, system.trace)


def _certain(stop: Stop, probes: Array) -> int | None:
    """Columns at which the stop is met whatever the probes are below what can be seen of them."""
    count = stop.stopped_at(probes)
    return count if stop.stopped_at(np.maximum(probes, _SEEN * probes.max(initial=0.0))) == count else None


def centred_products(system: NormalSystem | RootSystem, omega: Array) -> Array:
    """HᵀHΩ, centred."""
    if isinstance(system, NormalSystem):
        return np.asarray(system.gram @ omega)
    H = system.rows[:, : len(omega)]
    return np.asarray(H.T @ (H @ omega))
