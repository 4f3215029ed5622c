"""Links: a fit to a function of the targets, taken back through every way to predict."""

import numpy as np
import pytest

import samara
from samara import ELMRegressor, InputError, KernelELMRegressor
from samara.links import Log, Logit

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
FACTORS = np.exp(np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.5 * RNG.normal(size=400))
SHARES = 1 / (1 + np.exp(-2 * X[:, 0] + RNG.normal(size=400)))
MODELS = [
    *(
        ELMRegressor(n_hidden=30, solver=solver, alpha=0.1, random_state=0)
        for solver in ("gram", "qr", "lsqr", "tiles")
    ),
    *(ELMRegressor(n_hidden=30, random_state=0), KernelELMRegressor(scale="standard")),
]


def with_link(model, link):
    return type(model)(**model.get_params() | {"link": link})


@pytest.mark.parametrize("model", MODELS)
def test_it_is_a_fit_to_the_function_of_the_targets(model):
    inner = with_link(model, None).fit(X, np.log(FACTORS))
    outer = with_link(model, "log").fit(X, FACTORS)
    smear = 1.0 if outer.smearing_ is None else outer.smearing_
    np.testing.assert_allclose(outer.predict(X), np.exp(inner.predict(X)) * smear, rtol=1e-12)
    shares = with_link(model, "logit").fit(X, SHARES).predict(X)
    logits = with_link(model, None).fit(X, np.log(SHARES / (1 - SHARES))).predict(X)
    np.testing.assert_allclose(shares, 1 / (1 + np.exp(-logits)), rtol=1e-9)


def test_the_bounds_are_kept_to():
    y = 3 + 4 * SHARES
    model = ELMRegressor(n_hidden=200, alpha=1e-6, link=Logit(3, 7), random_state=0).fit(X, y)
    found = model.predict(5 * X)
    assert ((found >= 3) & (found <= 7)).all()
    plain = ELMRegressor(n_hidden=200, alpha=1e-6, random_state=0).fit(X, y).predict(5 * X)
    assert plain.min() < 3


def test_the_mean_is_right_after_a_log():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(23_000, 3))
    y = np.exp(np.sin(rows[:, 0]) + 0.5 * rows[:, 1] + 0.5 * rng.normal(size=23_000))
    model = ELMRegressor(n_hidden=30, link="log", random_state=0).fit(rows[:3000], y[:3000])
    assert model.smearing_ == pytest.approx(np.exp(0.125), rel=0.04)  # of normal errors
    mean = model.predict(rows[3000:]).mean() / y[3000:].mean()
    assert abs(mean - 1) < 0.03 < abs(mean / model.smearing_[0] - 1)


@pytest.mark.parametrize("link", ["log", "logit"])
def test_intervals_go_through_it(link):
    y, take_back = (FACTORS, np.exp) if link == "log" else (SHARES, lambda z: 1 / (1 + np.exp(-z)))
    model = ELMRegressor(n_hidden=30, link=link, random_state=0).fit(X[:200], y[:200])
    inner = ELMRegressor(n_hidden=30, random_state=0)
    inner.fit(X[:200], np.log(y[:200]) if link == "log" else np.log(y[:200] / (1 - y[:200])))
    for found, own in zip(model.predict_interval(X), inner.predict_interval(X), strict=True):
        np.testing.assert_allclose(found, take_back(own), rtol=1e-9)
    lower, upper = model.predict_interval(X[200:])
    assert 0.83 < np.mean((lower <= y[200:]) & (y[200:] <= upper)) < 0.97


def test_a_weight_of_zero_leaves_out_what_the_link_would_refuse():
    y = np.where(np.arange(400) < 5, -1.0, FACTORS)
    model = ELMRegressor(n_hidden=20, link="log", alpha=0.1, random_state=0)
    weighted = model.fit(X, y, sample_weight=(y > 0).astype(float)).predict(X)
    np.testing.assert_allclose(weighted, model.fit(X[5:], y[5:]).predict(X), rtol=1e-6)


def test_several_targets_have_a_factor_each():
    y = np.column_stack([FACTORS, FACTORS**2])
    model = KernelELMRegressor(link="log").fit(X, y)
    assert model.smearing_.shape == (2,)
    assert model.smearing_[1] > model.smearing_[0]
    assert (model.predict(X) > 0).all()


