"""Learn a long stream in this process: the memory at row 10⁴ and the most after it."""

from pathlib import Path

import numpy as np

from samara import ELMRegressor


def resident():
    """Megabytes of memory that are this process's own."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS")


def measure(options):
    """Batches of 1000 rows, the model asked for now and then."""
    rng, rows = np.random.default_rng(0), 200_000
    model = ELMRegressor(20, random_state=0, **options)
    seen = []
    for start in range(0, rows, 1000):
        X = rng.normal(size=(1000, 5))
        model.partial_fit(X, np.sin(X[:, 0]))
        if start % 5000 == 4000:
            model.predict(X[:10])
        seen.append(resident())
    return {"early": max(seen[:10]), "most": max(seen[10:])}
