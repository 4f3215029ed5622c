"""The block primitive: tiles of a kernel matrix on every core against scikit-learn's ``rbf_kernel``."""

import argparse
from typing import Any

import numpy as np

from bench.duels import Duel, Part, faster, found
from bench.harness import Contender, Target
from bench.ledger import Cell
from bench.measure import Trial, available_cores
from bench.papers.jankowski_sets import squared_distances

D, TILE = 20, 256
GAMMA = 1 / D
REPEATS = 10  # blocks in one measurement: a single one is too short for the clock
CHECKED = 256  # rows whose entries are compared with those in float64
TIMES_FASTER, ROUNDING = 4.0, 1e-5


def rows(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Two different tables, so that nothing is symmetric."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((size, D), np.float32), rng.standard_normal((size, D), np.float32)


def error(K: np.ndarray, size: int) -> dict[str, Any]:
    """The largest error of an entry."""
    X, Z = (part.astype(np.float64) for part in rows(size))
    exact = np.exp(-GAMMA * squared_distances(X[:CHECKED], Z))
    return {"largest_error": float(np.max(np.abs(K[:CHECKED] - exact)))}


def rbf_kernel(size: int) -> Trial:
    """scikit-learn's, which makes a new array every time."""
    from sklearn.metrics.pairwise import rbf_kernel

    X, Z = rows(size)

    def run() -> np.ndarray:
        for _ in range(REPEATS):
            K = rbf_kernel(X, Z, gamma=GAMMA)
        return np.asarray(K)

    return Trial(run, lambda K: error(K, size), lambda: rbf_kernel(X[:64], Z[:64], gamma=GAMMA))


def tiles(size: int) -> Trial:
    """Tiles into one array; the rows are prepared anew for every block, which a fit does once."""
    from samara.linalg.workers import in_threads
    from samara.maps import Gramian, Kernel

    both = np.concatenate(rows(size))
    K, columns = np.zeros((size, size), np.float32), slice(size, 2 * size)

    def block(n_rows: int) -> np.ndarray:
        gramian = Gramian(Kernel("rbf", gamma=GAMMA), both, np.dtype(np.float32))
        gramian.tile(slice(0, 1), slice(0, 1))  # prepares the rows, before the threads ask for them

        def tile(lo: int) -> None:
            gramian.tile(slice(lo, lo + TILE), columns, K[lo : lo + TILE])

        in_threads(tile, range(0, n_rows, TILE), available_cores())
        return K

    return Trial(
        run=lambda: [block(size) for _ in range(REPEATS)][-1],
        describe=lambda made: error(made, size),
        warm_up=lambda: block(TILE),
    )


def duels(chosen: argparse.Namespace) -> list[Duel]:
    size = {"size": 512 if chosen.quick else 4096}
    sides = [
        Contender("rbf_kernel", "bench.kernel.blocks:rbf_kernel", size),
        Contender("samara", "bench.kernel.blocks:tiles", size, reference="rbf_kernel"),
    ]
    return [Duel("primitive/block", sides)]


def targets(cells: dict[str, Cell]) -> list[Target]:
    cell = cells["block"]
    return [
        Target("block of a kernel: times faster", faster(cell, "samara"), TIMES_FASTER, at_least=True),
        Target("block of a kernel: largest error", found(cell, "samara", "largest_error"), ROUNDING),
    ]


PRIMITIVE = Part(
    f"{REPEATS} blocks of 4096×4096 entries of an rbf kernel, 20 inputs, float32", duels, targets
)
