"""Summaries that stay where they were made, as the parts of a source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from samara.core import FeatureMap, S


class Unmapped:
    """A source whose parts are not rows to be mapped, folded or cut."""

    def map(self, feature_map: FeatureMap) -> NoReturn:
        """There are no rows to map."""
        raise NotImplementedError

    def with_targets(self, target: FeatureMap) -> NoReturn:
        """There are no targets."""
        raise NotImplementedError

    def reconstructing(self) -> NoReturn:
        """There are no inputs to be targets."""
        raise NotImplementedError

    def folded(self, n_folds: int) -> NoReturn:
        """There are no rows to fold."""
        raise NotImplementedError

    def cut(self, start: int, stop: int) -> NoReturn:
        """There are no rows to cut."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Held(Unmapped):
    """One summary a part, or where a cluster has it; it has no rows of its own."""

    summaries: tuple[Any, ...]
    n_rows = n_features = n_targets = 0
    is_sparse = False

    @property
    def held(self) -> tuple[object, ...]:
        return self.summaries

    def shell(self) -> Held:
        """Nothing: its parts share nothing."""
        return Held(())

    def parts(self, count: int) -> Sequence[HeldPart]:
        """A part for each summary."""
        return [HeldPart(summary) for summary in self.summaries]


@dataclass(frozen=True, eq=False)
class HeldPart:
    """One summary, in the place of a block."""

    summary: Any

    def blocks(self, rows: int) -> Iterator[Any]:
        """The summary."""
        yield self.summary

    def alone(self) -> HeldPart:
        """Itself."""
        return self

    def within(self, shell: Any) -> HeldPart:
        """Itself."""
        return self


def finished(summary: S) -> S:
    """A summary with nothing left half added up, where it knows how: that would be twice as large."""
    if hasattr(summary, "finish"):
        summary.finish()
    return summary
