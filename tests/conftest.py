"""Profiles of the property tests: the same few examples on every run, or many new ones.

``SAMARA_EXAMPLES=300 pytest tests/laws`` looks for counterexamples with fresh random examples.
"""

import os

import pytest
import scipy.linalg  # noqa: F401 - it loads the BLAS that is limited below
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

threadpool_limits(1)  # small products in many threads wait for each other: the tests took three times as long

SLOW = [HealthCheck.too_slow]
settings.register_profile(
    "same", deadline=None, derandomize=True, database=None, max_examples=15, suppress_health_check=SLOW
)
settings.register_profile(
    "new",
    deadline=None,
    database=None,
    max_examples=int(os.environ.get("SAMARA_EXAMPLES", "100")),
    suppress_health_check=SLOW,
)
settings.load_profile("new" if "SAMARA_EXAMPLES" in os.environ else "same")


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
