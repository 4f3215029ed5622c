"""Raw tables in pieces: how rows are cut, and in which order they arrive, changes nothing."""

import hashlib
import os

import numpy as np
import pyarrow.csv
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import samara
from samara import ELMClassifier, ELMRegressor, KernelELMRegressor, StoreError
from samara.engines import Threads
from tests.oracles import relative_gap
from tests.sales import in_files, inputs, sales, scan
from tests.streams import batches, cuts

FRAME, NEW = sales(700), sales(60, seed=1)
FEW = settings(
    max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
REGRESSOR = ELMRegressor(25, alpha=0.1, random_state=0)
CLASSIFIER = ELMClassifier(25, alpha=0.1, random_state=0)
NAMES = list(inputs(NEW).columns)


def outputs(model, X):
    """What a model says of rows, before it is rounded to classes."""
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def assert_near(made, wanted):
    """The same model."""
    assert relative_gap(outputs(made, inputs(NEW)), outputs(wanted, inputs(NEW))) < 1e-9


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (REGRESSOR, "price"),
        (ELMRegressor(25, scale="quantile", random_state=0), ["price", "cost"]),
        (ELMClassifier(25, random_state=0, class_weight="balanced"), "kind"),
        (KernelELMRegressor(solver="nystroem", rank=30, alpha=0.1, random_state=0), "price"),
    ],
    ids=str,
)
@FEW
@given(
    shares=cuts(),
    group=st.sampled_from([40, 1000]),
    cells=st.sampled_from([1, 3000, 1 << 21]),
    workers=st.integers(1, 3),
    block=st.sampled_from([64, 1024]),
)
def test_cutting(tmp_path_factory, model, target, shares, group, cells, workers, block):
    """Files, row groups, chunks, blocks and workers."""
    folder = in_files(
        FRAME, tmp_path_factory.mktemp("cut"), [b.stop for b in batches(700, shares)][:-1], group
    )
    wanted = clone(model).fit(inputs(FRAME), FRAME[target])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("samara.sources.stream.CHUNK_CELLS", cells)
        assert_near(clone(model).set_params(engine=Threads(workers, block)).fit(scan(folder, target)), wanted)


@pytest.mark.parametrize(("model", "target"), [(REGRESSOR, "price"), (CLASSIFIER, "kind")])
def test_rows_in_another_order(tmp_path, model, target):
    mixed = FRAME.sample(frac=1, random_state=3)
    wanted = clone(model).fit(inputs(FRAME), FRAME[target])
    assert_near(clone(model).fit(scan(in_files(mixed, tmp_path / "mixed", [100]), target)), wanted)


@pytest.mark.parametrize(("model", "target"), [(REGRESSOR, "price"), (CLASSIFIER, "kind")])
def test_many_small_files_and_one_without_rows(tmp_path, model, target):
    folder = in_files(FRAME[:120], tmp_path / "small", [*range(0, 120, 2), 120])
    wanted = clone(model).fit(inputs(FRAME[:120]), FRAME[:120][target])
    assert_near(clone(model).fit(scan(folder, target)), wanted)


@pytest.mark.parametrize("target", ["price", "kind", "paid", "stars"])
@pytest.mark.parametrize("workers", [1, 3])
def test_rows_that_nobody_counted(tmp_path, target, workers, monkeypatch):
    """CSV, and rows left out: several workers take turns with a file; the first pieces may have no rows."""
    monkeypatch.setattr("samara.sources.stream.CHUNK_CELLS", 1)
    model = REGRESSOR if target == "price" else CLASSIFIER
    model = clone(model).set_params(engine=Threads(workers, 64))
    frame = FRAME.assign(
        even=np.arange(700) % 2, late=[*"ab"] * 250 + ["late"] * 200, city=FRAME["city"].replace("", "x")
    )
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    pyarrow.csv.write_csv(table, tmp_path / "all.csv")
    folder = in_files(frame, tmp_path / "groups", [100], 90)
    for where, kept in (("even = 0", frame["even"] == 0), ("late = 'late'", frame["late"] == "late")):
        wanted = clone(model).fit(inputs(frame[kept])[NAMES], frame[kept][target])
        for data in (tmp_path / "all.csv", folder):
            assert_near(clone(model).fit(scan(data, target, where=where)), wanted)
    wanted = clone(model).fit(inputs(frame)[NAMES], frame[target])
    assert_near(clone(model).fit(scan(tmp_path / "all.csv", target)), wanted)


