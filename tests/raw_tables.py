"""A table with a column of every kind, and what its readers should give."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa

from samara.schema import text_code

FIRST = dt.datetime(2020, 2, 28, 1, 2, 3, 4567)


def mixed_table(n: int, seed: int = 0) -> pa.Table:
    """Numbers, booleans, dates, moments and texts, with missing values; ``y`` and ``w`` too."""
    rng = np.random.default_rng(seed)

    def holed(values: list[Any]) -> list[Any]:
        return [None if hole else value for value, hole in zip(values, rng.random(n) < 0.1, strict=True)]

    return pa.table(
        {
            "size": pa.array(holed(rng.standard_normal(n).tolist()), pa.float64()),
            "rooms": pa.array(holed(rng.integers(-5, 9, n).tolist()), pa.int64()),
            "sold": pa.array(holed((rng.random(n) < 0.5).tolist()), pa.bool_()),
            "day": pa.array(holed([FIRST.date() + dt.timedelta(days=i) for i in range(n)]), pa.date32()),
            "at": pa.array(holed([FIRST + dt.timedelta(hours=i) for i in range(n)]), pa.timestamp("us")),
            "town": pa.array(holed([f"town {i}" for i in rng.integers(0, 12, n)]), pa.string()),
            "y": rng.standard_normal(n),
            "w": rng.integers(0, 4, n).astype(np.float64),
        }
    )


def expected(table: pa.Table, names: list[str]) -> np.ndarray:
    """The raw matrix of some columns, a Python value at a time."""
    made = np.empty((table.num_rows, len(names)))
    for j, name in enumerate(names):
        made[:, j] = [raw_value(value) for value in table[name].to_pylist()]
    return made


def raw_value(value: Any) -> float:
    """A value as a raw number, written down from the definition."""
    if value is None:
        return np.nan
    if isinstance(value, dt.datetime):
        since = value - dt.datetime(1970, 1, 1)
        return since.days + (since.seconds * 10**6 + since.microseconds) / (86_400 * 10**6)
    if isinstance(value, dt.date):
        return float((value - dt.date(1970, 1, 1)).days)
    if isinstance(value, str):
        return text_code(value)
    return float(value)


def read(scan: Any, rows: int = 37) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """All rows of a scan: inputs, targets and weights."""
    chunks = [chunk for piece in scan.pieces for chunk in piece.chunks(rows)]
    assert all(len(chunk.X) <= rows for chunk in chunks)
    weights = None if chunks[0].weight is None else np.concatenate([chunk.weight for chunk in chunks])
    return np.concatenate([c.X for c in chunks]), np.concatenate([c.y for c in chunks]), weights


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two matrices are equal to the bit, NaN included."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
