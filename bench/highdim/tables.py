"""Tables of numbers for the parts on components and gaps, from the folder of data sets or made up."""

from pathlib import Path

import numpy as np

from bench.papers.running import table_of, there


def numbers(name: str, folder: Path | None) -> np.ndarray | None:
    """The inputs of a set, or None where it is not there."""
    if not there(name, folder):
        return None
    rows = table_of(name, folder)
    rows = rows.drop(columns=[one for one in rows if str(one).startswith("target") or one == "split"])
    return np.ascontiguousarray(rows.select_dtypes("number").to_numpy())


def made_up(n: int, d: int, rank: int) -> np.ndarray:
    """Rows of a few directions and noise, for a quick run without the folder."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d)) + 0.3 * rng.standard_normal((n, d))
