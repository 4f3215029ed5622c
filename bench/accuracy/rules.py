"""How the comparison of accuracy is played, cut so that it ends within an hour and a half on two cores."""

from collections.abc import Mapping
from typing import Any

from bench.accuracy.methods import METHODS, OURS, TUNED
from bench.contest.compete import Rules, every_split
from bench.contest.methods import Method
from bench.contest.rows import Cut
from bench.ledger import Cell

# How many random splits a set of so many rows to fit has; the more rows to test, the less it takes.
SPLITS = {2_000: 5, 10_000: 2}
SECONDS = 20.0  # no trial of LightGBM begins later, and AutoELM has no more
NOT_TABLES = {
    "mnist": "pictures",
    "pie32": "pictures",
    "usps": "pictures",
    "yaleb32": "pictures",
    "pcmac": "texts",
    "tox171": "genes, 171 rows",
    "arcene": "spectra, 200 rows",
}


def splits(n_fit: int) -> int:
    """One where there are many rows."""
    return next((count for most, count in SPLITS.items() if n_fit <= most), 1)


def orders(about: Cell, method: Method, cells: Mapping[str, Cell]) -> list[dict[str, Any]]:
    """LightGBM is tuned on one split; the time its trials would take is AutoELM's limit, and `SECONDS` is."""
    every = every_split(about, method, cells)
    if method.name == TUNED:
        return [{**every[0], "seconds": SECONDS}]
    if method.name == OURS:
        whole = cells.get(TUNED, {}).get("whole_seconds", [SECONDS])
        return [{**order, "seconds": min(SECONDS, *whole)} for order in every]
    return every


CUT = Cut(fitted=0.8, most_rows=50_000, most_test_rows=10_000, splits=splits, coded=True)
RULES = Rules(
    name="accuracy",
    trial="bench.accuracy.trial:trial",
    methods=METHODS,
    cut=CUT,
    limit=120.0,
    grace=60.0,
    enough=120.0,
    orders=orders,
)
