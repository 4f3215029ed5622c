"""The comparison of AutoELM with boosting: its rows, scores, findings and page."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bench.accuracy import boosting, command
from bench.accuracy.findings import findings_of, targets_of, worse
from bench.accuracy.methods import BOOSTED, METHODS, OURS, RANKED, TUNED
from bench.accuracy.pages import write_pages
from bench.accuracy.rules import CUT, NOT_TABLES, RULES, SECONDS, orders, splits
from bench.accuracy.scores import calibration_error, covered, log_loss
from bench.accuracy.trial import trial
from bench.contest import environments
from bench.contest.compete import Contest
from bench.contest.means import of_methods
from bench.contest.methods import Problem
from bench.contest.rows import known, numbers, prepare
from bench.ledger import Ledger

pd = pytest.importorskip("pandas")


@pytest.fixture
def folder(tmp_path):
    """A table of each task, one with a category that tells the class, and one of pictures."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 150)
    colour = rng.choice(["red", "green", "blue"], 150)
    pd.DataFrame({"a": x, "colour": pd.Categorical(colour), "target": colour == "red"}).to_parquet(
        tmp_path / "colours.parquet"
    )
    noisy = 3 * x + 100 + rng.normal(0, 0.3, 150)
    for name in ("lines", "mnist"):
        pd.DataFrame({"a": x, "target": noisy}).to_parquet(tmp_path / f"{name}.parquet")
    tasks = {"lines": "regression", "mnist": "regression", "colours": "classification"}
    shape = {"n_rows": 150, "n_features": 2, "extra_target_columns": []}
    listed = [{"name": name, "task": task, **shape} for name, task in tasks.items()]
    (tmp_path / "MANIFEST.json").write_text(json.dumps(listed))
    return tmp_path


def of(folder, name):
    return next(one for one in known(folder, CUT) if one.name == name)


def test_trees_get_categories_and_others_get_columns(folder, tmp_path):
    found = numbers(of(folder, "colours"), folder)
    assert found.categories == [1]
    assert found.coded.shape == (150, 2)
    np.testing.assert_array_equal(found.X[:, 1:].argmax(axis=1), found.coded[:, 1])
    out = tmp_path / "out"
    out.mkdir()
    about = prepare(of(folder, "colours"), folder, out, CUT)
    assert (about.n_fit, about.n_test, about.splits) == (120, 30, 5)
    for split in range(5):
        fit, test = CUT.rows(150, split)
        np.testing.assert_array_equal(np.load(out / f"coded_{split}.npy"), found.coded[fit])
        np.testing.assert_array_equal(np.load(out / f"coded_test_{split}.npy"), found.coded[test])


def test_many_rows_have_few_splits():
    assert [splits(n) for n in (100, 2_000, 2_001, 10_000, 10_001)] == [5, 5, 2, 2, 1]


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")  # the MLP as it comes ends before it converges
@pytest.mark.parametrize("name", ["HistGradientBoosting", "RandomForest", "MLP", "Ridge", "k-NN"])
def test_methods_of_this_environment_learn(folder, tmp_path, name):
    for which, limit in (("lines", 0.7), ("colours", 0.2)):
        prepare(of(folder, which), folder, tmp_path, CUT, quick=True)
        one = trial(str(tmp_path), name, split=0)
        figures = one.describe(one.predict(one.run()))
        assert figures["test_error"] < limit
        assert ("log_loss" in figures) == ("calibration_error" in figures)
        assert ("log_loss" in figures) == (which == "colours" and name != "Ridge")


@pytest.mark.parametrize("which", ["lines", "colours"])
def test_ours_has_its_time_and_tells_probabilities_and_coverage(folder, tmp_path, monkeypatch, which):
    """Other models stand in for AutoELM: what is tested is what it is given and asked for."""
    import samara

    given = []

    def stand_in(kind):
        def make(time, random_state):
            given.append(time)
            return kind(20, random_state=random_state)

        return make

    class WithIntervals(samara.ELMRegressor):
        def predict_interval(self, X, coverage):
            middle = self.predict(X)
            return middle - 10 * coverage, middle + 10 * coverage

    monkeypatch.setattr(samara, "AutoELMRegressor", stand_in(WithIntervals), raising=False)
    monkeypatch.setattr(samara, "AutoELMClassifier", stand_in(samara.ELMClassifier), raising=False)
    prepare(of(folder, which), folder, tmp_path, CUT, quick=True)
    one = trial(str(tmp_path), OURS, split=0, seconds=12.5)
    one.warm_up()
    figures = one.describe(one.predict(one.run()))
    assert given == ["0.2s", "12.5s"]
    assert set(figures) == {"test_error"} | (
        {"coverage"} if which == "lines" else {"log_loss", "calibration_error"}
    )
    assert figures.get("coverage", 1) == 1


