"""Preconditioned conjugate gradients for several right-hand sides, and the preconditioner of a low rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from samara.core import Array
from samara.errors import InputError
from samara.linalg.blas import add_outer, multiply
from samara.linalg.room import room

Product = Callable[[Array], Array]

# The recurrence and the true residual part by rounding; a tenth below the tolerance costs less than one
# step, a restart for the last digit costs a whole search.
_MARGIN = 0.9
_ROUNDS = 6  # of recurrences, each from a true residual; a float32 product gains 3 to 6 digits in each
_GAIN = 0.5  # a round that leaves more than this share of the residual has met the rounding of the product


@dataclass(frozen=True)
class ConjugateResult:
    """Solutions, and how good they are.

    Attributes
    ----------
    X : ndarray of the shape of Y
        The solutions.
    residuals : ndarray of shape (t,)
        ‖y − (K + αI)x‖/‖y‖ of each column, from a product with x itself.
    n_iter : int
        Steps taken by the slowest column.
    history : ndarray of shape (n_iter + 1,)
        The largest relative residual at the start and after each step, as the recurrence has it.
    converged : bool
        Whether every residual is at most the tolerance.
    """

    X: Array
    residuals: Array
    n_iter: int
    history: Array
    converged: bool


def conjugate_gradients(  # noqa: PLR0913 - what is solved, how far, and who is told
    apply: Product | tuple[Product, Product],
    Y: Array,
    *,
    precondition: Product | None,
    tol: float,
    max_iter: int,
    start: Array | None = None,
    on_step: Callable[[int, float], Any] | None = None,
) -> ConjugateResult:
    r"""Solve (K + αI)X = Y for a positive definite matrix that is known through products with it.

    .. math:: x \leftarrow x + \frac{r^\top z}{p^\top (K + \alpha I) p}\, p , \qquad z = P^{-1} r .

    Each column has its own step lengths and leaves the product once its residual is small. What the
    recurrences claim is then checked by one product with all the solutions, and columns that are not there
    yet start again from their true residual, which recovers what a product in float32 has lost.

    Parameters
    ----------
    apply : callable or two of them
        (K + αI)P for an (n, m) float64 array P, in any precision. Of two the first is for the steps, the
        second for the true residuals: the solutions are then as good as that one.
    Y : ndarray of shape (n,) or (n, t)
        Right-hand sides.
    precondition : callable or None
        P⁻¹R for an (n, m) array R.
    tol : float
        Relative residual that every column is to reach.
    max_iter : int
        The most steps.
    start : ndarray of the shape of Y, optional
        Where to start; costs one product. 0 unless given.
    on_step : callable, optional
        ``on_step(iteration, largest_relative_residual)`` after each step; may raise to interrupt.

    Returns
    -------
    ConjugateResult
        Solutions and true residuals.

    Raises
    ------
    ArithmeticError
        A product or the preconditioner gave a NaN or an infinity.
    """
    right = _checked(Y, start, tol, max_iter)
    search = _Search(apply, precondition or np.copy, right, on_step)
    if start is not None:
        search.X[...] = start.reshape(right.shape)
        search.X[:, search.norms == 0] = 0
        search.check(np.arange(right.shape[1]))
    search.history.append(search.largest())
    for _ in range(_ROUNDS):
        open_columns = np.flatnonzero(search.worth_it & (search.relative > tol))
        if not len(open_columns) or search.n_iter >= max_iter:
            break
        search.attempt(open_columns, _MARGIN * tol, max_iter)
    met = bool((search.relative <= tol).all())
    return ConjugateResult(
        search.X.reshape(Y.shape), search.relative, search.n_iter, np.array(search.history), met
    )


def _checked(Y: Array, start: Array | None, tol: float, max_iter: int) -> Array:
    """The right-hand sides as float64 columns."""
    if Y.ndim not in (1, 2) or not np.isfinite(Y).all():
        raise InputError(f"Y must hold one or two dimensions of finite numbers, got shape {Y.shape}.")
    if start is not None and start.shape != Y.shape:
        raise InputError(f"start must have the shape of Y, {Y.shape}, got {start.shape}.")
    if not tol > 0 or max_iter < 0:
        raise InputError(f"tol must be above 0 and max_iter at least 0, got {tol!r} and {max_iter!r}.")
    return np.array(Y.reshape(len(Y), -1), np.float64, order="C")


class _Search:
    """All columns, between rounds of recurrences."""

    def __init__(
        self, apply: Product | tuple[Product, Product], precondition: Product, Y: Array, on_step: Any
    ) -> None:
        self.apply, self.precise = apply if isinstance(apply, tuple) else (apply, apply)
        self.precondition, self.on_step = precondition, on_step
        self.Y, self.X = Y, np.zeros_like(Y)
        self.R = Y.copy()  # the true residuals of X
        self.norms = np.sqrt(_dots(Y, Y))
        self.relative = (self.norms > 0).astype(np.float64)
        self.worth_it = np.ones(len(self.norms), bool)  # columns that a further round may improve
        self.n_iter = 0
        self.history: list[float] = []

    def largest(self) -> float:
        return float(self.relative.max(initial=0))

    def check(self, columns: Array) -> None:
        """Replace the residuals of some columns by those of a product with their solutions."""
        exact = self.precise(np.ascontiguousarray(self.X[:, columns]))
        R = self.Y[:, columns] - np.asarray(exact, np.float64)
        norms = np.sqrt(_finite(_dots(R, R), "product"))
        self.R[:, columns] = R
        self.relative[columns] = norms / np.where(self.norms[columns] > 0, self.norms[columns], 1)

    def attempt(self, columns: Array, target: float, max_iter: int) -> None:
        """A round of recurrences; where it only gathered rounding errors, the columns are as before."""
        X, R, relative = self.X[:, columns], self.R[:, columns], self.relative[columns]
        self.advance(columns, target, max_iter)
        self.check(columns)
        self.worth_it[columns] = self.relative[columns] <= _GAIN * relative
        # Out of steps is another matter: residuals rise before they fall, while the errors only fall.
        worse = (self.relative[columns] > relative) & (self.n_iter < max_iter)
        back = columns[worse]
        self.X[:, back], self.R[:, back], self.relative[back] = X[:, worse], R[:, worse], relative[worse]

    def advance(self, columns: Array, target: float, max_iter: int) -> None:
        """Conjugate gradients on some columns until each claims the target, breaks down or time is up."""
        R = self.R[:, columns]
        P, rz = self._direction(R)
        while len(columns) and self.n_iter < max_iter:
            AP = self._product(P)
            curvature = _finite(_dots(P, AP), "product")
            # Only rounding, or a matrix that is not positive definite, gives a direction without curvature.
            sound = (curvature > 0) & (rz > 0)
            step = np.where(sound, rz, 0) / np.where(sound, curvature, 1)
            self.X[:, columns] += P * step
            R = R - AP * step  # not in place: a preconditioner may have returned R itself as P
            self.relative[columns] = np.sqrt(_dots(R, R)) / self.norms[columns]
            stays = sound & (self.relative[columns] > target)
            self._count_step()
            if not stays.all():
                columns, R, P, rz = columns[stays], R[:, stays], P[:, stays], rz[stays]
            if len(columns):
                Z, rz_next = self._direction(R)
                P, rz = Z + P * (rz_next / rz), rz_next

    def _count_step(self) -> None:
        self.n_iter += 1
        self.history.append(self.largest())
        if self.on_step is not None:
            self.on_step(self.n_iter, self.history[-1])

    def _product(self, P: Array) -> Array:
        return np.asarray(self.apply(np.ascontiguousarray(P)), np.float64)

    def _direction(self, R: Array) -> tuple[Array, Array]:
        """P⁻¹R, and the products of its columns with those of R."""
        Z = np.asarray(self.precondition(np.ascontiguousarray(R)), np.float64)
        return Z, _finite(_dots(R, Z), "preconditioner")


def _dots(A: Array, B: Array) -> Array:
    """aᵀb for the columns of A and B."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.einsum("ij,ij->j", A, B))


