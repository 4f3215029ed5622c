"""A batch that can't be used is refused in one sentence, and the model and its stream are as before."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from samara import ELMClassifier, ELMRegressor, InputError, NonFiniteError
from samara.engines import Threads
from samara.solvers import Lsqr
from samara.solvers.sequential import Woodbury
from tests.streams import gap, outputs

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.sin(X[:, 0]) + X[:, 1]
LABELS = np.where(Y > 0, "up", "down")
STREAMS = [
    {},
    {"alpha": "auto"},
    {"update": "qr"},
    {"update": "woodbury"},
    {"update": Woodbury("direct")},
    {"forget": 0.9},
    {"window": 25},
]
SPOILT = X.copy()
SPOILT[41, 2] = np.nan


def _made(kind, options):
    given = {"n_hidden": 6, "alpha": 0.5, "scale": None, "random_state": 0, **options}
    return (ELMRegressor(**given), Y) if kind == "regressor" else (ELMClassifier(**given), LABELS)


def _refused(model, error, message, *batch, **options):
    """Refused in one line; another stream that never saw the batch goes on the same."""
    twin = clone(model)
    target = Y if isinstance(model, ELMRegressor) else LABELS
    for one in (model, twin):
        one.partial_fit(X[:30], target[:30])
    before = outputs(model, X)
    with pytest.raises(error, match=message) as caught:
        model.partial_fit(*batch, **options)
    assert "\n" not in str(caught.value)
    np.testing.assert_array_equal(outputs(model, X), before)
    for one in (model, twin):
        one.partial_fit(X[30:], target[30:])
    assert gap(model, twin, X) == 0


@pytest.mark.parametrize("options", STREAMS, ids=str)
@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_nan_is_named_and_leaves_the_stream(kind, options):
    """Column and row of the batch; also where the batch brings a class that was not there."""
    model, target = _made(kind, options)
    target = np.where(np.arange(60) == 3, "new", target) if kind == "classifier" else target
    _refused(model, NonFiniteError, r"NaN \(column 2, row 41\)", SPOILT, target)


BAD = {
    "columns": (ValueError, "3 features", (X[:, :2], Y)),
    "targets": (InputError, "y was a vector in the rows so far, and is 2 columns", (X, np.c_[Y, Y])),
    "column": (InputError, "y was a vector in the rows so far, and is 1 columns", (X, Y[:, None])),
    "nan target": (NonFiniteError, r"y contains NaN \(row 0\)", (X, np.full(60, np.nan))),
    "text": (InputError, "Column 1 is not numeric: row 0 holds 'a'", ([[1.0, "a", 2.0]], [1.0])),
    "empty": (ValueError, "0 sample", (X[:0], Y[:0])),
    "lengths": (ValueError, "inconsistent numbers of samples", (X, Y[:50])),
    "negative": (InputError, "row 0 has -1", (X, Y, np.full(60, -1.0))),
    "all zero": (InputError, "zero for every row", (X, Y, np.zeros(60))),
    "weight lengths": (ValueError, "sample_weight", (X, Y, np.ones(3))),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("options", [{}, {"window": 25}, {"update": "woodbury"}], ids=str)
def test_bad_batches_of_numbers(name, options):
    """Wrong columns, targets, weights, lengths."""
    error, message, batch = BAD[name]
    _refused(_made("regressor", options)[0], error, message, *batch)


def test_several_targets_stay_several():
    """Neither fewer nor more columns."""
    model = ELMRegressor(6, alpha=0.5, random_state=0).partial_fit(X, np.c_[Y, Y])
    for bad in (Y, Y[:, None], np.c_[Y, Y, Y]):
        with pytest.raises(InputError, match="y was 2 columns"):
            model.partial_fit(X, bad)


def test_other_feature_names_are_refused():
    """Names in another order, too."""
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    model = ELMRegressor(6, alpha=0.5, random_state=0).partial_fit(table, Y)
    before = model.predict(table)
    for names in (["a", "b", "x"], ["b", "a", "c"]):
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(table.set_axis(names, axis=1), Y)
    np.testing.assert_array_equal(model.predict(table), before)


PARAMETERS = [
    ({"forget": 0.0}, "forget must lie above 0"),
    ({"forget": 1.5}, "forget must lie above 0"),
    ({"forget": "0.9"}, "forget must lie above 0"),
    ({"forget": float("nan")}, "forget must lie above 0"),
    ({"window": 0}, "window must be a whole number"),
    ({"window": 2.5}, "window must be a whole number"),
    ({"window": True}, "window must be a whole number"),
    ({"window": 5, "forget": 0.9}, "not both"),
    ({"update": "oselm"}, "Unknown update 'oselm'"),
    ({"update": 3}, "update must be a name"),
    ({"update": "woodbury", "forget": 0.9}, "neither forgets nor slides"),
    ({"update": "woodbury", "window": 9}, "neither forgets nor slides"),
    ({"update": "woodbury", "alpha": 0}, "needs a ridge above 0"),
    ({"update": "woodbury", "n_hidden": [3, 6]}, "give one n_hidden"),
    ({"update": Woodbury("sideways")}, "form must be one of"),
    ({"update": Woodbury(resync=0)}, "resync must be at least one row"),
    ({"n_hidden": "auto"}, "give a number or a list"),
    ({"selection": "loo", "alpha": "auto"}, "reads the rows again"),
]


@pytest.mark.parametrize(("options", "message"), PARAMETERS, ids=str)
@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_parameters_that_make_no_stream(kind, options, message):
    """At the first batch, which leaves nothing behind."""
    model, target = _made(kind, options)
    with pytest.raises(InputError, match=message):
        model.partial_fit(X, target)
    assert sorted(vars(model)) == sorted(model.get_params())


@pytest.mark.parametrize("solver", ["lsqr", "rsvd", "dual", "svd", "sketch", Lsqr()], ids=str)
def test_solvers_that_read_rows_again_have_no_partial_fit(solver):
    """scikit-learn asks by hasattr."""
    model = ELMRegressor(6, solver=solver)
    assert not hasattr(model, "partial_fit")
    assert not hasattr(model, "unlearn")


def test_class_weights_are_refused():
    """They need all classes' counts."""
    with pytest.raises(InputError, match="give sample_weight"):
        ELMClassifier(6, class_weight="balanced").partial_fit(X, LABELS)


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
@pytest.mark.parametrize("options", STREAMS, ids=str)
def test_what_was_never_learned_is_not_unlearned(kind, options):
    """Before anything, strangers, too many, other classes, and where rows can't be taken out."""
    model, target = _made(kind, options)
    with pytest.raises(InputError, match="Nothing was learned yet"):
        model.unlearn(X, target)
    assert sorted(vars(model)) == sorted(model.get_params())
    model.partial_fit(X[:30], target[:30])
    before = outputs(model, X)
    can = set(options) <= {"alpha"}
    with pytest.raises(InputError, match="only 30 were learned" if can else "can be unlearned with"):
        model.unlearn(X, target)
    if can:
        with pytest.raises(InputError, match="not all learned before"):
            model.unlearn(X[:30], target[:30], np.full(30, 2.0))
    np.testing.assert_array_equal(outputs(model, X), before)


