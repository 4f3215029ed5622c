"""Facts about columns: from columns in memory, and as small histograms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.report.run import ColumnFacts
from samara.summaries.columns import ColumnProfile
from samara.summaries.levels import MISSING

PROBABILITIES = np.linspace(0.0, 1.0, 101)
TOP = 6  # categories named
BINS = 24


def column_facts(columns: Mapping[str, Any]) -> tuple[ColumnFacts, ...]:
    """Facts about columns in memory.

    Parameters
    ----------
    columns : mapping of str to array of shape (n,)
        Numbers, booleans, dates, texts or categories; a frame of pandas is such a mapping. None and NaN are
        missing values.

    Returns
    -------
    facts : tuple of ColumnFacts
        One a column, in their order.

    Examples
    --------
    >>> from samara.report import column_facts
    >>> [fact] = column_facts({"age": [31.0, 47.0, None]})
    >>> fact.mean, round(fact.missing, 2)
    (39.0, 0.33)
    """
    return tuple(_facts(str(name), np.asarray(columns[name])) for name in columns)


def _facts(name: str, values: Array) -> ColumnFacts:
    if values.ndim != 1:
        raise InputError(f"Column {name} must have one value a row; its shape is {values.shape}.")
    if values.dtype.kind == "M":
        days = values.astype("datetime64[us]").astype(float) / 86_400e6
        return _numbers(name, "date", np.where(np.isnat(values), np.nan, days))
    if values.dtype.kind in "bui" or values.dtype.kind == "f":
        return _numbers(name, "boolean" if values.dtype.kind == "b" else "number", values.astype(float))
    known = [value for value in values.tolist() if value is not None and value == value]
    if known and all(isinstance(value, int | float) for value in known):
        return _numbers(name, "number", np.array([*map(float, known)]), len(values))
    return _texts(name, np.array([str(value) for value in known]), len(values))


def _numbers(name: str, kind: str, values: Array, rows: int | None = None) -> ColumnFacts:
    known = values[np.isfinite(values)]
    rows = rows or len(values)
    if not len(known):
        return ColumnFacts(name, kind, 0, 1.0 if rows else 0.0, distinct=0)
    quantiles = np.quantile(known, PROBABILITIES)
    return ColumnFacts(
        name,
        kind,
        len(known),
        1 - len(known) / rows,
        mean=float(known.mean()),
        spread=float(known.std()),
        low=float(known.min()),
        high=float(known.max()),
        quantiles=tuple(quantiles.tolist()),
        distinct=len(np.unique(known)),
    )


def _texts(name: str, known: Array, rows: int) -> ColumnFacts:
    levels, counts = np.unique(known, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:TOP]
    top = tuple((str(levels[k]), float(counts[k] / rows)) for k in order)
    missing = 1 - len(known) / rows if rows else 0.0
    return ColumnFacts(name, "text", len(known), missing, top=top, distinct=len(levels))


def profile_facts(profile: ColumnProfile) -> tuple[ColumnFacts, ...]:
    """Facts about the columns of a raw table, from the one pass that profiled it.

    Parameters
    ----------
    profile : :class:`samara.summaries.ColumnProfile`
        With at least one row. Quantiles are those of its sample of rows.

    Returns
    -------
    facts : tuple of ColumnFacts
        One a column, in their order.
    """
    return tuple(_profiled(profile, j) for j in range(len(profile.schema)))


def _profiled(profile: ColumnProfile, j: int) -> ColumnFacts:
    column, seen = profile.schema[j], profile.inputs
    count = float(seen.weight[j])
    missing = max(0.0, 1 - count / profile.weight) if profile.weight > 0 else 0.0
    if column.kind == "text":
        levels = profile.levels(j)
        known = levels.codes != MISSING
        codes, weights = levels.codes[known], levels.weight[known].sum(axis=1)
        order = np.argsort(-weights, kind="stable")[:TOP]
        shares = (weights[order] / profile.weight).tolist()
        top = tuple(zip(profile.texts_of(column.name, codes[order]), shares, strict=True))
        distinct = None if profile.overflow(j).any() else len(codes)  # else it was never counted
        return ColumnFacts(column.name, "text", count, missing, top=top, distinct=distinct)
    if not count:
        return ColumnFacts(column.name, column.kind, 0, missing, distinct=0)
    drawn = profile.sample[:, j]
    drawn = drawn[np.isfinite(drawn)]
    return ColumnFacts(
        column.name,
        column.kind,
        count,
        missing,
        mean=float(seen.mean[j]),
        spread=float(np.sqrt(seen.squares[j] / count)),
        low=float(seen.low[j]),
        high=float(seen.high[j]),
        quantiles=tuple(np.quantile(drawn, PROBABILITIES).tolist()) if len(drawn) else (),
    )


def histogram(quantiles: tuple[float, ...], bins: int = BINS) -> tuple[Array, float, float]:
    """Shares of the values in equal bins, worked out from their quantiles, and the range that they cover.

    Between two neighbouring quantiles the values are taken as evenly spread. Where the outermost percent
    on a side would take up more than half of the range, it is left out, so that one stray value does not
    press all others into one bin.
    """
    q = np.asarray(quantiles, dtype=float)
    first, last = max(1, len(q) // 100), len(q) - 1 - max(1, len(q) // 100)
    low, high = q[0], q[-1]
    inner = q[last] - q[first]
    if inner > 0:
        low = q[first] if q[first] - low > inner else low
        high = q[last] if high - q[last] > inner else high
    if not high > low:
        return np.ones(1), float(low), float(high)
    edges = np.linspace(low, high, bins + 1)
    width = np.diff(q)
    share = np.zeros(bins)
    spread = width > 0
    left, right = q[:-1][spread, None], q[1:][spread, None]
    overlap = np.minimum(right, edges[1:]) - np.maximum(left, edges[:-1])
    share += (np.maximum(overlap, 0) / width[spread, None]).sum(axis=0)
    atoms = q[:-1][~spread]
    atoms = atoms[(atoms >= low) & (atoms <= high)]
    places = np.clip(np.searchsorted(edges, atoms, side="right") - 1, 0, bins - 1)
    share += np.bincount(places, minlength=bins)
    return share / len(width), float(low), float(high)
