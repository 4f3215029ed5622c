"""Rows to train and to test on: those that a file names, else random ones."""

from pathlib import Path

import numpy as np

from bench.papers.running import table_of, there

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # X to fit and to test, y to fit and to test

LETTERS = list("ABCDE")  # of which Men and Wang made their set


def file_split(
    name: str, folder: Path | None, rng: np.random.Generator, sizes: tuple[int, int] = (0, 0)
) -> Split | None:
    """The rows that a file calls train and test, else random ones; of letters A to E. None: no file."""
    import pandas as pd

    if not there(name, folder):
        return None
    rows = table_of(name, folder)
    if name == "letter":
        rows = rows[rows["target"].isin(LETTERS)]
    if "split" in rows:
        part = rows.pop("split").astype(str).to_numpy()
        # Arcene's rows to test on are called valid: the labels of its test rows were never public.
        first, second = np.flatnonzero(part == "train"), np.flatnonzero(np.isin(part, _tested(part)))
    else:
        order = rng.permutation(len(rows))
        first, second = order[: sizes[0]], order[sizes[0] : sum(sizes)]
    y = pd.factorize(rows.pop("target"), sort=True)[0]
    X = rows.to_numpy(np.float64)
    return X[first], X[second], y[first], y[second]


def _tested(part: np.ndarray) -> str:
    return "test" if "test" in part else "valid"
