"""Products with a few columns, held-out squares and sparse sketches: what passes over the rows add up to."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara.core import Block
from samara.summaries import HeldOut, Layout, Products, SparseSketch
from samara.summaries.products import NONZEROS

FOLDS = 3


def make_layout(features=3, targets=2, dtype="float64"):
    rng = np.random.default_rng(9)
    return Layout(
        rng.normal(size=features).astype(dtype),
        rng.normal(size=targets),
        rng.uniform(0.5, 2, targets),
        np.dtype(dtype),
    )


def make_blocks(rng, layout, weighted, count=6):
    """Blocks of random length and fold, their starts those of a stream."""
    start = 0
    for _ in range(count):
        rows = int(rng.integers(1, 30))
        weight = rng.uniform(0.1, 3, rows) if weighted else None
        X, y = rng.normal(size=(rows, layout.n_features)), rng.normal(size=(rows, layout.n_targets))
        yield Block(X, y, weight, start, fold=int(rng.integers(FOLDS)))
        start += rows


def augmented(block, layout):
    """[1, h − shift, (y − centre)/spread]·√w, written out."""
    Z = np.column_stack(
        [np.ones(len(block)), block.X - layout.shift, (block.y - layout.centre) / layout.spread]
    )
    return Z if block.weight is None else Z * np.sqrt(block.weight)[:, None]


def summed(make, blocks):
    made = make()
    for block in blocks:
        made.update(block)
    return made


problem = {
    "seed": st.integers(0, 10**6),
    "weighted": st.booleans(),
    "n_probes": st.integers(0, 4),
    "skips": st.booleans(),
}


def products_case(seed, weighted, n_probes, skips, dtype="float64"):
    """A summary to be made, the blocks for it, and ZᵀU, ‖U‖² and UᵀU of the probes by brute force."""
    rng = np.random.default_rng(seed)
    layout = make_layout(dtype=dtype)
    P = rng.normal(size=(layout.width, 5))
    skip = rng.integers(-1, FOLDS, 5) if skips else None
    blocks = list(make_blocks(rng, layout, weighted))
    expected = np.zeros((layout.width, 5)), np.zeros(5), 0.0, np.zeros((n_probes, n_probes))
    ZU, squares, energy, gram = expected
    for block in blocks:
        Z = augmented(block, layout)
        U = Z @ P
        if skip is not None:
            U[:, skip == block.fold] = 0
        ZU += Z.T @ U
        squares += (U**2).sum(axis=0)
        energy += (Z[:, 1 : 1 + layout.n_features] ** 2).sum()
        gram += U[:, :n_probes].T @ U[:, :n_probes]
    return lambda: Products(layout, P, 32, skip, n_probes), blocks, (ZU, squares, energy, gram)


def assert_products(found, expected, tol):
    ZU, squares, energy, gram = expected
    np.testing.assert_allclose(found.products, ZU, atol=tol * np.abs(ZU).max())
    np.testing.assert_allclose(found.squares, squares, atol=tol * squares.max())
    assert found.energy == pytest.approx(energy, rel=tol)
    if len(gram):
        R = found.triangle
        np.testing.assert_allclose(R, np.triu(R), atol=0)
        np.testing.assert_allclose(R.T @ R, gram, atol=tol * np.abs(gram).max())


@given(**problem)
def test_products_are_those_of_all_rows(seed, weighted, n_probes, skips):
    """Block by block: ZᵀU, ‖U‖², ‖H‖² and the triangle of the probes, each column without its fold."""
    make, blocks, expected = products_case(seed, weighted, n_probes, skips)
    assert_products(summed(make, blocks).finish(), expected, 1e-11)


@given(**problem, first=st.integers(0, 6), second=st.integers(0, 6))
def test_products_are_a_monoid(seed, weighted, n_probes, skips, first, second):
    """Any grouping of the merges gives the same sums, and an empty summary is neutral on both sides."""
    make, blocks, expected = products_case(seed, weighted, n_probes, skips)
    low, high = sorted((first, second))
    pieces = [blocks[:low], blocks[low:high], blocks[high:]]
    a, b, c = (summed(make, piece) for piece in pieces)
    left = copy.deepcopy(a)
    left.merge(copy.deepcopy(b))
    left.merge(copy.deepcopy(c))
    b.merge(c)
    a.merge(b)
    empty = make()
    empty.merge(a)
    empty.merge(make())
    for found in (left, a, empty):
        assert_products(found.finish(), expected, 1e-11)


@given(seed=st.integers(0, 10**6), skips=st.booleans())
def test_products_in_single_precision(seed, skips):
    """Rows in float32, sums in float64: to 1e-5."""
    make, blocks, expected = products_case(seed, True, 3, skips, "float32")
    found = summed(make, blocks).finish()
    assert found.products.dtype == found.triangle.dtype == np.float64
    assert_products(found, expected, 1e-5)


def test_a_triangle_of_fewer_rows_than_probes():
    """A trapezoid: as many rows as there were."""
    layout = make_layout()
    made = Products(layout, np.eye(layout.width)[:, :5], 32, None, 5)
    made.update(Block(np.ones((2, 3)), np.ones((2, 2)), None, 0))
    assert made.finish().triangle.shape == (2, 5)


@given(seed=st.integers(0, 10**6), weighted=st.booleans(), cut=st.integers(0, 6))
def test_held_out_squares_are_those_of_each_fold(seed, weighted, cut):
    """‖ZP_f‖² over the rows of fold f, merged or not."""
    rng = np.random.default_rng(seed)
    layout = make_layout()
    P = rng.normal(size=(FOLDS, layout.width, 4))
    blocks = list(make_blocks(rng, layout, weighted))
    expected = np.zeros((FOLDS, 4))
    for block in blocks:
        expected[block.fold] += ((augmented(block, layout) @ P[block.fold]) ** 2).sum(axis=0)
    found = summed(lambda: HeldOut(layout, P, 32), blocks[:cut])
    found.merge(summed(lambda: HeldOut(layout, P, 32), blocks[cut:]))
    np.testing.assert_allclose(found.squares, expected, rtol=1e-11)


def sketch_of(layout, blocks, entropy, rows=40):
    return summed(lambda: SparseSketch(layout, rows, 32, entropy), blocks)


def test_a_sketch_adds_each_row_to_a_few_of_its_own():
    """One row of data: ±z/√8 in eight rows, one of each stripe."""
    layout = make_layout()
    block = Block(np.ones((1, 3)), np.ones((1, 2)), None, 0)
    z = augmented(block, layout)[0]
    for entropy in range(20):
        rows = sketch_of(layout, [block], entropy).rows
        assert rows.shape == (40, layout.width)
        used = np.flatnonzero(np.abs(rows).max(axis=1))
        assert (used // 5).tolist() == list(range(NONZEROS))
        np.testing.assert_allclose(np.abs(rows[used]), np.tile(np.abs(z), (8, 1)) / np.sqrt(8), rtol=1e-14)


@pytest.mark.parametrize("rows", [1, 7, 8, 41, 64])
def test_a_sketch_has_at_least_the_rows_asked_for(rows):
    """Rounded up to whole stripes."""
    layout = make_layout()
    found = SparseSketch(layout, rows, 32, 0).rows
    assert rows <= len(found) < rows + NONZEROS


@pytest.mark.parametrize("weighted", [False, True])
def test_a_sketch_keeps_lengths_on_average(weighted):
    """E ‖SZx‖² = ‖Zx‖²: the mean of 400 sketches within four standard errors."""
    rng = np.random.default_rng(5)
    layout = make_layout()
    blocks = list(make_blocks(rng, layout, weighted))
    Z = np.vstack([augmented(block, layout) for block in blocks])
    X = rng.normal(size=(layout.width, 3))
    lengths = np.array([((sketch_of(layout, blocks, s).rows @ X) ** 2).sum(axis=0) for s in range(400)])
    error = lengths.std(axis=0, ddof=1) / np.sqrt(len(lengths))
    truth = ((Z @ X) ** 2).sum(axis=0)
    assert (np.abs(lengths.mean(axis=0) - truth) < 4 * error).all()
    assert (error < 0.05 * truth).all()


def test_a_sketch_keeps_the_column_space():
    """8 rows a column: singular values of SQ, Q orthonormal, lie within a half of 1."""
    rng = np.random.default_rng(6)
    layout = Layout(np.zeros(20), np.zeros(1), np.ones(1), np.dtype(float))
    X, y = rng.standard_t(3, size=(3000, 20)), rng.normal(size=(3000, 1))
    blocks = [Block(X[i : i + 32], y[i : i + 32], None, i) for i in range(0, 3000, 32)]
    S = sketch_of(layout, blocks, 1, 8 * layout.width).rows
    R = np.linalg.qr(np.column_stack([np.ones(3000), X, y]), mode="r")
    s = np.linalg.svd(S @ np.linalg.inv(R), compute_uv=False)
    assert 0.5 < s[-1] <= s[0] < 1.5


def test_blocks_of_one_start_get_signs_of_their_own():
    """Rows of a chunk that were split by weight share a start: they must not share their signs."""
    layout = make_layout()
    block = Block(np.ones((8, 3)), np.ones((8, 2)), None, 0)
    once, twice = sketch_of(layout, [block], 0).rows, sketch_of(layout, [block, block], 0).rows
    assert not np.allclose(twice, 2 * once)


@given(seed=st.integers(0, 10**6), cut=st.integers(0, 6))
def test_sketches_merge_by_addition(seed, cut):
    """Of disjoint parts, in either order; an empty one is neutral; the same seed gives the same bits."""
    layout = make_layout()
    blocks = list(make_blocks(np.random.default_rng(seed), layout, True))
    a, b = sketch_of(layout, blocks[:cut], 3), sketch_of(layout, blocks[cut:], 3)
    expected = a.rows + b.rows
    again = sketch_of(layout, blocks[:cut], 3)
    np.testing.assert_array_equal(again.rows, a.rows)
    b.merge(a)
    np.testing.assert_array_equal(b.rows, expected)
    b.merge(sketch_of(layout, [], 3))
    np.testing.assert_array_equal(b.rows, expected)
