"""Ctrl-C in the middle of a kernel fit leaves an unfitted estimator, or the old model."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from samara import KernelELMRegressor
from samara.engines import Threads
from samara.solvers.kernel import Pcg
from tests.faults.checks import FITTED
from tests.problems import make_problem

PROBLEM = make_problem(0, 200, 3, 1, False)


class Stop:
    """A progress that presses Ctrl-C when a pass of some name has reported so often."""

    def __init__(self, name, after=0):
        self.name, self.after, self.seen = name, after, []

    def __call__(self, name, done, total):
        self.seen.append(name)
        assert 0 <= done <= total
        if name.startswith(self.name) and sum(n.startswith(self.name) for n in self.seen) > self.after:
            raise KeyboardInterrupt


CASES = [
    ("exact", "kernel"),
    ("exact", "look"),
    (Pcg(1e-10), "pcg"),
    ("nystroem", "look"),
    ("sketch", "look"),
    ("sketch", "gather"),
    ("ssvd", "kernel"),
]


@pytest.mark.parametrize(("solver", "name"), CASES, ids=str)
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_fit_leaves_nothing_half_done(solver, name, workers):
    """New: nothing fitted. Old: the model that was there."""
    stop = Stop(name)
    model = KernelELMRegressor(gamma=0.2, alpha=0.1, solver=solver, engine=Threads(workers, 0, stop))
    with pytest.raises(KeyboardInterrupt):
        PROBLEM.fit(model)
    assert [key for key in FITTED if key in vars(model)] == []
    with pytest.raises(NotFittedError):
        model.predict(PROBLEM.X)
    model.set_params(engine=Threads(workers)).fit(PROBLEM.X, PROBLEM.y)
    before = model.predict(PROBLEM.X)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(engine=Threads(workers, 0, Stop(name))).fit(PROBLEM.X, 2 * PROBLEM.y)
    np.testing.assert_array_equal(model.set_params(engine=Threads(workers)).predict(PROBLEM.X), before)


def test_pcg_reports_steps_and_residuals():
    """Iterations, the residual, and how many are expected."""
    stop = Stop("never")
    model = KernelELMRegressor(gamma=0.2, alpha=0.1, solver=Pcg(1e-8), rank=5, engine=Threads(1, 0, stop))
    PROBLEM.fit(model)
    steps = [name for name in stop.seen if name.startswith("pcg;")]
    assert len(steps) == model.n_iter_
    assert "residual" in steps[-1]
