"""Raw tables that can't be used are refused by name, and odd ones that can be are."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import samara
from samara import ELMClassifier, ELMRegressor, InputError, KernelELMRegressor, StoreError
from samara.errors import NonFiniteError
from tests.sales import in_files, inputs, sales, scan

FRAME = sales(300)
X, PRICE, KIND = inputs(FRAME), FRAME["price"], FRAME["kind"]
ROW = np.arange(300)
REGRESSOR = ELMRegressor(20, alpha=0.1, random_state=0)
CLASSIFIER = ELMClassifier(20, alpha=0.1, random_state=0)


@pytest.fixture(scope="module")
def model():
    return clone(REGRESSOR).fit(X, PRICE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return in_files(FRAME.assign(row=ROW), tmp_path_factory.mktemp("sales"), [100], 60)


def refused(said, error=InputError):
    """An error whose message begins with these words."""
    return pytest.raises(error, match="^" + re.escape(said))


OTHER_COLUMNS = [
    (lambda f: f.drop(columns="city"), "The table lacks the column 'city' that the model was fitted on."),
    (lambda f: f.assign(z=1), "The model was not fitted on 'z': leave it out."),
    (
        lambda f: f.rename(columns={"age": "Age"}),
        "The table lacks the column 'age' that the model was fitted on. N",
    ),
    (
        lambda f: f.assign(age="old"),
        "The table's columns are not of the kinds that the model was fitted on: 'age'",
    ),
    (
        lambda f: f.assign(day=3.0),
        "The table's columns are not of the kinds that the model was fitted on: 'day'",
    ),
    (
        lambda f: f.assign(age=np.inf),
        "Column 'age' holds infinity (the frame, row 0): leave such rows out, or store a missing value.",
    ),
]


@pytest.mark.parametrize(("change", "said"), OTHER_COLUMNS)
def test_other_columns_at_prediction_and_in_a_batch(tmp_path, model, change, said):
    """By name, of frames and of files; the stream is left as it was."""
    with refused(said):
        model.predict(change(X))
    stream = clone(REGRESSOR).partial_fit(X, PRICE)
    before = stream.predict(X)
    with refused(said):
        stream.partial_fit(change(X), PRICE)
    changed = change(X)
    folder = in_files(changed.assign(price=PRICE), tmp_path / "changed")
    with refused(said.split(" (")[0]):
        model.predict(samara.scan(folder, target="price"))
    with refused(said.split(" (")[0]):
        stream.partial_fit(samara.scan(folder, target="price"))
    assert stream.predict(X).tobytes() == before.tobytes()


BAD_TARGETS = [
    (REGRESSOR, PRICE.mask(ROW == 3), "Input y contains NaN (row 3)."),
    (REGRESSOR, PRICE.mask(ROW == 3, np.inf), "Input y contains infinity (row 3)."),
    (REGRESSOR, KIND, f"y holds {KIND[0]!r}, which is no number: use a classifier."),
    (REGRESSOR, None, "y is missing: a fit and a score need the targets of the rows."),
    (CLASSIFIER, None, "y is missing: a fit and a score need the targets of the rows."),
    (CLASSIFIER, KIND.astype(object).where(ROW != 3, None), "Input y contains None (row 3)."),
    (CLASSIFIER, KIND.where(ROW != 3), "Input y contains NaN (row 3)."),
    (
        CLASSIFIER,
        FRAME["stars"].astype("Int64").astype(object).where(ROW != 3, pd.NA),
        "Input y contains NaN",
    ),
]


@pytest.mark.parametrize(("estimator", "y", "said"), BAD_TARGETS)
def test_bad_targets_of_frames(estimator, y, said):
    for learn in (clone(estimator).fit, clone(estimator).partial_fit):
        with refused(said, (InputError, NonFiniteError)):
            learn(X, y)


@pytest.mark.parametrize(
    ("change", "target", "said"),
    [
        (lambda f: f.assign(price=PRICE.mask(ROW == 7)), "price", "Target 'price' is missing in 1 of "),
        (lambda f: f.assign(price=PRICE.mask(ROW == 7, np.inf)), "price", "Column 'price' holds infinity ("),
        (lambda f: f, "kind", "Target 'kind' holds text: use a classifier."),
        (
            lambda f: f.assign(weight=-1.0),
            "price",
            "The weights 'weight' must not be negative, missing or infinite: ",
        ),
        (
            lambda f: f.assign(weight=np.nan),
            "price",
            "The weights 'weight' must not be negative, missing or inf",
        ),
        (lambda f: f.assign(weight=0.0), "price", "A fit needs at least 2 rows of positive weight, got 0."),
    ],
)
def test_bad_targets_and_weights_of_files(tmp_path, change, target, said):
    files = scan(in_files(change(FRAME), tmp_path / "bad"), target, weight="weight")
    for learn in (clone(REGRESSOR).fit, clone(REGRESSOR).partial_fit):
        with refused(said):
            learn(files)


def test_classes_that_are_none(tmp_path, folder):
    """One class, numbers that are no classes, too many, and two targets."""
    said = "Target 'price' holds numbers that are no classes, such as "
    for learn in (clone(CLASSIFIER).fit, clone(CLASSIFIER).partial_fit):
        with refused(said):
            learn(scan(folder, "price"))
        with refused("A classifier needs one target column; 2 were given."):
            learn(scan(folder, ["kind", "stars"]))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        clone(CLASSIFIER).fit(X, PRICE)
    for weights in (None, "balanced"):
        with refused("Target 'kind' has one class only; a fit needs two."):
            clone(CLASSIFIER).set_params(class_weight=weights).fit(
                scan(folder, "kind", where="kind = 'fair'")
            )
    with refused("ELMClassifier needs two classes or more; y holds one class only: 'a'."):
        clone(CLASSIFIER).fit(X, ["a"] * 300)
    many = pd.DataFrame({"a": np.arange(20_002) % 7.0, "k": np.arange(20_002) // 2})
    with refused("Target 'k' has more than 10,000 distinct values and looks like a number: use a regressor."):
        clone(CLASSIFIER).fit(samara.scan(in_files(many, tmp_path / "many", [], 10**5), target="k"))


def test_one_class_first_and_others_later(folder):
    """Batches may begin with one class, also those of files."""
    made = clone(CLASSIFIER).partial_fit(scan(folder, "kind", where="kind = 'fair'"))
    with refused("Only one class was seen so far: 'fair'."):
        made.predict(X)
    made.partial_fit(scan(folder, "kind", where="kind != 'fair'"))
    assert made.classes_.tolist() == ["cheap", "dear", "fair"]
    assert made.score(scan(folder, "kind")) > 0.5


def test_what_is_beside_a_scan(model, folder):
    for learn in (clone(REGRESSOR).fit, clone(REGRESSOR).partial_fit, model.score):
        with refused("A scan has its targets in it: samara.scan(…, target=…) names them; leave y out."):
            learn(scan(folder, "price"), PRICE)
        with refused("A scan has its weights in it: samara.scan(…, weight=…) names them."):
            learn(scan(folder, "price"), sample_weight=FRAME["weight"])
        with refused("The scan has no target: samara.scan(…, target=…) names its column."):
            learn(samara.scan(folder, columns=list(X)))


@pytest.mark.parametrize("where", ["row > 1000", "age > 1000.5"])
def test_no_rows(model, folder, where):
    """Nothing to learn or to score; predictions of none are none."""
    files = scan(folder, "price", where=where)
    for learn in (clone(REGRESSOR).fit, clone(REGRESSOR).partial_fit):
        with refused("A fit needs at least 2 rows of positive weight, got 0."):
            learn(files)
    with refused("A fit needs at least 2 rows of positive weight, got 0."):
        clone(CLASSIFIER).set_params(class_weight="balanced").fit(scan(folder, "kind", where=where))
    with refused("The scan has no rows of positive weight to learn."):
        clone(REGRESSOR).partial_fit(X, PRICE).partial_fit(files)
    with refused("There are no rows of positive weight to score."):
        model.score(files)
    assert model.predict(files).shape == (0,)
    assert model.transform(files).shape == (0, 20)
    labels = clone(CLASSIFIER).fit(X, KIND)
    assert (labels.predict(files).shape, labels.predict_proba(files).shape) == ((0,), (0, 3))
    with refused("There are no rows of positive weight to score."):
        labels.score(scan(folder, "kind", where=where))


def test_a_csv_of_a_header_alone(tmp_path):
    (tmp_path / "none.csv").write_text("a,y\n")
    with refused("A fit needs at least 2 rows of positive weight, got 0."):
        clone(REGRESSOR).fit(samara.scan(tmp_path / "none.csv", target="y"))


def test_one_row(folder):
    """Too few to begin with, enough to go on with."""
    for table in ((X[:1], PRICE[:1]), (scan(folder, "price", where="row = 5"),)):
        with refused("A fit needs at least 2 rows of positive weight, got 1."):
            clone(REGRESSOR).fit(*table)
    stream = clone(REGRESSOR).partial_fit(scan(folder, "price"))
    before = stream.predict(X)
    stream.partial_fit(scan(folder, "price", where="row = 5"))
    assert 0 < abs(stream.predict(X) - before).max() < abs(before).max()


def test_a_damaged_row_group(tmp_path):
    """Named with its file; fitted models and streams are left as they were."""
    good = in_files(FRAME, tmp_path / "good", [], 60)
    bad = in_files(sales(300, seed=2), tmp_path / "bad", [], 60)
    path = bad / "0000.parquet"
    held = clone(REGRESSOR).fit(scan(good, "price"))
    stream = clone(REGRESSOR).partial_fit(scan(good, "price"))
    before = {model: pickle.dumps(model.predict(X)) for model in (held, stream)}
    files, data = scan(bad, "price"), bytearray(path.read_bytes())
    place = files.pieces[3].origin.metadata.row_group(3).column(0).data_page_offset
    data[place : place + 200] = bytes(200)
    path.write_bytes(data)
    for learn in (held.fit, stream.partial_fit, clone(REGRESSOR).fit, held.predict):
        with pytest.raises(StoreError, match=re.escape(f"{path}, row group 3")):
            learn(files)
    for model, wanted in before.items():
        assert pickle.dumps(model.predict(X)) == wanted
    new = clone(REGRESSOR)
    with pytest.raises(StoreError):
        new.partial_fit(files)
    assert not hasattr(new, "columns_")
    assert not hasattr(new, "model_")


def test_arrays_for_tables_and_tables_for_arrays(model):
    with refused("The model takes columns by name, and 'city' holds text: give a data frame or a scan."):
        model.predict(np.zeros((3, 6)))
    plain = clone(REGRESSOR).fit(X[["height"]], PRICE)
    with refused("Column 'height' is not numeric: row 0 holds 'tall'."):
        plain.predict(pd.DataFrame({"height": ["tall"]}))
    with refused("Input X contains NaN (column 0 ('height'), row 1)", NonFiniteError):
        plain.predict(pd.DataFrame({"height": [1.0, np.nan]}))
    with refused("A precomputed kernel needs a square array, got shape (300, 6)."):
        KernelELMRegressor("precomputed").fit(X, PRICE)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (X.assign(city=[1, "a"] * 150), "Column 'city' mixes int and str: row 1 holds 'a'."),
        (X.assign(city=[[1, 2]] * 300), "Column 'city' holds list"),
        (X.assign(city=[b"a"] * 300), "Column 'city' holds binary"),
        (
            X.set_axis(["a", "a", "b", "c", "d", "e"], axis=1),
            "The frame has two columns of the same name: rename",
        ),
        (X.set_axis([0, "0", 1, 2, 3, 4], axis=1), "The frame has two columns of the same name: rename one."),
        (
            X[["city"]].assign(city="one"),
            "No column says anything: all are missing throughout, or one and the same",
        ),
        (pl.from_pandas(X).lazy(), "A lazy frame needs a scan: samara.scan(frame, target=…)."),
    ],
)
def test_frames_that_can_not_be_used(frame, said):
    with refused(said):
        clone(REGRESSOR).fit(frame, PRICE)


def test_scores_of_other_labels(folder):
    texts, numbers = clone(CLASSIFIER).fit(X, KIND), clone(CLASSIFIER).fit(X, FRAME["stars"])
    with refused("y holds numbers; the classes of the model are texts."):
        texts.score(X, FRAME["stars"])
    with refused("Target 'stars' holds numbers; the classes of the model are texts, such as 'cheap'."):
        texts.score(scan(folder, "stars"))
    assert numbers.score(scan(folder, "kind")) == 0
    assert texts.score(X, KIND.replace("fair", "new")) == pytest.approx(
        np.mean((texts.predict(X) == KIND) & (KIND != "fair"))
    )


ODD = {
    "a column without a value": X.assign(age=np.nan),
    "a column of None": X.assign(city=None),
    "a constant text": X.assign(city="one"),
    "names that are numbers": X.set_axis(range(6), axis=1),
    "an empty text and a letter outside the BMP": X.assign(city=["", "🌳"] * 150),
    "a long text": X.assign(city=["é" * 10**5 + str(k % 3) for k in range(300)]),
    "days with a time zone": X.assign(day=X["day"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")),
    "days before 1970": X.assign(day=X["day"] - pd.Timedelta(days=80_000)),
    "whole numbers beyond 2⁵³": X.assign(age=2**53 + ROW),
    "truth values with gaps": X.assign(member=FRAME["member"].astype("boolean").mask(ROW < 9)),
    "truth values with None": X.assign(member=FRAME["member"].astype(object).where(ROW > 9, None)),
    "pandas' own types": X.assign(age=FRAME["age"].round().astype("Int64"), city=X["city"].astype("string")),
    "categories that never occur": X.assign(
        city=pd.Categorical(X["city"], ["x", "Paris", "Oslo", "東京", "", "y"])
    ),
    "two rows": X[:2],
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_that_are_used(tmp_path, name):
    """Frame and file give the same finite predictions."""
    frame, y = ODD[name], PRICE[: len(ODD[name])]
    model = clone(REGRESSOR).fit(frame, y)
    wanted = model.predict(frame)
    assert np.isfinite(wanted).all()
    named = frame.set_axis([str(column) for column in frame.columns], axis=1)
    folder = in_files(named.assign(price=y), tmp_path / "odd")
    read = clone(REGRESSOR).fit(samara.scan(folder, target="price"))
    np.testing.assert_allclose(read.predict(named), wanted, rtol=1e-9)
    np.testing.assert_allclose(read.predict(samara.scan(folder, target="price")), wanted, rtol=1e-9)


def test_categories_of_every_library():
    """Of polars and pandas, by their texts; those that never occur get no column."""
    table = pl.from_pandas(X)
    shops = [f"shop {k}" for k in range(30)]
    made = [
        table.with_columns(pl.col("city").cast(pl.Categorical), pl.col("shop").cast(pl.Enum(shops))),
        X.assign(city=X["city"].astype("category"), shop=pd.Categorical(X["shop"], shops)),
    ]
    wanted = clone(REGRESSOR).fit(X, PRICE)
    for frame in made:
        model = clone(REGRESSOR).fit(frame, PRICE)
        assert model.columns_.names_out == wanted.columns_.names_out
        assert model.predict(frame).tobytes() == wanted.predict(X).tobytes()


def test_very_many_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{j}": rng.choice(["a", "b"], 50) for j in range(2000)})
    assert clone(REGRESSOR).fit(frame, PRICE[:50]).columns_.n_out == 4000


def test_texts_of_a_table_whose_first_rows_do_not_count():
    """Their names are known all the same."""
    model = clone(REGRESSOR).set_params(engine=samara.engines.Threads(1, 64))
    model.fit(X, PRICE, sample_weight=(ROW > 150) * 1.0)
    assert "city = Oslo" in model.columns_.names_out


def test_a_class_of_weight_0_alone(tmp_path):
    """It is no class of the model, in memory and in files."""
    counted = (KIND != "dear") * 1.0
    files = scan(in_files(FRAME.assign(weight=counted), tmp_path / "zero"), "kind", weight="weight")
    held = clone(CLASSIFIER).fit(X, KIND, sample_weight=counted)
    for made in (clone(CLASSIFIER).fit(files), clone(CLASSIFIER).partial_fit(files)):
        assert made.classes_.tolist() == held.classes_.tolist() == ["cheap", "fair"]
        np.testing.assert_allclose(made.decision_function(X), held.decision_function(X), rtol=1e-8)


@pytest.mark.parametrize("shares", [[2.0, 0.0, 0.0, 0.0], [0.5, 0.5], [np.nan, 0.2, 0.3, 0.5]])
def test_shares_that_can_not_be(tmp_path, shares):
    """A file with such a column map is refused, so it is not written either."""
    model = clone(REGRESSOR).fit(X, PRICE)
    codings = list(model.columns_.codings)
    codings[1] = replace(codings[1], shares=np.array(shares))
    model.columns_ = replace(model.columns_, codings=tuple(codings))
    with pytest.raises(InputError, match=r"^ELMRegressor can't be saved: its shares of column 'city' "):
        model.save(tmp_path / "model.samara")


def test_rows_of_encoded_texts_are_not_unlearned():
    """The means that encode a text of many categories contain the rows; taking them out would be wrong."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"name": [f"n{k}" for k in rng.integers(0, 40, 400)], "x": rng.standard_normal(400)})
    y = frame["x"] + rng.standard_normal(400)
    model = samara.ELMRegressor(10, alpha=1.0, random_state=0).partial_fit(frame, y)
    with pytest.raises(samara.InputError, match="'name' has so many texts"):
        model.unlearn(frame[:10], y[:10])
