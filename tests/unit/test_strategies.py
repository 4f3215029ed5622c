"""The query plan: every solver, one chosen, the one that the fit takes; nothing read."""

import json

import numpy as np
import pytest

import samara
from samara import ELMClassifier, ELMRegressor, InputError, KernelELMClassifier, KernelELMRegressor
from samara.engines import Threads
from samara.sources import ArraySource
from samara.speed import measured_speed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3000, 5))
Y = X[:, 0] + RNG.normal(size=3000)
ELM_SOLVERS = {
    *("gram", "qr", "svd", "dual", "lsqr", "precondition"),
    *("rsvd", "fast_svd", "fast_svd_gradient", "sketch"),
}
CASES = [
    ELMRegressor(100),
    ELMRegressor(100, alpha=1.0),
    ELMRegressor(100, alpha=0.0),
    ELMRegressor([50, 100], selection="loo"),
    ELMRegressor(2000, alpha=100.0, memory="42MB"),
    ELMRegressor(100, solver="qr"),
    ELMRegressor(100, alpha=1.0, rank=20),
    ELMClassifier(100),
    KernelELMRegressor(alpha=1.0),
    KernelELMRegressor(solver="nystroem", rank=100),
    KernelELMRegressor(memory="60MB", rank=200),
    KernelELMClassifier(solver="divide"),
]


@pytest.mark.parametrize("model", CASES, ids=str)
def test_the_chosen_one_is_the_one_that_the_fit_takes(model):
    """Exactly one is marked, it fits, and the fit has the same solver, in no more memory."""
    y = Y if hasattr(model, "score") and "Regressor" in type(model).__name__ else (Y > 0).astype(int)
    found = samara.plan(model, X, y)
    assert sum(candidate.chosen for candidate in found.candidates) == 1
    assert found.chosen.fits
    assert found.refusal == ""
    plan = model.set_params(random_state=0).fit(X, y).plan_
    if isinstance(model, KernelELMRegressor) and found.chosen.solver == "nystroem":
        assert plan.solver in ("nystroem", "gram", "qr")
    else:
        assert plan.solver == found.chosen.solver
        assert plan.peak_bytes <= found.chosen.peak_bytes


def test_every_solver_is_weighed():
    """Ten for hidden nodes, six for kernels; those that can't choose a size are left out."""
    assert {c.solver for c in samara.plan(ELMRegressor(100), X, Y).candidates} == ELM_SOLVERS
    assert {c.solver for c in samara.plan(KernelELMRegressor(), X, Y).candidates} == {
        *("exact", "sketch", "ssvd", "pcg", "divide", "leaves", "nystroem")
    }
    exact = {c.solver for c in samara.plan(ELMRegressor([10, 20]), X, Y).candidates}
    assert exact == {"gram", "qr", "svd", "dual"}


def test_no_row_is_read(monkeypatch):
    """Shapes are enough."""

    def fail(*ignored, **options):
        raise AssertionError("a row was read")

    monkeypatch.setattr(Threads, "summarize", fail)
    monkeypatch.setattr(ArraySource, "parts", fail)
    wide = np.lib.stride_tricks.as_strided(np.zeros(1), (10**9, 50), (0, 0))
    found = samara.plan(ELMRegressor(1000), wide)
    assert found.chosen.solver == "gram"
    assert found.table.n_rows == 10**9


def test_what_does_not_fit_is_marked_and_says_what_would():
    """A budget for lsqr alone: the others are there, with their needs."""
    found = samara.plan(ELMRegressor(2000, alpha=100.0, memory="42MB"), X, Y)
    assert found.chosen.solver == "lsqr"
    others = [c for c in found.candidates if not c.fits]
    assert {"gram", "qr"} <= {c.solver for c in others}
    assert all(c.peak_bytes > 42e6 and "memory allows 42 MB" in c.why for c in others)
    assert found.candidates[0].fits


def test_a_fit_that_would_be_refused_has_no_choice():
    """The same sentence as the BudgetError."""
    model = ELMRegressor(3000, memory="20MB")
    found = samara.plan(model, X, Y)
    assert found.chosen is None
    with pytest.raises(samara.BudgetError) as caught:
        model.fit(X, Y)
    assert str(found).splitlines()[-1] == found.refusal == str(caught.value)


