"""A saved estimator comes back as it was, to the bit, and goes on living."""

import pickle
import warnings
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import samara
from samara import ELMClassifier, ELMRegressor, KernelELMClassifier, KernelELMRegressor
from samara.engines import Threads
from samara.kernel_settings import Nystroem
from samara.linalg.stops import ErrorStop
from samara.maps import Additive, AdditiveNodes, Kernel, Radial, Standardize
from samara.model_classes import CLASSES
from samara.selection import KFold
from samara.solvers import SOLVERS, FastSvd, Rsvd, Submodels, Tiles
from samara.solvers.kernel import KERNEL_SOLVERS, Divide, Pcg, Ssvd
from samara.solvers.sequential import Woodbury

rng = np.random.default_rng(3)
X = rng.normal(size=(90, 4)) * [1, 2, 0.5, 3] + [0, 1, -1, 2]
Y = np.stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] * X[:, 3]], axis=1)
y = Y[:, 0]
SPARSE = sparse.csr_matrix(np.where(rng.random(X.shape) < 0.5, X, 0))
NODES = AdditiveNodes(rng.normal(size=(5, 12)), "tanh")
WORDS = np.array(["ash", "beech", "elm"])[np.digitize(y, [0, 2])]


def assert_same(found, wanted):
    """Types and values, down to the bits of arrays."""
    assert type(found) is type(wanted)
    if is_dataclass(wanted):
        for field in fields(wanted):
            assert_same(getattr(found, field.name), getattr(wanted, field.name))
    elif isinstance(wanted, list | tuple):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_same(one, other)
    elif isinstance(wanted, dict):
        assert_same(list(found.items()), list(wanted.items()))
    elif sparse.issparse(wanted):
        assert found.shape == wanted.shape
        for name in ("data", "indices", "indptr"):
            assert_same(getattr(found, name), getattr(wanted, name))
    elif isinstance(wanted, np.ndarray):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        assert found.tolist() == wanted.tolist() if wanted.dtype == object else _bits(found) == _bits(wanted)
    else:
        assert found == wanted or (found != found and wanted != wanted)


def _bits(array):
    return array.tobytes()


def saved_and_loaded(estimator, path, rows):
    """The estimator from a file, after everything that has to be the same was compared."""
    estimator.save(path)
    found = samara.load(path)
    assert type(found) is type(estimator)
    assert_same(found.get_params(), estimator.get_params())
    for method in ("predict", "decision_function", "predict_proba", "transform"):
        if hasattr(estimator, method):
            assert_same(getattr(found, method)(rows), getattr(estimator, method)(rows))
    hidden = {"_left", "_stream", "_labels"}  # what partial_fit would go on from
    hidden |= {name for name in vars(estimator) if name.startswith(("_callback", "_skl"))}
    kept = {name: value for name, value in vars(estimator).items() if name not in hidden}
    assert_same(dict(sorted(vars(found).items())), dict(sorted(kept.items())))
    again = path.with_name("again.samara")
    found.save(again)
    assert again.read_bytes() == path.read_bytes()
    return found


ELM = {
    **{name: {"hidden": name} for name in ("tanh", "relu", "sine", "fourier", "rbf", "multiquadric")},
    **{name: {"hidden": name} for name in ("sigmoid", "hardlim", "linear")},
    **{f"solver {name}": {"solver": name} for name in ("gram", "qr", "svd", "dual", "lsqr", "precondition")},
    **{f"solver {name}": {"solver": name, "alpha": 0.1, "rank": 6} for name in ("rsvd", "sketch")},
    **{f"solver {name}": {"solver": name, "alpha": 0.1} for name in ("fast_svd", "fast_svd_gradient")},
    "solver object": {"solver": Rsvd(power=1), "rank": np.int64(5)},
    "tiles": {"solver": Tiles(7, tol=1e-8)},
    "submodels": {"solver": Submodels(3)},
    "stop object": {"solver": FastSvd(ErrorStop(0.5)), "alpha": 1.0},
    "layer object": {"hidden": Additive("relu", weights="sparse", bias="data", inputs_per_node=2)},
    "radial object": {"hidden": Radial("rbf", centres="kmeans", width=2.0)},
    "own nodes": {"hidden": NODES},
    "quantile": {"scale": "quantile"},
    "no scale": {"scale": None, "fit_intercept": False},
    "own scale": {"scale": Standardize(X.mean(axis=0), X.std(axis=0), np.dtype("float64"))},
    "own scale by nodes": {"scale": AdditiveNodes(rng.normal(size=(5, 4)), "linear")},
    "direct link": {"direct_link": True, "n_hidden": [5, 10, 15]},
    "float32": {"dtype": "float32"},
    "float32 as a type": {"dtype": np.float32},
    "float as a dtype": {"dtype": np.dtype("float64")},
    "sizes": {"n_hidden": range(5, 15, 5), "selection": KFold(3)},
    "sizes in an array": {"n_hidden": np.array([5, 10]), "alpha": np.array([0.1, 1.0])},
    "auto": {"n_hidden": "auto", "selection": "gcv"},
    "loo": {"selection": "loo", "alpha": [0.1, 1.0]},
    "lcurve": {"selection": "lcurve"},
    "one ridge": {"alpha": np.float32(0.5), "memory": "100MB"},
    "no ridge": {"alpha": 0},
    "engine": {"engine": Threads(1, 32), "update": Woodbury("direct", 7)},
}


