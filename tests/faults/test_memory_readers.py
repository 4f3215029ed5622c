"""A huge row group is streamed, and the estimate of what that holds is right."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.mark.parametrize("distinct", [10, 10**9])
def test_a_row_group_is_not_held_whole(tmp_path, distinct):
    rng = np.random.default_rng(0)
    path, rows, columns = tmp_path / "t.parquet", 1_000_000, 8
    table = pa.table({f"x{j}": rng.integers(0, distinct, rows).astype(np.float64) for j in range(columns)})
    pq.write_table(table, path, row_group_size=rows, write_page_checksum=True)
    script = __file__.replace("test_memory_readers.py", "reader_memory.py")
    done = subprocess.run([sys.executable, script, str(path)], capture_output=True, text=True, check=True)
    held, estimate = (int(word) for word in done.stdout.split())
    assert held < table.nbytes / 2.5
    assert 0.7 * held < estimate < 3 * held + 10**6