@pytest.mark.parametrize("options", STREAMS, ids=str)
@pytest.mark.parametrize("table", ["one row", "one value", "constant", "sparse zeros"])
def test_first_batches_without_much_in_them(table, options):
    """One row, the same row, constant columns, nothing but zeros: finite, and right once more rows came."""
    first = {
        "one row": X[:1],
        "one value": np.ones((5, 3)),
        "constant": np.c_[X[:9, :2], np.full(9, 7.0)],
        "sparse zeros": sp.csr_matrix((5, 3)),
    }[table]
    model = _made("regressor", {**options, "scale": "standard"})[0].partial_fit(first, Y[: first.shape[0]])
    assert np.isfinite(model.predict(X)).all()
    model.partial_fit(X, Y)
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.coef_).all()


class _Falters:
    """A hidden layer that raises at some call."""

    n_out = 3

    def __init__(self):
        self.calls, self.at, self.error = 0, -1, RuntimeError("no")

    def __call__(self, X, out=None):
        """The rows, squared."""
        self.calls += 1
        if self.calls == self.at:
            raise self.error
        return np.multiply(X, X, out=out)

    def __deepcopy__(self, memo):
        return self


@pytest.mark.parametrize("options", STREAMS, ids=str)
@pytest.mark.parametrize("kind", ["regressor", "classifier"])
@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt()], ids=["error", "interrupt"])
@pytest.mark.parametrize("late", [1, 3])
def test_a_batch_that_fails_inside_is_undone_or_told(kind, options, error, late):
    """At its first block all is as before; later, or interrupted, nothing is learned or solved any more."""
    layer = _Falters()
    model, target = _made(kind, {**options, "hidden": layer, "engine": Threads(1, 8)})
    model.partial_fit(X[:30], target[:30])
    before, rows = outputs(model, X), model._stream.n_rows
    layer.at, layer.error = layer.calls + late, error
    with pytest.raises(type(error)):
        model.partial_fit(X[30:], target[30:] if kind == "regressor" else np.full(30, "new"))
    layer.at = -1
    np.testing.assert_array_equal(outputs(model, X), before)  # solved before
    assert model._stream.n_rows == rows
    if (
        late == 1
        and isinstance(error, RuntimeError)
        and not str(options.get("update")).lower().startswith("wood")
    ):
        model.partial_fit(X[30:], target[30:])
        twin = clone(model).partial_fit(X[:30], target[:30]).partial_fit(X[30:], target[30:])
        assert gap(model, twin, X) == 0
        return
    with pytest.raises(InputError, match="failed or was interrupted halfway"):
        model.partial_fit(X[30:], target[30:])
    assert gap(model.fit(X, target), clone(model).fit(X, target), X) == 0


@pytest.mark.parametrize("options", [one for one in STREAMS if one.get("update") != "qr"], ids=str)
def test_values_beyond_the_precision_are_told(options):
    """Squares that overflow: refused, and never a NaN."""
    model, _ = _made("regressor", {**options, "hidden": "linear"})
    model.partial_fit(X, Y)
    before = model.predict(X)
    with pytest.raises(NonFiniteError, match="too large for float64"):
        model.partial_fit(X * 1e200, Y)
    np.testing.assert_array_equal(model.predict(X), before)
