"""The comparison with other libraries: its rows, its cells, what is made of them."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bench import measure
from bench.contest import compete, environments, methods
from bench.contest.compete import Contest
from bench.contest.results import results_of
from bench.contest.rows import LETTER, Known, known, prepare
from bench.harness import CHECKOUT, Contender
from bench.ledger import Ledger
from bench.peers import command
from bench.peers.findings import (
    BEHIND,
    FIRST,
    NOT_COMPARED,
    SLOWER,
    findings_of,
    foreseen,
    judged,
    targets_of,
)
from bench.peers.methods import METHODS, OURS, PEERS
from bench.peers.rules import CUT, RULES, SPLITS
from bench.peers.trial import trial

pd = pytest.importorskip("pandas")
PINNED = re.compile(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.]+( ; python_version .*)?")


def cell(errors, fit, peak=10.0):
    return {"errors": errors, "fit": fit, "predict": fit, "peak_mb": peak, "predict_peak_mb": 1.0}


LOCKED = sorted(path.stem for path in environments.LOCKS.glob("*.lock"))  # peers with an environment


@pytest.fixture
def folder(tmp_path):
    """A folder of two sets, one of them with categories, a second target and an official split."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (120, 2))
    frame = pd.DataFrame(x, columns=["a", "b"]).assign(
        colour=pd.Categorical(rng.choice(["red", "green", "blue"], 120)),
        target=np.where(x[:, 0] > 0, "up", "down"),
        second=1.0,
        split="train",
    )
    frame.to_parquet(tmp_path / "signs.parquet")
    y = 3 * x[:, 0] + 100
    pd.DataFrame({"a": x[:, 0], "flat": 1.0, "target": y}).to_parquet(tmp_path / "lines.parquet")
    manifest = [
        {"name": "signs", "task": "classification", "n_rows": 120, "n_features": 3},
        {"name": "lines", "task": "regression", "n_rows": 120, "n_features": 2},
        {"name": "absent", "task": "regression", "n_rows": 9, "n_features": 2},
    ]
    others = {"signs": ["second"]}
    listed = [{**one, "extra_target_columns": others.get(one["name"], [])} for one in manifest]
    (tmp_path / "MANIFEST.json").write_text(json.dumps(listed))
    return tmp_path


@pytest.mark.parametrize("name", LOCKED)
def test_locks_pin_every_package(name):
    lines = (environments.LOCKS / f"{name}.lock").read_text().splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert [line for line in pinned if not PINNED.fullmatch(line)] == []
    assert any(line.startswith(f"{name}==") for line in pinned)
    ours = (CHECKOUT / "requirements.lock").read_text().splitlines()
    same = [line for line in pinned if re.match("(numpy|scipy|scikit-learn)==", line)]
    assert len(same) == 3
    assert set(same) <= set(ours)  # everyone has the same BLAS


def test_every_peer_has_its_lock():
    named = {method.environment for method in METHODS.values()} - {None}
    assert sorted(named) == LOCKED


def test_an_environment_that_is_not_there_is_said_so(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "VENVS", tmp_path)
    assert environments.missing("hpelm") == "has no environment yet: make bench-peers"
    (tmp_path / "hpelm.log").write_text("collecting\nERROR: no such wheel\n")
    assert environments.missing("hpelm") == "does not install here: ERROR: no such wheel"
    (tmp_path / "hpelm").mkdir()
    (tmp_path / "hpelm" / ".stamp").touch()
    assert environments.missing("hpelm") == ""


def test_sets_are_known_from_small_to_large(folder):
    assert [one.name for one in known(folder, CUT)] == ["lines", "signs"]
    assert [one.name for one in known(None, CUT)] == ["letter"]


