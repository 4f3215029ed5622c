"""Connections to Dask clusters: made, checked, and in words what goes wrong with them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
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


def refuse_unfit(client: Any) -> None:
    """Every worker has what the tasks import, in versions that go with those here."""

    def looked(names: Sequence[str]) -> tuple[list[str], str | None]:  # nested: it travels by value
        from importlib.metadata import PackageNotFoundError, version
        from importlib.util import find_spec

        def found(name: str) -> bool:
            try:
                return find_spec(name) is not None
            except ValueError:  # a module that was put there without a description
                return False

        try:
            return [name for name in names if not found(name)], version("samara")
        except PackageNotFoundError:
            return [name for name in names if not found(name)], None

    told = client.get_versions()  # first, for another Python may not run what is sent to it
    for worker, there in told["workers"].items():
        _refuse_other(worker, _known(there), _known(told["client"]))
    here = version("samara")
    for worker, (missing, samara) in client.run(looked, NEEDED).items():
        if missing:
            raise ClusterError(
                f"Worker {worker} has no package {' and no '.join(missing)}: install it there."
            )
        _refuse_other(worker, {"Samara": samara}, {"Samara": here})


def _known(told: dict[str, Any]) -> dict[str, str | None]:
    """What pickles depend on: Python's second number and NumPy's first."""
    python, numpy = told["host"]["python"], told["packages"].get("numpy")
    return {"Python": ".".join(python.split(".")[:2]), "NumPy": numpy and numpy.partition(".")[0]}


def _refuse_other(worker: str, there: dict[str, str | None], here: dict[str, str | None]) -> None:
    for name, wanted in here.items():
        if there[name] is not None and there[name] != wanted:
            raise ClusterError(
                f"Worker {worker} has {name} {there[name]}, and here it is {name} {wanted}: "
                "install the same on both."
            )


def room_of(client: Any) -> tuple[int | None, int]:
    """What the worker process with the least room may hold, None without a limit; and what one holds now."""

    def asked(dask_worker: Any) -> tuple[int | None, int]:
        from importlib import import_module

        from samara.resident import resident_bytes

        import_module("samara.sources.scan")  # 90 MB that the first task of a new worker would load
        return dask_worker.memory_manager.memory_limit, resident_bytes() or 0

    limits, held = zip(*client.run(asked).values(), strict=True)
    return min((limit for limit in limits if limit), default=None), max(held)


def dashboard_of(client: Any) -> str | None:
    """The page on which a cluster shows its work; None where it has none."""
    try:
        return str(client.dashboard_link)
    except KeyError:  # a scheduler without a dashboard
        return None


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
