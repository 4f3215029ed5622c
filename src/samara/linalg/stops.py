"""When a range finder has seen enough: stops that read the watched value after each column.

A stop is a pure function of the values watched so far, so it does not matter who made them, in which blocks,
or whether the columns past the stop were already there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from samara.core import Array
from samara.errors import InputError

Watched = Literal["probes", "energy"]

# Halko, Martinsson and Tropp's lemma with α = 10: ‖B‖ ≤ 10√(2/π)·max ‖Bω‖ but for one case in 10^r.
PROBE_FACTOR = 10 * np.sqrt(2 / np.pi)
_ENERGY_FLOOR = 1e-7  # of tol, in float64: 1 − Σ‖bₗ‖²/‖A‖² is then 45 times its rounding error
_RIDGE_SHARE = 0.01  # of the ridge that the residual may reach


class Stop(Protocol):
    """What a range finder asks of a stop.

    ``watches`` says what ``values[j]`` holds after j columns: for ``"probes"`` the largest norm of the next
    ``r`` probe vectors Aω once the first j columns are projected out, for ``"energy"`` the relative
    residual energy ‖A − QQᵀA‖²_F/‖A‖²_F.
    """

    watches: ClassVar[Watched]

    @property
    def r(self) -> int:
        """Number of probe vectors."""
        ...

    def validate(self) -> None:
        """Refuse impossible numbers."""
        ...

    def stopped_at(self, values: Array) -> int | None:
        """The first column count at which the stop is met, None where the values do not reach it."""
        ...


@dataclass(frozen=True)
class ErrorStop:
    r"""Stop once ‖A − QQᵀA‖₂ ≤ ε, but for one case in 10ʳ.

    The spectral norm is bounded by probes, equation (17) of Jankowski and Linowiecki:

    .. math:: \|(I - QQ^\top) A\| \le
        10 \sqrt{2/\pi} \max_{i=1,\ldots,r} \|(I - QQ^\top) A \omega^{(i)}\| .

    This is line 8 of their Algorithm 2, tested before a column is added.

    Parameters
    ----------
    epsilon : float
        The error ε, in the units of A.
    r : int
        Probe vectors.
    """

    epsilon: float = 0.1
    r: int = 10
    watches: ClassVar[Watched] = "probes"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        _check_positive("epsilon", self.epsilon)
        _check_probes(self.r)

    def stopped_at(self, values: Array) -> int | None:
        """The first column count at which the bound is at most ε."""
        return _first(np.asarray(values) <= self.epsilon / PROBE_FACTOR)


@dataclass(frozen=True)
class GradientStop:
    r"""Stop once ‖A − QQᵀA‖₂ ≤ ε, or once it hardly falls any more.

    With :math:`m_j` the largest of the r probes after j columns, Algorithm 3 of Jankowski and Linowiecki ends
    Algorithm 4 at the first column count j ≥ 1 with

    .. math:: m_j \le \frac{\epsilon}{10\sqrt{2/\pi}} \quad\text{or, from } j = r + 1 \text{ on,}\quad
        \frac{1}{r} \sum_{i=j-r+1}^{j} \max\{0,\, m_{i-1} - m_i\} \le \tau .

    Rises count as 0, so a probe that stands out does not end it. It is tested after a column is added: a
    matrix below ε gets one column. Only a zero matrix gets none.

    Parameters
    ----------
    epsilon : float
        The error ε, in the units of A.
    r : int
        Probe vectors, and columns over which the fall is averaged.
    tau : float
        The smallest mean fall τ for which another column is worth adding, in the units of A.
    """

    epsilon: float = 0.1
    r: int = 10
    tau: float = 0.02
    watches: ClassVar[Watched] = "probes"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        _check_positive("epsilon", self.epsilon)
        _check_positive("tau", self.tau, zero=True)
        _check_probes(self.r)

    def stopped_at(self, values: Array) -> int | None:
        """The first column count at which the error is small or flat."""
        values = np.asarray(values)
        if not len(values):
            return None
        met = values <= self.epsilon / PROBE_FACTOR
        met[0] = values[0] == 0  # line 12 of Algorithm 4 divides by this norm
        if len(values) > self.r + 1:
            # Algorithm 3 takes the fall into the first column as 0, but by j = r + 1 it is overwritten.
            falls = np.maximum(0, values[1:-1] - values[2:])
            means = np.lib.stride_tricks.sliding_window_view(falls, self.r).mean(axis=1)
            met[self.r + 1 :] |= means <= self.tau
        return _first(met)


@dataclass(frozen=True)
class EnergyStop:
    r"""Stop once ‖A − QQᵀA‖_F ≤ tol·‖A‖_F, measured and not probed.

    The energy left follows from the columns themselves (randQB_EI of Yu, Gu and Li):

    .. math:: \|A - QQ^\top A\|_F^2 = \|A\|_F^2 - \|Q^\top A\|_F^2 .

    Parameters
    ----------
    tol : float
        Relative error. Below 1e-7 (2.3e-3 in float32) the difference is mostly rounding, so it is not taken
        to be smaller than that.
    r : int
        Only sets the width of the blocks here.
    """

    tol: float
    r: int = 10
    watches: ClassVar[Watched] = "energy"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        _check_positive("tol", self.tol, zero=True)
        if self.tol >= 1:
            raise InputError(f"tol must be below 1, got {self.tol!r}: with no column the error is 1.")
        _check_probes(self.r)

    def stopped_at(self, values: Array) -> int | None:
        """The first column count at which at most tol² of the energy is left."""
        values = np.asarray(values)
        precision = np.finfo(values.dtype if values.dtype == np.float32 else np.float64).eps
        floor = _ENERGY_FLOOR * np.sqrt(precision / np.finfo(np.float64).eps)
        return _first(values <= max(self.tol, floor) ** 2)


@dataclass(frozen=True)
class RidgeStop:
    r"""Stop once what is left is lost in the ridge.

    Ridge regression on :math:`QQ^\top A` differs from that on A by the Gram matrix of the residual, set
    against α. Its trace is probed, and may reach a hundredth of α:

    .. math:: \max_{i=1,\ldots,r} \|(I - QQ^\top) A \omega^{(i)}\|^2 \le 0.01\,\alpha ,
        \qquad \mathbb{E}\,\|(I - QQ^\top) A \omega\|^2 = \|A - QQ^\top A\|_F^2 .

    Parameters
    ----------
    alpha : float
        The smallest ridge that will be used, not divided by the number of rows.
    r : int
        Probe vectors.
    """

    alpha: float
    r: int = 10
    watches: ClassVar[Watched] = "probes"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        _check_positive("alpha", self.alpha)
        _check_probes(self.r)

    def stopped_at(self, values: Array) -> int | None:
        """The first column count at which every squared probe is at most 0.01·α."""
        return _first(np.asarray(values) <= np.sqrt(_RIDGE_SHARE * self.alpha))


def _first(met: Array) -> int | None:
    return int(np.argmax(met)) if met.any() else None


def _check_positive(name: str, value: Any, zero: bool = False) -> None:
    if (
        not isinstance(value, (int, float, np.number))
        or not np.isfinite(value)
        or value < 0
        or (value == 0 and not zero)
    ):
        raise InputError(f"{name} must be a {'non-negative' if zero else 'positive'} number, got {value!r}.")


def _check_probes(r: Any) -> None:
    if not isinstance(r, (int, np.integer)) or r < 1:
        raise InputError(f"r must be a whole number of probe vectors, at least 1, got {r!r}.")
