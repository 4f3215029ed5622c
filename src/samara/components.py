"""Principal components of rows: the spectrum of their centred matrix, by whichever side of it is cheapest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh

from samara.continued import mirrored
from samara.core import Array, Block, Crew, Source
from samara.errors import InputError, NonFiniteError
from samara.linalg import EnergyStop, GradientStop, Stop, fast_svd, rsvd
from samara.linalg.operands import Operand, as_operand
from samara.sources import ArraySource, StreamSource
from samara.summaries import ColumnMoments, Layout, Moments, Profile

BLOCK_ROWS = 1024
GRAM_COLUMNS = 2500  # up to which the moments of all pairs of columns are kept as rows arrive: 50 MB
WHOLE = 6000  # rows or columns up to which a whole spectrum is worked out
LOOK_ROWS = 256  # whose mean shifts all rows, so that centring does not cancel
POWER, OVERSAMPLING = 4, 10  # of the randomized path: its leading values then agree to five digits and more
CHEAPER = 1.5  # times fewer operations at which the randomized path is taken: its products are narrower
TINY = 64 * np.finfo(float).eps  # of the largest eigenvalue: what is below is rounding

Choice = int | float | str | Stop  # a number, a share of the variance, "press", or a stop


@dataclass(frozen=True)
class Components:
    """The leading part of the spectrum of centred rows."""

    n_rows: int
    mean: Array  # (d,)
    squares: Array  # (k,) of the singular values, the largest first
    directions: Array  # (k, d), orthonormal rows
    energy: float  # ‖A‖²_F of the centred rows
    solver: str

    def cut(self, k: int) -> Components:
        """The first k."""
        return replace(self, squares=self.squares[:k], directions=_signed(self.directions[:k]))


def chosen_solver(n_rows: int, n_columns: int, choice: Choice) -> str:
    """The cheapest way to what was asked for."""
    small, large = sorted((n_rows, n_columns))
    exact = "gram" if n_columns <= n_rows else "dual"
    if isinstance(choice, int):
        whole = small**2 * large + 4.0 * small**3
        sketched = 4.0 * (1 + POWER) * n_rows * n_columns * (choice + OVERSAMPLING)
        return "random" if CHEAPER * sketched < whole else exact
    if not isinstance(choice, float | str):
        return "random"
    return exact if small <= WHOLE else "random"


def find_components(source: Source, choice: Choice, solver: str, engine: Crew, seed: int) -> Components:
    """The components asked for, by ``dual`` or ``random``; those of moments are `spectrum`'s."""
    if solver == "random":
        return _by_products(source, choice, engine, seed)
    found = _dual(_in_memory(source))
    return found.cut(count(found, choice))


def count(found: Components, choice: Choice) -> int:
    """How many of a whole spectrum are asked for; at least one."""
    n, d, most = found.n_rows, len(found.mean), min(found.n_rows, len(found.mean))
    if isinstance(choice, int):
        return _checked(choice, n, d)
    if isinstance(choice, float):
        shares = np.cumsum(found.squares) / (found.energy or 1.0)
        return min(most, 1 + int(np.searchsorted(shares, choice - 1e-12)))
    if choice == "press":
        return press_rank(found.squares[:most], n, d)
    raise InputError("A stop watches a range finder, which rows that arrive in batches have none of.")


def _checked(k: int, n_rows: int, n_columns: int) -> int:
    """Refuse more components than there can be."""
    most = min(n_rows, n_columns)
    if not 1 <= k <= most:
        raise InputError(
            f"n_components must be between 1 and {most}, the smaller of {n_rows:,} rows and "
            f"{n_columns:,} columns, got {k}."
        )
    return k


def press_rank(squares: Array, n_rows: int, n_columns: int) -> int:
    r"""The number of components with the smallest predicted error of a cell left out.

    .. math:: \mathrm{GCV}(k) = \frac{nd \sum_{j>k} \sigma_j^2}{\bigl(nd - d - k(n + d - k - 1)\bigr)^2} ,

    the closed form of Josse and Husson (2012) for PRESS: the denominator counts the free parameters of k
    centred components.
    """
    n, d, k = float(n_rows), float(n_columns), np.arange(len(squares) + 1)
    left = np.append(np.cumsum(squares[::-1])[::-1], 0.0)
    left[left <= TINY * left[0]] = 0.0
    free = n * d - d - k * (n + d - k - 1)
    scores = np.divide(left, free**2, where=free > 0, out=np.full(len(k), np.inf))
    return max(1, int(np.argmin(scores)))


