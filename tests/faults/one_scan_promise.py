"""Write a table, fit it from the file and print, as JSON, the peak of the process and what was predicted."""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import samara
from samara.engines import Threads
from samara.resident import peak_resident_bytes, reset_peak


def write(path, rows, numbers, texts):
    """Random numbers, some missing, and texts of ten kinds."""
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.standard_normal(rows) for j in range(numbers)}
    columns["x0"][::50] = np.nan
    kinds = np.array([f"kind {k}" for k in range(10)])
    columns |= {f"t{j}": kinds[rng.integers(0, 10, rows)] for j in range(texts)}
    pq.write_table(pa.table({**columns, "y": columns["x1"] ** 2}), path, row_group_size=50_000)


def measured(case, folder):
    """One fit of a scan, and what it took."""
    path = Path(folder, "table.parquet")
    write(path, case["rows"], case["numbers"], case["texts"])
    model = samara.ELMRegressor(random_state=0, engine=Threads(case["workers"]), **case["parameters"])
    reset_peak()
    model.fit(samara.scan(path, target="y"))
    return {"measured": peak_resident_bytes(), "predicted": model.plan_.peak_bytes}


if __name__ == "__main__":
    small = samara.ELMRegressor(5, random_state=0)  # what is imported late belongs to no fit
    small.fit(np.random.default_rng(0).random((50, 2)), np.arange(50.0))
    with tempfile.TemporaryDirectory() as place:
        sys.stdout.write(json.dumps(measured(json.loads(sys.argv[1]), place)))
