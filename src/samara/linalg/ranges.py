"""Range finders: an orthonormal Q with A ≈ QQᵀA whose width a stop decides.

The columns are made in blocks, because a product with one vector reads all of A for two operations a
number. The meaning stays that of one column at a time: with Y = AΩ = QR, what j columns leave of yᵢ has the
norm of column i of R from row j + 1 on, so that every stop finds the value it would have watched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg.basis import Basis
from samara.linalg.operands import Operand, as_operand, product
from samara.linalg.stops import ErrorStop, Stop
from samara.linalg.watches import Watch, make_watch

RandomState = int | np.random.Generator | None

# Probes behind an error estimate. Where one direction is left, their mean is χ²₃₀/30: out by a factor 4, a
# factor 2 in the norm, in one case of a million.
ERROR_PROBES = 30
_ERROR_STOP = ErrorStop()


@dataclass(frozen=True)
class RangeResult:
    """An orthonormal basis Q with A ≈ QQᵀA.

    Attributes
    ----------
    Q : ndarray of shape (m, rank)
        Orthonormal columns.
    history : ndarray of shape (rank + 1,)
        What the stop watched after 0, 1, … columns.
    error : float
        Estimate of ‖A − QQᵀA‖_F.
    met : bool
        Whether the stop was met. Where it was not, Q has ``max_rank`` columns, or as many as A has
        directions above the rounding error.
    """

    Q: Array
    history: Array
    error: float
    met: bool

    @property
    def rank(self) -> int:
        """Number of columns."""
        return int(self.Q.shape[1])


def range_finder(
    A: Any, stop: Stop = _ERROR_STOP, *, random_state: RandomState = None, max_rank: int | None = None
) -> RangeResult:
    r"""Find an orthonormal Q with A ≈ QQᵀA, as wide as the stop asks for.

    .. math:: \|A - QQ^\top A\| \le \epsilon , \qquad
        Q = \operatorname{orth}(A\omega^{(1)}, \ldots, A\omega^{(k)}), \quad \omega^{(i)} \sim N(0, I) .

    With ``ErrorStop`` this is Algorithm 2 of Jankowski and Linowiecki, with ``GradientStop`` their
    Algorithm 4. The columns are made in blocks, but counted as if they came one at a time.

    Parameters
    ----------
    A : array, sparse matrix, linear operator or Source, of shape (m, n)
        Read only through products with it. float32 stays float32; a source is read block by block, its
        targets and weights are ignored.
    stop : ErrorStop, GradientStop, EnergyStop or RidgeStop
        When to stop.
    random_state : int, Generator or None
        Where Ω comes from. It is drawn column after column.
    max_rank : int, optional
        The most columns; min(m, n) unless given.

    Returns
    -------
    RangeResult
        Q, the watched values, an error estimate and whether the stop was met.

    Notes
    -----
    A range that is exhausted, so that the probes are rounding errors, ends the search whatever the stop
    says: the literal algorithm would go on to divide noise by its norm.
    """
    operand, rng = as_operand(A), np.random.default_rng(random_state)
    found = find_range(operand, stop, rng, max_rank)
    return RangeResult(found.Q, found.history, probed_error(operand, found, rng), found.met)


@dataclass(frozen=True)
class Found:
    """A basis, and what was seen on the way to it."""

    Q: Array
    B: Array | None  # QᵀA, where the stop needed it
    history: Array
    met: bool
    squares: Array  # of what Q leaves of probes that did not decide where it ends, or hardly


def find_range(A: Operand, stop: Stop, rng: np.random.Generator, max_rank: int | None) -> Found:
    """Widen a basis block by block until the stop is met, the range exhausted or the rank reached."""
    stop.validate()
    limit = min(A.shape) if max_rank is None else checked_rank(max_rank, A.shape, "max_rank")
    watch = make_watch(A, stop, limit)
    basis = Basis(A.shape[0], A.dtype)
    while True:
        # Wider towards the end: fewer passes, at most a fourth of the columns for nothing.
        width = max(5 * stop.r, A.least_columns, basis.size // 4)
        Y = product(A, gaussian(rng, A, min(width, watch.most - watch.drawn)))
        T = basis.extend(Y)
        watch.add(T, basis)
        count, met = _ends(watch, stop, limit)
        if count is not None:
            break
    first = watch.drawn - T.shape[1]
    squares = column_squares(T[count:, max(0, count - first) :])
    history = watch.values[: count + 1]
    return Found(basis.columns[:, :count], watch.rows(count), history, met, squares)


def _ends(watch: Watch, stop: Stop, limit: int) -> tuple[int | None, bool]:
    """Column count at which it ends, if it does, and whether the stop is met there."""
    values = watch.values
    stopped = stop.stopped_at(values)
    exhausted = watch.exhausted_at()
    if stopped is not None and (exhausted is None or stopped <= exhausted):
        return stopped, True
    if exhausted is not None:
        return exhausted, False
    return (limit, False) if len(values) > limit else (None, False)


def probed_error(A: Operand, found: Found, rng: np.random.Generator) -> float:
    """Estimate of ‖A − QQᵀA‖_F: the root mean square of probes, as E‖(A − QQᵀA)ω‖² is its square."""
    squares, missing = found.squares, ERROR_PROBES - len(found.squares)
    if missing > 0:
        Y = product(A, gaussian(rng, A, missing))
        Y -= found.Q @ (found.Q.T @ Y)
        squares = np.concatenate([squares, column_squares(Y)])
    return float(np.sqrt(squares.mean()))


def column_squares(Y: Array) -> Array:
    """Squared norms of the columns, in float64."""
    return np.asarray(np.sum(np.square(Y, dtype=np.float64), axis=0))


def gaussian(rng: np.random.Generator, A: Operand, width: int) -> Array:
    """Columns of Ω, drawn one after another so that the width of the blocks does not change them."""
    return rng.standard_normal((width, A.shape[1]), dtype=A.dtype.type).T


def checked_rank(rank: Any, shape: tuple[int, int], name: str = "rank") -> int:
    """Refuse a rank that a matrix of this shape can't have."""
    most = min(shape)
    if not isinstance(rank, (int, np.integer)) or not 1 <= rank <= most:
        raise InputError(
            f"{name} must be a whole number from 1 to {most}, the smaller dimension of A, got {rank!r}."
        )
    return int(rank)


def checked_count(name: str, value: Any) -> int:
    """Refuse what is not a number of things."""
    if not isinstance(value, (int, np.integer)) or value < 0:
        raise InputError(f"{name} must be a whole number, at least 0, got {value!r}.")
    return int(value)
