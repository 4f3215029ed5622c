"""How a table is cut and skipped through changes none of its rows."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samara
from tests.raw_tables import mixed_table, same_bits

TABLE = mixed_table(120, seed=3)
NUMBERS = np.random.default_rng(0).standard_normal((120, 4))


def write_libsvm(path):
    lines = [
        f"{i % 3} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row))
        for i, row in enumerate(NUMBERS.tolist())
    ]
    path.write_text("\n".join(lines) + "\n")


def write_ipc(path):
    with pa.ipc.new_file(str(path), TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=17)


WRITERS = {
    "t.parquet": lambda path: pq.write_table(TABLE, path, row_group_size=50, data_page_size=64),
    "t.arrow": write_ipc,
    "t.csv": lambda path: pa.csv.write_csv(TABLE, path),
    "t.npy": lambda path: np.save(path, NUMBERS),
    "f.npy": lambda path: np.save(path, np.asfortranarray(NUMBERS)),
    "t.npz": lambda path: np.savez_compressed(path, X=NUMBERS),
    "t.svm": write_libsvm,
}


@pytest.fixture(scope="module", params=WRITERS)
def path(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("cut") / request.param
    WRITERS[request.param](path)
    return path


def rows_of(chunks, width):
    dense = [np.asarray(c.X.toarray() if hasattr(c.X, "toarray") else c.X) for c in chunks]
    return np.concatenate([np.empty((0, width)), *dense])


@given(data=st.data())
def test_cutting_and_skipping_change_nothing(path, data):
    for piece in samara.scan(path).pieces:
        whole = rows_of(piece.chunks(1_000_000), piece.chunks(1).__next__().X.shape[1])
        n = len(whole)
        assert piece.n_rows in (n, None)
        start = data.draw(st.integers(0, n + 2))
        stop = data.draw(st.one_of(st.none(), st.integers(0, n + 2)))
        rows = data.draw(st.integers(1, n + 2))
        chunks = list(piece.chunks(rows, start, stop))
        assert all(0 < chunk.X.shape[0] <= rows for chunk in chunks)
        assert same_bits(rows_of(chunks, whole.shape[1]), whole[start:stop])


@given(start=st.integers(0, 130), stop=st.integers(0, 130), rows=st.integers(1, 60))
def test_skipping_counts_the_rows_that_a_condition_leaves(tmp_path_factory, start, stop, rows):
    path = tmp_path_factory.getbasetemp() / "where.parquet"
    if not path.exists():
        pq.write_table(TABLE, path)
    (piece,) = samara.scan(path, where="rooms > 0").pieces
    whole = rows_of(piece.chunks(200), 8)
    assert 20 < len(whole) < 120
    assert same_bits(rows_of(piece.chunks(rows, start, stop), 8), whole[start:stop])
