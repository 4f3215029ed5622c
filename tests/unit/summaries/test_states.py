"""A summary written down between any two blocks and gone on with is the same to the bit."""

import numpy as np
import pytest
import scipy.sparse as sp

from samara.checkpoints import Saved
from samara.core import Block
from samara.store import read_record, write_record
from samara.summaries import HeldOut, Layout, LeaveOneOut, Moments, Products, Profile, Rows, Triangle

COUNT = 9  # blocks


def make_layout(dtype, targets=2):
    shift = np.array([0.5, -1.0, 2.0, 0.1, 7.0], dtype)
    return Layout(shift, np.linspace(0, 1, targets), np.linspace(1, 2, targets), np.dtype(dtype))


def make_blocks(dtype, weighted, sparse=False):
    """Blocks of random length, their folds in runs and then mixed."""
    rng = np.random.default_rng(3)
    for k, fold in enumerate([0, 0, 0, 1, 1, 2, 0, 2, 1]):
        rows = int(rng.integers(1, 20))
        X, y = rng.normal(size=(rows, 5)).astype(dtype), rng.normal(size=(rows, 2))
        weight = rng.uniform(0.1, 3, rows) if weighted else None
        yield Block(sp.csr_matrix(X) if sparse else X, y, weight, 20 * k, fold=fold)


def press(Z):
    """Errors (b, cases, t) of two cases: any function of the rows will do."""
    return np.stack([Z[:, -2:], np.sin(Z[:, 1:3])], axis=1).astype(float)


MAKE = {
    "moments": lambda dtype: Moments(make_layout(dtype), 3, 32),
    "appended moments": lambda dtype: Moments(make_layout(dtype), 3, 32, known=2),
    "triangle": lambda dtype: Triangle(make_layout(dtype), 3, 32),
    "leave-one-out": lambda dtype: LeaveOneOut(make_layout(dtype), press, 32),
    "look": lambda dtype: Profile(),
    "look with a sample": lambda dtype: Profile(30, salt=5),
}


def gone_on(summary, fresh, path):
    """The summary after a stay on the disk; what it was goes on elsewhere, and must not matter."""
    numbers, arrays = summary.state()
    write_record(path, {"numbers": numbers}, arrays)
    record = read_record(path)
    fresh.restore(record.header["numbers"], record.arrays)
    return fresh


def bits(summary):
    """All of its numbers and arrays, bit by bit."""
    numbers, arrays = summary.state()
    return repr(numbers), {
        name: (array.dtype, array.shape, np.ascontiguousarray(array).tobytes())
        for name, array in arrays.items()
    }


@pytest.fixture
def carried_often(monkeypatch):
    """Sums in float32 are carried over every 40 rows, so that some blocks find one pending and some don't."""
    monkeypatch.setattr("samara.summaries.moments.FLUSH_ROWS", 40)


@pytest.mark.usefixtures("carried_often")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", MAKE)
def test_between_any_two_blocks(kind, dtype, weighted, tmp_path):
    """Before the first and after the last as well; then it is merged as the others are."""
    make, blocks = MAKE[kind], list(make_blocks(dtype, weighted))

    def summed(cut=None):
        summary = make(dtype)
        for k, block in enumerate([*blocks, None]):
            if k == cut:
                summary = gone_on(summary, make(dtype), tmp_path / "state")
            if block is not None:
                summary.update(block)
        return summary

    def merged(first):
        first.merge(summed())
        return first

    wanted, total = bits(summed()), bits(merged(summed()))
    for cut in range(COUNT + 1):
        assert bits(summed(cut)) == wanted
        assert bits(merged(summed(cut))) == total


@pytest.mark.parametrize("kind", ["look", "look with a sample"])
def test_a_look_at_sparse_rows(kind, tmp_path):
    """Its sample is dense."""
    wanted, found = MAKE[kind]("float64"), MAKE[kind]("float64")
    for block in make_blocks("float64", True, sparse=True):
        wanted.update(block)
        found = gone_on(found, MAKE[kind]("float64"), tmp_path / "state")
        found.update(block)
    assert bits(found) == bits(wanted)
    np.testing.assert_array_equal(found.sample, wanted.sample)
    np.testing.assert_array_equal(found.inputs.spread, wanted.inputs.spread)


@pytest.mark.usefixtures("carried_often")
def test_what_is_pending_is_kept_apart(tmp_path):
    """Carried over at once, it would be rounded at another moment."""
    blocks = list(make_blocks("float32", False))
    summary = MAKE["moments"]("float32")
    summary.update(blocks[0])
    assert "single" in summary.state()[1]
    assert summary.state()[0] == {"rows": len(blocks[0]), "fold": 0}


def test_a_summary_that_saw_no_row(tmp_path):
    """A worker whose rows have no weight."""
    for make in MAKE.values():
        assert bits(gone_on(make("float64"), make("float64"), tmp_path / "state")) == bits(make("float64"))


def test_which_can_be_written_down():
    """Those of one-pass fits; the others are begun anew."""
    assert all(isinstance(make("float64"), Saved) for make in MAKE.values())
    assert not any(issubclass(kind, Saved) for kind in (Rows, Products, HeldOut))
