"""Roofline: how close a fit comes to the bare matrix products it cannot do without.

The floor is ``H.T @ H`` alone, block by block on every core, of blocks that lie in memory already: no inputs,
no activations, no sum, no solve. ``python -m bench.roofline``
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from bench.harness import Comparison, Contender, Target, compare, options, publish
from bench.measure import Trial, available_cores

Precision = Literal["float32", "float64"]

N_FEATURES = 40
BLOCK_ROWS = (1024, 2048, 4096)  # the floor takes the fastest: a slow floor would flatter the fit
FIT_LIMIT = {"float32": 1.25, "float64": 1.45}
AUTO_LIMIT = 1.5
PEAK_LIMIT_MB = 100


def table(n_rows: int, dtype: Precision) -> tuple[np.ndarray, np.ndarray]:
    """Random inputs and a smooth target of five of them, with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, N_FEATURES), dtype=dtype)
    y = np.sin(X[:, :5]).sum(axis=1) + rng.standard_normal(n_rows, dtype=dtype)
    return X, y


def floor(n_rows: int, n_hidden: int, dtype: Precision, block_rows: int) -> Trial:
    """The products alone: one block of rows per core, used again until ``n_rows`` have been through."""
    cores = available_cores()
    rng = np.random.default_rng(0)
    blocks = [rng.random((block_rows, n_hidden), dtype=dtype) for _ in range(cores)]
    grams = [np.zeros((n_hidden, n_hidden), dtype) for _ in range(cores)]

    def multiply(core: int, rows: int) -> None:
        for start in range(0, rows, block_rows):
            H = blocks[core][: min(block_rows, rows - start)]
            np.matmul(H.T, H, out=grams[core])

    def run(rows: int) -> None:
        # One BLAS thread per worker beats threaded BLAS, so this is the lower floor of the two.
        with threadpool_limits(1), ThreadPoolExecutor(cores) as pool:
            list(pool.map(partial(multiply, rows=-(-rows // cores)), range(cores)))

    return Trial(run=partial(run, n_rows), warm_up=partial(run, 64))


def fit(n_rows: int, dtype: Precision, estimator: dict[str, Any]) -> Trial:
    """One call of ``ELMRegressor.fit`` on data in memory."""
    from samara import ELMRegressor

    X, y = table(n_rows, dtype)
    model = ELMRegressor(hidden="sigmoid", dtype=dtype, random_state=0, **estimator)

    def describe(fitted: Any) -> dict[str, Any]:
        residual = fitted.predict(X[:5000]) - y[:5000]
        return {
            "alpha": float(fitted.alpha_),
            "n_hidden": int(fitted.n_hidden_),
            "rmse": float(np.sqrt(np.mean(residual**2))),
        }

    warm_up = ELMRegressor(hidden="sigmoid", dtype=dtype, random_state=0, n_hidden=10, alpha=1.0)
    return Trial(run=lambda: model.fit(X, y), describe=describe, warm_up=lambda: warm_up.fit(X[:64], y[:64]))


def fastest_floor(sizes: dict[str, Any], threads: int) -> int:
    """The block size whose products take the least time, best of two interleaved runs."""
    names = {rows: f"{sizes['dtype']} floor, blocks of {rows}" for rows in BLOCK_ROWS}
    candidates = [
        Contender(name, "bench.roofline:floor", {**sizes, "block_rows": rows}) for rows, name in names.items()
    ]
    runs = Comparison(candidates, threads).play(rounds=2).runs
    return min(BLOCK_ROWS, key=lambda rows: min(run["seconds"] for run in runs[names[rows]]))


def contenders(dtype: str, n_rows: int, n_hidden: int, threads: int) -> list[Contender]:
    """The floor, the fit with one ridge, and the fit that chooses among 10 ridges and 20 sizes."""
    sizes = {"n_rows": n_rows, "n_hidden": n_hidden, "dtype": dtype}
    block_rows = fastest_floor(sizes, threads)
    one_ridge = {"n_hidden": n_hidden, "alpha": 1.0}
    step = n_hidden // 20
    chosen = {"n_hidden": list(range(step, n_hidden + 1, step)), "alpha": "auto", "selection": "kfold"}
    data = {"n_rows": n_rows, "dtype": dtype}
    floor_name, fit_name, auto_name = f"{dtype} floor", f"{dtype} samara", f"{dtype} samara_auto"
    return [
        Contender(floor_name, "bench.roofline:floor", {**sizes, "block_rows": block_rows}),
        Contender(fit_name, "bench.roofline:fit", {**data, "estimator": one_ridge}, reference=floor_name),
        Contender(auto_name, "bench.roofline:fit", {**data, "estimator": chosen}, reference=fit_name),
    ]


def targets(comparison: Comparison, dtype: str) -> list[Target]:
    """What was promised for one precision."""
    floor_name, fit_name, auto_name = f"{dtype} floor", f"{dtype} samara", f"{dtype} samara_auto"
    return [
        Target(f"{fit_name} / floor", comparison.ratio(fit_name, floor_name), FIT_LIMIT[dtype]),
        Target(f"{fit_name}: peak above input, MB", comparison.peak_mb(fit_name), PEAK_LIMIT_MB),
        Target(f"{auto_name} / one ridge", comparison.ratio(auto_name, fit_name), AUTO_LIMIT),
    ]


def main() -> None:
    chosen = options("Time a fit against its bare matrix products.").parse_args()
    n_rows, n_hidden = (4_000, 100) if chosen.quick else (200_000, 1_000)
    sides = [one for dtype in FIT_LIMIT for one in contenders(dtype, n_rows, n_hidden, chosen.threads)]
    comparison = compare(sides, chosen)
    publish("roofline", comparison, [t for dtype in FIT_LIMIT for t in targets(comparison, dtype)], chosen)


if __name__ == "__main__":
    main()
