"""Tables on disk: a fit that streams them against the same fit in memory, prediction against its products,
and how long the package and its command take to start.

The table is made anew in a temporary folder: 10⁷ rows × 50 columns of float32 in one Parquet file of about
2.9 GB. The fit in memory takes a tenth of its rows, so times are compared row by row.
``python -m bench.tables``
"""

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench.harness import Comparison, Contender, Target, compare, options, publish
from bench.measure import Trial, available_cores

N_FEATURES = 50
WRITTEN_ROWS = 250_000  # a row group
BLOCK_ROWS = 1536


def rows(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random inputs, and a target of eight nodes of them, with noise."""
    directions = np.random.default_rng(0).standard_normal((N_FEATURES, 8), dtype=np.float32) / 7
    rng = np.random.default_rng([1, seed])
    X = rng.standard_normal((n_rows, N_FEATURES), dtype=np.float32)
    noise = rng.standard_normal(n_rows, dtype=np.float32)
    return X, np.tanh(X @ directions).sum(axis=1) + noise / 10


def write(n_rows: int, path: Path) -> None:
    """The table, a row group at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [*(f"x{j}" for j in range(N_FEATURES)), "y"]
    schema = pa.schema([(name, pa.float32()) for name in names])
    with pq.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True) as writer:
        for number, lo in enumerate(range(0, n_rows, WRITTEN_ROWS)):
            X, y = rows(min(WRITTEN_ROWS, n_rows - lo), number)
            writer.write_table(pa.table([*X.T, y], schema=schema), row_group_size=WRITTEN_ROWS)


def model(n_hidden: int, **settings: Any) -> Any:
    """One ridge: the pass over the rows is what is compared."""
    from samara import ELMRegressor

    return ELMRegressor(n_hidden, alpha=0.01, random_state=0, **settings)


def in_memory(n_rows: int, n_hidden: int) -> Trial:
    """The fit of arrays."""
    X, y = rows(n_rows, 0)
    return Trial(
        run=lambda: model(n_hidden).fit(X, y),
        describe=lambda fitted: {"rows": n_rows, "r2": float(fitted.score(X[:5000], y[:5000]))},
        warm_up=lambda: model(10).fit(X[:256], y[:256]),
    )


def streamed(folder: str, n_hidden: int, memory: str) -> Trial:
    """The fit of the file, in the memory given to the whole process."""
    import samara

    X, y = rows(5000, 0)
    path = Path(folder, "table.parquet")

    def run() -> Any:
        return model(n_hidden, memory=memory).fit(samara.scan(path, target="y"))

    def describe(fitted: Any) -> dict[str, Any]:
        import pandas as pd

        frame = pd.DataFrame(X, columns=fitted.feature_names_in_)
        return {
            "r2": float(fitted.score(frame, y)),
            "predicted_mb": fitted.plan_.peak_bytes / 1e6,
            "process_peak_mb": peak_of_process(),
        }

    return Trial(run=run, describe=describe, warm_up=lambda: model(10).fit(X[:256], y[:256]))


def peak_of_process() -> float:
    """The most this process has held since the measurement began, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024 / 1e6


def predict(n_rows: int, n_hidden: int, dtype: str) -> Trial:
    """Predictions of rows in memory."""
    X, y = rows(n_rows, 0)
    fitted = model(n_hidden, dtype=dtype).fit(X[:20_000], y[:20_000])
    return Trial(run=lambda: fitted.predict(X), warm_up=lambda: fitted.predict(X[:256]))


def products(n_rows: int, n_hidden: int, dtype: str) -> Trial:
    """The products of a prediction alone, x·W and h·β, block by block on every core."""
    cores = available_cores()
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, N_FEATURES + 1)).astype(dtype)
    W = rng.standard_normal((N_FEATURES + 1, n_hidden)).astype(dtype)
    beta = rng.standard_normal((n_hidden, 1)).astype(dtype)
    hidden = [np.empty((BLOCK_ROWS, n_hidden), dtype) for _ in range(cores)]
    out = np.empty((n_rows, 1), dtype)

    def multiply(core: int, stop: int) -> None:
        for lo in range(core * BLOCK_ROWS, stop, cores * BLOCK_ROWS):
            block = X[lo : min(lo + BLOCK_ROWS, stop)]
            H = hidden[core][: len(block)]
            np.matmul(block, W, out=H)
            np.matmul(H, beta, out=out[lo : lo + len(block)])

    def run(stop: int) -> None:
        with threadpool_limits(1), ThreadPoolExecutor(cores) as pool:
            list(pool.map(partial(multiply, stop=stop), range(cores)))

    return Trial(run=partial(run, n_rows), warm_up=partial(run, 64))


def started(command: list[str], times: int = 7) -> float:
    """The fastest of a few starts of a command, in seconds."""
    seconds = []
    for _ in range(times):
        start = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(perf_counter() - start)
    return min(seconds)


def targets(comparison: Comparison, sizes: dict[str, int]) -> list[Target]:
    """Time a row, memory, share of the floor, starts."""
    stream, array = comparison.seconds("streamed"), comparison.seconds("in memory")
    ratio = None
    if stream is not None and array is not None:
        ratio = (stream / sizes["streamed"]) / (array / sizes["in_memory"])
    peak = comparison.results("streamed").get("process_peak_mb")
    empty = started([sys.executable, "-c", "pass"])
    made = [
        Target("streamed / in memory, a row", ratio, 1.4),
        Target("streamed: peak of the process (MB)", peak, 1000),
    ]
    for dtype in ("float64", "float32"):
        share = comparison.ratio(f"{dtype} products", f"{dtype} predict")
        made.append(Target(f"{dtype} predict: share of the speed of its products", share, 0.8, at_least=True))
    made.append(Target("import samara (s)", started([sys.executable, "-c", "import samara"]) - empty, 0.5))
    made.append(Target("samara --help (s)", started([sys.executable, "-m", "samara", "--help"]), 0.6))
    return made


def main() -> None:
    chosen = options("Time fits of tables on disk, predictions and starts.").parse_args()
    quick = chosen.quick
    sizes = {"streamed": 100_000 if quick else 10_000_000, "in_memory": 50_000 if quick else 1_000_000}
    nodes = {"n_hidden": 100 if quick else 1000}
    with tempfile.TemporaryDirectory() as folder:
        write(sizes["streamed"], Path(folder, "table.parquet"))
        sides = [
            Contender("in memory", "bench.tables:in_memory", {"n_rows": sizes["in_memory"], **nodes}),
            Contender("streamed", "bench.tables:streamed", {"folder": folder, "memory": "1GB", **nodes}),
        ]
        for dtype in ("float64", "float32"):
            shape = {"n_rows": sizes["in_memory"], "dtype": dtype, **nodes}
            sides.append(Contender(f"{dtype} products", "bench.tables:products", shape))
            reference = f"{dtype} products"
            sides.append(Contender(f"{dtype} predict", "bench.tables:predict", shape, reference=reference))
        comparison = compare(sides, chosen)
    publish("tables", comparison, targets(comparison, sizes), chosen)


if __name__ == "__main__":
    main()
