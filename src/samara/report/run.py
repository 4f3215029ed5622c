"""What a report is made of: one fit, the data it saw, and what it gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.plans import Plan

if TYPE_CHECKING:
    from samara.report.trace import MemoryTrace


@dataclass(frozen=True)
class ColumnFacts:
    """What is known about one column of the data.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        ``number``, ``boolean``, ``date`` or ``text``.
    count : float
        Rows that have a value (their weight, where rows are weighted).
    missing : float
        Share of the rows that have none, 0 to 1.
    mean, spread, low, high : float
        Mean, standard deviation, least and greatest value; NaN for texts. A date is its days since 1970.
    quantiles : tuple of float
        Values at evenly spaced probabilities from 0 to 1; empty for texts.
    top : tuple of (str, float)
        The most frequent categories and their shares of all rows, most frequent first.
    distinct : int or None
        Number of different values, where it was counted.
    """

    name: str
    kind: str
    count: float
    missing: float
    mean: float = np.nan
    spread: float = np.nan
    low: float = np.nan
    high: float = np.nan
    quantiles: tuple[float, ...] = ()
    top: tuple[tuple[str, float], ...] = ()
    distinct: int | None = None


@dataclass(frozen=True)
class Evaluation:
    """Predictions beside the truth.

    Attributes
    ----------
    y_true, predicted : ndarray of shape (n,) or (n, t)
        Targets or labels, and what was predicted.
    what : str
        One sentence that says which rows these are and which model predicted them.
    probabilities : ndarray of shape (n, n_classes) or None
        Of a classifier, in the order of ``classes``.
    classes : ndarray of shape (n_classes,) or None
        Labels; None for a regression.
    targets : tuple of str
        Names of the targets, where they have any.
    """

    y_true: Array
    predicted: Array
    what: str
    probabilities: Array | None = None
    classes: Array | None = None
    targets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        true, predicted = np.asarray(self.y_true), np.asarray(self.predicted)
        if true.shape != predicted.shape:
            raise InputError(
                f"An evaluation needs as many predictions as true values; {predicted.shape} predictions "
                f"came with {true.shape} true values."
            )
        if not len(true):
            raise InputError("An evaluation needs at least one row; none was given.")
        if self.classes is None:
            for name, values in (("true values", true), ("predictions", predicted)):
                _refuse_odd_numbers(name, values)
        else:
            strangers = np.setdiff1d(np.concatenate([true, predicted]), self.classes)
            if len(strangers):
                raise InputError(
                    f"Every label must be one of the {len(self.classes)} classes; {strangers.tolist()[0]!r} "
                    "is not. Give the classes of all rows, such as classes_ of the estimator."
                )
        if self.probabilities is None:
            return
        wanted = (len(true), 0 if self.classes is None else len(self.classes))
        if np.shape(self.probabilities) != wanted:
            raise InputError(
                f"Probabilities must have a row for each row and a column for each class, {wanted}; "
                f"their shape is {np.shape(self.probabilities)}."
            )


def _refuse_odd_numbers(name: str, values: Array) -> None:
    try:
        odd = int(np.count_nonzero(~np.isfinite(values.astype(float))))
    except (TypeError, ValueError):  # texts
        odd = values.size
    if odd:
        raise InputError(
            f"An evaluation needs finite numbers; {odd:,} of {values.size:,} {name} are not. "
            "Leave those rows out, or give classes where labels were predicted."
        )


@dataclass(frozen=True)
class Importance:
    """How much worse the score is when one column is shuffled, and the standard error of that."""

    name: str
    drop: float
    error: float


@dataclass(frozen=True)
class Run:
    """One fit, with everything that a report says about it.

    Only the title and the estimator are needed; the report leaves out what is not there and says so.

    Attributes
    ----------
    title : str
        Heading of the report.
    estimator : estimator
        Fitted.
    data : str
        One sentence about where the rows came from.
    n_rows : int or None
        Rows of the fit.
    profile : tuple of ColumnFacts
        The columns of the data.
    evaluation : Evaluation or None
        Predictions beside the truth.
    importances : tuple of Importance
        What `permutation_importance` gave.
    score_name : str
        The score that the importances are drops of.
    memory : MemoryTrace or None
        Memory of the process during the fit.
    seconds : float or None
        Time of the fit; that of the memory trace, unless given.
    timings : tuple of (str, float)
        Passes and their seconds; those of the memory trace, unless given.
    measured_peak, predicted_peak, budget : int or None
        Bytes of the whole process: measured, predicted and allowed. Unless given, the peak is that of
        the trace, and the other two are what the plan says, for rows in memory above what the process held
        when the trace began.
    """

    title: str
    estimator: Any
    data: str = ""
    n_rows: int | None = None
    profile: tuple[ColumnFacts, ...] = ()
    evaluation: Evaluation | None = None
    importances: tuple[Importance, ...] = ()
    score_name: str = "score"
    memory: MemoryTrace | None = None
    seconds: float | None = None
    timings: tuple[tuple[str, float], ...] = ()
    measured_peak: int | None = None
    predicted_peak: int | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.estimator, "plan_"):
            name = type(self.estimator).__name__
            raise InputError(f"A report needs a fitted estimator; this {name} is not fitted yet: call fit.")

    @property
    def plan(self) -> Plan:
        """How the fit ran."""
        plan: Plan = self.estimator.plan_
        return plan

    @property
    def took(self) -> float | None:
        """Seconds of the fit."""
        return self.seconds if self.seconds is not None or self.memory is None else self.memory.duration

    @property
    def passes(self) -> tuple[tuple[str, float], ...]:
        """Passes and their seconds."""
        if self.timings or self.memory is None:
            return self.timings
        return tuple((a_pass.name, a_pass.stop - a_pass.start) for a_pass in self.memory.passes)

    @property
    def peak(self) -> int | None:
        """The most memory that the process held."""
        if self.measured_peak is not None or self.memory is None:
            return self.measured_peak
        return self.memory.peak

    @property
    def expected_peak(self) -> int | None:
        """The most memory that it was predicted to hold."""
        return self._whole(self.predicted_peak, self.plan.peak_bytes)

    @property
    def limit(self) -> int | None:
        """The most memory that it was allowed to hold."""
        return self._whole(self.budget, self.plan.memory)

    def _whole(self, given: int | None, planned: int | None) -> int | None:
        """What was given for the process, or what the plan says: of rows in memory, what comes on top."""
        if given is not None or planned is None:
            return given
        if self.plan.resident:
            return planned
        return None if self.memory is None else self.memory.before + planned
