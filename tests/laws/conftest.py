"""The laws hold whoever merges: here even a few rows are worth threads."""

import pytest


@pytest.fixture(autouse=True)
def several_workers(every_pass_is_worth_threads):
    """For every law."""
