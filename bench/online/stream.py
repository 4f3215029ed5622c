"""A long stream in batches: rows per second and resident memory of one contender, in a process of its own."""

import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.measure import Trial, nothing

N_FEATURES = 40
ALPHA = 1.0
MEGABYTE = 1e6
POOL = 16  # batches made beforehand and used in turn: making them is not measured, and memory stays flat

Batch = tuple[np.ndarray, np.ndarray]


def batches(n_rows: int, batch_rows: int) -> Iterator[Batch]:
    """Standardised inputs and a smooth target of five of them, with noise; the same ones again and again."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(min(POOL, n_rows // batch_rows)):
        X = rng.standard_normal((batch_rows, N_FEATURES))
        made.append((X, np.sin(X[:, :5]).sum(axis=1) + rng.standard_normal(batch_rows)))
    for number in range(n_rows // batch_rows):
        yield made[number % len(made)]


def resident_mb() -> float:
    """What this process holds now."""
    gc.collect()
    with open("/proc/self/status") as status:
        return float(next(line for line in status if line.startswith("VmRSS")).split()[1]) * 1024 / MEGABYTE


def trial(
    learn: Callable[[np.ndarray, np.ndarray], Any],
    n_rows: int,
    batch_rows: int,
    finish: Callable[[], Any] = nothing,
) -> Trial:
    """Learn all batches, and finish; memory is read after the first hundredth of the rows and at the end."""
    source = batches(n_rows, batch_rows)
    first = next(source)
    early = max(batch_rows, n_rows // 100)

    def run() -> dict[str, float]:
        seen, held = batch_rows, 0.0
        start = time.perf_counter()
        for X, y in source:
            learn(X, y)
            seen += batch_rows
            if not held and seen >= early:
                held = resident_mb()
        finish()
        rate = (seen - batch_rows) / (time.perf_counter() - start)
        return {"rows_per_second": rate, "growth_mb": resident_mb() - held, "rows": seen}

    return Trial(run=run, describe=lambda found: found, warm_up=lambda: learn(*first))


def samara(n_rows: int, batch_rows: int, n_hidden: int, solve: bool, update: str = "information") -> Trial:
    """partial_fit; with ``solve`` the model is asked for after every batch, else once at the end."""
    from samara import ELMRegressor

    model = ELMRegressor(n_hidden=n_hidden, alpha=ALPHA, update=update, random_state=0)

    def learn(X: np.ndarray, y: np.ndarray) -> None:
        model.partial_fit(X, y)
        if solve:
            assert model.coef_ is not None

    return trial(learn, n_rows, batch_rows, finish=lambda: model.coef_)


def pyoselm(n_rows: int, batch_rows: int, n_hidden: int, use_woodbury: bool) -> Trial:
    """The peer, as it is published; it needs a first batch of at least as many rows as nodes."""
    from pyoselm import OSELMRegressor

    model = OSELMRegressor(n_hidden=n_hidden, use_woodbury=use_woodbury, random_state=0)
    return trial(lambda X, y: model.partial_fit(X, y[:, None]), n_rows, batch_rows)


def literal(n_rows: int, batch_rows: int, n_hidden: int) -> Trial:
    """OS-ELM's own formulas in NumPy, with threaded BLAS."""
    from bench.online.literal import LiteralOSELM, sigmoid

    rng = np.random.default_rng(0)
    weights, bias = (
        rng.standard_normal((N_FEATURES, n_hidden)) / np.sqrt(N_FEATURES),
        rng.standard_normal(n_hidden),
    )
    kept: list[LiteralOSELM] = []

    def learn(X: np.ndarray, y: np.ndarray) -> None:
        H = sigmoid(X, weights, bias)
        if kept:
            kept[0].learn(H, y[:, None])
        else:
            kept.append(LiteralOSELM(H, y[:, None], ALPHA))

    return trial(learn, n_rows, batch_rows)


def sides(quick: bool) -> dict[str, tuple[str, dict[str, Any]]]:
    """Function and settings of each contender. The slow ones get fewer rows: a rate needs no million."""
    size = {"batch_rows": 1000, "n_hidden": 500}
    many, few = (20_000, 6_000) if quick else (1_000_000, 100_000)
    at_end = {**size, "n_rows": many, "solve": False}
    return {
        "samara, one solve": ("samara", at_end),
        "samara, a solve per batch": ("samara", {**at_end, "solve": True}),
        "samara, woodbury": ("samara", {**at_end, "n_rows": few, "update": "woodbury"}),
        "samara, qr": ("samara", {**at_end, "n_rows": few, "update": "qr"}),
        "pyoselm": ("pyoselm", {**size, "n_rows": few, "use_woodbury": False}),
        "pyoselm, use_woodbury": ("pyoselm", {**size, "n_rows": few, "use_woodbury": True}),
        "literal OS-ELM": ("literal", {**size, "n_rows": few}),
    }


def report(cells: dict[str, dict[str, Any]]) -> str:
    """One line a contender."""
    lines = ["", f"stream: {'rows/s':>37}  {'memory growth, MB':>18}"]
    for name, cell in cells.items():
        text = cell.get("error") or f"{cell['rows_per_second']:>12,.0f}  {cell['growth_mb']:>18.1f}"
        lines.append(f"  {name:<30}{text}")
    return "\n".join(lines)