def test_ours_has_no_more_time_than_the_trials_would_take():
    about = {"splits": 2}
    assert orders(about, METHODS["MLP"], {}) == [{"split": 0}, {"split": 1}]
    assert orders(about, METHODS[TUNED], {}) == [{"split": 0, "seconds": SECONDS}]
    for whole, given in (([3.5], 3.5), ([1e3], SECONDS)):
        made = orders(about, METHODS[OURS], {TUNED: {"whole_seconds": whole}})
        assert made == [{"split": 0, "seconds": given}, {"split": 1, "seconds": given}]
    assert orders(about, METHODS[OURS], {TUNED: {"late": 9.0}})[0]["seconds"] == SECONDS


def test_calibration_error_by_hand():
    """Nine rows of 0.95 of which six are right, one of 0.55 that is wrong."""
    likely = np.array([[0.95, 0.05]] * 9 + [[0.45, 0.55]])
    truth = np.array([0] * 6 + [1] * 3 + [0])
    assert calibration_error(likely, truth) == pytest.approx(0.9 * (0.95 - 6 / 9) + 0.1 * 0.55)
    assert calibration_error(np.eye(2), np.array([0, 1])) == 0


def test_calibration_error_vanishes_where_probabilities_are_right():
    rng = np.random.default_rng(0)
    p = rng.random(100_000)
    truth = (rng.random(100_000) < p).astype(int)
    likely = np.stack([1 - p, p], axis=1)
    assert calibration_error(likely, truth) < 0.01
    assert calibration_error(np.where(likely > 0.5, 1.0, 0.0), truth) > 0.2


def test_log_loss_is_scikit_learns_and_finite():
    from sklearn.metrics import log_loss as theirs

    rng = np.random.default_rng(0)
    likely, truth = rng.dirichlet([1, 1, 1], 50), rng.integers(0, 3, 50)
    assert log_loss(likely, truth) == pytest.approx(theirs(truth, likely))
    assert log_loss(np.eye(2), np.array([1, 1])) == pytest.approx(-np.log(1e-7) / 2)


def test_covered_counts_both_ends():
    low, high = np.zeros(4), np.ones(4)
    assert covered(low, high, np.array([0.0, 1.0, -0.1, 1.1])) == 0.5


def test_held_out_rows_are_a_fifth_and_no_class_is_lost():
    problem = Problem("classification", 100, 1, 3, seed=0)
    y = np.array([2] + [0, 1] * 50)
    for seed in range(10):
        held = boosting.held_out(y, replace(problem, seed=seed))
        assert held.sum() in (19, 20, 21)
        assert set(y[~held]) == {0, 1, 2}
    assert boosting.held_out(y, replace(problem, task="regression")).sum() == 21


class Constant:
    """Predicts its learning rate."""

    def __init__(self, problem, learning_rate, **settings):
        self.rate = learning_rate

    def fit(self, X, y):
        self.model = self
        return self

    def predict(self, X):
        return np.full(len(X), self.rate)


@pytest.mark.parametrize(("seconds", "trials"), [(None, boosting.TRIALS), (-1.0, 1)])
def test_tuning_takes_the_best_of_the_trials_there_is_time_for(monkeypatch, seconds, trials):
    monkeypatch.setattr(boosting, "lightgbm", lambda problem, **settings: None)
    problem = Problem("regression", 50, 1, 0, seed=3, seconds=seconds)
    model = boosting.Tuned(problem)
    monkeypatch.setattr(boosting, "Boosted", Constant)
    model.fit(np.zeros((50, 1)), np.full(50, 0.1))
    rng = np.random.default_rng(3)
    rates = [boosting.drawn(rng)["learning_rate"] for _ in range(trials)]
    assert model.model.rate == min(rates, key=lambda rate: abs(rate - 0.1))
    assert model.told["trials"] == trials
    assert model.told["whole_seconds"] > 0


