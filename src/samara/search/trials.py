"""What is tried, in which order, and until when."""

from __future__ import annotations

from collections.abc import Iterator

from samara.core import Progress, Source
from samara.errors import BudgetError
from samara.linalg.workers import single_blas_thread
from samara.search.blend import best_of_families
from samara.search.board import Entry, Leaderboard
from samara.search.candidates import FEW_INPUTS, FOURIER, KMEANS, RBF, RIDGE, TANH, Candidate, Tried
from samara.search.clock import Clock
from samara.search.finals import expected_seconds
from samara.search.kernel_path import KernelCandidate
from samara.search.layer_path import LayerCandidate
from samara.search.rows import SearchRows

KERNELS = (  # those that differ most come first, so that a short search has something to blend
    ("laplacian", False, "quantile"),
    ("laplace", False, "standard"),
    ("laplace", True, "standard"),
    ("laplace", False, "quantile"),
    ("laplacian", False, "standard"),
    ("laplace", True, "quantile"),
)
WIDTHS = (1.2, 20.0)  # tried for the best families after 5 median distances
WIDENED = 3  # families
FULL_INPUTS = 300  # up to which a metric may be a matrix
MANY_INPUTS = 1000  # from which on nodes have no metric either
PLANNED_MEMBERS = 3  # whose fits to all rows time is kept for, but never more than half of it


class Trials:
    """Candidates run one after the other on the rows of a search."""

    def __init__(
        self,
        rows: SearchRows,
        source: Source,
        entropy: int,
        clock: Clock,
        progress: Progress | None = None,
    ) -> None:
        self.tried: list[Tried] = []
        self.refused: list[str] = []  # why others were not tried
        self._rows, self._source, self._entropy = rows, source, entropy
        self._clock, self._progress = clock, progress
        self._seconds: dict[str, float] = {}

    def run(self, most: int | None) -> None:
        """Try candidates until there are no more, or no time; the first one in any case."""
        for number, candidate in enumerate(self._candidates()):
            if number and (number == most or not self._goes_on(self._expected(candidate))):
                break
            began = self._clock.spent
            try:
                with single_blas_thread():
                    self.tried += candidate.run(self._rows, self._goes_on)
            except BudgetError as error:
                self.refused.append(f"not tried: {candidate.name}: {error}")
                continue
            self._seconds[candidate.name] = self._clock.spent - began
            if self.tried:
                self._tell(number)
        if self._progress is not None:
            self._progress("search; ended", 1, 1)

    def board(self, weights: dict[str, float]) -> Leaderboard:
        """The candidates at their best, the best first."""
        best: dict[str, Tried] = {}
        for one in sorted(self.tried, key=lambda one: one.error):
            best.setdefault(one.candidate.name, one)
        return Leaderboard(
            tuple(
                Entry(
                    candidate=name,
                    score=self._rows.score(one.outputs),
                    seconds=self._seconds[name],
                    round=one.choice.round,
                    alpha=one.choice.alpha,
                    weight=weights.get(name, 0.0),
                )
                for name, one in best.items()
            )
        )

    def _candidates(self) -> Iterator[Candidate]:
        """The cheap ones that always lead somewhere, kernels by promise, other nodes, other widths."""
        d, dense = self._source.n_features, not self._source.is_sparse
        learns = 2 if dense and d <= MANY_INPUTS else 0

        def nodes(spec: object, scale: str, rounds: int = learns) -> LayerCandidate:
            return LayerCandidate(spec, scale, rounds, self._entropy)  # type: ignore[arg-type]

        yield nodes(RIDGE, "standard", 0)
        if not dense:
            yield from (nodes(spec, "standard") for spec in (TANH, FOURIER))
            return
        yield nodes(TANH, "quantile")
        for kernel, full, scale in KERNELS:
            if d <= (FULL_INPUTS if full else MANY_INPUTS):
                yield KernelCandidate(kernel, full, scale, clock=self._clock)
        yield from (nodes(spec, "quantile") for spec in (FEW_INPUTS, RBF, KMEANS, FOURIER))
        yield nodes(TANH, "standard")
        best = best_of_families(self.tried, [one.error for one in self.tried])
        found = [self.tried[i].candidate for i in best]
        for first in [one for one in found if isinstance(one, KernelCandidate)][:WIDENED]:
            for width in WIDTHS:
                yield KernelCandidate(first.kernel, first.full, first.scale, width, clock=self._clock)

    def _expected(self, candidate: Candidate) -> float:
        """Seconds of the first round of a candidate, by those that were like it."""
        if not isinstance(candidate, KernelCandidate):
            return 0.0
        n, folds = self._rows.n_fit, len(self._rows.folds)
        return self._clock.predicted(folds * 4 * n**3 / 3)

    def _goes_on(self, seconds: float) -> bool:
        """Whether there is time for so much more, beside the fits to all rows."""
        if self._clock.seconds is None:
            return True
        kept = PLANNED_MEMBERS * expected_seconds(self._source, self._clock)
        return self._clock.left - min(kept, self._clock.seconds / 2) > seconds

    def _tell(self, number: int) -> None:
        if self._progress is not None:
            best = self._rows.score(min(self.tried, key=lambda one: one.error).outputs)
            self._progress(f"search; {self.tried[-1].candidate.name}: best so far {best:.4f}", 1, number + 2)
