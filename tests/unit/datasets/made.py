"""Tables of the shape of well-known data sets."""

import numpy as np
import pyarrow as pa

from samara.datasets import catalogue

ENTRIES = {entry.name: entry for entry in catalogue()}


def make_table(name, **changes):
    """Random values of the right shape, columns and classes; changes replace columns (None drops one)."""
    entry, rng = ENTRIES[name], np.random.default_rng(0)
    inputs = [*entry.categorical]
    inputs += [f"x{j}" for j in range(entry.columns - len(inputs))]
    columns = {key: rng.choice(["a", "b"], entry.rows) for key in entry.categorical}
    columns |= {key: rng.random(entry.rows) for key in inputs if key not in columns}
    for target in entry.targets:
        columns[target] = np.arange(entry.rows) % entry.classes if entry.classes else rng.random(entry.rows)
    if entry.split:
        columns["split"] = np.where(np.arange(entry.rows) % 9 == 0, "test", "train")
    columns |= changes
    return pa.table({key: values for key, values in columns.items() if values is not None})