@pytest.fixture
def cells():
    """Two sets of each task; AutoELM is best at numbers, LightGBM at classes, the tuning has one split."""
    made = {"environments/samara": {"scikit-learn": "1.2.3"}}
    for name in ("kin8nm", "pol", "iris", "wine"):
        classes = 3 * (name in ("iris", "wine"))
        about = {"task": "classification" if classes else "regression", "n_fit": 150, "n_features": 4}
        made[f"sets/{name}/about"] = {**about, "n_classes": classes, "splits": 2}
        for number, method in enumerate(METHODS):
            error = 0.2 + 0.01 * number - 0.15 * (method == OURS and not classes)
            one = {"errors": [error, error + 0.01], "fit": [2.0, 3.0], "predict": [0.1, 0.1], "peak_mb": 5.0}
            if classes and method != "Ridge":
                one |= {"log_loss": [0.5, 0.7], "calibration_error": [0.02 + 0.01 * number] * 2}
            made[f"sets/{name}/{method}"] = one
        made[f"sets/{name}/{TUNED}"] |= {"errors": [0.2], "whole_seconds": [8.0], "trials": [9]}
    made["sets/kin8nm/AutoELM"]["coverage"] = [0.90, 0.91]
    made["sets/pol/AutoELM"]["coverage"] = [0.93, 0.94]
    made["sets/wine/MLP"] = {"late": 120.0}
    return made


def report_of(cells):
    findings = {"missing": {"lightgbm": "does not install here: why"}, **findings_of(cells)}
    targets = [{**vars_of(one), "verdict": one.verdict()} for one in targets_of(findings)]
    machine = {"cpu": "a processor", "threads": 2}
    made = {"date": "2026-01-02T03:04", "machine": machine, "findings": findings, "targets": targets}
    return {**made, "cells": cells}


def vars_of(target):
    return {name: getattr(target, name) for name in ("label", "measured", "limit", "at_least")}


def test_promises_are_judged_by_the_cells(cells):
    findings = findings_of(cells)
    regression = findings["ranks"]["regression"]["mean_ranks"]
    assert regression[OURS] == 1
    assert TUNED not in regression
    assert list(regression) == list(RANKED)
    found = [target.measured for target in targets_of(findings)]
    classes = findings["ranks"]["classification"]["mean_ranks"]
    assert found[0] == pytest.approx(1 / 2)
    assert found[1] == classes[OURS] / classes[BOOSTED] > 1
    assert found[2] == 2.0 / 8.0
    assert found[3] == 1 / 2  # both sets of classes: 0.285 by 0.205
    assert found[4] == pytest.approx(0.10 / 0.02)
    assert found[5] == pytest.approx(3.5)  # pol
    verdicts = [target.verdict() for target in targets_of(findings)]
    assert [verdict == "PASS" for verdict in verdicts] == [True, False, True, False, False, False]


def test_an_error_of_zero_is_worse_only_where_ours_is_not():
    assert worse({"a": 1.0, "b": None, "c": 1.2, "d": 1.05}) == ["b", "c"]
    zero = {"errors": [0.0], "fit": [1.0], "predict": [1.0], "peak_mb": 1.0}
    for ours, ratio in ((0.0, 1.0), (0.1, None)):
        about = {"task": "classification"}
        made = {
            "sets/a/about": about,
            f"sets/a/{BOOSTED}": zero,
            f"sets/a/{OURS}": {**zero, "errors": [ours]},
        }
        assert findings_of(made)["ratios"] == {"a": ratio}


