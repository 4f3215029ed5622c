"""One fit of drawn rows on one engine; the engine is started before the clock is."""

import atexit
import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from bench.cluster.rows import drawn
from bench.harness import CHECKOUT
from bench.measure import PeakMeter, Trial

SMALL = 3_000  # rows of the fit that warms the workers up


def threads(workers: int) -> Any:
    """The engine that everything is compared with."""
    from samara.engines import Threads

    return Threads(workers=workers)


def local_cluster(workers: int) -> Any:
    """So many worker processes of one thread each."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
        silence_logs=50,
    )


def dask(workers: int) -> Any:
    """A client of so many worker processes of one thread each."""
    from distributed import Client

    cluster = local_cluster(workers)
    client = Client(cluster)
    atexit.register(cluster.close)
    atexit.register(client.close)
    return client


def spark(workers: int) -> Any:
    """A session of so many worker threads, each with a Python process of its own."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(CHECKOUT), str(CHECKOUT / "src")])
    session = (
        SparkSession.builder.master(f"local[{workers}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "4g")
        .getOrCreate()
    )
    atexit.register(session.stop)
    return session


ENGINES: dict[str, Callable[[int], Any]] = {"threads": threads, "dask": dask, "spark": spark}


def processor_seconds(crew: Any) -> float:
    """What this process has used of the processors, and the workers of a Dask cluster."""
    there = sum(crew.run(time.process_time).values()) if hasattr(crew, "nthreads") else 0.0
    return float(time.process_time() + there)


def fit(engine: str, workers: int, n_rows: int, model: dict[str, Any]) -> Trial:
    """A regression; it tells the processor time too, which other work on the machine changes less."""
    from samara import ELMRegressor

    crew, rows = ENGINES[engine](workers), drawn(n_rows)
    made = {"random_state": 0, **model, "engine": crew}

    def run() -> tuple[Any, float]:
        before = processor_seconds(crew)
        fitted = ELMRegressor(**made).fit(rows)
        return fitted, processor_seconds(crew) - before

    def describe(found: tuple[Any, float]) -> dict[str, Any]:
        fitted, seconds = found
        told = {"cpu_seconds": round(seconds, 3), "alpha": float(fitted.alpha_)}
        return {**told, "_coef": fitted.coef_[:20].ravel().tolist()}

    # As many nodes as the fit has, so that every routine and every buffer is there; of few rows.
    return Trial(run=run, describe=describe, warm_up=lambda: ELMRegressor(**made).fit(drawn(SMALL)))


def moved(workers: int, n_rows: int, model: dict[str, Any]) -> Trial:
    """The bytes of a fit by Dask: predicted, counted by the workers, and counted by the loopback device."""
    from samara import ELMRegressor

    client, rows = dask(workers), drawn(n_rows)
    made = {"random_state": 0, **model, "engine": client}

    def run() -> dict[str, Any]:
        client.run(_reset_high_water)
        held, wire, before = max(client.run(_kilobytes, "VmRSS").values()), loopback(), handed_out(client)
        plan = ELMRegressor(**made).fit(rows).plan_.traffic
        found = {"wire": loopback() - wire, "handed_out": handed_out(client) - before}
        peak = max(client.run(_kilobytes, "VmHWM").values()) - held
        # Dask does not see how large what is shared is: it is counted as predicted.
        shared = plan.between() - sum(_summaries(one, plan.cluster.processes) for one in plan.passes)
        predicted = plan.between() + plan.home() - shared
        wired = 2 * plan.sent() + plan.between() + 2 * plan.home()  # through the scheduler it is two ways
        return {
            **found,
            "predicted": predicted,
            "predicted_wire": wired,
            "worker_peak": 1024 * peak,
            "predicted_worker": plan.worker_bytes,
        }

    return Trial(
        run=run, describe=lambda found: found, warm_up=lambda: ELMRegressor(**made).fit(drawn(SMALL))
    )


def _summaries(one: Any, workers: int) -> int:
    return int(one.between - (workers - 1) * one.shared)


def handed_out(client: Any) -> int:
    """Bytes that workers have given each other and the scheduler."""
    return int(sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values()))


def loopback() -> int:
    """Bytes that have come in over the loopback device, whoever sent them."""
    with open("/proc/net/dev") as devices:
        return int(next(line for line in devices if line.strip().startswith("lo:")).split(":")[1].split()[0])


def _kilobytes(field: str) -> float:
    return PeakMeter._kilobytes(field)


def _reset_high_water() -> bool:
    gc.collect()
    return PeakMeter._reset_high_water()
