"""The promise: the peak of the process is what was predicted, to 30 %, on 30 random shapes."""

import json
import os
import random

import pytest

from tests.faults.checks import python

COUNT, TOGETHER = 30, 5  # shapes in all, and in one process: starting one takes longer than most fits
SEED = 2

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK),
    reason="needs Linux's /proc/self/clear_refs to reset the peak",
)


def between(draw, low, high):
    """A whole number, as likely from each octave."""
    return round(low * (high / low) ** draw.random())


def seconds(case):
    """Roughly, at 20 GFLOP/s: shapes that would take long are drawn anew."""
    rows, targets, parameters = case["rows"], case["targets"], case["parameters"]
    L, solver = parameters["n_hidden"], parameters["solver"]
    selection = parameters.get("selection")
    folds = 5 if selection == "kfold" else 1
    work = {
        "gram": rows * L**2 + (9 if selection == "loo" else 3 * folds) * L**3,
        "qr": 3 * rows * L**2 + 60 * folds * L**3,
        "lsqr": 120 * rows * L * targets * (1 + (folds > 1) * folds),
        "dual": folds * (30 * rows**3 + 10 * rows**2 * L),
    }
    return (work[solver] + 50 * rows * case["columns"]) / 2e10


def random_case(draw):
    """Sizes, precision, solver, how the ridge is chosen, and whether memory is short."""
    solver = draw.choice(["gram", "qr", "lsqr", "dual"])
    selection = draw.choice([None, "kfold"] if solver == "lsqr" else [None, "kfold", "loo"])
    alpha = 10 ** draw.uniform(2, 4) if solver == "lsqr" else 1.0
    ridge = {"alpha": alpha} if selection is None else {"alpha": [alpha, 10 * alpha], "selection": selection}
    return {
        "rows": between(draw, 300, 2000) if solver == "dual" else between(draw, 2000, 200_000),
        "columns": between(draw, 2, 200),
        "targets": draw.randint(1, 10),
        "tight": draw.random() < 0.4,
        "parameters": {
            "n_hidden": between(draw, 50, 1500),
            "dtype": draw.choice(["float32", "float64"]),
            "solver": solver,
            **ridge,
        },
    }


def random_cases(seed, count, most_seconds=1.5):
    """As many shapes as asked for, none of them long."""
    draw, cases = random.Random(seed), []
    while len(cases) < count:
        case = random_case(draw)
        if seconds(case) < most_seconds:
            cases.append(case)
    return cases


def name(case):
    """What the case is, in short."""
    parameters = case["parameters"]
    words = [parameters["solver"], parameters.get("selection", "one"), parameters["dtype"]]
    sizes = [case["rows"], case["columns"], parameters["n_hidden"], case["targets"]]
    return " ".join([*words, "×".join(map(str, sizes)), *(["tight"] if case["tight"] else [])])


# Half of the shapes in every run, all of them with the slow tests.
@pytest.mark.parametrize(
    "first",
    [pytest.param(n, marks=[pytest.mark.slow] * (n >= COUNT // 2)) for n in range(0, COUNT, TOGETHER)],
)
def test_the_process_peaks_where_it_was_predicted(first):
    """What was resident before and the plan's peak, over the most that was resident during the fit."""
    cases = random_cases(SEED, COUNT)[first : first + TOGETHER]
    done = python("-m", "tests.faults.one_promise", json.dumps(cases))
    assert done.returncode == 0, done.stderr
    for case, found in zip(cases, json.loads(done.stdout), strict=True):
        ratio = found["predicted"] / found["measured"]
        assert 1.0 <= ratio <= 1.3, f"{name(case)}: {ratio:.3f}, {found}"
        assert found["budget"] is None or found["predicted"] <= found["budget"], f"{name(case)}: {found}"
