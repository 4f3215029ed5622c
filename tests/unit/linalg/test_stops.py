"""Stops say what the printed algorithms say, and refuse impossible numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import InputError
from samara.linalg import EnergyStop, ErrorStop, GradientStop, RidgeStop
from tests.oracles_lowrank import LIMIT, gradient_desc

WATCHED = st.lists(st.floats(0, 2, allow_subnormal=False), min_size=1, max_size=60)


def literal_gradient_stop(values, epsilon, r, tau):
    """Algorithm 3 called once a column, from the first on."""
    state = {"i": 0, "last": 0.0, "falls": np.zeros(r)}
    for j, m in enumerate(values[1:], start=1):
        if not gradient_desc(m, epsilon, r, tau, state):
            return j
    return None


@given(WATCHED, st.integers(1, 12), st.sampled_from([0.0, 0.02, 0.3]), st.sampled_from([1e-9, 0.1, 3.0]))
def test_gradient_stop_is_algorithm_3(values, r, tau, epsilon):
    """The count of the printed function, smoothing and first-r rule included; 0 for a zero matrix alone."""
    expected = 0 if values[0] == 0 else literal_gradient_stop(values, epsilon, r, tau)
    assert GradientStop(epsilon, r, tau).stopped_at(np.array(values)) == expected


@given(WATCHED, st.sampled_from([0.1, 1.0, 8.0]))
def test_error_stop_is_line_8_of_algorithm_2(values, epsilon):
    """The first count whose probes are below ε/(10√(2/π)), 0 included."""
    expected = next((j for j, m in enumerate(values) if m <= epsilon / LIMIT), None)
    assert ErrorStop(epsilon).stopped_at(np.array(values)) == expected


@given(WATCHED, st.integers(0, 60))
@pytest.mark.parametrize(
    "stop",
    [ErrorStop(1.0), GradientStop(0.5, r=3), EnergyStop(0.5), RidgeStop(1.0)],
    ids=lambda s: type(s).__name__,
)
def test_a_stop_needs_no_values_past_it(stop, values, length):
    """The values past the stop change nothing, and fewer than it needs give None."""
    values = np.array(values)
    count = stop.stopped_at(values)
    if count is None or length <= count:
        assert stop.stopped_at(values[:length]) is None
    else:
        assert stop.stopped_at(values[:length]) == count


def test_gradient_stop_waits_for_r_columns():
    """A flat curve ends it at r + 1 columns, the first time that r falls were seen."""
    assert GradientStop(r=10).stopped_at(np.full(50, 1.0)) == 11
    assert GradientStop(r=10).stopped_at(np.full(11, 1.0)) is None


def test_gradient_stop_looks_past_a_rise():
    """A rise counts as no fall, not as a fall below zero: one that stands out does not end it."""
    values = 10.0 - 0.1 * np.arange(60)
    values[30] += 1.5
    assert GradientStop(r=10, tau=0.05).stopped_at(values) is None


@pytest.mark.parametrize(("alpha", "count"), [(100.0, 0), (1.0, 1), (0.01, 2), (1e-8, None)])
def test_ridge_stop_is_in_units_of_the_ridge(alpha, count):
    """Squared probes of at most 0.01·α."""
    assert RidgeStop(alpha).stopped_at(np.array([1.0, 0.1, 0.01])) == count


def test_energy_stop_is_relative_and_has_a_floor():
    """Below 1e-7 (2.3e-3 in float32) of the norm, the difference of squares is rounding."""
    energy = np.array([1.0, 0.01, 1e-4, 1e-9, 1e-16])
    assert EnergyStop(0.1).stopped_at(energy) == 1
    assert EnergyStop(0.011).stopped_at(energy) == 2
    assert EnergyStop(0.0).stopped_at(energy) == 4
    assert EnergyStop(0.0).stopped_at(energy.astype(np.float32)) == 3
    assert EnergyStop(0.0).stopped_at(energy[:4]) is None


@pytest.mark.parametrize(
    ("stop", "word"),
    [
        (ErrorStop(epsilon=0), "epsilon"),
        (ErrorStop(epsilon=np.nan), "epsilon"),
        (ErrorStop(epsilon="small"), "epsilon"),
        (ErrorStop(r=0), "probe"),
        (ErrorStop(r=2.5), "probe"),
        (GradientStop(epsilon=-1), "epsilon"),
        (GradientStop(tau=-0.1), "tau"),
        (GradientStop(tau=np.inf), "tau"),
        (EnergyStop(-1e-3), "tol"),
        (EnergyStop(1.0), "tol"),
        (EnergyStop(0.1, r=0), "probe"),
        (RidgeStop(0.0), "alpha"),
        (RidgeStop(1.0, r=-1), "probe"),
    ],
)
def test_impossible_numbers_are_refused(stop, word):
    """One sentence that names the parameter."""
    with pytest.raises(InputError, match=word):
        stop.validate()
