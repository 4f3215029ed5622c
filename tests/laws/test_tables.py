"""Raw tables in memory and in files: the same rows give the same model, whatever holds them."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics
from sklearn.base import clone

import samara
from samara import ELMClassifier, ELMRegressor, KernelELMClassifier, KernelELMRegressor
from samara.estimators.scores import evaluate
from samara.maps import Standardize
from samara.sources import frame_rows
from tests.oracles import relative_gap
from tests.sales import in_files, inputs, sales, scan

FRAME, NEW = sales(400), sales(60, seed=1)
ELM = {"n_hidden": 25, "random_state": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return in_files(FRAME, tmp_path_factory.mktemp("sales"), [150, 160], 70)


@pytest.fixture(scope="module")
def new_folder(tmp_path_factory):
    return in_files(NEW, tmp_path_factory.mktemp("new"), [7], 20)


def outputs(model, X):
    """What a model says of rows, before it is rounded to classes."""
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def assert_same(model, folder, target, weight=None):
    """Fitted to the frame and to the files, it says the same of new rows."""
    weights = None if weight is None else FRAME[weight]
    held = clone(model).fit(inputs(FRAME), FRAME[target], sample_weight=weights)
    read = clone(model).fit(scan(folder, target, weight=weight))
    assert relative_gap(outputs(read, inputs(NEW)), outputs(held, inputs(NEW))) < 1e-9
    assert relative_gap(read.model_.coef, held.model_.coef) < 1e-9
    assert len(held.columns_.names_out) == len(read.columns_.names_out)
    if hasattr(held, "classes_"):
        assert held.classes_.tolist() == read.classes_.tolist()


@pytest.mark.parametrize(("target", "weight"), [("price", None), (["price", "cost"], "weight")])
@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0.1},
        {"alpha": "auto"},
        {"alpha": 0.1, "scale": "quantile"},
        {"alpha": 0.1, "scale": None},
        {"alpha": 0.1, "hidden": "rbf"},
        {"alpha": 0.1, "solver": "qr"},
        {"alpha": 0.1, "solver": "svd"},
        {"alpha": 0.1, "solver": "lsqr"},
        {"alpha": 0.1, "direct_link": True, "dtype": "float32"},
    ],
    ids=str,
)
def test_files_are_the_frame_for_a_regressor(folder, options, target, weight):
    assert_same(ELMRegressor(**ELM, **options), folder, target, weight)


@pytest.mark.parametrize(("target", "weight"), [("kind", "weight"), ("stars", None), ("paid", "weight")])
@pytest.mark.parametrize(
    "options",
    [
        {"alpha": "auto"},
        {"alpha": 0.1, "scale": None},
        {"alpha": 0.1, "scale": "quantile", "dtype": "float32"},
        {"alpha": 0.1, "class_weight": "balanced"},
    ],
    ids=str,
)
def test_files_are_the_frame_for_a_classifier(folder, options, target, weight):
    assert_same(ELMClassifier(**ELM, **options), folder, target, weight)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_weights_of_classes_by_name(folder, weight):
    """Also one of 0: its rows are left out, and the class stays known."""
    model = ELMClassifier(**ELM, class_weight={"dear": 2, "fair": 0.5}, alpha=0.1)
    assert_same(model, folder, "kind", weight)
    without = ELMClassifier(**ELM, class_weight={"dear": 0}, alpha=0.1)
    assert_same(without, folder, "kind", weight)
    assert without.fit(scan(folder, "kind")).classes_.tolist() == ["cheap", "dear", "fair"]


@pytest.mark.parametrize(
    "options", [{"alpha": 0.1}, {"solver": "nystroem", "rank": 30, "alpha": 0.1}], ids=str
)
def test_files_are_the_frame_for_kernels(folder, options):
    assert_same(KernelELMRegressor(random_state=0, **options), folder, ["price", "cost"], "weight")
    assert_same(KernelELMClassifier(random_state=0, class_weight="balanced", **options), folder, "kind")


@pytest.mark.parametrize(
    "make", [pl.from_pandas, lambda frame: pa.Table.from_pandas(frame, preserve_index=False)]
)
def test_every_library_of_frames(make):
    """To the bit."""
    model = ELMRegressor(**ELM, alpha=0.1)
    wanted = clone(model).fit(inputs(FRAME), FRAME["price"]).predict(inputs(NEW))
    made = clone(model).fit(make(inputs(FRAME)), FRAME["price"])
    assert made.predict(make(inputs(NEW))).tobytes() == wanted.tobytes()


def by_hand(frame, of):
    """Inputs as docs/explanation/columns.md says, of what was seen in another frame; no target means."""
    days, seen = (f["day"].astype("datetime64[us]").astype("int64") / 8.64e10 for f in (frame, of))
    days, seen = days.where(frame["day"].notna()), seen.where(of["day"].notna())
    made = {"age": frame["age"].fillna(of["age"].mean()), "age missing": frame["age"].isna()}
    for text in sorted(of["city"].dropna().unique()):
        made[f"city = {text}"] = frame["city"] == text
    made["city missing"] = ~frame["city"].isin(of["city"].dropna())
    made |= {"member": frame["member"], "day": days.fillna(seen.mean()), "day missing": frame["day"].isna()}
    return pd.DataFrame(made | {"height": frame["height"]}).astype(float)


def test_a_frame_encoded_by_hand():
    """Indicators are centred and not divided, numbers standardised: then the arrays give the same model."""
    frame, new = inputs(FRAME).drop(columns="shop"), inputs(NEW).drop(columns="shop")
    new.loc[3, "city"] = "never seen"
    model = ELMRegressor(**ELM, hidden="rbf", alpha=0.1).fit(frame, FRAME["price"])
    rows, after = by_hand(frame, frame), by_hand(new, frame)
    assert sorted(rows.columns) == sorted(model.columns_.names_out)
    rows, after = rows[model.columns_.names_out], after[model.columns_.names_out]
    spread = np.where(rows.isin([0, 1]).all(), 1.0, rows.std(ddof=0))
    scale = Standardize(rows.mean().to_numpy(), spread, np.dtype(float))
    np.testing.assert_allclose(model.columns_(frame_rows(new, model.columns_.schema).X), after, rtol=1e-12)
    plain = ELMRegressor(**ELM, alpha=0.1, scale=scale, hidden=model.model_.maps[-1])
    plain.fit(rows.to_numpy(), FRAME["price"])
    assert relative_gap(plain.predict(after.to_numpy()), model.predict(new)) < 1e-9


def test_complete_numbers_are_their_array(folder):
    """Frame, array and files; the files' model also takes rows with gaps."""
    frame, new = FRAME[["height", "cost"]], NEW[["height", "cost"]]
    model = ELMRegressor(**ELM, alpha=0.1)
    wanted = clone(model).fit(frame.to_numpy(), FRAME["price"]).predict(new.to_numpy())
    held = clone(model).fit(frame, FRAME["price"])
    assert held.predict(new).tobytes() == wanted.tobytes()
    read = clone(model).fit(samara.scan(folder, target="price", columns=["height", "cost"]))
    assert relative_gap(read.predict(new), wanted) < 1e-9
    mean = new.assign(height=FRAME["height"].mean())
    assert relative_gap(read.predict(new.assign(height=np.nan)), read.predict(mean)) < 1e-9