def new_moments(block: Block, n_columns: int) -> Moments:
    """The moments of rows that begin with this block; its mean shifts them."""
    rows = block.features(out=np.empty((len(block), n_columns)))
    if not np.isfinite(rows).all():
        raise NonFiniteError("X contains NaN or infinity")
    layout = Layout(rows.mean(axis=0), np.zeros(0), np.ones(0), np.dtype(np.float64))
    return Moments(layout, 1, BLOCK_ROWS)


def moments_of(source: Source, engine: Crew) -> Moments:
    """Products of all pairs of columns, in one pass."""
    first = next((block for part in source.parts(1) for block in part.blocks(LOOK_ROWS)), None)
    if first is None:
        raise InputError("There are no rows.")
    like = new_moments(first, source.n_features)
    return engine.summarize(source, partial(Moments, like.layout, 1, BLOCK_ROWS), name="moments").finish()


def spectrum(moments: Moments) -> Components:
    """Every component, from the moments of the rows (they go on unharmed)."""
    moments.settle()
    gram = moments.grams[0]
    assert gram is not None
    if not (np.isfinite(gram[0]).all() and np.isfinite(np.diagonal(gram)).all()):
        raise NonFiniteError("X contains NaN, infinity or numbers too large")
    n = int(gram[0, 0])
    gap = gram[0, 1:] / n
    centred = mirrored(gram[1:, 1:])
    centred -= n * np.outer(gap, gap)
    values, vectors = eigh(centred, overwrite_a=True, check_finite=False, driver="evd")
    squares = np.maximum(values[::-1], 0.0)
    squares[squares <= TINY * squares[0]] = 0.0
    return Components(n, moments.layout.shift + gap, squares, vectors.T[::-1], float(squares.sum()), "gram")


def _dual(X: Any) -> Components:
    """Every component of fewer rows than columns: the spectrum of AAᵀ, then Aᵀu/σ."""
    n, d = X.shape
    mean = np.asarray(X.mean(axis=0), np.float64).ravel()
    if not np.isfinite(mean).all():
        raise NonFiniteError("X contains NaN or infinity")
    A = None if sparse.issparse(X) else np.asarray(X, np.float64) - mean
    K = _sparse_products(X, mean) if A is None else A @ A.T
    energy = float(np.trace(K))
    values, vectors = eigh(K, overwrite_a=True, check_finite=False, driver="evd")
    squares, U = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    good = int(np.count_nonzero(squares > n * TINY * squares[0]))
    U = np.ascontiguousarray(U[:, :good])
    V = A.T @ U if A is not None else np.asarray(X.T @ U) - np.outer(mean, U.sum(axis=0))
    V /= np.sqrt(squares[:good])
    # Directions that no row has, at least one since the rows are centred, complete the basis.
    rng = np.random.default_rng(0)
    rest = rng.standard_normal((d, n - good))
    for _ in range(2):
        rest -= V @ (V.T @ rest)
    squares[good:] = 0.0
    return Components(n, mean, squares, np.vstack([V.T, np.linalg.qr(rest)[0].T]), energy, "dual")


def _sparse_products(X: Any, mean: Array) -> Array:
    """AAᵀ of centred sparse rows, which stay sparse."""
    along = np.asarray(X @ mean)
    K: Array = (X @ X.T).toarray().astype(np.float64)
    return np.asarray(K - along[:, None] - along + mean @ mean)


def _by_products(source: Source, choice: Choice, engine: Crew, seed: int) -> Components:
    """Components from products with a few vectors at a time: the blocked range finder."""
    look = engine.summarize(source, Profile, name="look")
    if isinstance(source, StreamSource) and source.counts is None:
        source = replace(source, guess=look.n_rows)
    A = Centred(as_operand(_matrix(source)), look.inputs)
    if isinstance(choice, int):
        found = rsvd(A, _checked(choice, *A.shape), OVERSAMPLING, POWER, random_state=seed)
    else:
        found = fast_svd(A, _stop(choice), random_state=seed)
    squares, directions = _turned(A, found.Vt if len(found.s) else np.eye(1, A.shape[1]))
    mean = look.inputs.mean
    # Of rows that are all the same, rounding is left.
    squares[squares <= A.shape[0] * (8 * np.finfo(float).eps) ** 2 * (mean @ mean)] = 0.0
    made = Components(A.shape[0], mean, squares, directions, A.squared_norm(), "random")
    kept = count(made, choice) if isinstance(choice, float) else len(squares)
    return made.cut(min(kept, len(squares)))


