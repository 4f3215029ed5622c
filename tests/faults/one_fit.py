"""Fit once in this process: the peak of memory above the input beside what was planned."""

import numpy as np

from bench.measure import PeakMeter
from samara import ELMClassifier, ELMRegressor


def make_rows(rows, columns, classes, kind):
    """A table of the kind asked for, its targets, and its weights where some are zero."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns), dtype=np.float32 if kind == "float32" else float)
    y = rng.integers(0, classes, rows) if classes else X[:, 0] + rng.standard_normal(rows)
    if kind == "sparse":
        import scipy.sparse as sp

        X = sp.random(rows, columns, density=0.05, format="csr", random_state=0)
    if kind == "int8":
        X = (10 * X).astype(np.int8)
    if kind == "fortran":
        X = np.asfortranarray(X)
    weight = rng.integers(0, 3, rows).astype(float) if kind == "weighted" else None
    return X, y, weight


def measure(case):
    """Fit and report."""
    X, y, weight = make_rows(case["rows"], case["columns"], case.get("classes", 0), case.get("kind", ""))
    estimator = (ELMClassifier if case.get("classes") else ELMRegressor)(random_state=0, **case["parameters"])
    with PeakMeter() as meter:
        estimator.fit(X, y, weight)
    plan = estimator.plan_
    return {
        "exact": meter.exact,
        "measured": 1e6 * meter.megabytes,
        "planned": plan.peak_bytes,
        "budget": plan.memory,
        "plan": str(plan).splitlines()[0],
    }
