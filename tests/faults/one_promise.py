"""Fit in this process and print, as JSON, the peak of the whole process beside what was predicted."""

import json
import sys

import numpy as np

from samara import ELMRegressor
from samara.engines import Threads
from samara.estimators.settings import make_settings
from samara.resident import peak_resident_bytes, reset_peak, resident_bytes
from samara.sources import ArraySource


def planned(model, X, Y):
    """The peak that a plan predicts before a row is read."""
    settings = make_settings(model, None)
    return settings.plan(ArraySource(X, Y), settings.first_sizes()).peak_bytes


def measured(case):
    """One fit, and what it took."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((case["rows"], case["columns"]), dtype=case["parameters"]["dtype"])
    Y = rng.standard_normal((case["rows"], case["targets"]))
    model = ELMRegressor(random_state=0, **case["parameters"])
    if case["tight"]:  # a quarter less than it would take, or what one thread and small blocks need
        roomy = planned(model, X, Y)
        least = planned(ELMRegressor(engine=Threads(1, 128), **case["parameters"]), X, Y)
        model.set_params(memory=max(int(0.75 * roomy), int(1.01 * least)))
    reset_peak()
    before = resident_bytes()
    model.fit(X, Y)
    plan = model.plan_
    return {
        "before": before,
        "measured": peak_resident_bytes(),
        "predicted": before + plan.peak_bytes,
        "budget": None if plan.memory is None else before + plan.memory,
        "plan": str(plan).splitlines()[0],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps([measured(case) for case in json.loads(sys.argv[1])]))
