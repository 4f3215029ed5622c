"""What is learned from a profile: codings, target means of other folds, and the profile of encoded rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import TargetEncoder

from samara import ELMRegressor
from samara.core import Block
from samara.engines import Threads
from samara.errors import InputError
from samara.maps import Columns, CrossEncoded, Encoded, Levels, Number, Standardize
from samara.rowkeys import fold_of, row_keys
from samara.schema import Column, text_code
from samara.sources import ArraySource
from samara.summaries import ColumnProfile, Limits, Profile
from samara.tabular import cross_encoded, encoded_profile, label_codes, learn_columns
from tests.tables import CITIES, PRICE, SMALL, Table


def profile_of(X, y, *kinds, **options):
    """The profile of columns of these kinds."""
    schema = tuple(Column(f"c{j}", kind) for j, kind in enumerate(kinds))
    made = ColumnProfile(schema, PRICE, **options)
    made.update(Block(np.asarray(X, float), np.asarray(y, float).reshape(len(X), 1), None, 0))
    return made


def test_few_categories_get_columns_and_many_a_mean():
    """Up to the limit, which is the caller's."""
    table = Table(500)
    profile = table.profiled()
    columns = learn_columns(profile, one_hot_cap=4)
    assert [type(coding) for coding in columns.codings] == [Number, Levels, Number, Encoded, Number]
    assert columns.codings[0] == Number(profile.inputs.mean[0], flag=True)
    assert columns.codings[4] == Number(profile.inputs.mean[4], flag=False)
    assert sorted(columns.codings[1].labels) == sorted(CITIES)
    assert [text_code(text) for text in columns.codings[1].labels] == columns.codings[1].codes.tolist()
    assert isinstance(learn_columns(profile, one_hot_cap=3).codings[1], Encoded)
    assert isinstance(learn_columns(profile, one_hot_cap=40).codings[3], Levels)


def test_shares_are_the_means_of_the_indicators():
    """By weight, among the texts that are there."""
    table = Table(300, missing=0.2)
    profile = table.profiled([70])
    coding = learn_columns(profile).codings[1]
    here = table.X[:, 1, None] == coding.codes
    wanted = table.weight @ here / table.weight[here.any(axis=1)].sum()
    np.testing.assert_allclose(coding.shares, wanted, rtol=1e-12)


def test_columns_that_say_nothing():
    """Never there, or one and the same text; a constant number stays, and a text that may be missing."""
    X = np.array([[np.nan, np.nan, 7, 7, 3], [np.nan, np.nan, 7, np.nan, 3]])
    columns = learn_columns(profile_of(X, [0, 1], "number", "text", "text", "text", "number"))
    assert columns.codings[:3] == (None, None, None)
    assert columns.names_out == ["c3 = #7", "c3 missing", "c4"]
    with pytest.raises(InputError, match="No column says anything"):
        learn_columns(profile_of(X[:, :3], [0, 1], "number", "text", "text"))


def test_complete_numbers_are_the_identity():
    """No missing value, no text: nothing is changed, and nothing is crossed."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    profile = profile_of(X, X[:, 0], "number", "date", "boolean")
    columns = learn_columns(profile)
    assert columns.is_identity
    assert cross_encoded(profile, columns) is columns


@pytest.mark.parametrize("kinds", [0, 2, 3])
def test_target_means_are_those_of_scikit_learn(kinds):
    """Smoothed by empirical Bayes; of the categories that more than one fold has seen."""
    table = Table(400, kinds=kinds, missing=0, weighted=False)
    profile = table.profiled([100])
    coding = learn_columns(profile, one_hot_cap=4).codings[3]
    y = np.searchsorted(np.sort(profile.classes), table.y[:, 0]) if kinds else table.y[:, 0]
    kind = {0: "continuous", 2: "binary", 3: "multiclass"}[kinds]
    encoder = TargetEncoder(smooth="auto", target_type=kind).fit(table.X[:, 3:4], y)
    known = encoder.categories_[0].tolist()
    places = [known.index(code) for code in coding.codes]
    wanted = np.stack([values[places] for values in encoder.encodings_], axis=1)
    if kinds:  # scikit-learn has the classes in the order of the codes
        order = np.searchsorted(np.sort(profile.classes), profile.encoded_classes)
        wanted = wanted[:, order] if kinds > 2 else wanted if order[0] == 1 else 1 - wanted
    np.testing.assert_allclose(coding.values, wanted, rtol=1e-10)
    overall = (table.y == profile.encoded_classes).mean(axis=0) if kinds else table.y.mean(axis=0)
    np.testing.assert_allclose(coding.prior, overall, rtol=1e-12)


def test_rows_of_a_fold_are_encoded_by_the_others():
    """As by an encoder that was fitted on the rows of all other folds."""
    table = Table(400, missing=0, weighted=False)
    profile = table.profiled()
    columns = learn_columns(profile, one_hot_cap=4)
    found = cross_encoded(profile, columns)(table.X)[:, columns.names_out.index("shop → price")]
    folds = fold_of(row_keys(table.X), 5)
    for fold in range(5):
        here = folds == fold
        encoder = TargetEncoder(smooth="auto", target_type="continuous")
        encoder.fit(table.X[~here, 3:4], table.y[~here, 0])
        np.testing.assert_allclose(found[here], encoder.transform(table.X[here, 3:4])[:, 0], rtol=1e-10)


def test_missing_texts_are_a_category_and_new_ones_are_missing():
    """Of their own mean, where more than one fold has missed them."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 30, 600).astype(float)
    codes[rng.random(600) < 0.2] = np.nan
    y = np.where(np.isnan(codes), 9.0, 1.0) + rng.normal(size=600)
    coding = learn_columns(profile_of(np.column_stack([codes, y]), y, "text", "number")).codings[0]
    assert coding.prior[0] == pytest.approx(9, abs=0.5)
    np.testing.assert_array_equal(coding(np.array([np.nan, 77.0])), [coding.prior] * 2)


