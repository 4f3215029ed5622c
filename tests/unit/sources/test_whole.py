"""Tables held whole."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samara.errors import InputError
from samara.sources.whole import array_of, has_texts, made_whole, matrix_of, read_whole


@pytest.fixture
def table():
    return pa.table(
        {
            "whole": pa.array([3, None, 5], pa.int16()),
            "yes": [True, False, True],
            "text": pa.array(["a", None, "b"]).dictionary_encode(),
        }
    )


def test_a_file_of_several_row_groups_comes_back_whole(table, tmp_path):
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=1)
    found = read_whole(tmp_path / "t.parquet")
    assert found.column_names == table.column_names
    assert found.to_pylist() == table.to_pylist()


def test_a_file_without_rows_is_refused(table, tmp_path):
    pq.write_table(table.slice(0, 0), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="The table has no rows"):
        read_whole(tmp_path / "t.parquet")


def test_numbers_are_a_matrix_with_nan_for_missing(table):
    X = matrix_of(table.select(["whole", "yes"]))
    assert X.flags.c_contiguous
    assert np.array_equal(X, [[3, 1], [np.nan, 0], [5, 1]], equal_nan=True)


def test_texts_are_seen_and_come_back_as_texts(table):
    assert has_texts(table)
    assert not has_texts(table.select(["whole", "yes"]))
    assert array_of(table["text"]).tolist() == ["a", "", "b"]


def test_arrays_make_a_table_and_back():
    columns = {"x": np.arange(3.0), "y": np.array(["u", "v", "w"])}
    made = made_whole(columns)
    assert {name: array_of(made[name]).tolist() for name in columns} == {
        name: values.tolist() for name, values in columns.items()
    }
