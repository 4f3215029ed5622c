"""The data sets that come with the package."""

import os
from pathlib import Path

import numpy as np
import pytest

from samara.datasets import load_letter


def test_letter_is_the_published_table():
    X, y = load_letter()
    assert X.shape == (20_000, 16)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert (X.min(), X.max()) == (0, 15)
    assert np.array_equal(X, X.round())
    # The first line of UCI's file: T,2,8,3,5,1,8,13,0,6,6,10,8,0,8,0,8
    assert y[0] == "T"
    assert X[0].tolist() == [2, 8, 3, 5, 1, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8]


def test_letter_labels_count_as_published():
    labels, counts = np.unique(load_letter()[1], return_counts=True)
    assert "".join(labels) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert counts[:5].tolist() == [789, 766, 736, 805, 768]
    assert counts[-1] == 734


def test_letter_split_is_the_first_16000_rows():
    X, y = load_letter()
    X_train, X_test, y_train, y_test = load_letter(return_split=True)
    assert len(X_train) == len(y_train) == 16_000
    assert np.array_equal(np.vstack([X_train, X_test]), X)
    assert np.array_equal(np.concatenate([y_train, y_test]), y)


def test_each_call_gives_its_own_arrays():
    load_letter()[0][:] = -1
    assert load_letter()[0].min() == 0


def test_letter_equals_the_original_file():
    path = Path(os.environ.get("SAMARA_DATA", "")) / "letter.parquet"
    if not path.is_file():
        pytest.skip("SAMARA_DATA does not point to a folder with letter.parquet")
    pandas = pytest.importorskip("pandas")
    table = pandas.read_parquet(path)
    X, y = load_letter()
    assert np.array_equal(X, table.drop(columns="target").to_numpy(float))
    assert np.array_equal(y, table["target"].astype(str).to_numpy())