def _finite(values: Array, name: str) -> Array:
    if not np.isfinite(values).all():
        raise ArithmeticError(f"Conjugate gradients stopped: the {name} gave a NaN or an infinity.")
    return values


class NystroemPreconditioner:
    r"""The inverse of a low-rank approximation with a ridge.

    .. math:: P^{-1} v = \frac{v}{\alpha} + U\left(\left(\frac{1}{S^2 + \alpha} - \frac{1}{\alpha}\right)
        \circ U^\top v\right) , \qquad F^\top F = U S^2 U^\top .

    The condition number of P⁻¹(K + αI) is at most 1 + tr(K − FᵀF)/α.

    Parameters
    ----------
    F : ndarray of shape (k, n)
        K ≈ FᵀF, as from ``pivoted_cholesky``.
    alpha : float
        The ridge, above 0; below 1e-13 of the largest S² the difference in the formula is rounding error.
    overwrite : bool
        Whether U may take the place of F, where F is float64.

    Attributes
    ----------
    squares : ndarray of shape (k',)
        S², the largest first, without those that are rounding errors.
    alpha : float
        The ridge.
    """

    def __init__(self, F: Array, alpha: float, *, overwrite: bool = False) -> None:
        self.alpha = _checked_ridge(alpha)
        self._U, self.squares = _decomposed(F, overwrite)

    @property
    def U(self) -> Array:  # noqa: N802 - a matrix
        """Eigenvectors of FᵀF, (n, k')."""
        return self._U.T

    def __call__(self, R: Array) -> Array:
        """P⁻¹R for the columns of R."""
        right = np.array(R.reshape(len(R), -1), np.float64, order="C")
        inner = multiply(self._U, right, np.zeros((len(self.squares), right.shape[1])))
        inner *= (-self.squares / (self.squares + self.alpha))[:, None]
        right = multiply(self._U.T, inner, right, 1 / self.alpha, 1 / self.alpha)
        return right.reshape(R.shape)

    def for_ridge(self, alpha: float) -> NystroemPreconditioner:
        """The same approximation with another ridge; shares U and S."""
        made = object.__new__(NystroemPreconditioner)
        made.alpha, made._U, made.squares = _checked_ridge(alpha), self._U, self.squares
        return made