def test_a_category_of_one_fold_is_as_good_as_new():
    """A single row would otherwise be encoded by its own target when it comes back."""
    rng = np.random.default_rng(0)
    codes = np.append(rng.integers(0, 25, 400), [1000, 2000, 2000]).astype(float)
    X = np.column_stack([codes, np.append(np.arange(401), [400, 400])])
    profile = profile_of(X, np.append(rng.normal(size=400), [50, 60, 60]), "text", "number")
    coding = learn_columns(profile).codings[0]
    assert not {1000.0, 2000.0} & set(coding.codes.tolist())
    assert set(coding.codes.tolist()) == set(range(25))


@given(
    seed=st.integers(0, 10**6),
    kinds=st.sampled_from([0, 2, 4]),
    cap=st.sampled_from([2, 4, 100]),
    missing=st.sampled_from([0.0, 0.3]),
)
def test_the_profile_of_encoded_rows_needs_no_second_pass(seed, kinds, cap, missing):
    """Moments, ranges and sample are those of the encoded rows; indicators have a spread of 1."""
    table = Table(250, seed, kinds, missing)
    profile = table.profiled([40], limits=SMALL)
    columns = learn_columns(profile, cap)
    training = cross_encoded(profile, columns)
    target = label_codes(profile) if kinds else None
    found = encoded_profile(profile, training, target)
    wanted, Z = Profile(), training(table.X)
    wanted.update(Block(Z, target(table.y) if target else table.y, table.weight, 0))
    wanted.inputs.squares[columns.indicators] = wanted.inputs.weight
    assert (found.n_rows, found.inputs.weight) == (250, pytest.approx(table.weight.sum()))
    for mine, theirs in ((found.inputs, wanted.inputs), (found.targets, wanted.targets)):
        np.testing.assert_allclose(mine.mean, theirs.mean, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(mine.squares, theirs.squares, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(mine.low, theirs.low)
        np.testing.assert_array_equal(mine.high, theirs.high)
    assert (found.inputs.spread[columns.indicators & (found.inputs.high > found.inputs.low)] == 1).all()
    _, first = np.unique(row_keys(table.X), return_index=True)
    np.testing.assert_array_equal(found.sample, Z[first[:30]])
    np.testing.assert_array_equal(found.drawn.keys, profile.drawn.keys)


def test_categories_left_out_count_as_missing_in_the_encoded_profile():
    """Above the limit too, the moments are those of the encoded rows."""
    table = Table(300, missing=0.1)
    profile = table.profiled(limits=Limits(30, levels=8))
    assert profile.overflow(3).sum() > 0
    for cap in (4, 8):
        training = cross_encoded(profile, learn_columns(profile, cap))
        wanted = Profile()
        wanted.update(Block(training(table.X), table.y, table.weight, 0))
        found = encoded_profile(profile, training).inputs
        np.testing.assert_allclose(found.mean, wanted.inputs.mean, rtol=1e-9)
        np.testing.assert_allclose(found.low, wanted.inputs.low)


def held_out_error(Z, y, scale, folds):
    """Squared error of models that never saw a fold, on that fold."""
    errors = np.empty(len(y))
    for fold in range(5):
        here = folds == fold
        model = ELMRegressor(40, scale=scale, random_state=0).fit(Z[~here], y[~here])
        errors[here] = (model.predict(Z[here]) - y[here]) ** 2
    return errors.mean()


def test_target_means_of_noise_teach_nothing():
    """Names drawn at random against a random target: the held-out error is the variance.

    Encoded by the means of all rows, the same names seem to explain a good part of it.
    """
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 400, 2000), rng.normal(size=2000)])
    y = rng.normal(size=2000)
    profile = profile_of(X, y, "text", "number")
    columns = learn_columns(profile)
    crossed, folds = cross_encoded(profile, columns), fold_of(row_keys(X), 5)
    assert isinstance(crossed, CrossEncoded)
    moments = encoded_profile(profile, crossed).inputs
    scale = Standardize(moments.mean, moments.spread, np.dtype(float))
    assert 0.98 < held_out_error(crossed(X), y, scale, folds) / y.var() < 1.03
    assert held_out_error(columns(X), y, scale, folds) / y.var() < 0.9