@pytest.mark.parametrize(
    ("model", "target"), [(REGRESSOR, "price"), (CLASSIFIER, "kind"), (CLASSIFIER, "paid")]
)
@FEW
@given(shares=cuts(4), files=st.lists(st.booleans(), min_size=6, max_size=6))
def test_batches_of_frames_and_files(tmp_path_factory, model, target, shares, files):
    """After the same first batch, which freezes columns and nodes, the cutting does not matter."""
    first, rest = FRAME[:300], FRAME[300:]
    wanted = clone(model).partial_fit(inputs(first), first[target]).partial_fit(inputs(rest), rest[target])
    made = clone(model).partial_fit(inputs(first), first[target])
    for piece, in_file in zip(batches(400, shares), files, strict=False):
        part = rest[piece]
        if in_file:
            made.partial_fit(scan(in_files(part, tmp_path_factory.mktemp("part"), [], 30), target))
        else:
            made.partial_fit(inputs(part), part[target])
    assert_near(made, wanted)


@pytest.mark.parametrize(
    ("model", "target"), [(REGRESSOR, "price"), (REGRESSOR, ["price", "cost"]), (CLASSIFIER, "kind")]
)
def test_learning_a_scan_is_fitting_it(tmp_path, model, target, monkeypatch):
    """With the ridge given; and rows that came later are taken out again."""
    monkeypatch.setattr("samara.sources.stream.CHUNK_CELLS", 1)
    folder = in_files(FRAME, tmp_path / "all", [100], 90)
    wanted = clone(model).fit(scan(folder, target))
    made = clone(model).partial_fit(scan(folder, target))
    assert_near(made, wanted)
    assert_near(clone(model).partial_fit(inputs(FRAME), FRAME[target]), wanted)
    later = sales(200, seed=5)
    more = scan(in_files(later, tmp_path / "later"), target)
    for learn, forget in (
        ((inputs(later), later[target]), (more,)),
        ((more,), (inputs(later), later[target])),
    ):
        made.partial_fit(*learn)
        assert relative_gap(outputs(made, inputs(NEW)), outputs(wanted, inputs(NEW))) > 1e-6
        assert_near(made.unlearn(*forget), wanted)


def test_a_fit_goes_on(tmp_path):
    """partial_fit after fit, and after a file: the columns of the fit stay."""
    first, rest = FRAME[:300], FRAME[300:]
    model = clone(REGRESSOR).fit(inputs(first), first["price"])
    model.save(tmp_path / "model.samara", resumable=True)
    loaded = samara.load(tmp_path / "model.samara")
    for one in (model, loaded):
        one.partial_fit(inputs(rest), rest["price"])
    assert outputs(model, inputs(NEW)).tobytes() == outputs(loaded, inputs(NEW)).tobytes()
    wanted = (
        clone(REGRESSOR).partial_fit(inputs(first), first["price"]).partial_fit(inputs(rest), rest["price"])
    )
    assert_near(model, wanted)


class StoppedError(Exception):
    """Stands for a crash."""


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (ELMRegressor(25, random_state=0), "price"),
        (ELMClassifier(25, random_state=0, class_weight="balanced"), "kind"),
    ],
)
def test_a_fit_that_was_stopped_ends_in_the_same_bits(tmp_path, model, target):
    """After any number of blocks; a file that changed in between is refused."""
    folder = in_files(FRAME, tmp_path / "all", [100], 90)

    def fitted(blocks, path=None):
        left = iter(range(blocks))

        def step(*ignored):
            if next(left, None) is None:
                raise StoppedError

        made = clone(model).set_params(engine=Threads(2, 64, step))
        made.fit(scan(folder, target), checkpoint=path, every=0)
        return hashlib.sha256(made.model_.coef.tobytes()).hexdigest()

    wanted = fitted(10**6)
    for blocks in (3, 5, 7, 9):
        with pytest.raises(StoppedError):
            fitted(blocks, tmp_path / "run.ckpt")
    assert fitted(10**6, tmp_path / "run.ckpt") == wanted
    with pytest.raises(StoppedError):
        fitted(5, tmp_path / "run.ckpt")
    os.utime(folder / "0001.parquet", ns=(1, 1))
    with pytest.raises(StoreError, match="changed"):
        fitted(10**6, tmp_path / "run.ckpt")