def _checked_ridge(alpha: float) -> float:
    if not 0 < alpha < np.inf:
        raise InputError(f"A preconditioner needs a ridge above 0, got {alpha!r}.")
    return float(alpha)


def _decomposed(F: Array, overwrite: bool, columns: int = 4096) -> tuple[Array, Array]:
    """Uᵀ and S² of FᵀF = US²Uᵀ, from the eigenvectors W of FFᵀ: Uᵀ = S⁻¹WᵀF.

    The columns of U for small S are orthogonal only to eps·max(S²)/S². P⁻¹ weighs them by S²/(S² + α), so
    that this matters no sooner than the rounding of 1 − max(S²)/(max(S²) + α) does.
    """
    k, n = F.shape
    if not k:
        return np.zeros((0, n)), np.zeros(0)
    gram = np.zeros((k, k))
    edges = range(0, n, columns)
    for lo in edges:
        add_outer(np.asarray(F[:, lo : lo + columns], np.float64), gram)
    squares, W = eigh(gram, lower=False, check_finite=False)
    kept = np.flatnonzero(squares > k * np.finfo(float).eps * squares[-1])[::-1]
    weights = np.ascontiguousarray((W[:, kept] / np.sqrt(squares[kept])).T)
    in_place = overwrite and F.dtype == np.float64 and F.flags.c_contiguous
    U = F[: len(kept)] if in_place else room((len(kept), n))
    for lo in edges:
        part = np.array(F[:, lo : lo + columns], np.float64, order="C")
        multiply(weights, part, U[:, lo : lo + columns])
    return U, squares[kept]
