"""Files that can't have been saved by an estimator are refused by name; so is what can't be saved."""

import pickle
import zipfile

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import samara
from samara import (
    ELMClassifier,
    ELMRegressor,
    InputError,
    KernelELMClassifier,
    KernelELMRegressor,
    StoreError,
)
from samara.core import dense
from samara.engines import Threads
from samara.maps import Kernel
from tests.faults.model_lies import rewritten

rng = np.random.default_rng(5)
X = rng.normal(size=(60, 3))
y = X[:, 0] + X[:, 1] ** 2
LABELS = np.array(["a", "b", "c"])[np.digitize(y, [0, 1])]


def refused(path):
    """The sentence with which a file is refused, by load and by nothing else."""
    with pytest.raises(StoreError) as caught:
        samara.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path} can't be used: ")
    assert message.endswith(".")
    assert "\n" not in message
    return message.removeprefix(f"{path} can't be used: ")


@pytest.fixture
def path(tmp_path):
    """Where a test writes."""
    return tmp_path / "m.samara"


ELMS = {
    "nodes": ELMClassifier(8, random_state=0),
    "radial": ELMClassifier(8, hidden="rbf", scale="quantile", random_state=0),
    "linked": ELMClassifier([4, 8], direct_link=True, selection="kfold", random_state=0),
    "kernel": KernelELMClassifier(solver="nystroem", rank=8, dtype="float32", random_state=0),
}


def edit_node(name, value):
    """Replace a node of the header, by its path."""

    def edit(header, arrays):
        *places, last = name.split("/")
        for place in places:
            header = header[int(place) if place.isdigit() else place]
        assert last in header
        header[last] = value

    return edit


def edit_array(name, change):
    """Replace an array by what a function makes of it."""

    def edit(header, arrays):
        arrays[f"fitted/{name}"] = change(arrays[f"fitted/{name}"])

    return edit


def with_nan(array):
    """The array with one NaN."""
    array = array.copy()
    array.flat[-1] = np.nan
    return array


