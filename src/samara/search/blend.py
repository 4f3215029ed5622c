"""Weights of a blend: nonnegative least squares on what the members said of rows they had not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from samara.core import Array
from samara.rowkeys import fold_of
from samara.search.candidates import Tried
from samara.search.rows import SearchRows

MOST_MEMBERS = 5
LEAST_SHARE = 0.05  # of all weights, below which a member is not worth its fit
EQUAL = 1e-3  # pull towards equal weights, in rows: it settles what the rows leave open
SALT = np.uint64(0xB1E4D)
FOLDS = 5


def nonnegative(outputs: Sequence[Array], Y: Array, weight: Array) -> Array:
    """Weights w ≥ 0 with the least Σ weight·(Σ wᵢfᵢ − y)², (k,)."""
    k, roots = len(outputs), np.sqrt(weight)[:, None]
    A = np.stack([(roots * P).ravel() for P in outputs], axis=1)
    pull = EQUAL * np.sqrt(max(float(weight.mean()), 1e-300))
    found, _ = nnls(
        np.vstack([A, pull * np.eye(k)]), np.concatenate([(roots * Y).ravel(), np.full(k, pull / k)])
    )
    return np.asarray(found)


def best_of_families(tried: Sequence[Tried], errors: Sequence[float]) -> list[int]:
    """The best of each family, the best family first."""
    order = sorted(range(len(tried)), key=lambda i: (errors[i], i))
    seen: dict[str, int] = {}
    for i in order:
        seen.setdefault(tried[i].candidate.family, i)
    return list(seen.values())


def blended(tried: Sequence[Tried], rows: SearchRows, some: Array | None = None) -> tuple[list[int], Array]:
    """Numbers of the members and their weights, by the scored rows or by some of them."""
    errors = [one.error if some is None else rows.error(one.outputs, some) for one in tried]
    members = best_of_families(tried, errors)[:MOST_MEMBERS]
    weights = weighed(tried, members, rows, some)
    kept = weights > LEAST_SHARE * weights.sum()
    if not kept.any():
        return members[:1], np.zeros(1)
    members = [i for i, keep in zip(members, kept.tolist(), strict=True) if keep]
    return members, weighed(tried, members, rows, some)


def weighed(
    tried: Sequence[Tried], members: Sequence[int], rows: SearchRows, some: Array | None = None
) -> Array:
    """Weights of given members, by the scored rows or by some of them."""
    chosen = np.arange(len(rows.scored)) if some is None else some
    Y, weight = rows.Y[rows.scored[chosen]], rows.weight[rows.scored[chosen]]
    return nonnegative([tried[i].outputs[chosen] for i in members], Y, weight)


def combined(tried: Sequence[Tried], members: Sequence[int], weights: Array) -> Array:
    """What the blend says of the scored rows."""
    return np.asarray(sum(w * tried[i].outputs for i, w in zip(members, weights.tolist(), strict=True)))


def cross_blended(tried: Sequence[Tried], rows: SearchRows) -> Array:
    """What blends say of the scored rows, each chosen and weighed by the other rows alone."""
    folds = fold_of(rows.keys[rows.scored] ^ SALT, FOLDS)
    made = np.empty_like(tried[0].outputs)
    for fold in range(FOLDS):
        mine, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if len(mine):
            some = others if len(others) else mine
            made[mine] = combined(tried, *blended(tried, rows, some))[mine]
    return made
