"""A checkpoint is taken up by the fit that it was written for, and by no other; a damaged one by none."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest

from samara import ELMClassifier, ELMRegressor, InputError, KernelELMRegressor, StoreError
from samara.engines import Threads
from samara.estimators.checkpointing import described
from samara.maps import Additive, Kernel, Radial
from samara.selection import KFold
from samara.solvers import Qr, Rsvd
from samara.store import read_record, write_record
from tests.faults.checks import FITTED

pytestmark = pytest.mark.usefixtures("every_pass_is_worth_threads")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((640, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
WEIGHT = RNG.uniform(0.5, 2, 640)


class Stop(Exception):  # noqa: N818 - it is none
    """What ends a fit in the middle."""


def stopping(name, after):
    """An engine whose fit fails after some blocks of a pass."""
    seen = []

    def count(which, *ignored):
        seen.append(which)
        if seen.count(name) == after:
            raise Stop

    return Threads(2, 32, count)


def begin(path, model, data=(X, Y), name="moments"):
    """The files of a fit that was stopped in a pass."""
    with pytest.raises(Stop):
        model.set_params(engine=stopping(name, 10)).fit(*data, checkpoint=path, every=0)
    model.set_params(engine=Threads(2, 32))
    return contents(path)


def contents(path):
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


def refused(path, model, data=(X, Y), error=StoreError):
    """The sentence with which a fit is refused; its files are as they were, and it is unfitted."""
    before = contents(path)
    with pytest.raises(error) as caught:
        model.fit(*data, checkpoint=path, every=0)
    assert contents(path) == before
    assert [name for name in FITTED if name in vars(model)] == []
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.ckpt"


def make(**parameters):
    return ELMRegressor(**{"n_hidden": 12, "random_state": 0, "engine": Threads(2, 32), **parameters})


def changed(array, row, value=None):
    copy = array.copy()
    copy[row] = np.nextafter(copy[row], 9) if value is None else value
    return copy


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ((changed(X, (300, 2)), Y, WEIGHT), "the rows differ"),
        (
            (np.roll(X, 1, axis=0), np.roll(Y, 1), np.roll(WEIGHT, 1)),
            "the rows, the targets, the weights differ",
        ),
        ((X[:-1], Y[:-1], WEIGHT[:-1]), "the rows, the targets, the weights differ"),
        ((X.astype(np.float32), Y, WEIGHT), "the rows differ"),
        ((X, changed(Y, 639), WEIGHT), "the targets differ"),
        ((X, Y, changed(WEIGHT, 0)), "the weights differ"),
        ((X, Y, None), "the weights differ"),
        ((X[:, :3], Y, WEIGHT), "the columns, the rows differ"),
        ((X[:, ::-1], Y, WEIGHT), "the rows differ"),
        ((pd.DataFrame(X, columns=list("abcd")), Y, WEIGHT), "the columns differ"),
    ],
    ids=[
        "value",
        "order",
        "row less",
        "type",
        "target",
        "weight",
        "no weights",
        "column less",
        "columns",
        "names",
    ],
)
def test_other_data(path, data, named):
    """One value, one place: it is named, and the files stay."""
    begin(path, make(), (X, Y, WEIGHT))
    text = refused(path, make(), data)
    assert text == f"{path} was written for other data: {named}. Delete it or fit the same data."


def test_other_names_of_columns(path):
    """Or the same in another order."""
    begin(path, make(), (pd.DataFrame(X, columns=list("abcd")), Y))
    assert "the columns differ" in refused(path, make(), (pd.DataFrame(X, columns=list("abce")), Y))
    swapped = pd.DataFrame(X, columns=list("abcd"))[list("bacd")]
    assert "the columns, the rows differ" in refused(path, make(), (swapped, Y))


def test_other_labels(path):
    """Strings, one of them another."""
    labels = np.where(Y > 0, "yes", "no").astype(object)
    model = ELMClassifier(12, random_state=0)
    begin(path, model, (X, labels))
    other = changed(labels, 5, "no" if labels[5] == "yes" else "yes")
    assert "the targets differ" in refused(path, ELMClassifier(12, random_state=0), (X, other))
    balanced = ELMClassifier(12, random_state=0, class_weight="balanced")
    assert "the weights, the setting class_weight differ" in refused(path, balanced, (X, labels))


OTHER = {
    "alpha": [1.0, [0.5, 1.0], np.array([0.5, 1.0])],
    "n_hidden": [13, "auto", [12, 13], range(3, 13), np.array([3, 13])],
    "hidden": ["tanh", "rbf", Additive("sigmoid", gain=2.0), Radial(width=0.5)],
    "random_state": [1, None],
    "dtype": ["float32", np.float32],
    "scale": [None, "quantile"],
    "solver": ["gram", "qr", Rsvd(5)],
    "selection": ["loo", KFold(4)],
    "alpha_per_target": [True],
    "direct_link": [True],
    "fit_intercept": [False],
}


@pytest.mark.parametrize(("name", "value"), [(name, one) for name in OTHER for one in OTHER[name]], ids=str)
def test_another_setting(path, name, value):
    """Each is named."""
    begin(path, make())
    text = refused(path, make(**{name: value}))
    assert text == (
        f"{path} was written with other settings: the setting {name} differs. "
        "Delete it or use the same settings."
    )


def test_all_that_differs_is_named(path):
    """Data and settings."""
    begin(path, make())
    text = refused(path, make(alpha=1.0, scale=None), (changed(X, (3, 3)), Y))
    assert "the rows, the settings alpha and scale differ" in text


def test_another_version(path, monkeypatch):
    """Its passes may not be those of this one."""
    begin(path, make())
    monkeypatch.setattr("samara.estimators.checkpointing.version", lambda name: "9.0")
    assert "the setting version of Samara differs" in refused(path, make())


@pytest.mark.parametrize("change", [{"verbose": True}, {"memory": "1GB"}, {"forget": 0.9}])
def test_settings_that_do_not_matter(path, change, capsys):
    """They are not in the model."""
    begin(path, make())
    np.testing.assert_array_equal(make(**change).fit(X, Y, checkpoint=path).coef_, make().fit(X, Y).coef_)


@pytest.mark.parametrize(
    ("engine", "now"), [(Threads(1, 32), "1 worker, 32"), (Threads(2, 64), "2 workers, 64")]
)
def test_another_cut(path, engine, now, monkeypatch):
    """Sums over other blocks would not have the same bits."""
    monkeypatch.setattr("samara.prepare.LOOK_CELLS", 1)
    begin(path, make())
    assert refused(path, make(engine=engine)) == (
        f"{path} holds the look pass of 2 workers, 32 rows at a time; "
        f"now there would be the look pass of {now} rows at a time. "
        "Use as many cores and as much memory, or delete it."
    )


def test_another_plan(path, monkeypatch):
    """Where less memory makes it a triangle, moments are not taken for one."""
    begin(path, make())
    monkeypatch.setattr("samara.settings.Settings.solver_of", lambda self, plan: Qr())
    text = refused(path, make())
    assert text.startswith(f"{path}.1 holds the moments pass of 2 workers, 32 rows at a time; ")
    assert "now there would be the triangle pass of 2 workers" in text


@pytest.mark.parametrize("seed", [np.random.RandomState(0), np.random.mtrand._rand], ids=["own", "global"])
def test_a_generator_as_seed(path, seed):
    """After a crash it would stand elsewhere."""
    assert "needs random_state to be a number or None" in refused(
        path, make(random_state=seed), error=InputError
    )
    assert contents(path) == {}


@pytest.mark.parametrize("damaged", ["run.ckpt", "run.ckpt.1"])
def test_a_file_cut_short(path, damaged):
    """At every k-th byte; whole again, it is taken up."""
    files = begin(path, make())
    file, data = path.with_name(damaged), files[damaged]
    for length in [*range(0, len(data), max(1, len(data) // 25)), len(data) - 1]:
        file.write_bytes(data[:length])
        text = refused(path, make())
        assert text.startswith(f"{file} can't be used: it is ")
        assert "short" in text or "empty" in text
    file.write_bytes(data)
    np.testing.assert_array_equal(make().fit(X, Y, checkpoint=path).coef_, make().fit(X, Y).coef_)


@pytest.mark.parametrize("damaged", ["run.ckpt", "run.ckpt.1"])
def test_a_flipped_byte(path, damaged):
    """Wherever it is."""
    files = begin(path, make())
    file, data = path.with_name(damaged), bytearray(files[damaged])
    for place in [*range(0, len(data), len(data) // 40), len(data) - 1]:
        data[place] ^= 1
        file.write_bytes(data)
        assert refused(path, make()).startswith(f"{file} can't be used: it")
        data[place] ^= 1


def test_what_is_no_checkpoint(path):
    """A table, a record of something else."""
    path.write_text("a,b\n1,2\n3,4\n")
    assert "can't be used: it is not a file of Samara" in refused(path, make())
    write_record(path, {"kind": "model"}, {"A": np.ones(3)})
    assert "was written for other data" in refused(path, make())
    assert "was written for other data" in refused(path, make(random_state=None))


def test_files_of_later_passes_alone_are_not_used(path):
    """The first was deleted, as a refusal says; they are named, and then deleted too."""
    begin(path, make())
    shutil.copy(f"{path}.1", f"{path}.3")
    os.unlink(path)
    for model in (make(), make(alpha=1.0), make(random_state=None)):
        assert refused(path, model) == (
            f"{path} is gone, but run.ckpt.1 and run.ckpt.3 of an earlier fit lie beside it. "
            "Delete them or use another file."
        )


def test_a_later_pass_of_another_fit_is_not_used(path, tmp_path):
    """The same data and settings, but other nodes; or a first pass in the place of a second."""
    begin(path, make(random_state=None))
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "run.ckpt"
    begin(other, make(random_state=None))
    assert read_record(other).header["entropy"] != read_record(path).header["entropy"]
    for file in (f"{other}.1", path):
        shutil.copy(file, f"{path}.1")
        shutil.rmtree(tmp_path / "other", ignore_errors=True)
        text = refused(path, make(random_state=None))
        assert text == f"{path}.1 is of another fit to the same data. Delete it or use another file."


def test_the_files_of_a_fit_end_with_the_first_one(path, monkeypatch):
    """Killed while it removes them, a fit leaves some that the next can use."""
    begin(path, make())
    gone = []
    monkeypatch.setattr("pathlib.Path.unlink", lambda self, missing_ok: gone.append(self.name))
    make().fit(X, Y, checkpoint=path)
    assert gone == ["run.ckpt.1", "run.ckpt"]


class Squares:
    """A map of one's own."""

    n_out = 4

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, X, out=None):
        return np.multiply(self.factor * X, X, out=out)


