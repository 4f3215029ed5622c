"""Some rows of a scan, and what a model predicts for them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samara
from samara.estimators.sampled import Sample, sample_rows


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A table with numbers and texts, in several row groups."""
    rng = np.random.default_rng(0)
    x, kind = rng.standard_normal(900), rng.choice(["p", "q"], 900)
    table = pa.table({"n": np.arange(900.0), "x": x, "kind": kind, "y": x + (kind == "p")})
    table = table.append_column("sign", pa.array(np.where(x > 0, "plus", "minus")))
    made = tmp_path_factory.mktemp("sampled") / "t.parquet"
    pq.write_table(table, made, row_group_size=200)
    return made


def test_rows_come_from_all_over(path):
    scan = samara.scan(path, target="y")
    drawn = sample_rows(scan, 96)
    assert len(drawn.y) == 96
    assert (drawn.X[0, 0], drawn.X[-1, 0]) == (0, 899)
    assert np.diff(drawn.X[:, 0]).min() == 1
    assert len(sample_rows(scan, 5000).y) == 900


@pytest.mark.parametrize("rows", [1, 7, 80, 870, 899, 900])
def test_no_row_comes_twice(path, rows):
    drawn = sample_rows(samara.scan(path, target="y"), rows).X[:, 0]
    assert 0.6 * rows < len(drawn) <= rows
    assert len(np.unique(drawn)) == len(drawn)


def test_numbers_are_predicted_as_by_the_model(path):
    scan = samara.scan(path, target="y", columns=["x", "kind"])
    model = samara.ELMRegressor(20, random_state=0).fit(scan)
    sample = Sample(model, scan, 5000)
    assert sample.names == ["x", "kind"]
    assert np.allclose(sample.predict(sample.X), model.predict(scan), rtol=1e-9)
    assert np.array_equal(sample.true, pq.read_table(path)["y"].to_numpy())
    assert sample.predictions(trained=False).probabilities is None


def test_rows_of_the_fit_are_predicted_by_models_of_the_other_folds(path):
    scan = samara.scan(path, target="y", columns=["x", "kind"])
    model = samara.ELMRegressor(20, random_state=0).fit(scan)
    sample = Sample(model, scan, 5000)
    made = sample.predictions(trained=True)
    assert made.held_out
    assert np.mean((made.predicted - sample.true) ** 2) == pytest.approx(
        model.selection_.best_score, rel=1e-6
    )
    given = samara.ELMRegressor(20, alpha=1.0, random_state=0).fit(scan)
    assert not Sample(given, scan, 5000).predictions(trained=True).held_out


def test_rows_of_an_unknown_class_are_left_out(path, tmp_path):
    scan = samara.scan(path, target="sign", columns=["x", "kind"])
    model = samara.ELMClassifier(20, random_state=0).fit(scan)
    renamed = pq.read_table(path).rename_columns(["n", "x", "kind", "sign", "old sign"])
    pq.write_table(renamed.set_column(3, "sign", pa.array(["other"] * 900)), tmp_path / "t.parquet")
    other = samara.scan(tmp_path / "t.parquet", target="sign", columns=["x", "kind"])
    whole = Sample(model, scan, 5000)
    assert set(whole.true) == {"plus", "minus"}
    assert np.mean(whole.predict(whole.X) == whole.true) > 0.9
    assert np.allclose(whole.predictions(trained=False).probabilities.sum(axis=1), 1)
    assert len(Sample(model, other, 5000).true) == 0


def test_a_model_of_files_knows_its_targets(path, tmp_path):
    scan = samara.scan(path, target=["y", "n"], columns=["x"])
    model = samara.ELMRegressor(20, random_state=0).fit(scan)
    model.save(tmp_path / "m.samara")
    assert samara.load(tmp_path / "m.samara").target_names_.tolist() == ["y", "n"]
    X = np.random.default_rng(0).standard_normal((50, 2))
    assert not hasattr(model.fit(X, X[:, 0]), "target_names_")
