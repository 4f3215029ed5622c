"""The sets of Men and Wang: rows to fit and rows to test."""

from pathlib import Path

import numpy as np

from bench.papers.jankowski_sets import waveform
from bench.randomized.paper_tables import MEN_WANG

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # X to fit and to test, y to fit and to test

LETTERS = list("ABCDE")  # of which Men and Wang made their set


def men_wang_split(name: str, folder: Path | None, seed: int) -> Split | None:
    """The official rows to train and test on, else as many random ones as the paper had; None: not there."""
    train, test = MEN_WANG[name][:2]
    if name == "waveform":
        X, y = waveform(train + test)
        return X[:train], X[train:], y[:train], y[train:]
    return file_split(name, folder, np.random.default_rng(seed), (train, test))


def file_split(
    name: str, folder: Path | None, rng: np.random.Generator, sizes: tuple[int, int] = (0, 0)
) -> Split | None:
    """The rows that a file calls train and test, else random ones; of letters A to E. None: no file."""
    import pandas as pd

    file = Path(folder) / f"{name}.parquet" if folder else None
    if file is None or not file.exists():
        return None
    rows = pd.read_parquet(file)
    if name == "letter":
        rows = rows[rows["target"].isin(LETTERS)]
    if "split" in rows:
        part = rows.pop("split").astype(str).to_numpy()
        first, second = np.flatnonzero(part == "train"), np.flatnonzero(part == "test")
    else:
        order = rng.permutation(len(rows))
        first, second = order[: sizes[0]], order[sizes[0] : sum(sizes)]
    y = pd.factorize(rows.pop("target"), sort=True)[0]
    X = rows.to_numpy(np.float64)
    return X[first], X[second], y[first], y[second]


def absent(name: str) -> str:
    """What is said of a set whose file is not there."""
    return f"no {name}.parquet in the folder of --data or SAMARA_DATA"