def test_nothing_is_said_before_anything_is_measured(tmp_path):
    assert all(target.verdict() == "not measured" for target in targets_of(findings_of({})))
    assert write_pages(report_of({}), tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_the_page_shows_what_the_cells_say(cells, tmp_path):
    pytest.importorskip("scikit_posthocs")
    written = {path.name for path in write_pages(report_of(cells), tmp_path)}
    assert written == {"accuracy.md", "accuracy_regression.png", "accuracy_classification.png", "index.md"}
    text = (tmp_path / "papers" / "accuracy.md").read_text()
    assert "| regression: mean rank by the best of the others' | 0.5 | at most 1 | PASS |" in text
    assert "(how many times): iris (1.39), wine (1.39)." in text
    assert "| kin8nm | 150 | 4 | 2 | 0.205 ± 0.007 | 0.215 ± 0.007 | 0.2 |" in text
    assert text.count("| **0.135** ± 0.007 |") == 2  # AutoELM on both sets of numbers
    assert text.count("| **0.205** ± 0.007 |") == 2  # LightGBM on both of classes
    assert "| pol | **93.5%** |" in text
    assert "| kin8nm | 90.5% |" in text
    assert "| MLP | wine | > 120 s |" in text
    assert "AutoELM 8 s, LightGBM 8 s, all trials of its tuning 32 s" in text
    assert "does not install here: why" in text
    assert (tmp_path / "papers" / "images" / "accuracy_regression.png").read_bytes()[:4] == b"\x89PNG"


def test_what_is_no_table_is_left_out_and_said(folder, capsys):
    assert {one.name for one in command.picked_of(folder, None, quick=False)} == {"lines", "colours"}
    assert f"left out: mnist ({NOT_TABLES['mnist']})" in capsys.readouterr().out
    assert [one.name for one in command.picked_of(folder, ["mnist"], quick=False)] == ["mnist"]


def test_an_unknown_method_is_refused():
    with pytest.raises(SystemExit, match="No method is named boost; there are LightGBM, LightGBM stopped"):
        of_methods(RULES, ["boost"])
    assert list(of_methods(RULES, [OURS, BOOSTED]).methods) == [BOOSTED, OURS]
    assert of_methods(RULES, None) == RULES


def test_what_there_is_no_time_to_measure_again_is_kept(folder):
    """Cells are forgotten one set after the other, not all at the beginning."""
    ledger = Ledger(None, minutes=-1)
    ledger.cells = {"sets/lines/about": {"task": "regression"}, "sets/lines/Ridge": {"errors": [0.5]}}
    before = dict(ledger.cells)
    contest = Contest(of_methods(RULES, ["Ridge"]), ledger, folder, quick=True, forks=None)
    contest.play(of(folder, "lines"), fresh=True)
    assert ledger.cells == before


@pytest.mark.slow  # runs every method in a process of its own
def test_the_command_measures_judges_and_goes_on(folder, tmp_path, monkeypatch, capsys):
    """The second run measures one method anew and leaves the other alone."""
    monkeypatch.setattr(environments, "set_up", lambda peers: None)
    monkeypatch.setattr(environments, "VENVS", tmp_path / "no environments")
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(command, "write_pages", lambda report: [tmp_path / "a page"])
    means = {"sets": ["lines"], "data": folder, "threads": 1}
    report = command.run(methods=["Ridge", "k-NN", BOOSTED], **means)
    said = capsys.readouterr().out
    assert "skipped: lightgbm has no environment yet: make bench-peers" in said
    assert "a page" in said
    kept = json.loads((tmp_path / "results" / "accuracy.json").read_text())
    assert len(kept["cells"]["sets/lines/Ridge"]["errors"]) == 5
    assert kept["findings"]["costs"]["k-NN"]["sets"] == report["findings"]["costs"]["k-NN"]["sets"] == 1
    command.run(methods=["Ridge"], fresh=True, **means)
    said = capsys.readouterr().out
    assert "sets/lines/Ridge:" in said
    assert "sets/lines/k-NN:" not in said
    again = json.loads((tmp_path / "results" / "accuracy.json").read_text())
    assert again["cells"]["sets/lines/k-NN"] == kept["cells"]["sets/lines/k-NN"]


@pytest.mark.skipif(
    bool(environments.missing("lightgbm")), reason="LightGBM has no environment: make bench-peers"
)
def test_lightgbm_runs_all_three_ways(forks, folder, tmp_path, monkeypatch):
    monkeypatch.setattr("bench.accuracy.rules.SECONDS", 0.01)
    rules = replace(RULES, methods={name: METHODS[name] for name in (BOOSTED, "LightGBM stopped", TUNED)})
    ledger = Ledger(None, None)
    Contest(rules, ledger, folder, quick=True, forks=forks).play(of(folder, "colours"))
    for name in rules.methods:
        assert ledger.cells[f"sets/colours/{name}"]["errors"][0] < 0.2
    assert ledger.cells[f"sets/colours/{TUNED}"]["trials"] == [1]
