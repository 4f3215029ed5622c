"""Plain arrays take a shorter way into a fit, and nothing else is different."""

import warnings

import numpy as np
import pytest
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from samara import ELMClassifier, ELMRegressor, InputError
from samara.estimators.inputs import _is_plain, check_inputs
from samara.estimators.labels import as_classes
from samara.estimators.parameters import read_seed

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
y = X[:, 0] + X[:, 1] ** 2


@pytest.mark.parametrize("cut", [slice(None), slice(None, None, 2)], ids=["whole", "strided"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_short_way_gives_what_the_long_one_gives(dtype, cut):
    """The same arrays, uncopied, and the same attributes."""
    rows, targets = X.astype(dtype)[cut], y[cut]
    assert _is_plain(rows, targets, 2)
    short, long = ELMRegressor(), ELMRegressor()
    options = {"fitting": True, "y_numeric": True, "multi_output": True}
    made = check_inputs(short, rows, targets, **options)
    assert made[0] is rows
    assert made[1] is targets
    again = check_inputs(long, rows.tolist(), targets.tolist(), **options)
    np.testing.assert_array_equal(made[0], np.asarray(again[0], dtype))
    assert short.n_features_in_ == long.n_features_in_ == 3


@pytest.mark.parametrize(
    ("rows", "targets"),
    [
        (X[:1], y[:1]),
        (X[:, :0], y),
        (X[0], y[:3]),
        (X, y[:-1]),
        (X.astype(int), y),
        (X.astype(complex), y),
        (X, y.astype(complex)),
        (X, y.astype(object)),
        (X, y.astype(str)),
        (X, y[:, None]),
        (np.ma.masked_array(X), y),
        (X.tolist(), y),
        (X, y.tolist()),
    ],
)
def test_all_else_takes_the_long_way(rows, targets):
    """What scikit-learn converts or refuses."""
    assert not _is_plain(rows, targets, 2)


@pytest.mark.parametrize("way", [np.asarray, np.ndarray.tolist], ids=["short", "long"])
def test_both_ways_refuse_alike(way):
    """A NaN by its place, other columns by their number."""
    model = ELMRegressor(n_hidden=5, random_state=0).fit(way(X), way(y))
    with pytest.raises(ValueError, match="X has 2 features, but ELMRegressor is expecting 3 features"):
        model.predict(way(X[:, :2]))
    odd = X.copy()
    odd[7, 2] = np.nan
    with pytest.raises(InputError, match=r"NaN \(column 2, row 7\)"):
        ELMRegressor(n_hidden=5).fit(way(odd), way(y))
    with pytest.raises(ValueError, match="requires y to be passed"):
        ELMRegressor(n_hidden=5).fit(way(X))


LABELS = [
    *(np.repeat([0, 1, 2], 10), np.repeat([-5, 7], 15), np.repeat([0, 10**12], 15)),
    *(np.arange(30), np.arange(30) // 2, np.arange(30.0) // 3, y, np.repeat([True, False], 15)),
    *(np.repeat(["a", "b"], 15), np.repeat([0, 1], 15)[:, None], np.repeat(np.uint8([250, 3]), 15)),
]


@pytest.mark.parametrize("labels", LABELS)
def test_classes_are_what_scikit_learn_takes_for_classes(labels):
    """The same refusals and the same warnings."""

    def heard(check):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                check(labels)
            except ValueError as error:
                return str(error)
        return [str(one.message) for one in told if "column-vector" not in str(one.message)]

    assert heard(as_classes) == heard(check_classification_targets)
    if isinstance(heard(as_classes), list):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(as_classes(labels), labels.ravel())


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, np.int64(5), np.random.RandomState(3)])
def test_a_seed_is_the_number_its_generator_draws_first(seed):
    """Drawn once for a seed; a generator goes on each time."""
    first = check_random_state(3 if isinstance(seed, np.random.RandomState) else seed).randint(2**31 - 1)
    assert read_seed(seed) == first
    assert (read_seed(seed) == first) != isinstance(seed, np.random.RandomState)


def test_what_is_no_seed_is_refused():
    """In scikit-learn's words, each time."""
    for _ in range(2):
        with pytest.raises(ValueError, match="Seed must be"):
            ELMClassifier(n_hidden=5, random_state=-1).fit(X, y > 0)
