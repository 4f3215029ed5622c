"""What a paper printed beside what is measured here: papers, their tables, the figures in them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bench.papers.running import Run

Better = Literal["higher", "lower", "same"]  # which side of the paper's figure is the good one
Verdict = Literal["holds", "better", "does not hold", "missing", "not printed", "not measured"]

DEVIATIONS = 2.0  # how far apart two figures may be and still be called the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number of a table.

    ``deviation`` is that of one repeat, as the papers print it. Where both are 0 or unknown (one official
    split, say) ``rounding`` is what two figures may differ by: for a rate on m test rows its standard error
    (`standard_error`), for others half a unit of the last digit printed. ``counts`` tells accuracy (and
    error) figures, of which nine in ten have to hold, from times, memory and counts.
    """

    row: str  # a data set, mostly
    column: str  # a method or a setting
    paper: float | None  # None: the paper prints nothing here
    ours: float | None  # None: not measured, or no data
    unit: str = "%"
    better: Better = "higher"
    paper_deviation: float = 0.0
    deviation: float = 0.0
    rounding: float = 0.0
    repeats: int = 0
    missing: str = ""  # why it can't be measured at all: no such file, say
    counts: bool = True

    @property
    def key(self) -> str:
        """How reasons name it."""
        return f"{self.row}, {self.column}"

    @property
    def spread(self) -> float:
        """The deviation of the difference between both figures."""
        return max(math.hypot(self.paper_deviation, self.deviation), self.rounding)

    @property
    def difference(self) -> float | None:
        """By how many deviations ours is above the paper's; None where there is nothing to compare."""
        if self.paper is None or self.ours is None:
            return None
        gap = self.ours - self.paper
        return gap / self.spread if self.spread else math.copysign(math.inf, gap) if gap else 0.0

    @property
    def ratio(self) -> float | None:
        """Ours by the paper's."""
        return None if self.ours is None or not self.paper else self.ours / self.paper

    @property
    def verdict(self) -> Verdict:
        """Two figures within two deviations are the same; else it matters on which side ours is."""
        if self.missing:
            return "missing"
        if self.ours is None:
            return "not measured"
        apart = self.difference
        if apart is None:
            return "not printed"
        if abs(apart) <= DEVIATIONS:
            return "holds"
        good = self.better != "same" and (apart > 0) == (self.better == "higher")
        return "better" if good else "does not hold"


def standard_error(rate: float, test_rows: int) -> float:
    """Of a rate in per cent on so many test rows: what another draw of as many rows would change."""
    share = min(max(rate / 100, 0.0), 1.0)
    return 100 * math.sqrt(share * (1 - share) / test_rows)


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table, figure or experiment of a paper.

    ``measure`` returns its figures, those not yet measured and those without data among them. ``chart``
    draws them (and, for a figure of the paper, curves from the run's cells) and returns a matplotlib Figure.
    ``reasons``: why a figure does not hold, by its key; a key may end with ``*`` and name several.
    """

    name: str  # "Table 3", "Fig. 2", "Experiment 4"
    title: str
    about: str  # a paragraph: what was done, at which settings, what differs from the paper
    measure: Callable[[Run], list[Figure]]
    chart: Callable[[Run, Sequence[Figure]], Any] | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)

    def reason(self, figure: Figure) -> str:
        """Why a figure does not hold; empty where nothing was written."""
        for key, why in self.reasons.items():
            if figure.key == key or (key.endswith("*") and figure.key.startswith(key[:-1])):
                return why
        return ""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """One of the five."""

    key: str  # "men-wang": on the command line, in file names
    authors: str
    title: str
    source: str  # journal, year, doi
    about: str  # a paragraph: what it proposes, what of it is in samara
    tables: Sequence[Table]
