"""The kernel matrix as a source of tiles: all of it, once, wherever it is made."""

import pickle

import numpy as np
import pytest

from samara.engines import Threads
from samara.maps import Gramian, Kernel
from samara.solvers.kernel.tiles import TileGaps, TileProducts, Tiles

pytestmark = pytest.mark.usefixtures("every_pass_is_worth_threads")
X = np.random.default_rng(0).normal(size=(50, 3))
WEIGHTS = np.linspace(1, 2, 50)
KERNEL = Kernel("rbf", 0.3)


def tiles_of(step, dtype="float64", keep=0):
    return Tiles(Gramian(KERNEL, X, np.dtype(dtype)), WEIGHTS, step, keep)


def matrix():
    """The whole of it."""
    gaps = ((X[:, None] - X) ** 2).sum(axis=2)
    return np.sqrt(np.outer(WEIGHTS, WEIGHTS)) * np.exp(-0.3 * gaps)


@pytest.mark.parametrize("step", [1, 7, 25, 49, 50, 64])
@pytest.mark.parametrize("count", [1, 3, 100])
def test_parts_cover_the_upper_triangle_once(step, count):
    """Every tile in one part, and as many entries as announced."""
    tiles, found = tiles_of(step), np.zeros((50, 50))
    for part in tiles.parts(count):
        for tile in part.blocks(0):
            found[tile.rows, tile.columns] += tile.entries
            if tile.mirrored:
                found[tile.columns, tile.rows] += tile.entries.T
    np.testing.assert_allclose(found, matrix(), rtol=1e-12)
    entries = [len(tile) for part in tiles.parts(count) for tile in part.blocks(0)]
    assert sum(entries) == tiles.n_rows
    assert len(entries) == len(tiles.pairs())


def test_a_part_travels_with_the_rows_and_without_tiles():
    """The shell says which kernel and precision, and holds no row."""
    tiles = tiles_of(20, keep=100)
    first = [tile.entries.copy() for tile in tiles.parts(2)[0].blocks(0)]
    assert tiles.kept
    alone = pickle.loads(pickle.dumps(tiles.parts(2)[0].alone()))
    shell = pickle.loads(pickle.dumps(tiles.shell()))
    assert shell.gramian.rows.size == 0
    assert not alone.source.kept
    for made, expected in zip(alone.within(shell).blocks(0), first, strict=True):
        np.testing.assert_array_equal(made.entries, expected)
    single = alone.within(tiles_of(20, "float32").shell())
    assert next(single.blocks(0)).entries.dtype == np.float32


def test_both_precisions_are_the_same_rows():
    """An engine that has sent them need not send them again."""
    one, other = tiles_of(20), tiles_of(20, "float32")
    assert all(a is b for a, b in zip(one.held[:2], other.held[:2], strict=True))


@pytest.mark.parametrize("keep", [0, 3, 6])
def test_tiles_are_kept_by_a_pass_and_found_by_the_next(keep):
    """As many as there is room for, and no more."""
    tiles, P = tiles_of(20, keep=keep), np.eye(50)[:, :4]
    for _ in range(2):
        made = Threads(2).summarize(tiles, lambda: TileProducts(P)).total
        np.testing.assert_allclose(made, matrix()[:, :4], rtol=1e-12)
        assert len(tiles.kept) == keep


def test_gaps_are_those_of_the_whole_matrix():
    """‖K − ABᵀ‖²_F of factors that are not symmetric."""
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(2, 50, 4))
    found = Threads(3).summarize(tiles_of(16), lambda: TileGaps(A, B)).squares
    np.testing.assert_allclose(found, np.linalg.norm(matrix() - A @ B.T) ** 2, rtol=1e-12)


@pytest.mark.parametrize("summary", [TileProducts(np.ones((50, 2))), TileGaps(X, X)], ids=["sums", "gaps"])
def test_what_comes_home_is_sums_alone(summary):
    """Not what they were made with."""
    before = len(pickle.dumps(summary))
    assert len(pickle.dumps(summary.finish())) < before - 700
