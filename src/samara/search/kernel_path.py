"""Kernel models on the rows of a search: rounds of a learned metric, every ridge worth trying in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.distance import pdist

from samara.core import Array
from samara.engines import Threads
from samara.gradients import gradient_outer_product
from samara.linalg.blas import factor_upper, solve_upper
from samara.linalg.workers import in_threads
from samara.maps import Gramian, Kernel, KernelRows, metric_map
from samara.metric_fit import normalized, root_of
from samara.model import Model
from samara.search.candidates import Choice, GoesOn, Tried, scales_in_words
from samara.search.clock import Clock
from samara.search.rows import Fold, SearchRows, n_folds
from samara.search.scales import DOUBLE, scaling
from samara.sources import ArraySource
from samara.summaries.profile import ColumnMoments

MEDIAN_ROWS = 500  # whose distances give the median
FEW_ROWS = 1000
GRADIENT_ROWS = 1000  # at which the gradients are taken: half as many gave the same metrics to a few percent
GRADIENT_BLOCK = 256  # of these at a time
FIRST_RIDGE = {False: 1e-2, True: 0.1}  # of numbers and of classes, which are noisier
RIDGE_STEP = {False: 10.0, True: 5.0}
FALLS = 2e-3  # share of an error by which it must fall for the next ridge to be worth a system
LEAST_RIDGE, LARGEST_RIDGE = 1e-7, 1e3


def threads_of_rows(n_rows: int, workers: int) -> int:
    """Threads for some rows: of few, one, for the others would be waited for longer than they work."""
    return workers if n_rows >= FEW_ROWS else 1


def kernel_bytes(n: int, most: tuple[int, int], n_inputs: int, workers: int) -> int:
    """What kernels take on the rows of a search: the matrices of all folds, and two more a thread.

    Gradients and the rows themselves count too, these three times as they are gathered, and scaled a fold.
    """
    rows = min(n, sum(most))
    folds = n_folds(n, most)
    fit = rows * (folds - 1) // folds if folds > 1 else min(rows, most[0])
    scored = rows // folds if folds > 1 else rows - fit
    each = 2 * fit**2 + 4 * GRADIENT_BLOCK * fit  # of a thread
    cells = folds * fit * (fit + scored) + threads_of_rows(fit, workers) * each
    return 8 * (cells + (3 + folds) * rows * n_inputs)


def median_distance(kernel: str, Z: Array) -> float:
    """Between rows, in the distance of the kernel; 1 where there is none."""
    distances = pdist(Z[:MEDIAN_ROWS], "cityblock" if kernel == "laplacian" else "euclidean")
    median = float(np.median(distances)) if len(distances) else 0.0
    if median == 0 and len(distances):
        median = float(distances.mean())
    return median if median > 0 else 1.0


@dataclass(frozen=True)
class KernelCandidate:
    """A kernel of the distance, exp(−‖M^½(x − z)‖/σ), with a metric M that rounds learn.

    Parameters
    ----------
    kernel : {"laplace", "laplacian"}
        Of the Euclidean distance, or of the sum of the differences.
    full : bool
        Whether the metric is a matrix, or a factor for each input.
    scale : {"standard", "quantile"}
        Of the inputs.
    width : float
        σ in units of the median distance.
    rounds : int
        At most.
    clock : Clock
        Takes note of how fast systems are solved.
    """

    kernel: str
    full: bool
    scale: str
    width: float = 5.0
    rounds: int = 3
    clock: Clock = field(default_factory=lambda: Clock(None), compare=False, repr=False)

    @property
    def family(self) -> str:
        """Kernel, kind of metric and scaling."""
        kind = "full" if self.full else "diagonal"
        return f"{self.kernel} kernel, {kind} metric, {scales_in_words(self.scale)}"

    @property
    def name(self) -> str:
        """The family and the width."""
        return f"{self.family}, width {self.width:g}"

    def run(self, rows: SearchRows, goes_on: GoesOn) -> list[Tried]:
        """Rounds, each with the ridges around the best of the round before."""
        found: list[Tried] = []
        metrics: list[Array | None] = [None for _ in rows.folds]
        best = FIRST_RIDGE[rows.classes]
        for number in range(self.rounds + 1):
            began = self.clock.spent
            systems = self._systems(rows, metrics)
            tried = self._ridges(rows, systems, best)
            if not tried:
                break
            metric = mean_metric(metrics)
            found += [Tried(self, Choice(number, metric, a), P, rows.error(P)) for a, P in tried.items()]
            best = min(tried, key=lambda alpha: rows.error(tried[alpha]))
            if number == self.rounds or not goes_on(self.clock.spent - began):
                break
            metrics = [
                system.metric(best, self.full, old, rows.workers)
                for system, old in zip(systems, metrics, strict=True)
            ]
            del systems  # those of the next round take as much
        return found

    def _ridges(self, rows: SearchRows, systems: Sequence[System], start: float) -> dict[float, Array]:
        """A ridge and its neighbours, and on while the best lies at an end; none where none is definite."""
        tried: dict[float, Array] = {}
        step = RIDGE_STEP[rows.classes]
        wanted = [a for a in (start, start * step, start / step) if LEAST_RIDGE <= a <= LARGEST_RIDGE]
        while wanted:
            tried |= outputs_of(systems, wanted, rows.workers)
            larger = max(wanted) * step
            wanted = self._beyond(rows, tried, step) if tried else [larger] * (larger <= LARGEST_RIDGE)
        return tried

    @staticmethod
    def _beyond(rows: SearchRows, tried: dict[float, Array], step: float) -> list[float]:
        """The next ridge, where the error still falls at an end."""
        errors = {alpha: rows.error(P) for alpha, P in sorted(tried.items())}
        ridges = list(errors)
        best = min(errors, key=lambda alpha: errors[alpha])
        for end, inner, beyond in ((0, 1, best / step), (-1, -2, best * step)):
            if best == ridges[end] and (
                len(ridges) < 2 or errors[best] < (1 - FALLS) * errors[ridges[inner]]
            ):
                return [beyond] * (LEAST_RIDGE <= beyond <= LARGEST_RIDGE)
        return []

    def _systems(self, rows: SearchRows, metrics: Sequence[Array | None]) -> list[System]:
        """One for each fold."""
        pairs = zip(rows.folds, metrics, strict=True)
        threads = threads_of_rows(rows.n_fit, rows.workers)
        return in_threads(lambda pair: self._system(rows, *pair), pairs, threads)

    def _system(self, rows: SearchRows, fold: Fold, metric: Array | None) -> System:
        X, weight = rows.X[fold.fit], rows.weight[fold.fit]
        moments = ColumnMoments.of(X, weight)
        scale = scaling(self.scale, moments.mean, moments.spread, X)
        Z, V = scale(X), scale(rows.X[fold.scored])
        if metric is not None:
            turn = metric_map(root_of(metric), DOUBLE)
            Z, V = turn(Z), turn(V)
        kernel = Kernel(self.kernel, 1 / (self.width * median_distance(self.kernel, Z)))
        return System(kernel, Z, V, rows.Y[fold.fit], weight, self.clock)


def mean_metric(metrics: Sequence[Array | None]) -> Array | None:
    """Of the metrics of the folds, which have one trace."""
    there = [metric for metric in metrics if metric is not None]
    return np.mean(there, axis=0) if there else None


def outputs_of(systems: Sequence[System], alphas: Sequence[float], workers: int) -> dict[float, Array]:
    """For all scored rows, of each ridge that leaves the matrices definite.

    Each system is solved on one core: on a busy machine threads of BLAS wait for each other.
    """
    cells = [(system, alpha) for alpha in alphas for system in systems]
    made = in_threads(lambda cell: cell[0].outputs(cell[1]), cells, threads_of_rows(systems[0].n, workers))
    found = {}
    for number, alpha in enumerate(alphas):
        parts = [P for P in made[number * len(systems) : (number + 1) * len(systems)] if P is not None]
        if len(parts) == len(systems):
            found[alpha] = np.concatenate(parts)
    return found


class System:
    """(K + α/w)c = y of some rows, for any ridge, and its outputs for other rows."""

    def __init__(self, kernel: Kernel, Z: Array, V: Array, Y: Array, weight: Array, clock: Clock) -> None:
        self._rows = KernelRows(kernel, Z, DOUBLE)
        self._weight, self._clock = weight, clock
        self._mean = np.average(Y, axis=0, weights=weight)
        self._Y = Y - self._mean
        self._K = Gramian(kernel, Z, DOUBLE).tile(slice(None), slice(None))
        self._across = self._rows(V)
        self._coef: dict[float, Array] = {}

    @property
    def n(self) -> int:
        """Rows."""
        return len(self._K)

    def outputs(self, alpha: float) -> Array | None:
        """For the other rows; None where the matrix is not definite but for rounding."""
        n = len(self._K)
        with self._clock.timed(n**3 / 3):
            R = self._K.copy()
            R[np.diag_indices(n)] += alpha / self._weight
            if not factor_upper(R):
                return None
            c = np.ascontiguousarray(self._Y).copy()
            solve_upper(R, solve_upper(R, c, transposed=True))
        self._coef[alpha] = c
        return np.asarray(self._across @ c + self._mean)

    def metric(self, alpha: float, full: bool, old: Array | None, workers: int) -> Array:
        """The mean outer product of the gradients in the scaled inputs, of trace d."""
        Z, weight = self._rows.centres[:GRADIENT_ROWS], self._weight[:GRADIENT_ROWS]
        model = Model((self._rows,), self._coef[alpha], self._mean)
        source = ArraySource(Z, np.empty((len(Z), 0)), weight)
        engine = Threads(threads_of_rows(source.n_rows, workers), GRADIENT_BLOCK)
        found = gradient_outer_product(model, source, engine, diagonal=not full)
        if old is not None:  # the gradients are those of M^½x
            root = root_of(old)
            found = root @ found @ root if full else found * root**2
        return normalized(found)
