"""The laws of the automatic estimators: honest scores, the same model whatever the rows come in, and time."""

from functools import partial
from importlib import import_module

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.datasets import make_friedman1

import samara
from samara import AutoELMClassifier, AutoELMRegressor
from samara.engines import Threads
from samara.gradients import input_gradients
from samara.plans import Budget
from samara.search import AutoSettings, Clock, auto_fit
from samara.sources import ArraySource
from samara.summaries import Profile
from tests.onnx_runs import assert_near, run_rows
from tests.raw_tables import mixed_table

SPINE = import_module("samara.search.auto_fit")  # the package has a function of this name
REGRESSOR = partial(AutoELMRegressor, None, rounds=4, random_state=0)
CLASSIFIER = partial(AutoELMClassifier, None, rounds=3, random_state=0)


def planted(n=300, d=5, seed=0):
    """A target that changes along one direction alone."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(2 * X[:, 0] + X[:, 1])


def test_a_planted_signal_is_found():
    X, y = planted()
    fresh, truth = planted(200, seed=1)
    model = REGRESSOR(rounds=8).fit(X, y)
    assert model.score(fresh, truth) > 0.95
    assert model.held_out_score_ > 0.9
    assert model.leaderboard_[0].score > model.leaderboard_[-1].score
    best = model.leaderboard_[0]
    assert "kernel" in best.candidate
    assert best.round > 0


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_not_flattered(seed):
    """No score is above 0 by more than chance; the blend's, chosen by other rows, least of all."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((300, 4)), rng.standard_normal(300)
    model = REGRESSOR().fit(X, y)
    chance = 2 / np.sqrt(len(y))
    assert max(entry.score for entry in model.leaderboard_) < chance
    assert model.held_out_score_ < 0.03
    labels = AutoELMClassifier(None, rounds=3, random_state=0).fit(X, y > 0)
    assert labels.held_out_score_ < 0.5 + 3 * chance / 4 + 0.05


def test_the_same_to_the_bit():
    X, y = planted(150)
    a, b = (REGRESSOR(engine=Threads(1)).fit(X, y) for _ in range(2))
    assert (a.predict(X) == b.predict(X)).all()
    assert a.held_out_score_ == b.held_out_score_
    assert [entry.score for entry in a.leaderboard_] == [entry.score for entry in b.leaderboard_]


def test_rows_in_another_order_and_weights_for_copies():
    X, y = planted(150)
    rng = np.random.default_rng(2)
    weight = rng.integers(0, 3, 150).astype(float)
    order = rng.permutation(150)
    one = REGRESSOR().fit(X, y, weight)
    copies = np.repeat(np.arange(150), weight.astype(int))
    for rows in (copies, rng.permutation(copies)):
        other = REGRESSOR().fit(X[rows], y[rows])
        assert other.predict(X) == pytest.approx(one.predict(X), abs=1e-5)
        assert other.weights_ == pytest.approx(one.weights_, abs=1e-6)
    assert REGRESSOR().fit(X[order], y[order], weight[order]).predict(X) == pytest.approx(
        one.predict(X), abs=1e-5
    )


def test_the_blend_is_the_sum_of_its_models():
    X, y = planted(200)
    y = y + 0.5 * np.random.default_rng(3).standard_normal(200)
    model = REGRESSOR(rounds=6).fit(X, np.column_stack([y, np.abs(X[:, 2]) + X[:, 3]]))
    assert len(model.weights_) == len(model.models_) >= 2
    parts = sum(one.predict(ArraySource(X, y[:, None]), Threads(1, 100)) for one in model.models_)
    assert parts == pytest.approx(model.predict(X), abs=1e-9)
    assert model.model_.features(X) @ model.model_.coef + model.model_.intercept == pytest.approx(parts)
    named = {entry.candidate: entry.weight for entry in model.leaderboard_ if entry.weight}
    assert sorted(named.values()) == pytest.approx(sorted(model.weights_))