def test_the_order_of_columns_and_a_gap_that_is_new(folder):
    model = ELMRegressor(**ELM, alpha=0.1).fit(scan(folder, "price"))
    new = inputs(NEW)
    wanted = model.predict(new)
    assert model.predict(new[new.columns[::-1]]).tobytes() == wanted.tobytes()
    gone = model.predict(new.assign(height=np.nan))
    assert relative_gap(gone, model.predict(new.assign(height=FRAME["height"].mean()))) < 1e-12


def test_a_new_text_is_no_stranger():
    """Where none was missing in the fit, it is the mean of what was there: the prediction stays in range."""
    frame = sales(400, missing=0.0)
    model = ELMRegressor(**ELM, hidden="linear", alpha=1e-6).fit(inputs(frame), frame["price"])
    new = inputs(frame)
    each = [model.predict(new.assign(city=city)) for city in ("Paris", "Oslo", "東京", "")]
    shares = [(frame["city"] == city).mean() for city in ("Paris", "Oslo", "東京", "")]
    found = model.predict(new.assign(city="Rome"))
    np.testing.assert_allclose(found, np.average(each, axis=0, weights=shares), rtol=1e-9)


@pytest.mark.parametrize("target", ["price", ["price", "cost"], "kind", "paid"])
def test_predictions_of_files_are_those_of_the_frame(folder, new_folder, target, monkeypatch):
    """All at once, in batches, and scored."""
    regressor = target in ("price", ["price", "cost"])
    model = (ELMRegressor if regressor else ELMClassifier)(**ELM).fit(scan(folder, target))
    monkeypatch.setattr("samara.sources.stream.CHUNK_CELLS", 1)
    files, new = scan(new_folder, target), inputs(NEW)
    assert np.array_equal(model.predict(files), model.predict(new))
    assert np.array_equal(np.concatenate(list(model.predict_batches(files))), model.predict(new))
    assert np.array_equal(model.transform(files), model.transform(new))
    assert model.score(files) == pytest.approx(model.score(new, NEW[target]), rel=1e-12)
    if not regressor:
        proba = np.concatenate(list(model.predict_batches(files, proba=True)))
        assert np.array_equal(proba, model.predict_proba(new))
        assert np.array_equal(model.decision_function(files), model.decision_function(new))


