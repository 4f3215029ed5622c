"""A frame with a column of every kind, its targets beside it, and the same rows as files."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import samara

TARGETS = ["price", "cost", "kind", "stars", "paid", "weight"]


def sales(n: int = 300, seed: int = 0, missing: float = 0.15) -> pd.DataFrame:
    """Numbers, texts of few and many categories, truth values and days, with gaps; targets and weights."""
    rng = np.random.default_rng(seed)
    age, city, shop = rng.normal(40, 12, n), rng.integers(0, 4, n), rng.integers(0, 25, n)
    height, member = rng.normal(170, 9, n), rng.random(n) < 0.5
    day = np.datetime64("2023-11-05", "s") + rng.integers(0, 10**7, n)
    score = (
        age / 12 + city + np.sin(shop) + member + (height - 170) / 9 * (city == 2) + rng.normal(size=n) / 3
    )
    frame = pd.DataFrame(
        {
            "age": age,
            "city": np.array(["Paris", "Oslo", "東京", ""], object)[city],
            "member": member,
            "shop": np.array([f"shop {k}" for k in range(25)], object)[shop],
            "day": day,
            "height": height,
        }
    )
    for name in ("age", "city", "shop", "day"):
        frame[name] = frame[name].mask(rng.random(n) < missing)
    frame["price"], frame["cost"] = 100 + 20 * score, np.cos(score)
    frame["kind"] = np.array(["dear", "cheap", "fair"], object)[np.digitize(score, [4.5, 6.0])]
    frame["stars"] = np.digitize(score, [3.5, 5.0, 6.5]) * 2 - 3
    frame["paid"] = score > 5
    frame["weight"] = rng.integers(0, 4, n) / 2
    return frame


def inputs(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns that a model learns from."""
    return frame.drop(columns=TARGETS)


def in_files(frame: pd.DataFrame, folder: Any, edges: Any = (), group: int = 1000) -> Any:
    """The rows as Parquet files, cut at the edges, in row groups of so many rows."""
    folder.mkdir(exist_ok=True, parents=True)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    cuts = [0, *sorted(edges), len(frame)]
    for number, (a, b) in enumerate(pairwise(cuts)):
        pq.write_table(table.slice(a, b - a), folder / f"{number:04d}.parquet", row_group_size=group)
    return folder


def scan(folder: Any, target: Any, **options: Any) -> Any:
    """A scan of such files that leaves the other targets out."""
    taken = [target] if isinstance(target, str) else list(target)
    names = ["age", "city", "member", "shop", "day", "height"]
    return samara.scan(folder, target=taken, columns=names, **options)