def test_files_gradients_and_graphs(tmp_path):
    """Saved to the bit; the gradient is that of differences; ONNX gives the same outputs."""
    X, y = planted(200, 3)
    model = REGRESSOR(rounds=5).fit(X, y)
    model.save(tmp_path / "auto.samara")
    again = samara.load(tmp_path / "auto.samara")
    assert (again.predict(X) == model.predict(X)).all()
    assert str(again.leaderboard_) == str(model.leaderboard_)
    assert samara.inspect(tmp_path / "auto.samara").contains_training_rows
    for ours, theirs in zip(again.predict_interval(X), model.predict_interval(X), strict=True):
        assert (ours == theirs).all()
    fresh, step = np.random.default_rng(5).standard_normal((5, 3)), 1e-6
    found = input_gradients(model.model_, fresh)[:, 0]
    for j in range(3):
        move = step * np.eye(3)[j]
        slope = (model.predict(fresh + move) - model.predict(fresh - move)) / (2 * step)
        assert found[:, j] == pytest.approx(slope, abs=1e-3)
    assert_near(run_rows(model, X)["prediction"], model.predict(X), 1e-6)


def test_classes_and_their_files(tmp_path):
    X, y = planted(250)
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.5])]
    model = CLASSIFIER(class_weight="balanced").fit(X, labels)
    assert model.held_out_score_ > 0.6
    P = model.predict_proba(X)
    assert P.sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert model.calibration_ is not None
    assert (model.predict(X) == labels).mean() > 0.8
    model.save(tmp_path / "auto.samara")
    assert (samara.load(tmp_path / "auto.samara").predict_proba(X) == P).all()


def test_tables_scans_and_sparse_rows(tmp_path):
    """Texts, dates and gaps in a frame and in a file give one model; sparse rows that of dense ones."""
    table = mixed_table(300)
    names = ["size", "rooms", "sold", "day", "town"]
    rows = np.array([0.0 if value is None else value for value in table["rooms"].to_pylist()])
    table = table.select(names).append_column("y", pa.array(rows + 0.1 * np.arange(300) / 300))
    pq.write_table(table, tmp_path / "rows.parquet")
    frame = REGRESSOR().fit(table.select(names), table["y"].to_numpy())
    file = REGRESSOR().fit(samara.scan(tmp_path / "rows.parquet", target="y"))
    assert frame.score(table.select(names), table["y"].to_numpy()) > 0.8
    assert file.predict(table.select(names)) == pytest.approx(frame.predict(table.select(names)), abs=1e-4)
    X, y = planted(120)
    X[np.abs(X) < 0.7] = 0
    both = [REGRESSOR(rounds=3).fit(given, y).predict(X) for given in (X, sparse.csr_array(X))]
    assert both[0] == pytest.approx(both[1], abs=1e-8)


def test_intervals_hold_what_they_say():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 4))
    y = np.sin(X[:, 0]) + 0.5 * rng.standard_normal(1500)
    model = REGRESSOR(rounds=3).fit(X[:600], y[:600])
    low, high = model.predict_interval(X[600:], 0.8)
    assert np.mean((low <= y[600:]) & (y[600:] <= high)) == pytest.approx(0.8, abs=0.05)


