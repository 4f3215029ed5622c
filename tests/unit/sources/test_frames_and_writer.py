"""Frames in memory as raw numbers, and tables written in pieces."""

import datetime as dt
import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import samara
from samara.errors import InputError, StoreError
from samara.schema import Column, text_code
from samara.sources.frames import frame_column, frame_rows, is_frame
from samara.sources.writer import TableWriter
from tests.raw_tables import read


def test_what_is_a_frame():
    for frame in (pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), pa.table({"a": [1]})):
        assert is_frame(frame)
    for other in (
        np.ones((2, 2)),
        [[1]],
        sparse.eye(2).tocsr(),
        pl.LazyFrame({"a": [1]}),
        pd.Series([1]),
        "a",
        None,
    ):
        assert not is_frame(other)


def test_objects_of_pandas():
    frame = pd.DataFrame(
        {
            "text": pd.Series(["a", None, np.nan, "b"], dtype=object),
            "flag": pd.Series([True, None, False, True], dtype=object),
            "day": pd.Series([dt.date(1970, 1, 2), None, None, None], dtype=object),
            "kind": pd.Categorical(["x", "y", None, "x"]),
            "code": pd.Categorical([1, 2, 1, None]),
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
            "none": pd.Series([None] * 4, dtype=object),
            7: [0.5, np.nan, 1.5, 2.5],
        }
    )
    rows = frame_rows(frame)
    kinds = {column.name: column.kind for column in rows.schema}
    assert kinds == {
        "text": "text", "flag": "boolean", "day": "date", "kind": "text",
        "code": "text", "whole": "number", "none": "number", "7": "number",
    }  # fmt: skip
    a, b, x, y = (text_code(text) for text in "abxy")
    np.testing.assert_array_equal(rows.X[:, 0], [a, np.nan, np.nan, b])
    np.testing.assert_array_equal(rows.X[:, 1], [1, np.nan, 0, 1])
    np.testing.assert_array_equal(rows.X[:, 2], [1, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(rows.X[:, 3], [x, y, np.nan, x])
    np.testing.assert_array_equal(rows.X[:, 4], [text_code("1"), text_code("2"), text_code("1"), np.nan])
    np.testing.assert_array_equal(rows.X[:, 5], [1, np.nan, 3, 4])
    assert np.isnan(rows.X[:, 6]).all()
    np.testing.assert_array_equal(rows.X[:, 7], [0.5, np.nan, 1.5, 2.5])
    assert rows.labels["kind"] == {x: "x", y: "y"}


def test_bad_frames():
    with pytest.raises(InputError, match="Column 'a' mixes str and int: row 2 holds 3"):
        frame_rows(pd.DataFrame({"a": pd.Series(["x", None, 3], dtype=object)}))
    with pytest.raises(InputError, match="Column 'a' holds large_list"):
        frame_rows(pl.DataFrame({"a": [[1], [2]]}))
    with pytest.raises(InputError, match=r"Column 'b' holds infinity \(the frame, row 1\)"):
        frame_rows(pl.DataFrame({"a": [1, 2], "b": [1.0, float("inf")]}))
    with pytest.raises(InputError, match="two columns of the same name"):
        frame_rows(pd.DataFrame([[1, 2]], columns=[1, "1"]))


def test_a_frame_for_a_model():
    schema = (Column("b", "text"), Column("a", "number"))
    rows = frame_rows(pd.DataFrame({"a": [1], "b": ["x"]}), schema)
    np.testing.assert_array_equal(rows.X, [[text_code("x"), 1]])
    nothing = frame_rows(pd.DataFrame({"a": [None], "b": [None]}), schema)
    assert np.isnan(nothing.X).all()
    with pytest.raises(InputError, match=r"lacks the column 'b' .* Near names: 'bb' for 'b'"):
        frame_rows(pd.DataFrame({"a": [1], "bb": ["x"]}), schema)
    with pytest.raises(InputError, match="not fitted on 'c', 'd': leave them out"):
        frame_rows(pd.DataFrame({"a": [1], "b": ["x"], "c": [1], "d": [1]}), schema)
    with pytest.raises(InputError, match="'b' holds numbers, not texts"):
        frame_rows(pl.DataFrame({"a": [1], "b": [2]}), schema)


def test_series_as_targets():
    found = frame_column(pd.Series(["x", None, "y"], name="land"))
    assert found.column == Column("land", "text")
    np.testing.assert_array_equal(found.values, [text_code("x"), np.nan, text_code("y")])
    assert found.labels == {text_code("x"): "x", text_code("y"): "y"}
    assert frame_column(pl.Series([1, 2])).column == Column("y", "number")
    with pytest.raises(InputError, match=r"Column 'price' holds infinity \(the series, row 0\)"):
        frame_column(pl.Series("price", [float("inf")]))


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather", "csv"])
def test_written_tables_are_read_again(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    values, texts = np.arange(7.0), np.array(["a", "b"])[np.arange(7) % 2]
    with TableWriter(path) as writer:
        for lo in range(0, 7, 3):
            writer.write({"v": values[lo : lo + 3], "t": texts[lo : lo + 3]})
        assert not path.exists()
    X, _, _ = read(samara.scan(path))
    np.testing.assert_array_equal(X, np.column_stack([values, [text_code(text) for text in texts]]))
    assert os.listdir(tmp_path) == [path.name]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"old")

    def other_columns():
        with TableWriter(path) as writer:
            writer.write({"v": np.ones(3)})
            writer.write({"w": np.ones(3)})

    def interrupted():
        with TableWriter(path) as writer:
            writer.write({"v": np.ones(3)})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(InputError, match="Rows can't be written"):
        other_columns()
    with pytest.raises(StoreError, match="there were no rows"), TableWriter(path):
        pass
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["t.parquet"]


def test_where_no_table_can_be_written(tmp_path):
    with pytest.raises(InputError, match=r"A table is written as .* got 'a\.docx': change the suffix"):
        TableWriter("a.docx")
    with pytest.raises(StoreError, match="there is no folder"):
        TableWriter(tmp_path / "nope" / "t.csv")
