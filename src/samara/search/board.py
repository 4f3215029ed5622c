"""The leaderboard: what was tried, and how it fared on rows that it had not seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Entry:
    """A candidate at its best.

    Attributes
    ----------
    candidate : str
        Its name.
    score : float
        R², or the share of classes told right, on rows that its fits had not seen.
    seconds : float
        What it took to try it.
    round : int
        Rounds of its metric that were best; 0: none.
    alpha : float or None
        The ridge that was best; None where the fit chooses it.
    weight : float
        In the blend; 0: it is not in it.
    """

    candidate: str
    score: float
    seconds: float
    round: int
    alpha: float | None
    weight: float


COLUMNS = ("candidate", "score", "seconds", "round", "alpha", "weight")


@dataclass(frozen=True)
class Leaderboard:
    """What was tried, the best first: a sequence of :class:`Entry` that prints as a table.

    Attributes
    ----------
    entries : tuple of Entry
        The candidates.
    """

    entries: tuple[Entry, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __getitem__(self, index: int) -> Entry:
        return self.entries[index]

    def rows(self) -> list[dict[str, object]]:
        """The table as a list of dictionaries, for a data frame of your choice."""
        return [{name: getattr(entry, name) for name in COLUMNS} for entry in self.entries]

    def __str__(self) -> str:
        cells = [COLUMNS, *(_texts(entry) for entry in self.entries)]
        widths = [max(len(row[j]) for row in cells) for j in range(len(COLUMNS))]
        lines = []
        for row in cells:
            first, rest = row[0].ljust(widths[0]), zip(row[1:], widths[1:], strict=True)
            lines.append("  ".join([first, *(cell.rjust(width) for cell, width in rest)]))
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in COLUMNS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _texts(entry)) + "</tr>"
            for entry in self.entries
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _texts(entry: Entry) -> tuple[str, ...]:
    alpha = "" if entry.alpha is None else f"{entry.alpha:g}"
    weight = f"{entry.weight:.2f}" if entry.weight else ""
    return entry.candidate, f"{entry.score:.4f}", f"{entry.seconds:.1f}", str(entry.round), alpha, weight
