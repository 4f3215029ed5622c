"""A stream's memory stays flat, however long it gets."""

import os

import pytest

from tests.faults.apart import measured

OPTIONS = [
    {},
    {"alpha": 1.0, "dtype": "float32"},
    {"update": "qr", "alpha": 1.0},
    {"update": "woodbury", "alpha": 1.0},
    {"forget": 0.999},
    {"window": 5000},
]


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux's /proc")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_memory_stays_flat(options):
    """Within 10 MB from row 10⁴ to row 2·10⁵, in a process of its own."""
    found = measured("long_stream", options)
    assert found["most"] - found["early"] < 10, found
