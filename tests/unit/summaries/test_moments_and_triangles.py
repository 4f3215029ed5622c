"""What one pass keeps: moments and triangles of folds, and leave-one-out sums."""

import numpy as np
import pytest

from samara.core import Block
from samara.summaries import Layout, Moments, Rows, Triangle


def _layout(dtype="float64"):
    return Layout(np.array([0.5, -1.0, 2.0]), np.array([1.0, 0.0]), np.array([2.0, 1.0]), np.dtype(dtype))


def _blocks(rng, weighted, count=5):
    for k in range(count):
        rows = int(rng.integers(1, 30))
        weight = rng.uniform(0.1, 3, rows) if weighted else None
        yield Block(rng.normal(size=(rows, 3)), rng.normal(size=(rows, 2)), weight, 0, fold=k % 2)


def _augmented(block, layout):
    """[1, h − shift, (y − centre)/spread]·√w, written out."""
    Z = np.column_stack(
        [np.ones(len(block)), block.X - layout.shift, (block.y - layout.centre) / layout.spread]
    )
    return Z if block.weight is None else Z * np.sqrt(block.weight)[:, None]


def test_layout_and_back():
    """Rows are augmented as documented; a solution in these coordinates is restored to the data's."""
    layout = _layout()
    rng = np.random.default_rng(0)
    block = next(_blocks(rng, False))
    Z = layout.fill(block, layout.workspace(64))
    np.testing.assert_allclose(Z, _augmented(block, layout), rtol=1e-14)
    solution = rng.normal(size=(4, 2))
    coef, intercept = layout.restore(solution)
    fitted = (Z[:, :4] @ solution) * layout.spread + layout.centre
    np.testing.assert_allclose(block.X @ coef + intercept, fitted, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("summary", [Moments, Triangle, Rows])
def test_summaries_merge_to_the_gram_of_all_rows(summary, dtype, weighted):
    """Updates and merges in any grouping give ZᵀZ of each fold."""
    layout = _layout(dtype)
    blocks = list(_blocks(np.random.default_rng(1), weighted))
    first, second = summary(layout, 2, 32), summary(layout, 2, 32)
    for k, block in enumerate(blocks):
        (first if k < 2 else second).update(block)
    first.merge(second)
    first.finish()
    for fold in range(2):
        Z = np.vstack([_augmented(block, layout) for block in blocks if block.fold == fold])
        if summary is Moments:
            found = np.triu(first.grams[fold])
        else:
            R = first.folds[fold] if summary is Triangle else first.rows[first.folds == fold]
            found = np.triu(R.T.astype(float) @ R)
        np.testing.assert_allclose(
            found,
            np.triu(Z.T @ Z),
            rtol=1e-10 if dtype == "float64" else 1e-4,
            atol=1e-4 if dtype == "float32" else 1e-12,
        )


def test_a_fold_with_few_rows_keeps_a_trapezoid():
    """A triangle of fewer rows than columns has as many rows as the fold."""
    triangle = Triangle(_layout(), 2, 32)
    triangle.update(Block(np.ones((2, 3)), np.ones((2, 2)), None, 0, fold=1))
    assert [len(fold) for fold in triangle.folds] == [0, 2]


def test_single_precision_sums_are_carried_over(monkeypatch):
    """Adding many float32 blocks errs no more than one block does: the long sum is in float64."""
    monkeypatch.setattr("samara.summaries.moments.FLUSH_ROWS", 64)
    layout = Layout(np.zeros(1), np.zeros(1), np.ones(1), np.dtype("float32"))
    moments = Moments(layout, 1, 32)
    block = Block(np.full((32, 1), 0.1), np.zeros((32, 1)), None, 0)
    for _ in range(3000):
        moments.update(block)
    gram = moments.finish().grams[0]
    assert gram.dtype == np.float64
    assert gram[0, 0] == 96_000
    assert gram[1, 1] == pytest.approx(96_000 * float(np.float32(0.1)) ** 2, rel=1e-6)
