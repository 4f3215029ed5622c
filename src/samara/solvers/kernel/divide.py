"""`divide`: random parts solved on their own, their models averaged (Schindler, section 2.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg.workers import in_threads
from samara.solvers.kernel.exact import Exact
from samara.solvers.kernel.matrix import STRIP
from samara.solvers.kernel.task import DualFactor, KernelTask, Solution

PART_ROWS = 4000  # of a part, where their number is not given: a matrix of 128 MB


@dataclass(frozen=True)
class Divide:
    """m random parts, each solved exactly with the ridge of all rows, averaged (Zhang, Duchi, Wainwright).

    The ridge is that of a row's share, α/n: a part of n/m rows gets α/m. Each part so fits its rows more
    closely than it would on its own; the mean takes the noise out again.
    A ridge is scored on each row by the mean of the parts that have not seen it.

    Parameters
    ----------
    parts : int or None
        How many; None: of at most 4000 rows each.
    """

    parts: int | None = None
    name = "divide"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        if self.parts is not None and self.parts < 1:
            raise InputError(f"parts must be at least 1, got {self.parts!r}.")

    def count(self, n: int) -> int:
        """How many parts n rows make."""
        return min(n, self.parts) if self.parts else -(-n // PART_ROWS)

    def _pieces(self, task: KernelTask) -> list[Array]:
        """Parts as equal as can be, at random, copies of a row in one."""
        count = self.count(task.n)
        if task.keys is None:
            order = task.rng().permutation(task.n)
            return [np.sort(piece) for piece in np.array_split(order, count)]
        distinct, label = np.unique(task.keys, return_inverse=True)
        order = task.rng().permutation(len(distinct))
        part = np.empty(len(distinct), np.intp)
        for number, piece in enumerate(np.array_split(order, min(count, len(distinct)))):
            part[piece] = number
        return [np.flatnonzero(part[label] == number) for number in range(min(count, len(distinct)))]

    def __call__(self, task: KernelTask) -> Divided:
        """Solve the parts one after another."""
        pieces = self._pieces(task)
        # Ridges in proportion to the trace of all rows are not known to a part: it must be ready for any.
        return Divided(task, pieces, [Exact()(part_of(task, piece, 1 / len(pieces))) for piece in pieces])


def part_of(task: KernelTask, rows: Array, share: float) -> KernelTask:
    """The task of some rows, with their share of the ridge."""
    return replace(
        task,
        gramian=task.gramian.part(rows),
        targets=task.targets[rows],
        weights=None if task.weights is None else task.weights[rows],
        keys=None,
        alphas=None if task.alphas is None else tuple(alpha * share for alpha in task.alphas),
    )


@dataclass
class Divided:
    """The factors of the parts."""

    task: KernelTask
    pieces: Sequence[Array]
    factors: Sequence[DualFactor]
    error: float = 0.0  # spread of the parts' predictions, relative to that of the targets
    _solved: dict[float, list[Solution]] = field(default_factory=dict, repr=False)

    @property
    def rank(self) -> int:
        """Rows of the largest part."""
        return max(map(len, self.pieces))

    @property
    def trace(self) -> float:
        """Of all parts together: that of the whole matrix, but for the centring."""
        return sum(factor.trace for factor in self.factors)

    def condition(self, alpha: float) -> float:
        """Of the worst part."""
        return max(factor.condition(alpha / len(self.pieces)) for factor in self.factors)

    def solve(self, alpha: float) -> Solution:
        """The mean of the parts' models."""
        share = 1 / len(self.pieces)
        solutions = self._solutions(alpha)
        coef = np.zeros_like(self.task.targets)
        for piece, solution in zip(self.pieces, solutions, strict=True):
            coef[piece] = share * solution.coef
        means = np.mean([solution.intercept for solution in solutions], axis=0)
        if len(self.pieces) > 1:
            self.error = self._disagreement(solutions)
        return Solution(coef, means)

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """Errors on each row of the mean of the parts that do not hold it; of one part, leave-one-out."""
        if len(self.pieces) == 1:
            return self.factors[0].left_out(alpha, groups)
        own, total = self._predictions(self._solutions(alpha))
        others = (total - own) / (len(self.pieces) - 1)
        return np.asarray(self.task.roots[:, None] * (self.task.targets - others))

    def _solutions(self, alpha: float) -> list[Solution]:
        if alpha not in self._solved:
            own = alpha / len(self.pieces)  # the ridge goes with the sum over the rows
            self._solved = {alpha: [factor.solve(own) for factor in self.factors]}
        return self._solved[alpha]

    def _predictions(self, solutions: Sequence[Solution]) -> tuple[Array, Array]:
        """Of each row, by its own part and by all parts together."""
        n, t = self.task.targets.shape
        own, total = np.empty((n, t)), np.zeros((n, t))
        for piece, solution in zip(self.pieces, solutions, strict=True):
            made = self._by_part(piece, solution)
            own[piece] = made[piece]
            total += made
        return own, total

    def _by_part(self, piece: Array, solution: Solution) -> Array:
        """Predictions of all rows by one part's model, a strip at a time."""
        gramian = self.task.gramian
        made = np.empty(self.task.targets.shape)

        def run(lo: int) -> None:
            rows = slice(lo, min(lo + STRIP, len(made)))
            made[rows] = gramian.tile(rows, piece) @ solution.coef + solution.intercept

        in_threads(run, range(0, len(made), STRIP), self.task.workers)
        return made

    def _disagreement(self, solutions: Sequence[Solution]) -> float:
        """Standard error of the mean of the parts on some rows, relative to the spread of the targets."""
        rows = np.linspace(0, self.task.n - 1, min(self.task.n, 4 * STRIP)).astype(int)
        made = np.stack(
            [
                self.task.gramian.tile(rows, piece) @ solution.coef + solution.intercept
                for piece, solution in zip(self.pieces, solutions, strict=True)
            ]
        )
        spread = float(np.std(self.task.targets)) or 1.0
        return float(np.sqrt(np.mean(made.var(axis=0, ddof=1) / len(made))) / spread)
