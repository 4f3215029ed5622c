"""Data sets by name: from a folder, from a package, from OpenML."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from sklearn.utils import Bunch

from samara import ELMClassifier
from samara.datasets import DataSet, catalogue, load, load_letter, origin_of
from tests.unit.datasets.made import ENTRIES, make_table

ON_BOARD = [entry.name for entry in catalogue() if entry.comes_with]


@pytest.mark.parametrize("name", ON_BOARD)
def test_what_comes_with_a_package_has_the_shape_and_the_values_of_the_catalogue(folder, name):
    data, entry = load(name, download=False), ENTRIES[name]
    assert data.origin == entry.comes_with == origin_of(name)
    assert data.verified
    assert data.X.shape == (entry.rows, entry.columns)
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert len(data.y) == entry.rows
    assert (data.name, data.task, data.categorical) == (name, entry.task, ())


def test_letter_is_what_load_letter_gives(folder):
    X, y = load_letter()
    data = load("letter")
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.y, y)
    train, test = data.split()
    assert np.array_equal(train.X, X[:16_000])
    assert np.array_equal(test.y, y[16_000:])
    assert repr(test) == "<DataSet letter: 4,000 rows × 16 columns, 26 classes, from samara>"


def test_ionosphere_is_the_published_table(folder):
    data = load("ionosphere")
    labels, counts = np.unique(data.y, return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == {"bad": 126, "good": 225}
    # The first line of UCI's file: 1,0,0.99539,-0.05889,0.85243,0.02306,...,-0.45300,g
    assert data.X[0, [0, 1, 2, 3, 4, 5, 33]].tolist() == [1, 0, 0.99539, -0.05889, 0.85243, 0.02306, -0.453]


def test_iris_has_plain_names(folder):
    data = load("iris")
    assert data.inputs == ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    assert data.frame.column_names == [*data.inputs, "target"]


def test_the_folder_comes_first_by_option_and_by_variable(folder, put, monkeypatch):
    put("iris")
    assert load("iris").origin == "scikit-learn"
    assert load("iris", data=folder).origin == "folder"
    monkeypatch.setenv("SAMARA_DATA", str(folder))
    data = load("iris")
    assert data.origin == "folder"
    assert not data.verified
    assert repr(data) == "<DataSet iris: 150 rows × 4 columns, 3 classes, from a folder>"


def test_the_same_values_are_verified_whatever_their_types(folder, put):
    X, y = load("iris").X, load("iris").y
    narrow = {f"c{j}": X[:, j].astype(np.float32) for j in range(4)}
    put("iris", pa.table({**narrow, "target": y.astype(np.uint8)}))
    assert load("iris", data=folder).verified
    narrow["c0"][17] += 0.1
    put("iris", pa.table({**narrow, "target": y.astype(np.uint8)}))
    assert not load("iris", data=folder).verified


def test_an_official_split_is_that_of_the_column(folder, put):
    put("svmguide1")
    train, test = load("svmguide1", data=folder).split()
    rows = np.arange(7089)
    assert np.array_equal(test.y, (rows % 2)[rows % 9 == 0])
    assert train.X.shape == (7089 - len(test.y), 4)


@pytest.mark.parametrize(
    ("name", "fitted", "tested"), [("dna", {"train", "val"}, {"test"}), ("arcene", {"train"}, {"valid"})]
)
def test_validation_rows_are_fitted_unless_there_are_no_test_rows(name, fitted, tested):
    parts = sorted(fitted | tested)
    frame = pa.table({"x": range(len(parts)), "target": range(len(parts)), "split": parts})
    train, test = DataSet(ENTRIES[name], frame, "folder").split()
    assert set(train.column("split")) == fitted
    assert set(test.column("split")) == tested


def test_texts_stay_a_table_that_estimators_take(folder, put):
    put("abalone")
    data = load("abalone", data=folder)
    assert isinstance(data.X, pa.Table)
    assert data.X.column_names == data.inputs
    assert data.categorical == ("Sex",)
    model = ELMClassifier(n_hidden=5, random_state=0).fit(data.X, data.y)
    assert model.predict(data.X).shape == (4177,)


def test_a_second_target_is_a_column_and_no_input(folder, put):
    put("naval")
    data = load("naval", data=folder)
    assert data.X.shape == (11_934, 16)
    assert data.y.dtype == np.float64
    assert not np.array_equal(data.column("target2"), data.y)


def test_arrays_cannot_be_changed_under_the_data_set(folder):
    data = load("wine")
    for array in (data.X, data.y, data.column("target")):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9


def test_a_data_set_and_its_entry_travel_to_other_processes(folder):
    data = pickle.loads(pickle.dumps(load("wine")))
    assert data.entry == ENTRIES["wine"]
    assert data.verified


def test_origin_of_says_where_load_would_look(folder, put):
    put("a9a", make_table("iris"))
    assert origin_of("a9a", data=folder) == "folder"
    assert origin_of("a9a") is None
    assert origin_of("abalone") == "OpenML"
    assert origin_of("abalone", download=False) is None


def test_openml_gives_texts_and_numbers_back(folder, monkeypatch):
    """As scikit-learn returns them: nominal columns as codes beside their categories, labels as texts."""
    rng = np.random.default_rng(0)
    X = rng.random((4177, 8))
    X[:, 0] = np.arange(4177) % 3
    X[:, 1] = np.arange(4177) % 2
    asked = {}

    def fetch_openml(**given):
        asked.update(given)
        names = ["Sex", "odd", *(f"x{j}" for j in range(6))]
        categories = {"Sex": ["F", "I", "M"], "odd": ["0", "1"], "rings": [str(k) for k in range(1, 29)]}
        target = np.array([str(1 + k % 28) for k in range(4177)], dtype=object)
        return Bunch(data=X, target=target, feature_names=names, categories=categories)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    data = load("abalone")
    assert (asked["data_id"], asked["as_frame"]) == (183, False)
    assert data.origin == "OpenML"
    assert data.column("Sex")[:4].tolist() == ["F", "I", "M", "F"]
    assert data.column("odd")[:3].tolist() == [0, 1, 0]
    assert data.column("x0").tolist() == X[:, 2].tolist()
    assert data.y[:3].tolist() == [1, 2, 3]


def test_openml_keeps_missing_categories_missing(folder, monkeypatch):
    X = np.zeros((4177, 8))
    X[5, 0] = np.nan
    target = (1 + np.arange(4177) % 28).astype(float)
    found = Bunch(data=X, target=target, feature_names=list("abcdefgh"), categories={"a": ["1", "2"]})
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: found)
    data = load("abalone")
    assert data.frame["a"].to_pylist()[4:7] == ["1", None, "1"]
    assert data.y.dtype == np.int64
