"""What a fit is given: arrays, or a raw table whose columns it has to look at first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from samara.core import Engine, Source
from samara.estimators.inputs import refuse_non_finite
from samara.kernel_settings import KernelSettings
from samara.prepare import sample_salt
from samara.resident import resident_bytes
from samara.settings import Settings
from samara.sources import ArraySource, StreamSource
from samara.store import digest
from samara.summaries import Profile
from samara.tables import SAMPLE_ROWS, Asked, Looked, Table, look_at


class Given(Protocol):
    """Rows to fit."""

    def known_by(self, names: Any) -> dict[str, str]:
        """What a checkpoint tells these data from others by."""
        ...

    def seen(self, settings: Settings | KernelSettings) -> tuple[Source, Profile | None]:
        """The rows as the fit takes them, and a look at them where one was had."""
        ...

    def refuse_non_finite(self, names: Any) -> None:
        """Name the first cell that is NaN or infinite."""
        ...


@dataclass(frozen=True)
class GivenArrays:
    """Arrays: taken as they are."""

    source: ArraySource

    def known_by(self, names: Any) -> dict[str, str]:
        """Columns and a digest of every value."""
        source = self.source
        y = source.y.astype(str) if source.y.dtype == object else source.y
        return {
            "columns": f"{source.X.shape[1]} {'' if names is None else list(names)}",
            "rows": digest(source.X),
            "targets": digest(y),
            "weights": "" if source.weight is None else digest(source.weight),
        }

    def seen(self, settings: Settings | KernelSettings) -> tuple[Source, None]:
        """The arrays."""
        return self.source, None

    def refuse_non_finite(self, names: Any) -> None:
        """Name the first cell that is NaN or infinite."""
        refuse_non_finite(self.source.X, names)


@dataclass
class GivenTable:
    """A raw table: a look at it freezes what becomes of its columns."""

    table: Table
    facts: dict[str, str] = field(default_factory=dict)  # of the files; of a frame in memory none
    class_weight: Any = None
    looked: Looked | None = None
    named: bool = True  # whether the columns have names of their own
    ordered: bool = False  # whether the classes are

    def known_by(self, names: Any) -> dict[str, str]:
        """The files, or a digest of every value."""
        columns = {"columns": ", ".join(f"{c.name}: {c.kind}" for c in self.table.schema)}
        if self.facts:
            return columns | self.facts
        assert isinstance(self.table.rows, ArraySource)
        return GivenArrays(self.table.rows).known_by(names) | columns

    def seen(self, settings: Settings | KernelSettings) -> tuple[Source, Profile | None]:
        """The rows behind the map of their columns."""
        engine, asked = _asked(settings, self.table.rows)
        asked = replace(asked, ordered=self.ordered)
        self.looked = look_at(self.table, engine, asked, self.class_weight)
        return self.looked.source, self.looked.profile

    def refuse_non_finite(self, names: Any) -> None:
        """The look has named it."""


T = TypeVar("T", bound=Settings | KernelSettings)


def budgeted(settings: T, given: Given) -> T:
    """The settings for a raw table: of rows in files memory is that of the whole process, readers too."""
    if not isinstance(given, GivenTable):
        return settings
    rows, budget = given.table.rows, replace(settings.budget, sampled=SAMPLE_ROWS)
    if isinstance(rows, StreamSource):
        held = budget.resident or resident_bytes() or 0  # of a worker process, where there are some
        budget = replace(budget, resident=held, reading=rows.held_bytes)
    return replace(settings, budget=budget)


def _asked(settings: Settings | KernelSettings, rows: Source) -> tuple[Engine, Asked]:
    """Who looks at a table, and what the fit will want to know; refuses before any row is read."""
    salt = sample_salt(settings.entropy)
    if isinstance(settings, KernelSettings):
        return settings.engine(), Asked(settings.sample_rows(rows), 5, salt)
    settings.refuse(rows)
    sizes = settings.first_sizes()
    plan = settings.plan(rows, sizes)
    impute = settings.missing == "impute"
    asked = Asked(settings.shape(rows, sizes).sample_rows, settings.n_folds, salt, impute=impute)
    return settings.engine(plan), asked


def only_targets(source: ArraySource) -> ArraySource:
    """The targets of some rows, without their inputs."""
    return replace(source, X=np.empty((source.n_rows, 0)), maps=())
