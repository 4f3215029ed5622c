"""The peak of a fit above its input stays below the budget, and below what the plan predicted."""

import os

import pytest

from tests.faults.apart import measured

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK),
    reason="needs Linux's /proc/self/clear_refs to reset the peak",
)


def case(name, rows, columns, memory, options=None, **parameters):
    """One fit under a budget."""
    made = {
        "rows": rows,
        "columns": columns,
        **(options or {}),
        "parameters": {"memory": memory, **parameters},
    }
    return pytest.param(made, id=name)


CASES = [
    case("one ridge", 200_000, 20, "22MB", n_hidden=200, alpha=1.0),
    case("one ridge, 800 nodes", 20_000, 20, "60MB", n_hidden=800, alpha=1.0),
    case("kfold, 800 nodes", 20_000, 20, "90MB", n_hidden=800),
    case("kfold, sizes", 50_000, 20, "40MB", n_hidden=[50, 100, 200, 400]),
    case("loo", 40_000, 20, "30MB", n_hidden=400, selection="loo"),
    case("gcv", 20_000, 20, "30MB", n_hidden=400, selection="gcv"),
    case("float32 kfold", 100_000, 20, "40MB", {"kind": "float32"}, n_hidden=300, dtype="float32"),
    case("ten classes", 100_000, 20, "30MB", {"classes": 10}, n_hidden=300),
    case("ten classes, loo", 40_000, 20, "40MB", {"classes": 10}, n_hidden=300, selection="loo"),
    case("radial, quantile", 30_000, 20, "40MB", n_hidden=300, hidden="rbf", scale="quantile"),
    case("direct link of many inputs", 10_000, 300, "40MB", n_hidden=200, direct_link=True),
    case("triangle", 10_000, 20, "40MB", n_hidden=300, alpha=0.0),
    case("dual", 500, 20, "65MB", n_hidden=900),
    case("dual, wide", 400, 20, "130MB", n_hidden=3000),
    case("svd", 3_000, 20, "80MB", n_hidden=200, solver="svd"),
    case("sparse", 60_000, 300, "30MB", {"kind": "sparse"}, n_hidden=100),
    case("whole numbers", 100_000, 40, "24MB", {"kind": "int8"}, n_hidden=100),
    case("weights, some zero", 50_000, 20, "24MB", {"kind": "weighted"}, n_hidden=200),
    case("auto size", 10_000, 20, "60MB", n_hidden="auto"),
]


@pytest.mark.parametrize("order", CASES)
def test_the_peak_stays_below_budget_and_plan(order):
    """Measured in a process of its own: resident memory at its highest, less what the input took."""
    found = measured("one_fit", order)
    assert found["exact"]
    assert found["measured"] <= found["budget"], found["plan"]
    assert found["measured"] <= found["planned"], found["plan"]