def test_target_means_of_a_signal_teach_it():
    """Names that matter: most of what they explain is found, on new rows as on held-out ones."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 100, 3000), rng.normal(size=3000)])
    y = np.sin(7 * X[:, 0]) + 0.3 * rng.normal(size=3000)
    profile = profile_of(X[:2000], y[:2000], "text", "number")
    columns = learn_columns(profile)
    moments = encoded_profile(profile, cross_encoded(profile, columns)).inputs
    scale = Standardize(moments.mean, moments.spread, np.dtype(float))
    model = ELMRegressor(40, scale=scale, random_state=0)
    model.fit(cross_encoded(profile, columns)(X[:2000]), y[:2000])
    assert model.score(columns(X[2000:]), y[2000:]) > 0.8


def test_names_of_classes_are_in_the_names_of_their_columns():
    """Texts and numbers; of two classes the second."""
    profile = Table(300, kinds=2).profiled()
    assert "shop → kind = kind 1" in learn_columns(profile, 4).names_out
    assert Table(300, kinds=3).profiled().encoded_classes.shape == (3,)
    X = np.column_stack([np.arange(300) % 30, np.arange(300)])
    numbers = profile_of(X, np.arange(300) % 3 / 2, "text", "number", classes=True)
    assert learn_columns(numbers).names_out[:3] == ["c0 → price = 0", "c0 → price = 0.5", "c0 → price = 1"]


def test_many_categories_without_a_target_are_refused():
    """Few are fine: they get their columns."""
    X = np.column_stack([np.arange(50) % 30, np.arange(50)]).astype(float)
    profile = ColumnProfile((Column("name", "text"), Column("size", "number")), ())
    profile.update(Block(X, np.zeros((50, 0)), None, 0))
    assert learn_columns(profile, one_hot_cap=30).n_out == 31
    with pytest.raises(InputError, match="Column 'name' has 30 categories and there is no target"):
        learn_columns(profile)


@pytest.mark.usefixtures("every_pass_is_worth_threads")
def test_the_fold_of_a_block_is_the_fold_of_its_encoding():
    """Selection holds out the very rows whose targets had no part in how they are encoded."""
    rng = np.random.default_rng(0)
    X, y = np.column_stack([rng.integers(0, 90, 3000), rng.normal(size=3000)]), rng.normal(size=(3000, 1))
    schema = (Column("name", "text"), Column("size", "number"))
    source = ArraySource(X, y)
    profile = Threads(2, 200).summarize(source, lambda: ColumnProfile(schema, PRICE))
    training = cross_encoded(profile, learn_columns(profile))
    for part in source.map(training).folded(5).parts(2):
        for block in part.blocks(300):
            found = block.features(np.empty((len(block), 2)))
            wanted = training.encode(0, block.X[:, 0], np.full(len(block), block.fold))
            np.testing.assert_array_equal(found[:, :1], wanted)


def test_one_class_is_refused():
    """By the name of the target."""
    profile = profile_of(np.zeros((3, 1)), [1, 1, 1], "number", classes=True)
    with pytest.raises(InputError, match="Target 'price' has one class only; a fit needs two"):
        label_codes(profile)


def test_a_plain_map_can_be_profiled_as_well():
    """What the model sees of new rows that are the training rows."""
    table = Table(200)
    profile = table.profiled()
    columns = learn_columns(profile, 4)
    assert isinstance(columns, Columns)
    wanted = Profile()
    wanted.update(Block(columns(table.X), table.y, table.weight, 0))
    np.testing.assert_allclose(encoded_profile(profile, columns).inputs.mean, wanted.inputs.mean, rtol=1e-10)
