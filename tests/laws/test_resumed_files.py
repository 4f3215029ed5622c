"""A stream that was saved goes on as if it had never been in a file, to the bit."""

import numpy as np
import pytest
from scipy import sparse

import samara
from samara import ELMClassifier, ELMRegressor, InputError, KernelELMRegressor, StoreError
from tests.faults.model_lies import rewritten
from tests.sales import inputs, sales

rng = np.random.default_rng(9)
X = rng.normal(size=(120, 3))
Y = np.stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] ** 2], axis=1)
WORDS = np.array(["oak", "ash", "elm"])[np.digitize(Y[:, 0], [-0.5, 0.5])]

SETTINGS = {
    "plain": {},
    "triangle": {"update": "qr", "alpha": 1e-9},
    "forgetting": {"forget": 0.98},
    "float32": {"dtype": "float32"},
    "sizes": {"n_hidden": [4, 8], "direct_link": True},
    "one ridge": {"alpha": 0.5, "hidden": "rbf", "scale": None},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("begin", ["partial_fit", "fit"])
@pytest.mark.parametrize(("cls", "target"), [(ELMRegressor, Y), (ELMClassifier, WORDS)])
def test_a_stream_goes_on(cls, target, begin, settings, tmp_path):
    """Batches before the file, then the same batches with and without it."""
    path = tmp_path / "a.samara"
    model = cls(**{"n_hidden": 8, "random_state": 0, **settings})
    if begin == "fit" and settings.get("update") == "qr":
        model.set_params(solver="qr")
    getattr(model, begin)(X[:50], target[:50])
    model.save(path, resumable=True)
    assert samara.inspect(path).resumable
    found = samara.load(path)
    np.testing.assert_array_equal(found.predict(X), model.predict(X))
    found.save(tmp_path / "b.samara", resumable=True)
    assert path.read_bytes() == (tmp_path / "b.samara").read_bytes()
    for lo in (50, 85):
        for one in (model, found):
            one.partial_fit(X[lo : lo + 35], target[lo : lo + 35])
        np.testing.assert_array_equal(found.predict(X), model.predict(X))
        np.testing.assert_array_equal(found.coef_, model.coef_)
        assert found.alpha_ == model.alpha_
        assert found.plan_ == model.plan_


def test_new_classes_and_rows_taken_out(tmp_path):
    """Labels keep the order in which they came; rows learned before the file are unlearned after it."""
    model = ELMClassifier(6, alpha=0.1, random_state=0)
    model.partial_fit(X[:30], np.where(WORDS[:30] == "ash", "oak", WORDS[:30]))
    model.save(tmp_path / "a", resumable=True)
    found = samara.load(tmp_path / "a")
    for one in (model, found):
        one.partial_fit(X[30:60], WORDS[30:60]).unlearn(X[40:60], WORDS[40:60])
    assert found.classes_.tolist() == ["ash", "elm", "oak"]
    np.testing.assert_array_equal(found.decision_function(X), model.decision_function(X))


def test_sparse_streams(tmp_path):
    """Rows go on being sparse."""
    rows = sparse.csr_array(np.where(X > 0, X, 0))
    model = ELMRegressor(6, random_state=0).partial_fit(rows[:60], Y[:60])
    model.save(tmp_path / "a", resumable=True)
    found = samara.load(tmp_path / "a")
    for one in (model, found):
        one.partial_fit(rows[60:], Y[60:])
    np.testing.assert_array_equal(found.predict(rows), model.predict(rows))


@pytest.mark.parametrize("begin", ["partial_fit", "fit"])
@pytest.mark.parametrize(("cls", "target"), [(ELMRegressor, "price"), (ELMClassifier, "kind")])
def test_streams_of_raw_tables(cls, target, begin, tmp_path):
    """Texts, days and gaps: what the first rows froze comes along, direct links to the columns included."""
    table = sales(200)
    model = cls(6, direct_link=True, random_state=0)
    getattr(model, begin)(inputs(table)[:120], table[target][:120])
    model.save(tmp_path / "a", resumable=True)
    found = samara.load(tmp_path / "a")
    for one in (model, found):
        one.partial_fit(inputs(table)[120:], table[target][120:])
    np.testing.assert_array_equal(found.predict(inputs(table)), model.predict(inputs(table)))


def test_without_the_sums_nothing_goes_on(tmp_path):
    """A plain file holds the model alone."""
    model = ELMRegressor(6, random_state=0).partial_fit(X, Y)
    model.save(tmp_path / "a")
    assert not samara.inspect(tmp_path / "a").resumable
    with pytest.raises(InputError, match="What this model learned from is gone"):
        samara.load(tmp_path / "a").partial_fit(X, Y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ELMRegressor(6, window=20), 'resumable=True needs update="information" or "qr", and no window.'),
        (
            ELMRegressor(6, update="woodbury"),
            'resumable=True needs update="information" or "qr", and no window.',
        ),
    ],
)
def test_what_can_not_be_resumed(model, message, tmp_path):
    """Rows and inverses stay where they are."""
    model.set_params(random_state=0, alpha=0.1).partial_fit(X, Y)
    with pytest.raises(InputError) as caught:
        model.save(tmp_path / "a", resumable=True)
    assert str(caught.value) == message
    assert not (tmp_path / "a").exists()


def test_models_that_keep_no_sums(tmp_path):
    """Kernel models, and solvers that leave nothing to go on from."""
    with pytest.raises(
        InputError, match="KernelELMRegressor does not learn as rows arrive: use resumable=False"
    ):
        KernelELMRegressor().fit(X, Y).save(tmp_path / "a", resumable=True)
    model = ELMRegressor(6, solver="lsqr", random_state=0).fit(X, Y)
    with pytest.raises(InputError, match="What this model learned from is gone"):
        model.save(tmp_path / "a", resumable=True)


SUMS = "fitted/_stream/lanes/0/1/0"
LIES = {
    "sums": (
        lambda header, arrays: arrays.update({SUMS: arrays[SUMS][1:]}),
        "its sums of the stream have the",
    ),
    "precision": (
        lambda header, arrays: arrays.update({SUMS: arrays[SUMS].astype("float32")}),
        "its stream has sums of another precision",
    ),
    "rows": (
        lambda header, arrays: header["fitted"]["_stream"]["StreamState"].update(n_rows=-5),
        "its stream has numbers that can't be",
    ),
    "block": (
        lambda header, arrays: header["fitted"]["_stream"]["StreamState"]["plan"]["Plan"].update(
            block_rows=2**60
        ),
        "its stream has numbers that can't be",
    ),
    "labels": (
        lambda header, arrays: header["fitted"]["_stream"]["StreamState"].update(labels=None),
        "the labels of its stream are not its classes",
    ),
    "nodes": (
        lambda header, arrays: header["parameters"].update(n_hidden=9),
        "its stream has 8 features where 9 are needed",
    ),
    "solver": (
        lambda header, arrays: header["parameters"].update(solver="svd"),
        'its stream can\'t go on: solver="svd" reads the rows again',
    ),
}


@pytest.mark.parametrize(("edit", "message"), LIES.values(), ids=LIES)
def test_streams_that_lie(edit, message, tmp_path):
    """Sums, numbers and labels that can't be."""
    path = tmp_path / "a.samara"
    ELMClassifier(8, random_state=0).partial_fit(X, WORDS).save(path, resumable=True)
    with pytest.raises(StoreError) as caught:
        samara.load(rewritten(path, edit))
    assert str(caught.value).startswith(f"{path} can't be used: {message}")
