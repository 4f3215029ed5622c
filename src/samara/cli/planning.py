"""``samara plan``, ``samara tradeoff`` and ``samara demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from samara.cli.output import Output


def run_demo(folder: str, output: Output) -> dict[str, Any]:
    """Fit the embedded data and tell how it went."""
    from samara.demo import run

    told: dict[str, str] = {}

    def tell(name: str, text: str) -> None:
        told[name] = text
        output.text(f"{name:<12} {text}")

    run(Path(folder), tell)
    return dict(told)
