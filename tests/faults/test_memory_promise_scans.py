"""The promise for files: memory is that of the whole process, and its peak is predicted to 30 %."""

import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.faults.checks import python

CASES = [
    {"rows": 60_000, "numbers": 5, "texts": 0, "workers": 2, "parameters": {"n_hidden": 300, "alpha": 1.0}},
    {"rows": 120_000, "numbers": 40, "texts": 0, "workers": 2, "parameters": {"n_hidden": 100, "alpha": 1.0}},
    {"rows": 120_000, "numbers": 40, "texts": 0, "workers": 1, "parameters": {"n_hidden": 400}},
    {"rows": 80_000, "numbers": 8, "texts": 4, "workers": 2, "parameters": {"n_hidden": 500}},
    {"rows": 30_000, "numbers": 150, "texts": 1, "workers": 2, "parameters": {"n_hidden": 200, "alpha": 1.0}},
]

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK),
    reason="needs Linux's /proc/self/clear_refs to reset the peak",
)


def write(path, rows, numbers, texts):
    """Random numbers, some missing, and texts of ten kinds."""
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.standard_normal(rows) for j in range(numbers)}
    columns["x0"][::50] = np.nan
    kinds = np.array([f"kind {k}" for k in range(10)])
    columns |= {f"t{j}": kinds[rng.integers(0, 10, rows)] for j in range(texts)}
    pq.write_table(pa.table({**columns, "y": columns["x1"] ** 2}), path, row_group_size=50_000)


# The two largest take as long as all others.
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.slow] * (case["rows"] > 100_000)) for case in CASES],
    ids=lambda case: f"{case['rows']}×{case['numbers']}+{case['texts']}",
)
def test_the_process_peaks_where_it_was_predicted(case, tmp_path):
    """Readers, interpreter and fit together, inside the memory given.

    The plan is kept each time; whether it is too wide the highest of a few peaks decides: on a busy machine
    the readers may not meet.
    """
    case = {**case, "parameters": {**case["parameters"], "memory": "2GB"}}
    path = tmp_path / "table.parquet"  # written here: what that leaves in memory is not the fit's
    write(path, case["rows"], case["numbers"], case["texts"])
    ratios = []
    while len(ratios) < 3 and min(ratios, default=2.0) > 1.3:
        done = python("-m", "tests.faults.one_scan_promise", json.dumps(case), path)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        ratios.append(found["predicted"] / found["measured"])
        assert ratios[-1] >= 1.0, found
    assert min(ratios) <= 1.3, ratios