@pytest.mark.parametrize("settings", ELM.values(), ids=ELM)
@pytest.mark.parametrize("target", [y, Y], ids=["one", "two"])
def test_regression(settings, target, tmp_path):
    """Every layer, solver, scaling, precision and way of choosing."""
    estimator = ELMRegressor(**{"n_hidden": 12, "random_state": 0, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ridges too small for a solver: another test's business
        estimator.fit(X, target)
    saved_and_loaded(estimator, tmp_path / "a.samara", X)


LABELS = {
    "texts": WORDS,
    "objects": WORDS.astype(object),
    "two texts": WORDS == "elm",
    "numbers": np.digitize(y, [0, 2]) * 10,
    "floats": np.digitize(y, [0]) + 1.0,
    "small numbers": np.digitize(y, [0, 2]).astype(np.int8),
    "odd texts": np.array(["", "Ä\n\x00ß", "\ud800"])[np.digitize(y, [0, 2])],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("cls", [ELMClassifier, KernelELMClassifier])
def test_classification(cls, labels, tmp_path):
    """Labels of every kind, class weights and probabilities."""
    weight = {label: 1.0 + k for k, label in enumerate(np.unique(labels).tolist())}
    given = {"n_hidden": 12} if cls is ELMClassifier else {}
    estimator = cls(class_weight=weight, random_state=0, **given).fit(X, labels)
    saved_and_loaded(estimator, tmp_path / "a.samara", X)


KERNEL = {
    **{name: {"kernel": name} for name in ("rbf", "linear", "polynomial", "laplacian", "sigmoid", "cosine")},
    **{f"solver {name}": {"solver": name} for name in ("exact", "nystroem", "divide")},
    "solver sketch": {"solver": "sketch", "rank": 30},
    "solver ssvd": {"solver": Ssvd(power=2), "rank": 30},
    "solver pcg": {"solver": Pcg(tol=1e-6), "alpha": 0.1, "rank": 20},
    "solver objects": {"solver": Divide(3), "alpha": [0.1, 1.0], "alpha_per_target": True},
    "centres": {"solver": Nystroem("kmeans"), "rank": [10, 20]},
    "float32": {"dtype": "float32", "solver": "nystroem", "rank": 20},
    "kernel object": {"kernel": Kernel("polynomial", 0.5, 2, 1.0), "scale": "quantile"},
    "scaled": {"scale": "standard", "gamma": "median", "selection": "kfold"},
}


@pytest.mark.parametrize("settings", KERNEL.values(), ids=KERNEL)
@pytest.mark.parametrize("rows", [X, SPARSE], ids=["dense", "sparse"])
def test_kernels(settings, rows, tmp_path):
    """Every kernel, solver and precision, of dense and of sparse rows."""
    estimator = KernelELMRegressor(**{"random_state": 0, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of kernels that are not definite
        estimator.fit(rows, Y)
    saved_and_loaded(estimator, tmp_path / "a.samara", rows)


@pytest.mark.parametrize("solver", ["exact", "nystroem"])
def test_precomputed_kernels(solver, tmp_path):
    """Row numbers instead of rows."""
    K = np.exp(-0.1 * ((X[:, None] - X) ** 2).sum(axis=2))
    estimator = KernelELMRegressor("precomputed", solver=solver, random_state=0).fit(K, y)
    saved_and_loaded(estimator, tmp_path / "a.samara", K)
    assert not samara.inspect(tmp_path / "a.samara").contains_training_rows


@pytest.mark.parametrize("settings", [{}, {"hidden": "rbf"}, {"direct_link": True}, {"scale": None}])
def test_sparse_rows(settings, tmp_path):
    """Weights with the scaling folded in."""
    estimator = ELMRegressor(10, random_state=0, **settings).fit(sparse.csr_array(SPARSE), y)
    saved_and_loaded(estimator, tmp_path / "a.samara", SPARSE)


def test_names_of_a_frame(tmp_path):
    """Frames are known by the names of their columns after loading too."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    estimator = ELMRegressor(10, random_state=0).fit(frame, y)
    found = saved_and_loaded(estimator, tmp_path / "a.samara", frame)
    with pytest.raises(ValueError, match="feature names"):
        found.predict(frame.rename(columns={"a": "z"}))


@pytest.mark.parametrize("update", ["information", "qr", "woodbury"])
def test_a_stream_is_saved_solved(update, tmp_path):
    """What was learned so far is the model."""
    estimator = ELMClassifier(10, update=update, alpha=0.1, random_state=0)
    for lo in range(0, 90, 30):
        estimator.partial_fit(X[lo : lo + 30], WORDS[lo : lo + 30])
    saved_and_loaded(estimator, tmp_path / "a.samara", X)


@pytest.mark.parametrize(
    "estimator",
    [ELMRegressor(10, random_state=0), KernelELMRegressor(scale="standard"), ELMRegressor(10, hidden=NODES)],
)
def test_a_loaded_estimator_goes_on_living(estimator, tmp_path):
    """It is cloned, pickled and fitted anew like any other."""
    found = saved_and_loaded(estimator.fit(X, y), tmp_path / "a.samara", X)
    wanted = estimator.predict(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).predict(X), wanted)
    np.testing.assert_array_equal(clone(found).fit(X, y).predict(X), wanted)
    np.testing.assert_array_equal(found.fit(X, y).predict(X), wanted)


def test_equal_models_are_equal_files(tmp_path):
    """No time, no name of a machine, no order by chance."""
    for name in ("a", "b"):
        ELMClassifier(10, random_state=0).fit(X, WORDS).save(tmp_path / name, config="abc")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_numpys_own_seed_is_not_drawn_from(tmp_path):
    """Neither save nor load touches what np.random.seed has set."""
    model = ELMRegressor(10).fit(X, y)
    before = np.random.get_state()[1].copy(), np.random.get_state()[2]  # noqa: NPY002 - that is the one
    model.save(tmp_path / "a.samara")
    samara.load(tmp_path / "a.samara")
    after = np.random.get_state()[1], np.random.get_state()[2]  # noqa: NPY002
    np.testing.assert_array_equal(after[0], before[0])
    assert after[1] == before[1]


def test_what_a_file_says(tmp_path):
    """The head tells estimator, parameters, shapes, classes, plan and versions."""
    path = tmp_path / "a.samara"
    estimator = ELMClassifier(12, hidden=NODES, alpha=(0.1, 1.0), random_state=0).fit(X, WORDS)
    estimator.save(path, config="5eed")
    info = samara.inspect(path)
    assert (info.estimator, info.version, info.config) == ("ELMClassifier", 1, "5eed")
    assert (info.n_features, info.n_nodes, info.n_outputs) == (4, 12, 3)
    assert info.classes == ("ash", "beech", "elm")
    assert info.parameters["alpha"] == [0.1, 1.0]
    assert info.parameters["hidden"] == "AdditiveNodes(weights=array of float64 (5, 12), activation=tanh)"
    assert info.parameters.keys() == estimator.get_params().keys()
    assert info.plan == estimator.plan_
    assert info.arrays["fitted/model_/coef"] == ("float64", (12, 3))
    assert info.libraries["numpy"] == np.__version__
    assert info.libraries["samara"] == samara.__version__
    assert info.n_bytes == path.stat().st_size
    assert not info.contains_training_rows
    assert "classes: ash, beech, elm" in str(info)


@pytest.mark.parametrize(
    ("estimator", "inside"),
    [
        (ELMRegressor(10), False),
        (ELMRegressor(10, hidden="rbf"), True),
        (ELMRegressor(10, hidden="rbf", direct_link=True), True),
        (KernelELMRegressor(), True),
        (KernelELMRegressor(solver="nystroem", rank=5, dtype="float32"), True),
        (KernelELMRegressor("linear"), False),
    ],
)
def test_rows_in_a_file_are_told(estimator, inside, tmp_path):
    """Whoever passes a file on knows whether it shows rows."""
    estimator.set_params(random_state=0).fit(X, y).save(tmp_path / "a.samara")
    info = samara.inspect(tmp_path / "a.samara")
    assert info.contains_training_rows is inside
    assert ("contains rows of the training data" in str(info)) is inside


@pytest.mark.parametrize("solver", [*SOLVERS.values(), *KERNEL_SOLVERS.values(), Nystroem])
def test_every_solver_may_be_in_a_file(solver):
    assert CLASSES[solver.__name__] is solver