def noisy_classes(seed, n=6000):
    """A quarter of the labels is wrong; few rows tell the boundary about as well as many."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    return X, (X[:, 0] + 0.5 * X[:, 1] > 0) ^ (rng.random(n) < 0.25)


@pytest.mark.parametrize("seed", range(3))
def test_probabilities_are_as_sure_as_they_are_right(seed, monkeypatch):
    """By a search whose fits see a tenth of the rows."""
    monkeypatch.setattr(SPINE, "FIT_ROWS", 200)
    X, y = noisy_classes(seed)
    model = CLASSIFIER().fit(X[:2000], y[:2000])
    assert model.calibration_ is not None
    sure = model.predict_proba(X[2000:]).max(axis=1).mean()
    assert sure == pytest.approx(model.score(X[2000:], y[2000:]), abs=0.05)


def test_errors_of_intervals_are_those_of_fits_to_all_rows(monkeypatch):
    """Searched with few rows, fitted to many: the errors kept are nearer to those on new rows."""
    monkeypatch.setattr(SPINE, "FIT_ROWS", 150)
    monkeypatch.setattr(SPINE, "SCORED_ROWS", 400)
    X, y = make_friedman1(3000, 6, noise=0.3, random_state=0)
    model = REGRESSOR(rounds=3).fit(X[:2600], y[:2600])
    new = np.quantile(np.abs(model.predict(X[2600:]) - y[2600:]), 0.9)
    low, high = model.predict_interval(X[2600:], coverage=0.9)
    assert np.mean(high - low) / 2 == pytest.approx(new, rel=0.2)
    assert np.mean((low <= y[2600:]) & (y[2600:] <= high)) == pytest.approx(0.9, abs=0.04)


def test_rows_left_out_are_told_right_as_often_as_new_ones(monkeypatch):
    """What probabilities are calibrated by is the model itself, without the rows it is asked about."""
    monkeypatch.setattr(SPINE, "FIT_ROWS", 200)
    X, y = noisy_classes(1, 6000)
    X, y, new, came = X[:2000], y[:2000], X[2000:], y[2000:]
    source, engine = ArraySource(X, np.where(y, 1.0, -1.0)[:, None]), Threads(1)
    profile = engine.planned(1, 500, None).summarize(source, partial(Profile, 500, 0))
    done = auto_fit(source, AutoSettings(None, 2, True, Budget(), engine, 0), profile, Clock(None))
    right = np.mean((done.left_out.outputs > 0) == (done.left_out.targets > 0))
    said = done.model.predict(ArraySource(new, np.empty((len(new), 0))), Threads(1, 500))[:, 0] > 0
    assert right == pytest.approx(np.mean(said == came), abs=0.03)


@pytest.mark.parametrize("make", [REGRESSOR, CLASSIFIER], ids=["numbers", "classes"])
def test_few_different_rows_of_many(make, monkeypatch):
    """Four columns of 0 and 1: sixteen rows and their copies, of which a share may hold none."""
    monkeypatch.setattr(SPINE, "FIT_ROWS", 50)
    monkeypatch.setattr(SPINE, "SCORED_ROWS", 50)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1900, 4)).astype(float)
    y = X[:, 0] * X[:, 1] + X[:, 2] + 0.1 * rng.standard_normal(len(X))
    model = make(rounds=2).fit(X, y if make is REGRESSOR else y > 0.5)
    assert len(model.leaderboard_) == 2
    assert model.score(X, y if make is REGRESSOR else y > 0.5) > 0.8


class Ticking:
    """A time that moves on by a step at each look."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


def tried_in(seconds, step):
    """Candidates that are tried while each look at the clock takes so long."""
    X, y = planted(80)
    source, engine = ArraySource(X, y[:, None]), Threads(1)
    profile = engine.planned(1, 100, None).summarize(source, partial(Profile, 100, 0))
    settings = AutoSettings(seconds, None, False, Budget(workers=1), engine, 0)
    done = auto_fit(source, settings, profile, Clock(seconds, Ticking(step)))
    assert np.isfinite(done.model.predict(source, engine.planned(1, 100, None))).all()
    return len(done.board)


def test_time_is_kept():
    """With hardly any there is still a model; the more there is, the more is tried."""
    assert tried_in(2.0, 1.0) == 1
    few, some = tried_in(30.0, 0.1), tried_in(120.0, 0.1)
    assert 1 < few < some


def test_leaderboard():
    X, y = planted(100)
    board = REGRESSOR(rounds=2).fit(X, y).leaderboard_
    assert len(board) == len(board.rows()) == 2
    assert board.rows()[0]["candidate"] == board[0].candidate
    assert str(board).splitlines()[0].split() == ["candidate", "score", "seconds", "round", "alpha", "weight"]
    assert "<table>" in board._repr_html_()
