"""missing="impute" and "flag": gaps in arrays, in every method that takes rows."""

import pickle

import numpy as np
import pytest

import samara
from samara import ELMClassifier, ELMRegressor, InputError, NonFiniteError


def problem(seed=0, n=240):
    """Five columns that go together, a fifth of their entries missing."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, 2))
    X = Z @ rng.standard_normal((2, 5)) + 0.1 * rng.standard_normal((n, 5))
    return np.where(rng.random(X.shape) < 0.2, np.nan, X), X, np.sin(Z[:, 0]) + Z[:, 1]


@pytest.mark.parametrize("missing", ["impute", "flag"])
@pytest.mark.parametrize("kind", [ELMRegressor, ELMClassifier])
def test_fit_predict_save_and_copy(missing, kind, tmp_path):
    gaps, _, y = problem()
    y = y if kind is ELMRegressor else np.where(y > 0, "up", "down")
    model = kind(40, missing=missing, random_state=0).fit(gaps, y)
    assert model.score(gaps, y) > 0.6
    assert model.n_features_in_ == 5
    assert not hasattr(model, "feature_names_in_")
    model.save(tmp_path / "m.samara")
    for copied in (samara.load(tmp_path / "m.samara"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(copied.predict(gaps), model.predict(gaps))


@pytest.mark.parametrize("missing", ["impute", "flag"])
def test_a_frame_is_its_array(missing):
    import pandas as pd

    gaps, _, y = problem()
    frame = pd.DataFrame(gaps, columns=list("abcde"))
    models = [ELMRegressor(30, missing=missing, random_state=0).fit(rows, y) for rows in (gaps, frame)]
    np.testing.assert_allclose(models[0].predict(gaps), models[1].predict(frame), atol=1e-12)


def test_what_others_say_beats_the_mean():
    gaps, _, y = problem(n=600)
    scores = {}
    for missing in ("impute", "flag"):
        model = ELMRegressor(60, missing=missing, random_state=0).fit(gaps[:400], y[:400])
        scores[missing] = model.score(gaps[400:], y[400:])
    assert scores["impute"] > scores["flag"] + 0.02


def test_gaps_that_the_fit_did_not_have():
    """A column that was complete is filled all the same, by the mean or by what the row says."""
    gaps, X, y = problem()
    for missing in ("impute", "flag"):
        model = ELMRegressor(30, missing=missing, random_state=0).fit(X, y)
        assert np.isfinite(model.predict(gaps)).all()


def test_complete_rows_are_as_without():
    _, X, y = problem()
    plain = ELMRegressor(30, random_state=0).fit(X, y)
    for missing in ("impute", "flag"):
        model = ELMRegressor(30, missing=missing, random_state=0).fit(X, y)
        np.testing.assert_allclose(model.predict(X), plain.predict(X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("missing", ["impute", "flag"])
def test_batches(missing):
    gaps, _, y = problem()
    model = ELMRegressor(30, missing=missing, random_state=0)
    labels = ELMClassifier(30, missing=missing, random_state=0)
    for rows in np.array_split(np.arange(len(y)), 3):
        model.partial_fit(gaps[rows], y[rows])
        labels.partial_fit(gaps[rows], y[rows] > 0)
    assert model.score(gaps, y) > 0.5
    assert labels.score(gaps, y > 0) > 0.8


def test_scans(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    gaps, _, y = problem()
    columns = {name: pa.array(gaps[:, j], from_pandas=True) for j, name in enumerate("abcde")}
    pq.write_table(pa.table({**columns, "y": y}), tmp_path / "t.parquet", row_group_size=100)
    scan = samara.scan(tmp_path / "t.parquet", target="y")
    model = ELMRegressor(30, missing="impute", random_state=0).fit(scan)
    assert model.predict(scan).shape == (240,)
    assert model.score(scan) > 0.5


def test_tags_and_refusals(tmp_path):
    from scipy import sparse

    gaps, X, y = problem()
    assert ELMRegressor(missing="flag").__sklearn_tags__().input_tags.allow_nan
    assert not ELMRegressor().__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(NonFiniteError, match="contains NaN"):
        ELMRegressor(10).fit(gaps, y)
    with pytest.raises(InputError, match=r"missing.*'drop'.*impute"):
        ELMRegressor(10, missing="drop").fit(gaps, y)
    with pytest.raises(InputError, match="In a sparse matrix nothing is missing"):
        ELMRegressor(10, missing="impute").fit(sparse.csr_array(X), y)
    X[3, 2] = np.inf
    with pytest.raises(NonFiniteError, match=r"infinity \(column 2, row 3\)"):
        ELMRegressor(10, missing="impute").fit(X, y)


def test_onnx_takes_flags_and_refuses_imputation():
    pytest.importorskip("onnx")
    gaps, _, y = problem()
    assert samara.to_onnx(ELMRegressor(10, missing="flag", random_state=0).fit(gaps, y))
    with pytest.raises(InputError, match='use missing="flag"'):
        samara.to_onnx(ELMRegressor(10, missing="impute", random_state=0).fit(gaps, y))


def test_too_many_categories_are_not_imputed():
    import pandas as pd

    gaps, _, y = problem()
    frame = pd.DataFrame(gaps, columns=list("abcde"))
    frame["town"] = [f"town {i % 60}" for i in range(len(y))]
    with pytest.raises(InputError, match="'town' has too many categories"):
        ELMRegressor(10, missing="impute", random_state=0).fit(frame, y)