def test_a_map_of_ones_own(path):
    """It is known by its attributes."""
    begin(path, make(hidden=Squares(1.0)))
    assert "the setting hidden differs" in refused(path, make(hidden=Squares(2.0)))
    wanted = make(hidden=Squares(1.0)).fit(X, Y).coef_
    np.testing.assert_array_equal(make(hidden=Squares(1.0)).fit(X, Y, checkpoint=path).coef_, wanted)


def test_a_map_that_cannot_be_known_again(path):
    """It can't be pickled."""
    odd = Squares(1.0)
    odd.function = lambda x: x
    assert "it can't be pickled" in refused(path, make(hidden=odd), error=InputError)
    assert contents(path) == {}


def rbf(A, B):
    return np.exp(-np.sum((A[:, None] - B[None]) ** 2, axis=2))


def test_kernels(path):
    """Their functions and settings are compared as well."""
    parameters = {"solver": "nystroem", "rank": 20, "random_state": 0}
    begin(path, KernelELMRegressor(rbf, **parameters))
    for other in ("rbf", Kernel("rbf", 0.5), described):
        assert "the setting kernel differs" in refused(path, KernelELMRegressor(other, **parameters))
    begin(path, KernelELMRegressor(rbf, **parameters))
    assert "settings: the setting gamma" in refused(path, KernelELMRegressor(rbf, gamma=2.0, **parameters))
    KernelELMRegressor(rbf, engine=Threads(2, 32), **parameters).fit(X, Y, checkpoint=path)


def test_descriptions_differ_where_values_do():
    """Types, ranges and large arrays inside of others included."""
    large = np.zeros(5000)
    values = [
        *(
            None,
            1,
            True,
            1.0,
            "1",
            "None",
            float,
            np.float32,
            np.dtype("f4"),
            range(3),
            range(4),
            [1],
            [1, 2],
        ),
        *({"a": 1}, {"a": 2}, {"a": large}, {"a": changed(large, 2500)}, [large], np.sin, np.cos, rbf, len),
        *(Squares(1), Squares(2), Additive(), Additive("tanh"), Kernel("rbf", 0.5), np.array(["a"], object)),
    ]
    texts = [described(value) for value in values]
    assert len(set(texts)) == len(texts)
    assert texts == [described(value) for value in values]