def _turned(A: Centred, Vt: Array) -> tuple[Array, Array]:
    """Squares along the directions of AV, and these: one product more, and they are what V really holds."""
    Y = A.times(np.ascontiguousarray(Vt.T, np.float64))
    values, turn = eigh(Y.T @ Y, check_finite=False)
    return np.maximum(values[::-1], 0.0), np.asarray(turn.T[::-1] @ Vt)


def _stop(choice: Choice) -> Stop:
    if isinstance(choice, float):
        return EnergyStop(max(np.sqrt(1 - choice), 1e-7))
    return GradientStop() if isinstance(choice, str | int) else choice


def _matrix(source: Source) -> Any:
    """What products are taken with: the array itself, where it is in memory as it is."""
    return source.X if isinstance(source, ArraySource) and not source.maps else source


def _in_memory(source: Source) -> Any:
    """The rows as one matrix: they are fewer than the columns."""
    X = _matrix(source)
    if X is not source:
        return X
    rows = [np.array(block.inputs()) for part in source.parts(1) for block in part.blocks(BLOCK_ROWS)]
    return np.concatenate(rows)


class Centred:
    """A matrix less the means of its columns, known by its products; nothing is copied, sparse stays so."""

    def __init__(self, A: Operand, moments: ColumnMoments) -> None:
        self._A, self._mean = A, moments.mean
        self._energy = float(moments.squares.sum())
        self.shape, self.dtype, self.least_columns = A.shape, np.dtype(np.float64), A.least_columns

    def times(self, V: Array) -> Array:
        """(A − 1μᵀ)V."""
        Y: Array = self._A.times(V.astype(self._A.dtype, copy=False)).astype(np.float64, copy=False)
        Y -= self._mean @ V
        return Y

    def left_times(self, U: Array) -> Array:
        """Uᵀ(A − 1μᵀ)."""
        B: Array = self._A.left_times(U.astype(self._A.dtype, copy=False)).astype(np.float64, copy=False)
        B -= np.outer(U.sum(axis=0), self._mean)
        return B

    def squared_norm(self) -> float:
        """Known from the look that found the means."""
        return self._energy


class Arriving:
    """The leading components of rows too wide for moments, brought up to date block by block.

    The rows so far stand in for themselves as diag(σ)Vᵀ, with their weighted step from one mean to the next
    as one more row: what was cut off is lost, so more directions are kept than are asked for.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._moments = ColumnMoments()
        self._n_rows = 0
        self._root: Array | None = None  # diag(σ)Vᵀ

    def update(self, X: Array) -> None:
        """Add rows."""
        moments = ColumnMoments.of(X, None)
        pieces = [X - moments.mean]
        if self._root is not None:
            share = self._n_rows * len(X) / (self._n_rows + len(X))
            pieces += [self._root, np.sqrt(share) * (self._moments.mean - moments.mean)[None]]
        _, s, Vt = np.linalg.svd(np.vstack(pieces), full_matrices=False)
        self._root = s[: self._keep, None] * Vt[: self._keep]
        self._moments.merge(moments)
        self._n_rows += len(X)

    def components(self) -> Components:
        """What is known so far."""
        assert self._root is not None
        squares = np.einsum("ij,ij->i", self._root, self._root)
        norms = np.sqrt(np.maximum(squares, np.finfo(float).tiny))
        energy = float(self._moments.squares.sum())
        return Components(
            self._n_rows, self._moments.mean, squares, self._root / norms[:, None], energy, "update"
        )


def _signed(directions: Array) -> Array:
    """The largest entry of each positive, as scikit-learn has it."""
    largest = np.argmax(np.abs(directions), axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return np.asarray(directions * np.where(signs == 0, 1.0, signs)[:, None])
