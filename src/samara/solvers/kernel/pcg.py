"""`pcg`: the full kernel system by conjugate gradients, preconditioned by randomly pivoted Cholesky."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from samara.core import Array
from samara.errors import ConvergenceWarning, InputError
from samara.linalg.conjugate import ConjugateResult, NystroemPreconditioner, conjugate_gradients
from samara.linalg.pivoted import PivotedCholesky, pivoted_cholesky
from samara.linalg.ranges import checked_count
from samara.solvers.kernel.matrix import Products
from samara.solvers.kernel.spectral import Spectral
from samara.solvers.kernel.task import KernelTask, Solution

ENTRY, KEPT = 40.0, 15.0  # flops that a kernel entry takes the time of, made anew or read from memory
FLOOR = 1e-7  # of the mean eigenvalue: the smallest ridge of the grid


@dataclass(frozen=True)
class Pcg:
    """(K + αI)c = y by conjugate gradients; K is never stored, but for the tiles that the memory holds.

    The preconditioner is K's pivoted Cholesky factor of rank k. Its trace error gives the iterations
    beforehand, ½√(1 + tr(K − K̂)/α)·ln(2/tol), so k grows until a block costs more than it saves. Among
    several ridges the factor chooses, by exact leave-one-out of K̂ with the mean eigenvalue of what it leaves
    in all other directions; the system solved is the full one.

    Parameters
    ----------
    tol : float
        Relative residual ‖(K + αI)c − y‖/‖y‖ at which a target is done.
    max_iter : int
        Most iterations.
    """

    tol: float = 1e-4
    max_iter: int = 500
    name = "pcg"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        checked_count("max_iter", self.max_iter)
        if not 0 < self.tol < 1:
            raise InputError(f"tol must lie between 0 and 1, got {self.tol!r}.")

    def __call__(self, task: KernelTask) -> Iterated:
        """Make the preconditioner."""
        if task.alphas is not None and min(task.alphas) == 0:
            raise InputError('solver="pcg" needs a ridge above 0: use solver="exact".')
        try:
            pivoted = self._pivoted(task)
        except InputError as refused:
            advice = 'solver="pcg" needs a positive definite kernel: use solver="exact" or "nystroem".'
            raise InputError(f"{advice} {refused}") from refused
        project_off(task.constant, pivoted.F)
        rounding = task.n * np.finfo(np.float64).eps * float(pivoted.history[0])
        left = pivoted.error if pivoted.error > rounding else 0.0
        return Iterated(task, self, NystroemPreconditioner(pivoted.F, 1.0, overwrite=True), left)

    def _pivoted(self, task: KernelTask) -> PivotedCholesky:
        n, rank = task.n, task.columns(task.n)
        diagonal = float(task.matrix.diagonal().sum(dtype=np.float64))
        ridge = max(min(task.alphas) if task.alphas else FLOOR * diagonal, 1e-14 * diagonal)
        kept = min(1.0, task.spare / (n * n / 2 * task.gramian.dtype.itemsize))
        per_step = n * n / 2 * (ENTRY * (1 - kept) + KEPT * kept)
        block = 128

        def steps(left: float) -> float:
            return float(0.5 * np.sqrt(1 + left / ridge) * np.log(2 / self.tol))

        seen: list[tuple[int, float]] = []

        def pays(size: int, left: float) -> bool:
            """Whether the next block saves more than it costs, should the trace go on falling as it did."""
            seen.append((size, left))
            if len(seen) < 2 or left <= 0:
                return left > 0
            fall = left / seen[-2][1]
            cost = block * n * (ENTRY + 2 * size + block) + steps(left) * 4 * n * block
            return (steps(left) - steps(left * fall)) * (per_step + 4 * n * size) > cost

        return pivoted_cholesky(
            task.matrix,
            min(n, task.most) if rank is None else rank,
            block=block,
            random_state=task.rng(),
            # A factor that chooses among ridges stands for the kernel; one that only speeds up need not.
            grow=pays if rank is None and task.alphas is not None and len(task.alphas) == 1 else None,
        )


def project_off(u: Array | None, F: Array) -> None:
    """Take u out of the rows of F where they lie: F is the largest array of all."""
    if u is None:
        return
    for row in F:
        along = float(row @ u)
        row -= along * u
        if np.linalg.norm(row) <= len(row) * np.finfo(F.dtype).eps * abs(along):
            row[:] = 0


@dataclass
class Iterated:
    """The preconditioner, and the system that is solved for each ridge asked for."""

    task: KernelTask
    solver: Pcg
    preconditioner: NystroemPreconditioner
    error: float  # trace of K − K̂ of the preconditioner
    residual: float = 0.0
    n_iter: int = 0
    _approximate: Spectral = field(init=False, repr=False)

    def __post_init__(self) -> None:
        made, n = self.preconditioner, self.task.n
        others = n - self.task.fit_intercept - len(made.squares)  # directions that share what is left
        beyond = self.error / others if others > 0 else 0.0
        self._approximate = Spectral(self.task, made.U, made.squares, np.zeros(n), beyond=beyond)

    @property
    def rank(self) -> int:
        """Columns of the preconditioner."""
        return self._approximate.rank

    @property
    def trace(self) -> float:
        """Of K: that of the approximation and what it leaves."""
        return self._approximate.trace + self.error

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """Errors of the approximation's models."""
        return self._approximate.left_out(alpha, groups)

    def condition(self, alpha: float) -> float:
        """Condition number of K̂ + αI."""
        return self._approximate.condition(alpha)

    def solve(self, alpha: float) -> Solution:
        """The model of one ridge, to the tolerance; warns where it was not reached."""
        task, products = self.task, Products(self.task)
        Ku = products.with_constant(np.zeros((task.n, 0)))[1]
        done = self._iterate(alpha, products)
        self.residual, self.n_iter = float(np.max(done.residuals, initial=0.0)), done.n_iter
        if not done.converged:
            warnings.warn(
                f"pcg ended after {done.n_iter} iterations with a relative residual of {self.residual:.1e}, "
                f"not {self.solver.tol:.1e}. Allow more iterations, a larger rank or a larger ridge"
                + (', or use dtype="float64".' if task.gramian.dtype == np.float32 else "."),
                ConvergenceWarning,
                stacklevel=2,
            )
        return task.solution(done.X, Ku)

    def _iterate(self, alpha: float, products: Products) -> ConjugateResult:
        report, expected = (
            self.task.report,
            0.5 * np.sqrt(1 + self.error / alpha) * np.log(2 / self.solver.tol),
        )
        total = int(min(self.solver.max_iter, max(expected, 1)))

        def step(number: int, residual: float) -> None:
            if report:
                report(f"pcg; residual {residual:.1e}", 1, max(total, number))

        precise = products
        if self.task.gramian.dtype == np.float32:  # entries of float32 are good for four digits or so
            precise = Products(replace(self.task, gramian=self.task.gramian.in_double(), spare=0))
        return conjugate_gradients(
            (lambda P: products(P) + alpha * P, lambda P: precise(P) + alpha * P),
            self.task.Y,
            precondition=self.preconditioner.for_ridge(alpha),
            tol=self.solver.tol,
            max_iter=self.solver.max_iter,
            on_step=step,
        )
