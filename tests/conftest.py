"""Profiles of the property tests: the same few examples on every run, or many new ones.

``SAMARA_EXAMPLES=300 pytest tests/laws`` looks for counterexamples with fresh random examples.
"""

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import scipy.linalg  # noqa: F401 - it loads the BLAS that is limited below
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from samara.engines import DaskEngine, SparkEngine, Threads

threadpool_limits(1)  # small products in many threads wait for each other: the tests took three times as long

SLOW = [HealthCheck.too_slow]
settings.register_profile(
    "same", deadline=None, derandomize=True, database=None, max_examples=6, suppress_health_check=SLOW
)
settings.register_profile(
    "new",
    deadline=None,
    database=None,
    max_examples=int(os.environ.get("SAMARA_EXAMPLES", "100")),
    suppress_health_check=SLOW,
)
settings.load_profile("new" if "SAMARA_EXAMPLES" in os.environ else "same")


@pytest.fixture
def every_pass_is_worth_threads(monkeypatch):
    """Else a table of a few hundred rows is read in one run, whoever is asked to, and nothing is merged."""
    monkeypatch.setattr("samara.linalg.workers._WORTH_THREADS", 0.0)


@pytest.fixture(scope="session")
def cluster():
    """A client of two worker processes of one thread each, on this machine."""
    distributed = pytest.importorskip("distributed")
    options = {
        "threads_per_worker": 1,
        "processes": True,
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
    }
    with (
        distributed.LocalCluster(n_workers=2, silence_logs=50, **options) as made,
        distributed.Client(made) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def spark_builder():
    """What starts a Spark session of two Python workers on this machine, each task tried four times."""
    sql = pytest.importorskip("pyspark.sql")
    options = {
        "spark.master": "local[2,4]",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "OFF",  # tests kill workers, which Spark would tell of in pages
        "spark.sql.session.timeZone": "America/Lima",  # no moment may depend on it
        "spark.sql.shuffle.partitions": "3",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = sql.SparkSession.builder
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder


@pytest.fixture(scope="session")
def spark_process(spark_builder):
    """The Java process, stopped at the end: starting it takes seconds, another session in it none."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        warnings.simplefilter("ignore")  # pandas is newer than Spark knows
        spark_builder.getOrCreate()
        yield spark_builder
        spark_builder.getOrCreate().stop()


@pytest.fixture
def spark(spark_process):
    """A Spark session; a new one where a test has stopped the last."""
    return spark_process.getOrCreate()


@dataclass(frozen=True)
class Crewed:
    """An engine under test: as an estimator is given it, cut into so many parts, and named elsewhere."""

    given: Any
    engine: Callable[..., Any]
    address: str = ""


@pytest.fixture(params=["threads", "dask", "spark"])
def crew(request):
    """Each engine in turn, of two workers."""
    if request.param == "threads":
        return Crewed(Threads(2), Threads)
    if request.param == "dask":
        client = request.getfixturevalue("cluster")
        return Crewed(
            client,
            lambda parts, *rest: DaskEngine(client, 1, *rest, processes=parts),
            client.scheduler.address,
        )
    session = request.getfixturevalue("spark")
    return Crewed(session, lambda parts, *rest: SparkEngine(session, *rest, processes=parts), "spark")


# On Spark, where a fit takes seconds, `make test` runs these laws of all engines, `make test-slow` the rest.
ON_SPARK_TOO = {
    "test_every_engine_gives_the_same_coefficients",
    "test_a_rerun_gives_the_same_bits",
    "test_a_weight_of_two_is_a_row_twice_and_of_zero_none",
    "test_classes",
    "test_an_empty_part_and_a_slow_worker",
    "test_a_scan_is_opened_on_the_workers",
}


def on_clusters(item):
    """Whether a test needs a cluster."""
    crew = item.callspec.params.get("crew") if hasattr(item, "callspec") else None
    fixtures = {"cluster", "spark", "spark_builder", "spark_process", "crew"}
    return crew != "threads" and not fixtures.isdisjoint(getattr(item, "fixturenames", ()))


def pytest_collection_modifyitems(items):
    """Tests with clusters come first, and so mostly in one process: starting a cluster takes long."""
    for item in items:
        given = getattr(item, "callspec", None)
        if given and given.params.get("crew") == "spark" and item.originalname not in ON_SPARK_TOO:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: not on_clusters(item))
