"""Fit one kernel model in this process: its peak above the input beside the plan's."""

import numpy as np

from bench.measure import PeakMeter
from samara import KernelELMClassifier, KernelELMRegressor
from samara.kernel_settings import Nystroem
from samara.solvers.kernel import Divide, Pcg

OBJECTS = {
    "divide 8": Divide(8),
    "kmeans": Nystroem("kmeans"),
    "pivoted": Nystroem("pivoted"),
    "loose": Pcg(1e-2),
}


def measure(case):
    """Fit and report."""
    rng, rows = np.random.default_rng(0), case["rows"]
    X = rng.standard_normal((rows, case.get("columns", 8)))
    classes = case.get("classes", 0)
    y = rng.integers(0, classes, rows) if classes else np.sin(X[:, 0]) + rng.standard_normal(rows)
    given = {**case["parameters"]}
    given["solver"] = OBJECTS.get(given["solver"], given["solver"])
    estimator = (KernelELMClassifier if classes else KernelELMRegressor)(random_state=0, **given)
    type(estimator)(alpha=1.0).fit(X[:50], y[:50])  # first calls load libraries
    with PeakMeter() as meter:
        estimator.fit(X, y)
    plan = estimator.plan_
    found = {"exact": meter.exact, "measured": 1e6 * meter.megabytes, "planned": plan.peak_bytes}
    return found | {"budget": plan.memory, "plan": str(plan)}