def test_prepared_rows_are_numbers_of_one_scale(folder, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    about = prepare(known(folder, CUT)[1], folder, out, CUT)
    assert (about.n_fit, about.n_test, about.n_features, about.n_classes) == (90, 30, 5, 2)
    for split in range(SPLITS):
        X, y = np.load(out / f"X_{split}.npy"), np.load(out / f"y_{split}.npy")
        np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(X.std(axis=0), 1)
        assert X[y == 1, 0].min() > X[y == 0, 0].max()  # "up" is 1: classes are numbered in their order


def test_targets_are_scaled_by_the_rows_to_fit(folder, tmp_path):
    about = prepare(known(folder, CUT)[0], folder, tmp_path, CUT)
    X, y, y_test = (np.load(tmp_path / f"{name}_1.npy") for name in ("X", "y", "y_test"))
    assert about.n_classes == 0
    np.testing.assert_allclose([y.mean(), y.std()], [0, 1], atol=1e-12)
    np.testing.assert_allclose(np.load(tmp_path / "X_test_1.npy")[:, 0], y_test)  # both scaled alike
    np.testing.assert_array_equal(X[:, 1], 0)


def test_splits_are_disjoint_and_cut():
    fit, test = CUT.rows(100, 0)
    assert (len(fit), len(test)) == (75, 25)
    assert sorted([*fit, *test]) == list(range(100))
    assert not np.array_equal(fit, CUT.rows(100, 1)[0])
    short, tested = replace(CUT, most_rows=10, most_test_rows=7).rows(100, 0)
    np.testing.assert_array_equal(short, fit[:10])
    np.testing.assert_array_equal(tested, test[:7])


@pytest.mark.slow  # runs every method in a process of its own
@pytest.mark.parametrize("name", [*OURS, "RidgeCV", "KernelRidge", "Nystroem", "RBFSampler", "SVM"])
@pytest.mark.parametrize("which", [0, 1])
def test_methods_of_this_environment_learn(folder, tmp_path, name, which):
    """A line and a sign: anything that learns is far below 1 (or the half) of a guess."""
    prepare(known(folder, CUT)[which], folder, tmp_path, CUT)
    one = trial(str(tmp_path), name, split=0)
    one.warm_up()
    assert one.describe(one.predict(one.run()))["test_error"] < (0.5, 0.25)[which]


def test_indicators_choose_the_largest_column():
    class Echo:
        def fit(self, X, y):
            self.y = y

        def predict(self, X):
            return self.y[: len(X)]

    y = np.array([2, 0, 1])
    model = methods.Indicators(Echo(), 3).fit(np.zeros((3, 1)), y)
    np.testing.assert_array_equal(model.predict(np.zeros((3, 1))), y)


def test_a_contest_keeps_its_cells(forks, folder, tmp_path, monkeypatch):
    broken = replace(METHODS["RidgeCV"], name="broken", make=None)
    gone = replace(METHODS["hpelm"], environment="no such peer")
    played = {"RidgeCV": METHODS["RidgeCV"], "broken": broken, "hpelm": gone}
    rules = replace(RULES, methods=played)
    ledger = Ledger(tmp_path / "peers.json", None)
    contest = Contest(rules, ledger, folder, quick=True, forks=forks)
    contest.play(known(folder, CUT)[0])
    assert ledger.cells["sets/lines/about"]["n_fit"] == 90
    assert len(ledger.cells["sets/lines/RidgeCV"]["errors"]) == 1
    assert "KeyError" in ledger.cells["sets/lines/broken"]["failed"]
    assert "sets/lines/hpelm" not in ledger.cells
    assert "scikit-learn" in ledger.cells["environments/samara"]
    kept = dict(ledger.cells)
    monkeypatch.setattr(compete, "prepare", None)  # nothing is prepared or measured again
    again = Ledger(tmp_path / "peers.json", None)
    Contest(rules, again, folder, quick=True, forks=forks).play(known(folder, CUT)[0])
    assert again.cells == kept


@pytest.mark.parametrize(
    ("seconds", "error", "made"),
    [(61, 0.1, {"late": 60.0}), (1, float("nan"), {"failed": "its predictions are not finite"})],
)
def test_what_is_late_or_not_finite_has_no_figures(seconds, error, made):
    run = {"seconds": seconds, "results": {"test_error": error}}
    assert compete.summed_up([run], 60.0) == made


PEER = cell([0.10, 0.12, 0.14], [1.0, 1.0, 1.0])  # deviation 0.02


@pytest.mark.parametrize(
    ("ours", "outcome", "model", "times"),
    [
        # The small one is as good and faster, the large one better and slower: the small one counts.
        ({"small": cell([0.13] * 3, [0.5] * 3), "large": cell([0.05] * 3, [2.0] * 3)}, FIRST, "small", 2.0),
        ({"small": cell([0.15] * 3, [0.5] * 3), "large": cell([0.05] * 3, [2.0] * 3)}, SLOWER, "large", 0.5),
        ({"small": cell([0.15] * 3, [0.5] * 3), "large": cell([0.16] * 3, [0.1] * 3)}, BEHIND, "small", 2.0),
        ({"small": {"late": 60.0}, "large": cell([0.12] * 3, [0.5] * 3)}, FIRST, "large", 2.0),
        # One split of ours is compared with the same of the peer: 0.125 is too far above 0.10.
        ({"small": cell([0.125], [0.5])}, BEHIND, "small", 2.0),
        ({"small": {"failed": "why"}}, NOT_COMPARED, "", None),
    ],
)
def test_verdicts(ours, outcome, model, times):
    found = judged(PEER, ours)
    assert (found.outcome, found.model, found.times) == (outcome, model, times)


@pytest.mark.parametrize("peer", [{"late": 60.0}, {"failed": "why"}, None])
def test_a_peer_without_a_result_is_not_compared(peer):
    assert judged(peer, {"small": PEER}).outcome == NOT_COMPARED


def test_our_deviation_counts_where_the_peer_has_one_split():
    assert judged(cell([0.10], [1.0]), {"small": cell([0.11, 0.15, 0.13], [0.5] * 3)}).outcome == FIRST
    assert judged(cell([0.08], [1.0]), {"small": cell([0.11, 0.15, 0.13], [0.5] * 3)}).outcome == BEHIND


def test_a_model_chosen_by_the_other_splits_is_judged_on_one():
    lucky = {"small": cell([0.10, 0.12, 0.30], [0.5] * 3), "large": cell([0.10, 0.12, 0.14], [0.8] * 3)}
    # Splits 0 and 1 choose the small one, which fails on split 2; the other pairs choose the large one.
    assert foreseen(PEER, lucky) == pytest.approx(2 / 3)
    assert judged(PEER, lucky).model == "large"  # by all three
    assert foreseen(PEER, {"large": lucky["large"]}) == 1.0
    assert foreseen(PEER, {"slow": cell([0.05] * 3, [2.0] * 3)}) == 0.0


@pytest.mark.parametrize(
    ("peer", "ours"),
    [(cell([0.1], [1.0]), PEER), (PEER, cell([0.1], [1.0])), ({"late": 60.0}, PEER), (None, PEER)],
)
def test_of_one_split_nothing_is_foreseen(peer, ours):
    assert foreseen(peer, {"small": ours}) is None


@pytest.fixture
def cells():
    """Three sets; on one of them the SVM is late, and HistGradientBoosting is better than all of ours."""
    rng = np.random.default_rng(0)
    made = {"environments/samara": {"scikit-learn": "1.2.3"}}
    for name, task in (("iris", "classification"), ("<b>odd&</b>", "regression"), ("kin8nm", "regression")):
        about = {"task": task, "rows": 200, "n_fit": 150, "n_test": 50, "n_features": 4}
        made[f"sets/{name}/about"] = {**about, "n_classes": 3 * (task == "classification")}
        for number, method in enumerate(METHODS):
            errors = (0.2 + 0.01 * number + 0.02 * rng.random(3)).tolist()
            made[f"sets/{name}/{method}"] = cell(errors, [0.1 + 0.01 * number] * 3, peak=1.0 + number)
    made["sets/kin8nm/SVM"] = {"late": 60.0}
    made["sets/kin8nm/HistGradientBoosting"] = cell([0.1, 0.1, 0.1], [0.001] * 3)
    return made


def report_of(cells):
    findings = {"missing": {"gfdl": "does not install here: why"}, **findings_of(cells)}
    machine = {"cpu": "a processor", "cores": 2, "threads": 2}
    return {"date": "2026-01-02T03:04", "machine": machine, "findings": findings, "cells": cells}


TIMES = 1 + 0.1 * list(METHODS).index("SVM")  # as long as the first of ours it takes, in the cells above


def test_shares_and_promises(cells):
    against = findings_of(cells)["against"]
    assert against["SVM"] == {
        FIRST: 2, SLOWER: 0, BEHIND: 0, NOT_COMPARED: 1, "share": 1.0, "median_times": pytest.approx(TIMES)
    }  # fmt: skip
    before = findings_of(cells)["foresight"]
    assert before["SVM"] == {"share": 1.0, "sets": 2}  # the fastest of ours is best on each split
    assert before["HistGradientBoosting"] == {"share": pytest.approx(2 / 3), "sets": 3}
    assert against["HistGradientBoosting"][BEHIND] == 1
    assert against["HistGradientBoosting"]["share"] == pytest.approx(2 / 3)
    promised = {
        target.label.split(" against ")[1].split(",")[0]: target
        for target in targets_of({"against": against})
    }
    assert list(promised) == list(PEERS)
    assert promised["SVM"].verdict() == "PASS"
    assert promised["HistGradientBoosting"].verdict().startswith("short by")


def test_the_statistics_rank_every_method(cells):
    found = findings_of(cells)["statistics"]
    assert found["sets"] == 3
    count = len(METHODS)  # whose ranks are rounded to three digits each
    assert sum(found["mean_ranks"].values()) == pytest.approx(
        count * (count + 1) / 2, abs=count / 2000 + 1e-9
    )
    assert sum(found["wins_ties_losses"]["samara auto"]["SVM"]) == 3
    assert found["wins_ties_losses"]["samara auto"]["SVM"][0] >= 1  # the late one is lost


def test_nothing_is_said_before_anything_is_measured(tmp_path):
    from bench.peers.pages import write_pages

    assert findings_of({})["statistics"] == {}
    assert all(target.verdict() == "not measured" for target in targets_of(findings_of({})))
    assert write_pages(report_of({}), tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_the_page_shows_what_the_cells_say(cells, tmp_path):
    pytest.importorskip("plotly")
    from bench.peers.pages import write_pages

    written = write_pages(report_of(cells), tmp_path)
    names = {"peers.md", "tradeoff.html", "peers_critical_difference.png", "index.md"}
    assert {path.name for path in written} == names
    text = (tmp_path / "papers" / "peers.md").read_text()
    assert f"| SVM | 100.0% | {TIMES:g} |" in text
    assert "| 2 / 0 / 0 / 1 |" in text
    assert "| HistGradientBoosting | kin8nm | less accurate | samara link | 0.01 | - |" in text
    assert "| kin8nm | 150 | 4 | R | HistGradientBoosting | 0.1 ± 0, 0.001 s | samara link |" in text
    assert "| SVM | kin8nm | > 60 s |" in text
    assert "scikit-learn 1.2.3" in text
    assert "does not install here: why" in text
    for line in text.splitlines():
        assert not line.startswith("|") or line.count("|") == line.replace("\\|", "").count("|")
    assert (tmp_path / "papers" / "images" / "peers_critical_difference.png").read_bytes()[:4] == b"\x89PNG"


def test_an_unknown_set_is_refused(folder):
    with pytest.raises(SystemExit, match="No data set named nowhere is there; there are lines, signs"):
        command.picked_of(folder, ["nowhere"], quick=False)
    assert [one.name for one in command.picked_of(folder, ["signs"], quick=False)] == ["signs"]


def test_what_is_too_large_is_left_out_and_said(monkeypatch, capsys):
    huge = Known("huge", "regression", 10**6, 10**4)
    monkeypatch.setattr(command, "known", lambda folder, cut: [LETTER, huge])
    assert command.picked_of(None, None, quick=False) == [LETTER]
    assert "left out: huge, 20,000 rows of 10,000 columns are too many" in capsys.readouterr().out


def test_unknown_methods_and_other_cells_are_passed_over(cells):
    cells["sets/iris/no longer a method"] = PEER
    cells["promises/friedman1"] = {"friedman1 samara": {}}
    abouts, results = results_of(cells, METHODS)
    assert set(abouts) == set(results) == {"iris", "<b>odd&</b>", "kin8nm"}
    assert set(results["iris"]) == set(METHODS)


@pytest.mark.parametrize(("brief", "tries"), [(0.0, 1), (0.05, 1), (0.1, 4), (9.0, measure.MOST_TRIES)])
def test_a_brief_run_is_repeated_and_the_fastest_counts(monkeypatch, brief, tries):
    took = iter([0.05, 0.01, 0.03, 0.02, *[0.04] * measure.MOST_TRIES])
    monkeypatch.setattr(measure, "SETTLE", 0.0)
    monkeypatch.setattr(measure, "measured", lambda trial: {"seconds": next(took), "trial": trial})
    monkeypatch.setattr(
        measure, "made", lambda function, kwargs: SimpleNamespace(warm_up=lambda: None, **kwargs)
    )
    (run,) = measure.measure_each("module:name", {"a": 1}, [{"split": 0}], enough=9, brief=brief)
    assert run["seconds"] == (0.01 if tries > 1 else 0.05)
    assert (run["trial"].a, run["trial"].split) == (1, 0)
    assert next(took) == [0.05, 0.01, 0.03, 0.02, 0.04][min(tries, 4)]


def test_short_fits_are_measured_in_every_round(folder, tmp_path, monkeypatch):
    took = {"RidgeCV": iter([0.003, 0.001, 0.002]), "MLP": iter([5.0]), "SVM": iter([0.001])}
    rules = replace(RULES, methods={name: METHODS[name] for name in took})

    def measured(contest, method, name, folder):
        seconds = next(took[method.name], None)
        if method.name == "SVM" and seconds is None:
            return {"failed": "gone"}
        return {"errors": [0.1], "fit": [seconds], "predict": [2 * seconds]}

    monkeypatch.setattr(Contest, "measured", measured)
    ledger = Ledger(tmp_path / "peers.json", None)
    Contest(rules, ledger, folder, quick=False, forks=None).play(known(folder, CUT)[0])
    assert ledger.cells["sets/lines/RidgeCV"] == {"errors": [0.1], "fit": [0.001], "predict": [0.002]}
    assert ledger.cells["sets/lines/MLP"]["fit"] == [5.0]
    assert ledger.cells["sets/lines/SVM"]["fit"] == [0.001]
    assert Ledger(tmp_path / "peers.json", None).cells == ledger.cells


def test_what_was_late_on_a_smaller_set_is_not_tried_on_a_larger():
    ledger = Ledger(None, None)
    about = {"task": "regression", "n_fit": 100, "n_features": 5, "n_classes": 0}
    ledger.cells = {"sets/small/about": about, "sets/small/MLP": {"late": 60.0}, "sets/small/SVM": PEER}
    contest = Contest(RULES, ledger, None, quick=False, forks=None)
    assert contest.hopeless("MLP", {**about, "n_fit": 200}) == {"late": RULES.limit, "as_on": "small"}
    assert contest.hopeless("SVM", {**about, "n_fit": 200}) is None
    assert contest.hopeless("MLP", {**about, "n_fit": 200, "n_features": 4}) is None
    assert contest.hopeless("MLP", {**about, "task": "classification"}) is None


@pytest.mark.slow  # runs every method in a process of its own
@pytest.mark.parametrize("quick", [True, False])
def test_the_command_measures_judges_and_writes(folder, tmp_path, monkeypatch, capsys, quick):
    """One method on one named set; promises are left alone where sets are named."""
    from bench.peers import pages

    two = {name: METHODS[name] for name in ("hpelm", "RidgeCV")}
    monkeypatch.setattr(command, "RULES", replace(RULES, methods=two))
    monkeypatch.setattr(environments, "set_up", lambda peers: None)
    monkeypatch.setattr(environments, "VENVS", tmp_path / "no environments")
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(pages, "write_pages", lambda report: [tmp_path / "a page"])
    command.run(sets=["lines"], quick=quick, data=folder, threads=1)
    said = capsys.readouterr().out
    assert "skipped: hpelm has no environment yet: make bench-peers" in said
    assert "samara at the peer's error or below, over 1 sets" in said
    assert ("a page" in said) == (not quick)
    file = tmp_path / "results" / "peers.json"
    assert file.exists() == (not quick)
    if not quick:
        report = json.loads(file.read_text())
        assert report["findings"]["against"]["RidgeCV"][NOT_COMPARED] == 1
        assert len(report["cells"]["sets/lines/RidgeCV"]["errors"]) == SPLITS


def test_a_contender_without_repeats_is_measured_once():
    run = Contender("sleeper", "tests.bench.sleeping:trial", {"seconds": 0.01}).run(1)
    assert run["seconds"] >= 0.01
    assert run["results"] == {"predicted": 0}
