"""Connections to Dask clusters: made, checked, and in words what goes wrong with them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from samara.errors import ClusterError, InputError

NEEDED = ("samara", "numpy", "scipy", "threadpoolctl")


def is_client(given: Any) -> bool:
    """Whether this is a client of a Dask cluster; nothing is imported to find out."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(given, distributed.Client)


def connected(given: Any) -> Any:
    """The client given, or one of the scheduler at an address."""
    if not isinstance(given, str):
        return given
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise InputError("A Dask cluster needs the package distributed: pip install samara[dask].") from None
    address = given.replace("dask://", "tcp://", 1)
    try:
        client = _client(Client, address)
        if client.status == "closed":  # its scheduler went away; another may be there by now
            _client.cache_clear()
            client = _client(Client, address)
        return client
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address} ({error}): start it, or check the address."
        ) from error


@cache
def _client(kind: Callable[..., Any], address: str) -> Any:
    """One connection an address: fits and predictions that follow each other share it."""
    return kind(address, set_as_default=False)


def refuse_missing(client: Any) -> None:
    """Every worker has what the tasks import."""

    def missing(names: Sequence[str]) -> list[str]:  # nested, so it travels by value: samara may be missing
        from importlib.util import find_spec

        def found(name: str) -> bool:
            try:
                return find_spec(name) is not None
            except ValueError:  # a module that was put there without a description
                return False

        return [name for name in names if not found(name)]

    for worker, names in client.run(missing, NEEDED).items():
        if names:
            raise ClusterError(f"Worker {worker} has no package {' and no '.join(names)}: install it there.")


@contextmanager
def explained(client: Any) -> Iterator[None]:
    """What goes wrong with a cluster, in words."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.client import ClosedClientError
    from distributed.comm import CommClosedError

    gone = f"The Dask scheduler at {address_of(client)} is gone"
    try:
        yield
    except KilledWorker as error:
        raise ClusterError(f"Workers died again and again: {error}") from error
    except (CancelledError, CommClosedError, ClosedClientError) as error:
        raise ClusterError(f"{gone}: start it and fit again. A checkpoint keeps finished passes.") from error
    except ModuleNotFoundError as error:
        raise ClusterError(f"A worker has no package {error.name}: install it on all of them.") from error
    except RuntimeError as error:
        if client.status in ("running", "newly-created"):
            raise
        raise ClusterError(f"{gone} ({error}).") from error


def address_of(client: Any) -> str:
    """Where the scheduler is, or was."""
    scheduler = getattr(client, "scheduler", None)
    return str(getattr(scheduler, "address", None) or getattr(client, "_start_arg", None) or "an address")
