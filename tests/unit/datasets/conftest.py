"""A folder of data sets with small files under well-known names."""

import pyarrow.parquet as pq
import pytest

from tests.unit.datasets.made import make_table


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder of data sets, and no variable that names another."""
    monkeypatch.delenv("SAMARA_DATA", raising=False)
    return tmp_path


@pytest.fixture
def put(folder):
    """Write the table of a data set into the folder."""

    def write(name, table=None, **changes):
        pq.write_table(make_table(name, **changes) if table is None else table, folder / f"{name}.parquet")

    return write
