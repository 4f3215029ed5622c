"""Which columns a model leans on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.report.run import Importance

SHUFFLES = 5


def permutation_importance(
    predict: Callable[[dict[str, Array]], Array],
    columns: dict[str, Array],
    y: Array,
    score: Callable[[Array, Array], float],
    seed: int = 0,
    rows: int = 2000,
) -> tuple[Importance, ...]:
    """How much worse a score is when one raw column at a time is shuffled.

    Each column is shuffled five times over the same sample of rows. The standard error is that of the mean
    over the shuffles: it says how sure the drop is for these rows, not for others.

    Parameters
    ----------
    predict : callable
        Takes a dict of columns, as ``columns``, and returns a prediction a row.
    columns : dict of str to ndarray of shape (n,)
        The raw columns; rows that the model has not seen are best.
    y : ndarray of shape (n,) or (n, t)
        True targets or labels.
    score : callable
        Of true and predicted values; higher is better.
    seed : int, default=0
        Of the sample and the shuffles.
    rows : int, default=2000
        Rows used at most.

    Returns
    -------
    importances : tuple of Importance
        The largest drop first.

    Examples
    --------
    >>> import numpy as np
    >>> from samara.report import permutation_importance
    >>> a, b = np.arange(100.0), np.ones(100)
    >>> drops = permutation_importance(lambda c: c["a"], {"a": a, "b": b}, a, lambda t, p: -abs(t - p).mean())
    >>> [drop.name for drop in drops]
    ['a', 'b']
    """
    lengths = {name: len(column) for name, column in columns.items()}
    if not lengths or set(lengths.values()) != {len(y)}:
        raise InputError(
            f"Every column needs as many rows as y, {len(y):,}; given were "
            f"{', '.join(f'{name}: {length:,}' for name, length in lengths.items()) or 'no columns'}."
        )
    rng = np.random.default_rng(seed)
    taken = np.sort(rng.choice(len(y), min(rows, len(y)), replace=False))
    sample = {name: np.asarray(column)[taken] for name, column in columns.items()}
    true = np.asarray(y)[taken]
    whole = score(true, predict(sample))
    orders = [rng.permutation(len(taken)) for _ in range(SHUFFLES)]
    found = []
    for name, column in sample.items():
        drops = [whole - score(true, predict(sample | {name: column[order]})) for order in orders]
        found.append(Importance(name, float(np.mean(drops)), float(np.std(drops, ddof=1) / SHUFFLES**0.5)))
    return tuple(sorted(found, key=lambda each: -each.drop))
