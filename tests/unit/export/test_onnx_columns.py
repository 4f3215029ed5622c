"""Exported models of raw tables: an input for each column, coded as the column map does."""

import json

import numpy as np
import pytest

from samara import ELMClassifier, ELMRegressor, InputError, KernelELMRegressor, to_onnx
from samara.maps import AsFloat, Columns, Encoded, Levels, Number
from samara.model import Model
from samara.schema import Column, text_code
from samara.tabular import learn_columns
from tests.onnx_runs import assert_near, of_table, raw_inputs, run_model
from tests.tables import Table


def on_columns(model, table, columns):
    """A model of the encoded rows."""
    y = table.y[:, 0]
    return model.fit(columns(table.X), [table.labels["kind"][code] for code in y] if table.kinds else y)


def numbers_map(*names):
    """Columns of numbers without missing values."""
    return Columns(tuple(Column(name, "number") for name in names), (Number(0.0),) * len(names))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("make", [ELMRegressor, KernelELMRegressor])
def test_a_regressor_of_a_table(make, dtype):
    table = Table(300)
    columns = learn_columns(table.profiled())
    assert [type(coding) for coding in columns.codings] == [Number, Levels, Number, Encoded, Number]
    model = on_columns(make(alpha=0.5, scale="standard", dtype=dtype, random_state=0), table, columns)
    new = Table(100, seed=1)
    made = run_model(to_onnx(of_table(model, columns)), raw_inputs(new.schema, new.X, new.labels))
    assert_near(made["prediction"], model.predict(columns(new.X)))


@pytest.mark.parametrize("kinds", [2, 4])
def test_a_classifier_of_a_table(kinds):
    table = Table(300, kinds=kinds)
    columns = learn_columns(table.profiled())
    model = on_columns(ELMClassifier(50, scale="quantile", alpha=0.5, random_state=0), table, columns)
    proto = to_onnx(of_table(model, columns))
    made = run_model(proto, raw_inputs(table.schema, table.X, table.labels))
    encoded = columns(table.X)
    assert made["label"].tolist() == model.predict(encoded).tolist()
    assert_near(made["probabilities"], model.predict_proba(encoded))
    assert_near(made["scores"], model.decision_function(encoded))
    told = {prop.key: prop.value for prop in proto.metadata_props}
    assert json.loads(told["columns"]) == [{"name": c.name, "kind": c.kind} for c in table.schema]


def coded(columns, inputs):
    """The encoded rows, by a model that gives back its inputs."""
    n, rows = columns.n_out, np.random.default_rng(0).normal(size=(50, columns.n_out))
    model = KernelELMRegressor("linear").fit(rows, rows)
    model.model_ = Model((AsFloat(n, np.dtype(float)),), np.eye(n), np.zeros(n))
    return run_model(to_onnx(of_table(model, columns)), inputs)["prediction"]


def test_each_coding_of_a_missing_and_a_new_value():
    codes = np.sort([text_code("a"), text_code("é")])
    labels = ("a", "é") if codes[0] == text_code("a") else ("é", "a")
    kinds = [("n", "number"), ("d", "date"), ("t", "text"), ("u", "text"), ("none", "text"), ("e", "text")]
    values, prior = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([7.0, 8.0])
    codings = (
        Number(2.5, flag=True),
        Number(20_000.0),
        Levels(codes, labels, np.array([0.25, 0.75]), flag=True),
        Levels(codes, labels, np.array([0.25, 0.75])),
        None,
        Encoded(codes, labels, values, prior, ("p", "q")),
    )
    columns = Columns(tuple(Column(*kind) for kind in kinds), codings)
    texts = np.array([["a"], ["é"], [""], ["A"]], object)
    inputs = dict.fromkeys(("t", "u", "none", "e"), texts)
    inputs["n"] = np.array([[1.0], [np.nan], [-3.0], [0.0]])
    inputs["d"] = np.array([[1.0], [2.0], [np.nan], [19_000.25]])
    raw = np.array([[text_code(text)] for text in ("a", "é", "?", "A")])
    raw[2] = np.nan
    X = np.concatenate([inputs["n"], inputs["d"], raw, raw, raw, raw], axis=1)
    assert np.array_equal(coded(columns, inputs), columns(X))


