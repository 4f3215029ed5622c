"""Data sets that are not there, not what they say, or damaged: one sentence each, with what to do."""

from urllib.error import HTTPError, URLError

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.utils import Bunch

from samara import InputError, StoreError
from samara.datasets import load, origin_of


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SAMARA_DATA", str(tmp_path))
    return tmp_path


def iris_table(rows=150, classes=3, **more):
    inputs = {f"x{j}": np.zeros(rows) for j in range(4)}
    return pa.table({**inputs, "target": np.arange(rows) % classes, **more})


def bunch(rows, columns):
    names = [f"x{j}" for j in range(columns)]
    return Bunch(data=np.zeros((rows, columns)), target=np.zeros(rows), feature_names=names, categories={})


@pytest.mark.parametrize("name", ["irs", "IRIS", "../iris", ""])
def test_an_unknown_name(folder, name):
    with pytest.raises(InputError, match=r"Unknown data set .*Known: a9a, abalone, ") as told:
        load(name)
    assert ("Did you mean 'iris'?" in str(told.value)) == (name in ("irs", "../iris"))
    with pytest.raises(InputError, match="Unknown data set"):
        origin_of(name)


def test_a_folder_that_is_not_there(folder, monkeypatch):
    gone = folder / "gone"
    with pytest.raises(InputError, match=r"folder of data sets, .*gone, is not there: data= has to name"):
        load("iris", data=gone)
    monkeypatch.setenv("SAMARA_DATA", str(gone))
    with pytest.raises(
        InputError, match=r"gone, is not there: the variable SAMARA_DATA has to name a folder"
    ):
        load("iris")


def test_a_set_that_is_nowhere(folder, monkeypatch):
    with pytest.raises(InputError) as told:
        load("a9a")
    assert str(told.value) == (
        f"The data set a9a can't be had: no a9a.parquet in {folder}; "
        "put a9a.parquet into the folder, made from LIBSVM data sets, a9a and a9a.t."
    )
    monkeypatch.delenv("SAMARA_DATA")
    with pytest.raises(
        InputError, match=r"no folder is named \(data= or SAMARA_DATA\); put a9a.parquet into"
    ):
        load("a9a")


def test_a_set_that_may_not_be_fetched(folder):
    with pytest.raises(
        InputError, match=r"allow download=True, for OpenML has it \(183\), or put abalone.parq"
    ):
        load("abalone", download=False)


@pytest.mark.parametrize("error", [URLError("Name or service not known"), TimeoutError("timed out")])
def test_no_network(folder, monkeypatch, error):
    def fetch_openml(**_):
        raise error

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    with pytest.raises(InputError) as told:
        load("abalone")
    reason = str(getattr(error, "reason", error))
    assert str(told.value) == (
        f"Can't fetch the data set abalone from OpenML (183): {reason}; "
        "put abalone.parquet into a folder and name that by data= or SAMARA_DATA."
    )
    assert told.value.__cause__ is error


def test_a_refusal_of_the_server(folder, monkeypatch):
    def fetch_openml(**_):
        raise HTTPError("", 503, "Service Unavailable", None, None)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    with pytest.raises(InputError, match=r"from OpenML \(183\): Service Unavailable; put"):
        load("abalone")


def test_a_checksum_of_openml_that_differs(folder, monkeypatch):
    def fetch_openml(**_):
        raise ValueError("The md5 checksum of the file does not match.\nMore words.")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    with pytest.raises(
        StoreError, match=r"Can't use the data set abalone from OpenML \(183\): The md5 .* match; put"
    ):
        load("abalone")


def test_a_copy_of_openml_of_another_shape(folder, monkeypatch):
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: bunch(8192, 7))
    with pytest.raises(StoreError) as told:
        load("kin8nm")
    assert str(told.value) == (
        "OpenML 189 is not the data set kin8nm, 8,192 rows × 8 columns: it holds 8,192 rows × 7 columns."
    )


def test_a_copy_of_openml_with_several_targets(folder, monkeypatch):
    found = bunch(8192, 8)
    found.target = np.zeros((8192, 2))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: found)
    with pytest.raises(StoreError, match="OpenML 189 is not the data set kin8nm: it has several targets"):
        load("kin8nm")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            iris_table(149),
            r"iris, 150 rows × 4 columns of 3 classes: it holds 149 rows × 4 columns of 3 class",
        ),
        (iris_table(classes=2), "it holds 150 rows × 4 columns of 2 classes"),
        (iris_table(extra=np.zeros(150)), "it holds 150 rows × 5 columns of 3 classes"),
        (iris_table().rename_columns([*"abcd", "class"]), "iris: it has no column 'target'"),
    ],
)
def test_a_file_that_holds_something_else(folder, table, told):
    pq.write_table(table, folder / "iris.parquet")
    with pytest.raises(StoreError, match=rf"iris\.parquet is not the data set .*{told}"):
        load("iris")


def test_a_damaged_file(folder):
    path = folder / "iris.parquet"
    pq.write_table(iris_table(), path, write_page_checksum=True, compression="none", use_dictionary=False)
    whole = bytearray(path.read_bytes())
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match=r"iris\.parquet can't be read: "):
        load("iris")
    whole[600] ^= 1  # in the values of the first page: only its checksum can tell
    path.write_bytes(whole)
    with pytest.raises(StoreError, match=r"iris\.parquet, row group 0 can't be read: .*CRC"):
        load("iris")


def test_a_package_whose_table_has_changed(folder, monkeypatch):
    from sklearn.datasets import load_iris

    def changed():
        found = load_iris()
        found.data[3, 1] += 0.5
        return found

    monkeypatch.setattr("sklearn.datasets.load_iris", changed)
    with pytest.raises(
        StoreError, match=r"iris that comes with scikit-learn has other values .*install scikit-l"
    ):
        load("iris")


def test_a_copy_without_an_official_split(folder):
    with pytest.raises(
        InputError, match=r"copy of iris from scikit-learn has no official split: cut it with"
    ):
        load("iris").split()
