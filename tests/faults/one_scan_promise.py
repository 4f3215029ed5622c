"""Fit a table from its file and print, as JSON, the peak of the process beside what was predicted."""

import json
import sys

import numpy as np

import samara
from samara.engines import Threads
from samara.resident import peak_resident_bytes, reset_peak


def measured(case, path):
    """One fit of a scan, and what it took."""
    model = samara.ELMRegressor(random_state=0, engine=Threads(case["workers"]), **case["parameters"])
    reset_peak()
    model.fit(samara.scan(path, target="y"))
    return {"measured": peak_resident_bytes(), "predicted": model.plan_.peak_bytes}


if __name__ == "__main__":
    small = samara.ELMRegressor(5, random_state=0)  # what is imported late belongs to no fit
    small.fit(np.random.default_rng(0).random((50, 2)), np.arange(50.0))
    sys.stdout.write(json.dumps(measured(json.loads(sys.argv[1]), sys.argv[2])))
