"""The profile of a raw table, against loops over its rows."""

import numpy as np
import pytest

from samara.checkpoints import Saved
from samara.core import Block
from samara.rowkeys import fold_of, row_keys
from samara.schema import Column, text_code
from samara.store import read_record, write_record
from samara.summaries import MISSING, ColumnProfile, Limits
from tests.tables import SMALL, Table


@pytest.mark.parametrize("weighted", [False, True])
def test_moments_of_what_is_there(weighted):
    """Column by column: rows, weight, mean, squares and range of the values that are not missing."""
    table = Table(300, weighted=weighted)
    weight = np.ones(300) if table.weight is None else table.weight
    profile = table.profiled([50, 200])
    for j in range(5):
        there = ~np.isnan(table.X[:, j])
        values, each = table.X[there, j], weight[there]
        mean = np.average(values, weights=each)
        found = profile.inputs.state()[:, j]
        wanted = [there.sum(), each.sum(), mean, each @ (values - mean) ** 2, values.min(), values.max()]
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_column_that_is_never_there():
    """No rows, no weight, an empty range; other columns don't mind."""
    X = np.column_stack([np.full(6, np.nan), np.arange(6.0)])
    profile = ColumnProfile((Column("a", "number"), Column("b", "number")), (Column("y", "number"),))
    for rows in np.split(np.arange(6), 3):
        profile.update(Block(X[rows], X[rows, 1:], None, 0))
    np.testing.assert_array_equal(profile.inputs.state()[:, 0], [0, 0, 0, 0, np.inf, -np.inf])
    assert profile.inputs.mean[1] == 2.5


def test_huge_values_beside_missing_ones_keep_a_finite_mean():
    """The first values may come after blocks that have none: 0 times an overflow is no number."""
    profile = ColumnProfile((Column("a", "number"),), (Column("y", "number"),))
    for values in ([np.nan, np.nan], [1e300, np.nan], [-1e300, 3e300]):
        profile.update(Block(np.array(values)[:, None], np.zeros((2, 1)), None, 0))
    assert profile.inputs.mean[0] == pytest.approx(1e300)
    assert not np.isnan(profile.inputs.squares[0])


@pytest.mark.parametrize("kinds", [0, 2, 3])
def test_categories_with_their_targets_in_each_fold(kinds):
    """Every category, the missing one included, in every fold: weight, mean and squares by loops."""
    table = Table(400, kinds=kinds)
    profile = table.profiled([150])
    folds = fold_of(row_keys(table.X), 5)
    targets = table.y if not kinds else (table.y == profile.encoded_classes).astype(float)
    for j in (1, 3):
        levels, codes = profile.levels(j), np.where(np.isnan(table.X[:, j]), MISSING, table.X[:, j])
        np.testing.assert_array_equal(levels.codes, np.unique(codes))
        for k, code in enumerate(levels.codes):
            for fold in range(5):
                chosen = (codes == code) & (folds == fold)
                weight = table.weight[chosen]
                assert levels.weight[k, fold] == weight.sum()
                if weight.sum():
                    mean = np.average(targets[chosen], axis=0, weights=weight)
                    np.testing.assert_allclose(levels.mean[k, fold], mean, atol=1e-12)
                    squares = weight @ (targets[chosen] - mean) ** 2
                    np.testing.assert_allclose(levels.squares[k, fold], squares, atol=1e-10)


@pytest.mark.parametrize("without", [None, 0, 3])
def test_all_folds_but_one(without):
    """Folds put together are the rows of these folds."""
    table = Table(400)
    folds = fold_of(row_keys(table.X), 5)
    levels = table.profiled().levels(3)
    weight, mean, squares = levels.outside(without)
    codes = np.where(np.isnan(table.X[:, 3]), MISSING, table.X[:, 3])
    for k, code in enumerate(levels.codes):
        chosen = (codes == code) & (folds != (9 if without is None else without))
        each, y = table.weight[chosen], table.y[chosen, 0]
        assert weight[k] == each.sum()
        if each.sum():
            middle = np.average(y, weights=each)
            np.testing.assert_allclose(
                [mean[k, 0], squares[k, 0]], [middle, each @ (y - middle) ** 2], atol=1e-9
            )
        else:
            assert (mean[k, 0], squares[k, 0]) == (0, 0)


def test_classes_come_in_the_order_of_their_texts():
    """As scikit-learn sorts labels; numbers in their own order."""
    table = Table(200, kinds=4)
    profile = table.profiled([60])
    assert profile.texts_of("kind", profile.classes) == ("kind 0", "kind 1", "kind 2", "kind 3")
    wanted = [table.weight[table.y[:, 0] == text_code(f"kind {k}")].sum() for k in range(4)]
    np.testing.assert_allclose(profile.class_weights(), wanted, rtol=1e-14)
    numbers = ColumnProfile((Column("a", "number"),), (Column("y", "number"),), classes=True)
    numbers.update(Block(np.zeros((4, 1)), np.array([[2.0], [-1.0], [0.5], [2.0]]), None, 0))
    np.testing.assert_array_equal(numbers.classes, [-1, 0.5, 2])
    np.testing.assert_array_equal(numbers.class_weights(), [1, 1, 2])


