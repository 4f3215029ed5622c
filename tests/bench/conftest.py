import pytest

from bench.harness import waiting


@pytest.fixture
def forks():
    with waiting(1) as made:
        yield made