@pytest.mark.parametrize("weight", [None, "weight"])
def test_scores_are_those_of_scikit_learn(folder, new_folder, weight):
    new, w = inputs(NEW), None if weight is None else NEW[weight]
    model = ELMRegressor(**ELM).fit(scan(folder, ["price", "cost"]))
    y, made = NEW[["price", "cost"]], model.predict(new)
    squared = metrics.mean_squared_error(y, made, sample_weight=w)
    wanted = {
        "rows": 60,
        "r2": metrics.r2_score(y, made, sample_weight=w),
        "rmse": np.sqrt(squared),
        "mae": metrics.mean_absolute_error(y, made, sample_weight=w),
    }
    for names in (["price", "cost"], ["cost", "price"]):  # targets are found by name
        assert evaluate(model, scan(new_folder, names, weight=weight)) == pytest.approx(wanted)
    assert evaluate(model, new, y, w) == pytest.approx(wanted)
    for target in ("kind", "paid"):
        model = ELMClassifier(**ELM).fit(scan(folder, target))
        y, made, p = NEW[target], model.predict(new), model.predict_proba(new)
        hit = np.asarray(y)[:, None] == model.classes_
        wanted = {
            "rows": 60,
            "accuracy": metrics.accuracy_score(y, made, sample_weight=w),
            "balanced_accuracy": metrics.balanced_accuracy_score(y, made, sample_weight=w),
            "brier": np.average(((p - hit) ** 2).sum(axis=1), weights=w),
            "log_loss": -np.average(np.log((p * hit).sum(axis=1).clip(1e-15)), weights=w),
        }
        assert evaluate(model, scan(new_folder, target, weight=weight)) == pytest.approx(wanted)
        assert evaluate(model, new, y, w) == pytest.approx(wanted)


@pytest.mark.parametrize("kind", [ELMRegressor, ELMClassifier, KernelELMRegressor])
def test_saved_pickled_and_copied(folder, tmp_path, kind):
    """A model of a table predicts the same to the bit after it was away; a copy has learned nothing."""
    target = "kind" if kind is ELMClassifier else "price"
    few = {} if kind is KernelELMRegressor else {"n_hidden": 25}
    model = kind(alpha=0.1, random_state=0, **few).fit(scan(folder, target))
    model.save(tmp_path / "model.samara")
    for made in (samara.load(tmp_path / "model.samara"), pickle.loads(pickle.dumps(model))):
        assert outputs(made, inputs(NEW)).tobytes() == outputs(model, inputs(NEW)).tobytes()
        assert made.columns_.names_out == model.columns_.names_out
        assert made.feature_names_in_.tolist() == list(inputs(NEW).columns)
    assert not hasattr(clone(model), "columns_")


def test_names_and_kind_of_what_transform_gives():
    model = ELMRegressor(**ELM, alpha=0.1).set_output(transform="pandas").fit(inputs(FRAME), FRAME["price"])
    made = model.transform(inputs(NEW))
    assert made.columns.tolist() == model.get_feature_names_out().tolist()
    assert made.shape == (60, 25)