def test_the_table_is_readable_and_the_dict_is_json():
    """One line a candidate, the chosen one marked."""
    found = samara.plan(ELMRegressor(100), X, Y)
    lines = str(found).splitlines()
    assert lines[0].startswith("3,000 rows × 5 columns, 1 target; peak of memory above the input, no limit")
    assert len(lines) == 2 + len(found.candidates)
    assert [line for line in lines if line.startswith("→")] == [line for line in lines if "  gram " in line]
    assert json.loads(json.dumps(found.to_dict()))["candidates"][0]["solver"]


def test_texts_and_classes_count_as_columns():
    """A text may become 20 indicators; three classes are three targets."""
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    frame = pd.DataFrame({"number": [1.0, 2.0], "text": ["a", "b"]})
    frame["day"], frame["flag"] = pd.Timestamp("2024-02-29"), [True, False]
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert samara.plan(ELMRegressor(10), table).table.n_features == 23
    assert samara.plan(ELMClassifier(10), X[:6], [0, 1, 2, 0, 1, 2]).table.n_targets == 3
    assert samara.plan(ELMClassifier(10), X[:6], [0, 1, 0, 1, 0, 1]).table.n_targets == 1
    assert samara.plan(ELMRegressor(10), X[:6], np.zeros((6, 4))).table.n_targets == 4


def test_the_classes_of_a_scan_are_counted(tmp_path):
    """A column of outputs each, where there are more than two; found in the target alone."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"a": X[:, 0], "kind": ["x", "y", "z"] * 1000, "side": ["l", "r"] * 1500}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=500)
    for target, outputs in (("kind", 3), ("side", 1)):
        scan = samara.scan(tmp_path / "t.parquet", target=target, columns=["a"])
        assert samara.plan(ELMClassifier(10), scan).table.n_targets == outputs


def test_a_saved_plan_says_what_its_limit_is_of(tmp_path):
    """The peak is kept without what the process held; the limit is still that of the process."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": X[:, 0], "y": Y}), tmp_path / "t.parquet")
    model = ELMRegressor(10, alpha=1.0, memory="4GB", random_state=0)
    model.fit(samara.scan(tmp_path / "t.parquet", target="y")).save(tmp_path / "m.samara")
    told = str(samara.inspect(tmp_path / "m.samara").plan)
    assert "above what the process held before the fit (limit 4 GB of the whole process)" in told
    model.fit(X, Y).save(tmp_path / "m.samara")
    assert "above the input (limit 4 GB)" in str(samara.inspect(tmp_path / "m.samara").plan)


def test_a_scan_counts_the_whole_process(tmp_path):
    """Nothing beyond the footer; the peak is that of the process, and a budget below it is refused."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": X[:, 0], "word": ["x", "y", "z"] * 1000, "y": Y}), tmp_path / "t.parquet")
    scan = samara.scan(tmp_path / "t.parquet", target="y")
    found = samara.plan(ELMRegressor(50, alpha=1.0), scan)
    assert found.table.n_features == 21
    assert found.resident > 0
    assert found.chosen.peak_bytes > found.resident
    assert "of the whole process" in str(found)
    model = ELMRegressor(50, alpha=1.0, memory="20MB")
    assert "are in use before the fit" in samara.plan(model, scan).refusal
    with pytest.raises(samara.BudgetError, match="of the whole process; memory allows 20 MB, of which"):
        model.fit(scan)
    plan = ELMRegressor(50, alpha=1.0).fit(scan).plan_
    assert plan.peak_bytes > plan.resident > 0
    assert "of the whole process (no limit)" in str(plan)


def test_only_estimators_and_tables_are_planned():
    """Refused by name."""
    with pytest.raises(InputError, match="plan needs an estimator of samara, got str"):
        samara.plan("gram", X)
    with pytest.raises(InputError, match="X must have rows and columns, got an array of 1 dim"):
        samara.plan(ELMRegressor(), Y)


def test_the_speed_is_measured_once():
    """Positive numbers, the same object every time."""
    speed = measured_speed()
    assert speed is measured_speed()
    assert min(*speed.flops.values(), *speed.activations.values(), speed.bandwidth) > 1e6
