"""The tables: generated ones, and the rows of real sets."""

from pathlib import Path

import numpy as np

from bench.papers.running import absent, there
from bench.papers.splits import Split, file_split

N_TEST = 5_000
LINKS = 8
NOISE = 0.05  # of the target's spread


def arm(n_rows: int, n_test: int = N_TEST) -> Split:
    """Like kin40k: how far the tip of an arm of eight links is from a point, by the angles of its joints.

    The joints turn about two axes in turn, by up to a right angle. At 3000 rows its error is about half of
    kin40k's, with the same gamma and ridge as the best.
    """
    rng = np.random.default_rng(0)
    X = rng.uniform(-np.pi / 2, np.pi / 2, (n_rows + n_test, LINKS))
    tip = np.zeros((len(X), 3))
    for joint in reversed(range(LINKS)):
        tip[:, 0] += 1
        cosine, sine, other = np.cos(X[:, joint]), np.sin(X[:, joint]), 1 + joint % 2
        along, across = tip[:, 0].copy(), tip[:, other].copy()
        tip[:, 0], tip[:, other] = cosine * along - sine * across, sine * along + cosine * across
    y = np.linalg.norm(tip - 1, axis=1)
    y = (y - y.mean()) / y.std() + NOISE * rng.standard_normal(len(y))
    X /= X.std(axis=0)
    return X[:n_rows], X[n_rows:], y[:n_rows], y[n_rows:]


def missing(name: str, folder: Path | None) -> str | None:
    """Why a set can't be had; letter comes with the package."""
    return None if there(name, folder) else absent(name)


def classes(name: str, folder: str | None, most: int) -> Split:
    """The official rows to train and to test on; of the former ``most`` random ones at most."""
    rng = np.random.default_rng(0)
    if name == "letter":
        from samara.datasets import load_letter

        X, X_test, y, y_test = load_letter(return_split=True)
    else:
        split = file_split(name, Path(folder) if folder else None, rng)
        if split is None:
            raise FileNotFoundError(absent(name))
        X, X_test, y, y_test = split
    if len(X) > most:
        kept = rng.permutation(len(X))[:most]
        X, y = X[kept], y[kept]
    return X, X_test, y, y_test
