"""Progress: a plain line on standard error, or scikit-learn's callbacks; silent by default."""

import io
import re

import numpy as np
import pytest

from samara import ELMClassifier, ELMRegressor
from samara.engines import Threads
from samara.estimators.progress import PlainProgress

pytestmark = pytest.mark.usefixtures("every_pass_is_worth_threads")

X = np.random.default_rng(0).normal(size=(1000, 3))
Y = X[:, 0] + X[:, 1] ** 2
ENGINE = Threads(2, 100)


def test_a_fit_is_silent_by_default(capsys):
    """Nothing on either stream."""
    ELMRegressor(5, engine=ENGINE).fit(X, Y)
    assert capsys.readouterr() == ("", "")


def test_verbose_shows_each_pass(capsys):
    """A line a pass on standard error, ended at 100 %, with rows per second and time left."""
    ELMRegressor(5, engine=ENGINE, verbose=True, selection="loo").fit(X, Y)
    out, err = capsys.readouterr()
    assert out == ""
    ended = [line.split("\r")[-1] for line in err.strip("\n").split("\n")]
    assert [line.split(":")[0] for line in ended] == ["look", "moments", "leave-one-out"]
    assert all(re.search(r": 100 % +[\d,]+ rows/s +", line) for line in ended)


def test_plain_progress_rewrites_one_line():
    """Shares grow to 100 %; the line is ended once a pass."""
    stream = io.StringIO()
    progress = PlainProgress(stream, every=0.0)
    for _ in range(4):
        progress("moments", 25, 100)
    shares = [int(share) for share in re.findall(r"(\d+) %", stream.getvalue())]
    assert shares == [25, 50, 75, 100]
    assert stream.getvalue().count("\n") == 1
    assert stream.getvalue().count("\r") == 4


def test_plain_progress_does_not_flood():
    """Within its interval only the first and the last rows are shown."""
    stream = io.StringIO()
    progress = PlainProgress(stream, every=3600.0)
    for _ in range(1000):
        progress("moments", 1, 1000)
    assert stream.getvalue().count("\r") <= 2


def test_a_pass_of_the_same_name_starts_anew():
    """Leave-one-out reads the rows once a size: each pass counts from zero."""
    stream = io.StringIO()
    progress = PlainProgress(stream, every=0.0)
    for _ in range(4):
        progress("leave-one-out", 50, 100)
    assert [int(share) for share in re.findall(r"(\d+) %", stream.getvalue())] == [50, 100, 50, 100]


class Recorder:
    """A scikit-learn callback that notes its calls."""

    def __init__(self):
        self.calls = []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context, **ignored):
        self.calls.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context, **ignored):
        self.calls.append(("end", context.task_name))


callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")


@pytest.mark.parametrize("estimator", [ELMRegressor(5, engine=ENGINE), ELMClassifier(5, engine=ENGINE)])
def test_callbacks_hear_of_every_pass(estimator):
    """Each pass is a task; what begins ends, and the fit is set up and torn down once."""
    recorder = Recorder()
    estimator.set_callbacks(recorder)
    estimator.fit(X, (Y > 1).astype(int))
    assert (recorder.calls[0], recorder.calls[-1]) == ("setup", "teardown")
    begun = [name for kind, name in recorder.calls[1:-1] if kind == "begin"]
    ended = [name for kind, name in recorder.calls[1:-1] if kind == "end"]
    assert sorted(begun) == sorted(ended)
    assert {"look", "moments"} <= set(begun)
    assert begun.count("moments rows") == begun.count("look rows") == 20
    estimator.set_callbacks()


def test_callbacks_are_torn_down_when_the_fit_fails():
    """A failed fit ends its tasks too."""
    recorder = Recorder()
    bad = X.copy()
    bad[700, 1] = np.nan
    estimator = ELMRegressor(5, engine=ENGINE)
    estimator.set_callbacks(recorder)
    with pytest.raises(ValueError, match="NaN"):
        estimator.fit(bad, Y)
    begun = [name for kind, name in recorder.calls[1:-1] if kind == "begin"]
    ended = [name for kind, name in recorder.calls[1:-1] if kind == "end"]
    assert recorder.calls[-1] == "teardown"
    assert sorted(begun) == sorted(ended)


def test_callbacks_do_not_change_the_fit():
    """The same coefficients with and without."""
    plain = ELMRegressor(5, engine=ENGINE, random_state=0).fit(X, Y).coef_
    watched = ELMRegressor(5, engine=ENGINE, random_state=0)
    watched.set_callbacks(Recorder())
    np.testing.assert_array_equal(watched.fit(X, Y).coef_, plain)


def test_the_progress_bar_of_scikit_learn(capsys):
    """ProgressBar runs to its end."""
    pytest.importorskip("rich")
    estimator = ELMRegressor(5, engine=ENGINE)
    estimator.set_callbacks(callback.ProgressBar())
    estimator.fit(X, Y)
    assert "ELMRegressor" in capsys.readouterr().out