def test_above_the_limit_the_rarest_categories_go():
    """The smaller code stays where two are equally rare, missing ones always, and what went is reported."""
    codes = np.repeat([5.0, 3.0, 9.0, 7.0, np.nan], [4, 2, 2, 3, 1])
    schema = (Column("a", "text"), Column("row", "number"))
    X = np.column_stack([codes, np.arange(12.0)])
    profile = ColumnProfile(schema, (Column("y", "number"),), limits=Limits(levels=3))
    profile.update(Block(X, np.zeros((12, 1)), None, 0))
    np.testing.assert_array_equal(profile.levels(0).codes, [MISSING, 3, 5, 7])
    folds = fold_of(row_keys(X), 5)
    np.testing.assert_array_equal(profile.overflow(0), np.bincount(folds[codes == 9], minlength=5))
    assert profile.texts_of("a", np.array([3.0])) == ("#3",)


def test_many_categories_are_kept_within_bounds(monkeypatch):
    """A column of names: a frequent one survives 40,000 rare ones, and little is kept of those."""
    monkeypatch.setattr("samara.summaries.levels.SETTLE_ROWS", 1000)
    rng = np.random.default_rng(0)
    profile = ColumnProfile((Column("a", "text"),), (Column("y", "number"),), limits=Limits(100, levels=300))
    for _ in range(80):
        codes = rng.integers(1, 10**9, 500).astype(float)
        codes[::25] = 7.0
        labels = {"a": {code: f"name {code:.0f}" for code in codes}}
        profile.update(Block(codes[:, None], np.zeros((500, 1)), None, 0, labels=labels))
        assert len(profile.state()[1]["coded 0"]) <= 2600
    levels = profile.levels(0)
    assert len(levels.codes) == 300
    assert levels.weight[levels.codes == 7.0].sum() == 80 * 20
    assert profile.texts_of("a", np.array([7.0])) == ("name 7",)
    assert levels.weight.sum() + profile.overflow(0).sum() == 40_000


def test_more_classes_mean_fewer_categories(monkeypatch):
    """Folds × classes × categories stay within one bound."""
    monkeypatch.setattr("samara.summaries.columns.TABLE_CELLS", 6 * 4 * 3)
    assert len(Table(400, kinds=4, missing=0).profiled().levels(3).codes) == 3
    assert len(Table(400, kinds=2, missing=0).profiled().levels(3).codes) == 6


def test_the_sample_holds_the_rows_with_the_smallest_keys():
    """Raw rows, missing values and all, whatever their number."""
    table = Table(300)
    _, first = np.unique(row_keys(table.X, 5), return_index=True)
    found = table.profiled([100, 120], salt=5, limits=SMALL).sample
    np.testing.assert_array_equal(found, table.X[first[:30]])


def test_ranks_in_the_sample_are_off_by_no_more_than_promised():
    """In all but a twentieth of the samples; here in each of 40."""
    values = np.random.default_rng(0).normal(size=(4000, 1)) ** 3
    exceeded = 0
    for salt in range(40):
        profile = ColumnProfile(
            (Column("a", "number"),), (Column("y", "number"),), salt=salt, limits=Limits(sample_rows=200)
        )
        profile.update(Block(values, values, None, 0))
        grid = np.sort(values[:, 0])
        ranks = np.searchsorted(np.sort(profile.sample[:, 0]), grid, side="right") / 200
        exceeded += np.abs(ranks - np.arange(1, 4001) / 4000).max() > profile.quantile_error()
    assert exceeded <= 4
    assert profile.quantile_error() == pytest.approx(np.sqrt(np.log(40) / 400))
    assert Table(100).profiled().quantile_error() == 0


@pytest.mark.parametrize("kinds", [0, 3])
@pytest.mark.parametrize("settle", [30, 10**6])
def test_written_down_between_any_two_blocks(kinds, settle, tmp_path, monkeypatch):
    """It goes on to the bit, before the first block and after the last."""
    monkeypatch.setattr("samara.summaries.levels.SETTLE_ROWS", settle)
    table = Table(120, kinds=kinds)

    def gone_on(summary):
        numbers, arrays = summary.state()
        write_record(tmp_path / "state", {"numbers": numbers}, arrays)
        record = read_record(tmp_path / "state")
        fresh = table.profile(limits=SMALL)
        fresh.restore(record.header["numbers"], record.arrays)
        return fresh

    def summed(cut=None):
        summary = table.profile(limits=SMALL)
        for k in range(7):
            if k == cut:
                summary = gone_on(summary)
            if k < 6:
                summary.update(table.block(slice(20 * k, 20 * k + 20)))
        return summary

    def bits(summary):
        numbers, arrays = summary.state()
        return repr(numbers), {name: (a.dtype, a.shape, a.tobytes()) for name, a in arrays.items()}

    assert isinstance(table.profile(), Saved)
    for cut in range(7):
        assert bits(summed(cut)) == bits(summed())
        assert summed(cut).texts_of("city", np.array([text_code("東京")])) == ("東京",)
