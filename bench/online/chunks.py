"""Schindler's Experiments 3 and 6 on DS3: chunk sizes against time and memory, and where the time goes."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

from bench.measure import Trial
from bench.online.literal import LiteralOSRELM, sigmoid
from bench.schindler import load

PAIRS = ((5000, 500), (5000, 4000), (3000, 500), (3000, 4000), (2000, 500), (2000, 4000))
CANDIDATES = [float(alpha) for alpha in np.arange(0.01, 0.5, 0.07)]  # his listing 3.1
FIXED = [0.01]
N_HIDDEN = 1000
WAYS = ("thesis", "woodbury", "information")

Spent = defaultdict[str, float]


@contextmanager
def clocked(spent: Spent, name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    spent[name] += time.perf_counter() - start


def edges(n_rows: int, pair: tuple[int, int]) -> list[tuple[int, int]]:
    """First and last row of each chunk."""
    first, others = pair
    return list(pairwise([0, *range(first, n_rows, others), n_rows]))


def thesis(X: np.ndarray, y: np.ndarray, pair: tuple[int, int], alphas: list[float], spent: Spent) -> None:
    """Algorithm 2 with β in one go at the end, as his program does it."""
    rng = np.random.default_rng(0)
    weights, bias = rng.standard_normal((X.shape[1], N_HIDDEN)), rng.standard_normal(N_HIDDEN)
    H = np.empty((len(X), N_HIDDEN))
    (lo, hi), *rest = edges(len(X), pair)
    with clocked(spent, "mapping"):
        H[lo:hi] = sigmoid(X[lo:hi], weights, bias)
    with clocked(spent, "first chunk"):
        model = LiteralOSRELM(H[lo:hi], y[lo:hi, None], alphas)
    for lo, hi in rest:
        with clocked(spent, "mapping"):
            H[lo:hi] = sigmoid(X[lo:hi], weights, bias)
        with clocked(spent, "rest of chunks"):
            model.learn(H[lo:hi])
    with clocked(spent, "solve"):
        model.coef(H, y[:, None])


def samara(
    X: np.ndarray, y: np.ndarray, pair: tuple[int, int], alphas: list[float], spent: Spent, update: str
) -> None:
    """The same chunks through partial_fit; unscaled, as his."""
    from samara import ELMRegressor

    alpha: Any = alphas if len(alphas) > 1 else alphas[0]
    model = ELMRegressor(N_HIDDEN, alpha=alpha, update=update, scale=None, random_state=0)
    for number, (lo, hi) in enumerate(edges(len(X), pair)):
        with clocked(spent, "rest of chunks" if number else "first chunk"):
            model.partial_fit(X[lo:hi], y[lo:hi])
    with clocked(spent, "solve"):
        assert model.coef_ is not None


def taken_apart(spent: Spent) -> None:
    """Have samara's mapping and products clocked, in one thread; they are part of the chunks' time."""
    from samara.summaries import moments
    from samara.summaries.layout import Layout

    def wrap(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            with clocked(spent, name):
                return function(*args)

        return timed

    Layout.fill = wrap(Layout.fill, "mapping")  # type: ignore[method-assign]
    moments.add_gram = wrap(moments.add_gram, "products")


def run_of(way: str, pair: list[int], select: bool, n_rows: int | None, shares: bool = False) -> Trial:
    """One pair of chunk sizes, one way to learn."""
    X, y = (part[:n_rows] for part in load("DS3", "train"))
    spent: Spent = defaultdict(float)
    if shares and way != "thesis":
        taken_apart(spent)
    learn = thesis if way == "thesis" else samara
    more = {} if way == "thesis" else {"update": way}
    alphas = CANDIDATES if select else FIXED

    def run() -> dict[str, float]:
        spent.clear()
        learn(X, y, (pair[0], pair[1]), alphas, spent, **more)
        return dict(spent)

    def warm_up() -> None:
        if way != "thesis":
            from samara import ELMRegressor

            ELMRegressor(10, alpha=1.0, **more).partial_fit(X[:64], y[:64]).predict(X[:1])

    return Trial(run=run, describe=lambda found: found if shares else {}, warm_up=warm_up)


def report_sizes(cells: dict[str, dict[str, Any]]) -> str:
    """Experiment 3."""
    lines = [
        "",
        "Experiment 3 (DS3, 1000 nodes, ridge 0.01)",
        f"  {'first, others':<16}{'way':<14}{'s':>8}{'peak MB':>10}",
    ]
    for name, cell in cells.items():
        pair, way = name.rsplit(" ", 1)
        text = cell.get("error") or f"{cell['seconds']:>8.2f}{cell['peak_mb']:>10.0f}"
        lines.append(f"  {pair:<16}{way:<14}{text}")
    return "\n".join(lines)


def report_shares(cells: dict[str, dict[str, Any]]) -> str:
    """Experiment 6: seconds of each sub-routine; samara's mapping and products lie within its chunks."""
    columns = ("mapping", "products", "first chunk", "rest of chunks", "solve")
    lines = ["", "Experiment 6 (DS3, chunks 2000 and 500, one core): seconds in each sub-routine"]
    lines.append(f"  {'':<30}" + "".join(f"{name:>16}" for name in columns))
    for name, cell in cells.items():
        found = cell.get("results", {})
        cut = "".join(f"{found[column]:>16.3f}" if column in found else f"{'-':>16}" for column in columns)
        lines.append(f"  {name:<30}" + (cell.get("error") or cut))
    return "\n".join(lines)