def test_an_encoded_column_without_a_category():
    prior = np.array([7.0])
    empty = Encoded(np.zeros(0), (), np.zeros((0, 1)), prior, ("y",))
    columns = Columns((Column("e", "text"),), (empty,))
    assert coded(columns, {"e": np.array([["a"], [""]], object)}).tolist() == [[7.0], [7.0]]


@pytest.mark.parametrize("names", [("label", "scores"), ("X", "v0"), ("v1", "v2"), ("a b", "π/2")])
def test_columns_may_have_any_name(names):
    """Even that of an output, which then has an underscore more, or of a value inside the graph."""
    columns, X = numbers_map(*names), np.random.default_rng(0).normal(size=(60, 2))
    model = ELMClassifier(20, random_state=0).fit(X, np.where(X[:, 0] > 0, "yes", "no"))
    made = run_model(to_onnx(of_table(model, columns)), {name: X[:, [j]] for j, name in enumerate(names)})
    assert list(made) == [f"{n}_" if n in names else n for n in ("label", "probabilities", "scores")]
    assert next(iter(made.values())).tolist() == model.predict(X).tolist()


def test_a_column_without_a_name():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = ELMRegressor(20, random_state=0).fit(X, X[:, 0])
    with pytest.raises(
        InputError, match=r"^An ONNX input needs a name and a column has none: name it before"
    ):
        to_onnx(of_table(model, numbers_map("a", "")))


def shop_frame(n=200, seed=0):
    """Sales with numbers, texts of few and of many kinds, truth values, days and gaps."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    table = {
        "age": np.where(rng.random(n) < 0.2, np.nan, rng.integers(18, 90, n)),
        "city": rng.choice(np.array(["Paris", "Oslo", "東京", None], object), n),
        "shop": rng.choice(np.array([f"shop {k}" for k in range(30)], object), n),
        "member": rng.random(n) < 0.5,
        "day": np.datetime64("2024-01-01", "D") + rng.integers(0, 365, n),
    }
    frame = pd.DataFrame({**table, "day": table["day"].astype("datetime64[ns]")})
    return frame, np.nan_to_num(table["age"]) / 50 + (frame["city"] == "Oslo") + rng.normal(size=n) / 5


def frame_inputs(frame):
    """A frame as an exported model takes it."""
    days = frame["day"].to_numpy().astype("datetime64[ms]").astype(float) / 86_400_000
    texts = {name: frame[name].fillna("").to_numpy(object) for name in ("city", "shop")}
    made = {"age": frame["age"].to_numpy(), "member": frame["member"].to_numpy(), "day": days, **texts}
    return {name: values[:, None] for name, values in made.items()}


@pytest.mark.parametrize("make", [ELMRegressor, KernelELMRegressor])
def test_a_regressor_of_a_frame(make):
    frame, y = shop_frame()
    model = make(alpha=0.5, random_state=0).fit(frame, y)
    new, _ = shop_frame(seed=1)
    new.loc[:9, "city"] = "Rome"  # which the fit has not seen
    made = run_model(to_onnx(model), frame_inputs(new))
    assert_near(made["prediction"], model.predict(new))


def test_a_classifier_of_a_frame():
    frame, y = shop_frame()
    model = ELMClassifier(50, alpha=0.5, random_state=0).fit(frame, np.digitize(y, [1.0, 1.5]).astype(str))
    made = run_model(to_onnx(model), frame_inputs(frame))
    assert made["label"].tolist() == model.predict(frame).tolist()
    assert_near(made["probabilities"], model.predict_proba(frame))
