"""Imputation: moments of rows with gaps, filled by the last step's answer, until nothing changes.

Every form is a precision matrix P, or a few of them, under which the gaps of a row minimise zᵀPz: I − VVᵀ for
the leading directions V (hard), I − V(1 − λ/s)₊Vᵀ (soft), and the inverse covariance of one Gaussian or of
several pieces. One pass fills the rows and keeps their moments; the moments give the next P.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from samara.core import Array, Engine, Source
from samara.errors import ConvergenceWarning, InputError
from samara.linalg.gaps import PieceMoments, Pieces, add_moments, filled_rows
from samara.linalg.workers import available_cores, single_blas_thread
from samara.maps.filling import Fill
from samara.piece_steps import Form, State, first_state, next_state, several_pieces
from samara.summaries.filled import FilledMoments, GapLook

SAMPLE_CELLS = 32_768  # about so many are in the sample on which rank, shrinkage and pieces are chosen
SAMPLE_ROWS = (1024, 2048)  # of it, at least and at most
HIDDEN = 0.1  # of the entries of the sample, by which they are
PIECES = (6, 24)  # tried one after the other, as long as the error falls
ROWS_PER_PIECE = 40  # at least
GAIN = 0.99  # of the error that a larger form has to get below
SHRINKAGES = (0.05, 0.1, 0.2, 0.4, 0.8)  # standard deviations taken off each direction
TRIAL_STEPS, PIECE_STEPS = 10, 4  # of a form that is tried, and of one of several pieces
PARTS = 8  # that a sample is cut into: always the same, so that any number of cores gives the same bits
SMALL = 9  # columns up to which every rank is tried
MOST_COLUMNS = 5000


@dataclass(frozen=True)
class Wanted:
    """What the user asked for."""

    method: str = "gaussian"  # or hard or soft
    rank: int | None = None  # None: to be chosen
    n_pieces: int | None = None
    shrinkage: float | None = None
    max_iter: int = 20
    tol: float = 0.1
    salt: int = 0


@dataclass(frozen=True)
class Imputed:
    """A learned map, and how it came about."""

    fill: Fill
    form: Form
    n_iter: int
    n_rows: int
    scores: dict[Form, float]  # held-out errors of the forms tried, in standard deviations


def learn_fill(source: Source, wanted: Wanted, engine: Engine) -> Imputed:
    """Learn to fill the gaps of rows: a look, a choice on a sample, then passes until nothing changes."""
    _refuse_wide(source.n_features)
    fewest, most = SAMPLE_ROWS
    rows = min(most, max(fewest, SAMPLE_CELLS // source.n_features))
    look = engine.summarize(source, partial(GapLook, source.n_features, rows, wanted.salt), "look")
    _refuse(look, wanted)
    mean, spread = look.inputs.mean, _spread(look)
    assert look.drawn.rows is not None
    sample = np.ascontiguousarray((look.drawn.rows - mean) / spread)
    form, state, scores = choose_form(sample, wanted)

    def step(pieces: Pieces) -> PieceMoments:
        make = partial(FilledMoments, pieces, mean, spread, form.method == "gaussian")
        return engine.summarize(source, make, name="fill")

    with single_blas_thread():
        state, n_iter, converged = settle(step, form, state, wanted)
    if not converged:
        warnings.warn(
            ConvergenceWarning(
                f"The imputation still changed by more than {wanted.tol:g} after {n_iter} passes: raise "
                "max_iter or tol."
            ),
            stacklevel=3,
        )
    return Imputed(Fill(mean, spread, state.pieces), form, n_iter, look.n_rows, scores)


def settle(
    step: Callable[[Pieces], PieceMoments], form: Form, state: State, wanted: Wanted
) -> tuple[State, int, bool]:
    """Steps until the moments change by less than the tolerance, or there were enough."""
    for done in range(1, wanted.max_iter + 1):
        new = next_state(step(state.pieces), state.pieces, form)
        small = new.change(state) <= wanted.tol
        state = new
        if small:
            return state, done, True
    return state, wanted.max_iter, False


def choose_form(sample: Array, wanted: Wanted) -> tuple[Form, State, dict[Form, float]]:
    """The form with the smallest error on entries of a sample that were hidden, and where it ended."""
    rng = np.random.default_rng(wanted.salt % 2**32)
    hidden = (rng.random(sample.shape) < HIDDEN) & ~np.isnan(sample)
    shown = np.where(hidden, np.nan, sample)
    with single_blas_thread(), ThreadPoolExecutor(min(PARTS, available_cores())) as pool:
        trial = _Trial(shown, sample[hidden], hidden, wanted, pool)
        trial.fewer_directions(_simple_forms(sample, wanted))
        if wanted.method == "gaussian" and wanted.n_pieces != 1:
            trial.more_pieces(wanted)
    form = min(trial.scores, key=lambda one: trial.scores[one])
    return form, trial.states[form], trial.scores


def _simple_forms(sample: Array, wanted: Wanted) -> Sequence[Form]:
    """Forms of one piece: the ranks, the largest first, and for ``soft`` the shrinkages, to be tried."""
    d = sample.shape[1]
    ranks = list(range(1, d)) or [1]
    if d > SMALL:
        ranks = sorted({max(1, d // share) for share in (16, 8, 4, 2)} | {d - 1})
    if wanted.method == "gaussian":
        ranks = sorted({*ranks, d})
    if wanted.method == "soft":
        amounts = SHRINKAGES if wanted.shrinkage is None else (wanted.shrinkage,)
        return [Form("soft", wanted.rank or d, 1, amount) for amount in amounts]
    if wanted.rank is not None:
        return [Form(wanted.method, wanted.rank)]
    return [Form(wanted.method, rank) for rank in reversed(ranks)]


class _Trial:
    """Forms fitted to a sample with hidden entries, and their errors on these."""

    def __init__(self, shown: Array, truth: Array, hidden: Array, wanted: Wanted, pool: Executor) -> None:
        self._shown, self._truth, self._hidden, self._wanted = shown, truth, hidden, wanted
        self._parts, self._pool = np.array_split(shown, PARTS), pool
        self.scores: dict[Form, float] = {}
        self.states: dict[Form, State] = {}

    def run(self, form: Form, start: State) -> float:
        """Fit a form and score it."""

        def step(pieces: Pieces) -> PieceMoments:
            def part(rows: Array) -> PieceMoments:
                moments = PieceMoments(pieces)
                add_moments(rows, pieces, moments, form.method == "gaussian")
                return moments

            total, *others = self._pool.map(part, self._parts)
            for other in others:
                total.add(other)
            return total

        steps = TRIAL_STEPS if form.n_pieces == 1 else PIECE_STEPS
        state, _, _ = settle(step, form, start, replace(self._wanted, max_iter=steps))
        error = 0.0
        if len(self._truth):
            filled = filled_rows(self._shown, state.pieces)[self._hidden]
            error = float(np.sqrt(np.mean((filled - self._truth) ** 2)))
        self.scores[form], self.states[form] = error, state
        return error

    def fewer_directions(self, forms: Sequence[Form]) -> None:
        """Forms one after the other; a Gaussian goes on from the last, until the error no longer falls."""
        start = first_state(self._shown.shape[1])
        for form in forms:
            found = self.run(form, start)
            if form.method == "gaussian":
                if GAIN * found > min(self.scores.values()):
                    return
                start = self.states[form]

    def more_pieces(self, wanted: Wanted) -> None:
        """Several pieces, as many as lower the error or as were asked for."""
        best = min(self.scores, key=lambda one: self.scores[one])
        rows = filled_rows(self._shown, self.states[best].pieces)
        d = rows.shape[1]
        tried = PIECES if wanted.n_pieces is None else (wanted.n_pieces,)
        error = self.scores[best]
        if wanted.n_pieces is not None:
            self.scores.clear()
        for n_pieces in tried:
            if wanted.n_pieces is None and n_pieces * ROWS_PER_PIECE > len(rows):
                return
            form = Form("gaussian", wanted.rank or d, n_pieces)
            found = self.run(form, several_pieces(rows, form))
            if found > GAIN * error:
                return
            error = found


def _spread(look: GapLook) -> Array:
    """Standard deviations of what is there; 1 for a constant column."""
    inputs = look.inputs
    spread = np.sqrt(inputs.squares / np.maximum(inputs.weight, 1.0))
    size = np.maximum(abs(inputs.low), abs(inputs.high))
    return np.where(inputs.high - inputs.low > 1e-12 * size, np.where(spread > 0, spread, 1.0), 1.0)


def _refuse_wide(n_columns: int) -> None:
    if n_columns > MOST_COLUMNS:
        raise InputError(
            f"The imputer keeps a square matrix of the columns, at most {MOST_COLUMNS:,} of them, got "
            f"{n_columns:,}: leave some out."
        )


def _refuse(look: GapLook, wanted: Wanted) -> None:
    """Refuse columns without a value, and ranks that can't be."""
    if not look.n_rows:
        raise InputError("There are no rows.")
    empty = np.flatnonzero(look.inputs.rows == 0)
    if len(empty):
        raise InputError(f"Column {int(empty[0])} has no value in any row: leave it out.")
    most = min(look.n_rows, len(look.inputs.mean))
    if wanted.rank is not None and wanted.rank > most:
        raise InputError(
            f"rank must be at most {most}, the smaller of {look.n_rows:,} rows and "
            f"{len(look.inputs.mean):,} columns, got {wanted.rank}."
        )