def test_files_and_batches_of_rows(tmp_path):
    pd, pq = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.assign(y=FACTORS).to_parquet(tmp_path / "rows.parquet")
    rows = samara.scan(tmp_path / "rows.parquet", target="y")
    model = ELMRegressor(n_hidden=30, link="log", random_state=0).fit(rows)
    found = ELMRegressor(n_hidden=30, link="log", random_state=0).fit(X, FACTORS).predict(X)
    np.testing.assert_allclose(model.predict(frame), found, rtol=1e-6)
    np.testing.assert_array_equal(np.concatenate(list(model.predict_batches(rows))), model.predict(frame))
    model.predict_to(rows, tmp_path / "told.parquet")
    told = pq.read_table(tmp_path / "told.parquet")["predicted"].to_numpy()
    np.testing.assert_array_equal(told, model.predict(frame))
    model.predict_to(rows, tmp_path / "between.parquet", interval=0.8)
    between = pq.read_table(tmp_path / "between.parquet")
    np.testing.assert_allclose(between["predicted"].to_numpy(), told, rtol=1e-12)
    ends = [between[name].to_numpy() for name in ("lower", "upper")]
    np.testing.assert_allclose(ends, model.predict_interval(frame, coverage=0.8), rtol=1e-9)
    assert model.score(rows) > 0.3
    assert model.score(rows) == pytest.approx(model.score(frame, FACTORS))
    first = ELMRegressor(n_hidden=30, link="log", alpha=0.1, random_state=0).partial_fit(rows)
    again = ELMRegressor(n_hidden=30, link="log", alpha=0.1, random_state=0).partial_fit(X, FACTORS)
    np.testing.assert_allclose(first.predict(frame), again.predict(X), rtol=1e-6)


def test_rows_that_arrive():
    model = ELMRegressor(n_hidden=20, link="log", alpha=0.1, random_state=0).partial_fit(
        X[:200], FACTORS[:200]
    )
    inner = ELMRegressor(n_hidden=20, alpha=0.1, random_state=0).partial_fit(X[:200], np.log(FACTORS[:200]))
    for one, y in ((model, FACTORS), (inner, np.log(FACTORS))):
        one.partial_fit(X[200:], y[200:])
    assert model.smearing_ is None
    np.testing.assert_allclose(model.predict(X), np.exp(inner.predict(X)), rtol=1e-9)


@pytest.mark.parametrize("link", ["log", Log(), "logit", Logit(-1, 2)])
@pytest.mark.parametrize("cls", [ELMRegressor, KernelELMRegressor])
def test_a_file_predicts_the_same(cls, link, tmp_path):
    model = cls(link=link, random_state=0).fit(X, SHARES)
    model.save(tmp_path / "model.samara")
    loaded = samara.load(tmp_path / "model.samara")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.link_ == model.link_
    for found, own in zip(loaded.predict_interval(X), model.predict_interval(X), strict=True):
        np.testing.assert_array_equal(found, own)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("link", ["log", Logit(-1, 2)])
def test_an_onnx_model_predicts_the_same(link, dtype):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    model = ELMRegressor(n_hidden=20, link=link, dtype=dtype, random_state=0).fit(X, SHARES)
    session = runtime.InferenceSession(samara.to_onnx(model).SerializeToString())
    (found,) = session.run(["prediction"], {"X": X.astype(dtype)})
    np.testing.assert_allclose(
        found, model.predict(X.astype(dtype)), rtol=1e-12 if dtype == "float64" else 1e-4
    )


@pytest.mark.parametrize(
    ("link", "y", "message"),
    [
        ("log", FACTORS - 1, r'link="log" takes targets above 0; got -'),
        ("logit", 2 * SHARES, r'link="logit" takes targets between 0 and 1, on neither; got 1\.'),
        (Logit(0, 3), np.zeros(400), r"between 0 and 3, on neither; got 0\. Leave such rows out"),
        (Logit(1, 1), SHARES, r"A logit needs low < high, both finite, got Logit\(low=1, high=1\)"),
        ("exp", SHARES, "link"),
        (np.log, SHARES, "link"),
    ],
)
@pytest.mark.parametrize("cls", [ELMRegressor, KernelELMRegressor])
def test_what_a_link_does_not_take(cls, link, y, message):
    with pytest.raises(InputError, match=message):
        cls(link=link).fit(X, y)
