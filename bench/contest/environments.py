"""The virtual environments of the peers: ``bench/setup_peers.sh`` makes them from their lock files."""

import subprocess
from collections.abc import Iterable

from bench.contest.methods import Method
from bench.harness import CHECKOUT

VENVS = CHECKOUT / ".venv-peers"
LOCKS = CHECKOUT / "bench" / "peers" / "locks"


def python_of(peer: str) -> str:
    """The interpreter of a peer's environment, whether it is there or not."""
    return str(VENVS / peer / "bin" / "python")


def set_up(peers: Iterable[str]) -> None:
    """Make what is not there yet; the script says which does not install."""
    if names := list(peers):
        subprocess.run(["sh", str(CHECKOUT / "bench" / "setup_peers.sh"), *names], check=True)


def missing(peer: str) -> str:
    """Why a peer can't be run; empty where it can."""
    if (VENVS / peer / ".stamp").exists():
        return ""
    log = VENVS / f"{peer}.log"
    said = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return f"does not install here: {said[-1]}" if said else "has no environment yet: make bench-peers"


def said_missing(methods: Iterable[Method]) -> dict[str, str]:
    """Which peers can't be run, and why; also printed."""
    wanted = {method.environment for method in methods if method.environment}
    absent = {name: why for name in sorted(wanted) if (why := missing(name))}
    for name, why in absent.items():
        print(f"skipped: {name} {why}")
    return absent