MAPS = "fitted/model_/Model/maps/tuple"
LIES = {
    "not a model": ("nodes", edit_node("kind", "recipe"), "it is no model."),
    "newer": (
        "nodes",
        edit_node("version", 2),
        "it is version 2 of a model file, and this Samara reads versions up to 1; update Samara.",
    ),
    "no version": (
        "nodes",
        edit_node("version", "1"),
        "it does not say which version of a model file it is.",
    ),
    "unknown entry": (
        "nodes",
        lambda header, arrays: header.update(hook="rm"),
        "its header has the unknown 'hook'.",
    ),
    "missing entry": ("nodes", lambda header, arrays: header.pop("about"), "its header lacks 'about'."),
    "wrong entry": ("nodes", edit_node("libraries", ["numpy"]), "its header has entries of the wrong type."),
    "unknown estimator": ("nodes", edit_node("estimator", "Sneaky"), "its estimator is unknown: 'Sneaky'."),
    "another estimator": (
        "nodes",
        edit_node("estimator", "ELMRegressor"),
        "its parameters has the unknown 'calibration', 'class_weight', 'ordinal'.",
    ),
    "unknown parameter": (
        "nodes",
        lambda header, arrays: header["parameters"].update(hook=1),
        "its parameters has the unknown 'hook'.",
    ),
    "bad parameter": (
        "nodes",
        edit_node("parameters/solver", "magic"),
        "its parameters can't be used: Unknown solver 'magic'.",
    ),
    "unknown attribute": (
        "nodes",
        lambda header, arrays: header["fitted"].update(predict=1),
        "its fitted has the unknown 'predict'.",
    ),
    "no plan": ("nodes", edit_node("fitted/plan_", None), "its fitted/plan_ is of the wrong type, NoneType."),
    "plan": (
        "nodes",
        edit_node("fitted/plan_/Plan/passes", "two"),
        "its fitted/plan_/passes must be int, got str.",
    ),
    "unknown class": (
        "nodes",
        edit_node("fitted/model_", {"Exec": {}}),
        "its fitted/model_ is of an unknown class 'Exec'.",
    ),
    "spare array": (
        "nodes",
        lambda header, arrays: arrays.update(more=np.zeros(1)),
        "its array 'more' belongs to nothing.",
    ),
    "no array": (
        "nodes",
        lambda header, arrays: arrays.pop("fitted/model_/coef"),
        "the array of its fitted/model_/coef is missing.",
    ),
    "no maps": (
        "nodes",
        lambda header, arrays: (
            header["fitted"]["model_"]["Model"].update(maps={"tuple": []}),
            [arrays.pop(name) for name in list(arrays) if "/maps/" in name],
        ),
        "its model has no maps.",
    ),
    "coef": (
        "nodes",
        edit_array("model_/coef", lambda A: A[:-1]),
        "its coefficients have the shape (7, 3) where (8, any) is needed.",
    ),
    "coef transposed": (
        "nodes",
        edit_array("model_/coef", lambda A: A.T),
        "its coefficients have the shape (3, 8) where (8, any) is needed.",
    ),
    "NaN": ("nodes", edit_array("model_/coef", with_nan), "its coefficients hold a NaN or an infinity."),
    "numbers": (
        "nodes",
        edit_array("model_/coef", lambda A: A.astype(int)),
        "its coefficients are not numbers of the right kind.",
    ),
    "intercept": (
        "nodes",
        edit_array("model_/intercept", lambda b: b[:2]),
        "its intercepts have the shape (2,) where (3,) is needed.",
    ),
    "precision": (
        "nodes",
        edit_array("model_/intercept", lambda b: b.astype("float32")),
        "its coefficients and intercept differ in precision.",
    ),
    "precision of nodes": (
        "nodes",
        edit_array("model_/maps/1/weights", lambda W: W.astype("float32")),
        "its nodes and coefficients differ in precision.",
    ),
    "weights": (
        "nodes",
        edit_array("model_/maps/1/weights", lambda W: W[:, 1:]),
        "its weights of map 1 (AdditiveNodes) have the shape (3, 8) where (4, any) is needed.",
    ),
    "NaN weights": (
        "nodes",
        edit_array("model_/maps/1/weights", with_nan),
        "its weights of map 1 (AdditiveNodes) hold a NaN or an infinity.",
    ),
    "activation": (
        "nodes",
        edit_node(f"{MAPS}/1/AdditiveNodes/activation", "eval"),
        "its map 1 (AdditiveNodes) has an unknown activation.",
    ),
    "spread": (
        "nodes",
        edit_array("model_/maps/0/spread", lambda s: 0 * s),
        "its spreads of map 0 (Standardize) are not all above 0.",
    ),
    "half precision": (
        "nodes",
        edit_node(f"{MAPS}/0/Standardize/dtype", {"dtype": "float16"}),
        "its map 0 (Standardize) has the precision float16, not float32 or float64.",
    ),
    "inputs": (
        "nodes",
        edit_node("fitted/n_features_in_", 4),
        "its means of map 0 (Standardize) have the shape (3,) where (4,) is needed.",
    ),
    "features out": (
        "nodes",
        edit_node("fitted/_n_features_out", 9),
        "its number of features is not that of its 8 coefficients.",
    ),
    "ridge": ("nodes", edit_node("fitted/alpha_", -1.0), "its ridge is not a number of 0 or more."),
    "scores": (
        "nodes",
        edit_array("selection_/scores", lambda A: A.T),
        "its selection has scores of another shape.",
    ),
    "fewer classes": (
        "nodes",
        edit_node("fitted/classes_", {"texts": {"shape": [2], "width": 1, "values": ["a", "b"]}}),
        "its 2 classes need 1 outputs, and it has 3.",
    ),
    "mixed classes": (
        "nodes",
        edit_node("fitted/classes_", {"texts": {"shape": [3], "width": 1, "values": ["b", "a", "c"]}}),
        "its classes are not in increasing order.",
    ),
    "about": (
        "kernel",
        edit_node("about/About/contains_training_rows", False),
        "what it says about its model is not true of it.",
    ),
    "knots": (
        "radial",
        edit_array("model_/maps/0/knots/0", lambda k: k[::-1]),
        "its knots of map 0 (QuantileNormal) do not increase.",
    ),
    "widths": (
        "radial",
        edit_array("model_/maps/1/gamma", lambda g: g[1:]),
        "its widths of map 1 (RadialNodes) have the shape (7,) where (8,) is needed.",
    ),
    "function": (
        "radial",
        edit_node(f"{MAPS}/1/RadialNodes/function", "x"),
        "its map 1 (RadialNodes) has an unknown function.",
    ),
    "linked": (
        "linked",
        edit_node(f"{MAPS}/1/DirectLink/n_inputs", 2),
        "its map 1 (DirectLink) links 2 inputs where there are 3.",
    ),
    "kernel": (
        "kernel",
        edit_node(f"{MAPS}/1/Whitened/rows/KernelRows/kernel/Kernel/gamma", -1.0),
        "its map 1 (Whitened) has a kernel that can't be: gamma must be a positive number, got -1.0.",
    ),
    "function of a kernel": (
        "kernel",
        edit_node(f"{MAPS}/1/Whitened/rows/KernelRows/kernel/Kernel/function", "os.system"),
        "its fitted/model_/maps/1/rows/kernel/function must be Callable",
    ),
    "callable kernel": (
        "kernel",
        edit_node(f"{MAPS}/1/Whitened/rows/KernelRows/kernel/Kernel/name", "callable"),
        "its map 1 (Whitened) has a kernel that can't be: A callable kernel needs a function",
    ),
    "centres": (
        "kernel",
        edit_array("model_/maps/1/rows/centres", lambda Z: Z[:, 1:]),
        "its centres of map 1 (Whitened) have the shape (8, 2) where (any, 3) is needed.",
    ),
    "triangle": (
        "kernel",
        edit_array("model_/maps/1/triangle", lambda T: 0 * T),
        "its triangle of map 1 (Whitened) is singular.",
    ),
}


