"""What is timed in Schindler's experiments: trials for bench.measure, and what tracemalloc sees of a fit."""

import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bench.measure import MEGABYTE, Trial
from bench.papers.schindler_literal import LiteralOSRELM, LiteralPRELM, LiteralRSVDELM, Watch, edges
from bench.papers.schindler_models import ALPHA, model_of
from bench.papers.schindler_printed import RIDGES
from bench.papers.schindler_sets import split, trial

LETTER = "to the letter"
TINY = 10  # nodes of a warm-up


def clock(spent: dict[str, float]) -> Watch:
    """Adds up the seconds of each part."""

    @contextmanager
    def watch(part: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        spent[part] = spent.get(part, 0.0) + time.perf_counter() - start

    return watch


def scales(peaks: dict[str, float]) -> Watch:
    """Keeps the most memory that each part held beyond what was there before it, in MB."""

    @contextmanager
    def watch(part: str) -> Iterator[None]:
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        yield
        peaks[part] = (tracemalloc.get_traced_memory()[1] - held) / MEGABYTE

    return watch


def traced(work: Callable[[], Any]) -> float:
    """The most memory a call held, in MB, by tracemalloc as in the thesis."""
    tracemalloc.start()
    try:
        work()
        return float(tracemalloc.get_traced_memory()[1] / MEGABYTE)
    finally:
        tracemalloc.stop()


def chunks(way: str, pair: list[int], select: bool, n_hidden: int, rows: int | None) -> Trial:
    """Experiments 3 and 6: one pair of chunk sizes, to the letter or by an update of samara's."""
    from samara import ELMRegressor

    X, _, y, _ = split("DS3", rows=rows)
    alphas = list(RIDGES) if select else list(RIDGES[:1])
    sizes, spent = (pair[0], pair[1]), dict[str, float]()
    watch = clock(spent)
    if way == LETTER:
        model = LiteralOSRELM(n_hidden, alphas, sizes)
        return Trial(run=lambda: model.fit(X, y, watch), describe=lambda _: dict(spent))
    fixed: dict[str, Any] = {"alpha": alphas if select else alphas[0], "update": way, "scale": None}

    def learn() -> None:
        online = ELMRegressor(n_hidden, random_state=0, **fixed)
        for number, (lo, hi) in enumerate(edges(len(X), sizes)):
            with watch("rest of chunks" if number else "first chunk"):
                online.partial_fit(X[lo:hi], y[lo:hi])
        with watch("beta"):
            assert online.coef_ is not None

    return Trial(
        run=learn,
        describe=lambda _: dict(spent),
        warm_up=lambda: ELMRegressor(TINY, **fixed).partial_fit(X[:64], y[:64]).predict(X[:1]),
    )


def partitions(count: int | None, n_hidden: int, rows: int | None) -> Trial:
    """Experiment 4: PR-ELM in so many partitions; None: samara's, which cuts the rows as it likes."""
    if count is None:
        return method("DS3", "PR-ELM", n_hidden, rows, {})
    model, tiny = LiteralPRELM(n_hidden, ALPHA, count), LiteralPRELM(TINY, ALPHA, 2)
    return trial("DS3", model, tiny, rows)


def ranks(way: str, rank: int, n_hidden: int, rows: int | None) -> Trial:
    """Experiment 5: RSVD-ELM of rank l."""
    if way != LETTER:
        return method("DS3", "RSVD-ELM", n_hidden, rows, {"rank": rank})
    return trial("DS3", LiteralRSVDELM(n_hidden, ALPHA, rank), LiteralRSVDELM(TINY, ALPHA, 5), rows)


def method(name: str, kind: str, n_hidden: int, rows: int | None, given: dict[str, Any]) -> Trial:
    """Experiment 7: one of the four algorithms on one set."""
    tiny = {**given, "rank": 5} if "rank" in given else given
    return trial(name, model_of(kind, n_hidden, 0, **given), model_of(kind, TINY, 0, **tiny), rows)