@pytest.mark.parametrize(("which", "edit", "message"), LIES.values(), ids=LIES)
def test_lies_are_refused(which, edit, message, path):
    """The checksum fits; what the file says does not."""
    ELMS[which].fit(X, LABELS).save(path)
    assert refused(rewritten(path, edit)).startswith(message)


def test_precomputed_centres_are_rows_of_the_fit(path):
    """A row number beyond the table would read from elsewhere."""
    K = X @ X.T
    KernelELMRegressor("precomputed").fit(K, y).save(path)
    rewritten(path, edit_array("model_/maps/0/centres", lambda rows: rows + 60))
    assert refused(path) == "its centres of map 0 (KernelRows) are not rows of the 60 fitted."


def test_names_are_texts_of_the_inputs(path):
    """One name for each input."""
    pandas = pytest.importorskip("pandas")
    ELMRegressor(8, random_state=0).fit(pandas.DataFrame(X, columns=list("abc")), y).save(path)
    names = {"texts": {"shape": [2], "width": None, "values": ["a", "b"]}}
    assert refused(rewritten(path, edit_node("fitted/feature_names_in_", names))) == (
        "its feature names are not 3 texts."
    )


def test_one_target_has_one_output(path):
    """A vector can't come from two outputs."""
    ELMRegressor(8, random_state=0).fit(X, X[:, :2]).save(path)
    rewritten(path, edit_node("fitted/_one_target", True))
    assert refused(path) == "its one target has 2 outputs."


def test_other_files_are_refused_by_name(path):
    """A pickle, a zip, an array, a checkpoint, a text, nothing: each is called what it is."""
    model = ELMRegressor(8, random_state=0).fit(X, y)
    path.write_bytes(pickle.dumps(model))
    assert refused(path) == "it is a pickle, which Samara never opens, for it could run any code."
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("model.json", "{}")
    assert refused(path) == "it is a zip archive."
    with path.open("wb") as file:
        np.save(file, X)
    assert refused(path) == "it is a NumPy .npy file."
    path.write_text("a model, really")
    assert refused(path) == "it is not a file of Samara, or its start is damaged."
    path.write_bytes(b"")
    assert refused(path) == "it is empty."
    with pytest.raises(FileNotFoundError):
        samara.load(path.with_name("none.samara"))
    with pytest.raises(StoreError, match="it is a folder or a device, not a file"):
        samara.inspect(path.parent)


def test_a_checkpoint_is_no_model(path):
    """The files of a fit that was interrupted are gone on with by fit."""

    def interrupt(name, rows, total):
        raise KeyboardInterrupt

    fit = ELMRegressor(8, random_state=0, engine=Threads(1, 16, interrupt)).fit
    with pytest.raises(KeyboardInterrupt):
        fit(X, y, checkpoint=path, every=0)
    for look in (samara.load, samara.inspect):
        with pytest.raises(
            StoreError, match=r"it is a checkpoint of a fit, which the same call of fit goes on"
        ):
            look(path)


def test_inspect_refuses_what_says_nothing(path):
    """A look at the head is as careful as far as it goes."""
    ELMRegressor(8, random_state=0).fit(X, y).save(path)
    whole = path.read_bytes()
    rewritten(path, edit_node("fitted/plan_", None))
    with pytest.raises(StoreError, match="it says nothing about its model"):
        samara.inspect(path)
    path.write_bytes(whole[:-1])
    with pytest.raises(StoreError, match="it is 1 bytes too short"):
        samara.inspect(path)


class Squares:
    """A map of one's own."""

    n_out = 3

    def __call__(self, X, out=None):
        made = dense(X) ** 2
        if out is None:
            return made
        out[...] = made
        return out


class Mine(ELMRegressor):
    """An estimator of one's own."""


UNSAVABLE = {
    "own map": (
        ELMRegressor(hidden=Squares()),
        "parameters/hidden can't be saved: it is of the class Squares",
    ),
    "own scaling": (
        ELMRegressor(8, scale=Squares()),
        "parameters/scale can't be saved: it is of the class Sq",
    ),
    "kernel function": (
        KernelELMRegressor(lambda X, Z: X @ Z.T),
        "parameters/kernel can't be saved: it is a function, and a file holds no code.",
    ),
    "kernel object": (
        KernelELMRegressor(Kernel("callable", function=lambda X, Z: X @ Z.T)),
        "parameters/kernel/function can't be saved: it is a function, and a file holds no code.",
    ),
    "generator": (
        ELMRegressor(8, random_state=np.random.RandomState(0)),
        "parameters/random_state can't be saved: it is a random generator, which goes on as it is used; give",
    ),
    "progress": (
        ELMRegressor(8, engine=Threads(1, 0, lambda name, rows, total: None)),
        "parameters/engine/progress can't be saved: it is a function",
    ),
    "subclass": (Mine(8), "Mine can't be saved: a file holds Samara's own estimators only, ELMRegressor, "),
}


@pytest.mark.parametrize(("estimator", "message"), UNSAVABLE.values(), ids=UNSAVABLE)
def test_what_is_no_data_is_not_saved(estimator, message, path):
    """The parameter is named, and no file is there."""
    with pytest.raises(InputError) as caught:
        estimator.fit(X, y).save(path)
    assert str(caught.value).startswith(message)
    assert not path.exists()


def test_what_could_not_be_loaded_is_not_saved(path):
    """Parameters changed for the worse, and weights that are no numbers, stay out of files."""
    model = ELMRegressor(8, random_state=0).fit(X, y)
    model.set_params(solver="magic")
    with pytest.raises(InputError, match="Unknown solver 'magic'"):
        model.save(path)
    model.set_params(solver="auto")
    model.model_.coef[0] = np.nan
    with pytest.raises(InputError, match="ELMRegressor can't be saved: its coefficients hold a NaN"):
        model.save(path)
    assert not path.exists()


def test_an_estimator_that_was_not_fitted(path):
    """There is nothing to save."""
    with pytest.raises(NotFittedError):
        ELMRegressor().save(path)


def test_a_folder_that_is_not_there(path):
    """The file is named."""
    model = ELMRegressor(8, random_state=0).fit(X, y)
    with pytest.raises(StoreError, match=r"none.m.samara can't be written: there is no folder"):
        model.save(path.parent / "none" / "m.samara")
