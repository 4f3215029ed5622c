"""Every method of the comparison: where it lives, its settings, and how it is made.

A method's maker runs in the environment of the method, so libraries are imported inside it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bench.contest.methods import (
    RIDGES,
    Indicators,
    Method,
    Problem,
    gradient_boosting,
    lightgbm,
    mlp,
    ridge_cv,
)

LEAF_ROWS = 1000
NODES = 300  # hidden nodes or components of every peer that asks for a number
ELM_RIDGE = 1.0  # where a peer takes a ridge and has none by default


def nodes_of(problem: Problem) -> int:
    """As many as everyone has; half the rows where there are few, for a peer that would interpolate."""
    return min(NODES, problem.n_rows // 2)


class HighPerformanceELM:
    """hpelm behind fit and predict: sigmoid nodes as its README has them; ``args`` go to its ``train``."""

    def __init__(self, problem: Problem, nodes: int, args: tuple[str, ...] = ()) -> None:
        self.problem, self.nodes = problem, nodes
        self.args = args if problem.regression else ("c", *args)

    def fit(self, X: np.ndarray, y: np.ndarray) -> "HighPerformanceELM":
        """Nodes, then one solve."""
        from hpelm import ELM

        np.random.seed(self.problem.seed)  # noqa: NPY002 (hpelm draws its nodes from the global state)
        targets = y[:, None] if self.problem.regression else np.eye(self.problem.n_classes)[y]
        self.model = ELM(X.shape[1], targets.shape[1])
        self.model.add_neurons(self.nodes, "sigm")
        self.model.train(X, targets, *self.args)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Values or class numbers."""
        found = self.model.predict(X)
        return np.asarray(found[:, 0] if self.problem.regression else np.argmax(found, axis=1))


def hpelm(problem: Problem) -> Any:
    return HighPerformanceELM(problem, nodes_of(problem))


def hpelm_loo(problem: Problem) -> Any:
    return HighPerformanceELM(problem, nodes_of(problem), ("LOO",))


def scikit_elm(problem: Problem) -> Any:
    from skelm import ELMClassifier, ELMRegressor

    return (ELMRegressor if problem.regression else ELMClassifier)(random_state=problem.seed)


def pyoselm(problem: Problem) -> Any:
    from pyoselm import OSELMClassifier, OSELMRegressor

    kind = OSELMRegressor if problem.regression else OSELMClassifier
    return kind(n_hidden=nodes_of(problem), random_state=problem.seed)


def gfdl(problem: Problem) -> Any:
    from gfdl.model import GFDLClassifier, GFDLRegressor

    kind = GFDLRegressor if problem.regression else GFDLClassifier
    return kind(hidden_layer_sizes=(NODES,), activation="sigmoid", reg_alpha=ELM_RIDGE, seed=problem.seed)


def incremental_ridge(problem: Problem) -> Any:
    from sklearnex.linear_model import IncrementalRidge

    model = IncrementalRidge()
    return model if problem.regression else Indicators(model, problem.n_classes)


def kernel_ridge(problem: Problem) -> Any:
    from sklearn.kernel_ridge import KernelRidge

    model = KernelRidge(kernel="rbf")
    return model if problem.regression else Indicators(model, problem.n_classes)


def nystroem(problem: Problem) -> Any:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.pipeline import make_pipeline

    nodes = min(NODES, problem.n_rows)
    return make_pipeline(Nystroem(n_components=nodes, random_state=problem.seed), ridge_cv(problem))


def rbf_sampler(problem: Problem) -> Any:
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.pipeline import make_pipeline

    features = RBFSampler(gamma="scale", n_components=NODES, random_state=problem.seed)
    return make_pipeline(features, ridge_cv(problem))


def support_vectors(problem: Problem) -> Any:
    from sklearn.svm import SVC, SVR

    return SVR() if problem.regression else SVC()


def samara(n_hidden: int | str, **settings: Any) -> Callable[[Problem], Any]:
    """A maker of one size; inputs come scaled to everyone."""

    def make(problem: Problem) -> Any:
        from samara import ELMClassifier, ELMRegressor

        if problem.regression:
            return ELMRegressor(n_hidden, scale=None, random_state=problem.seed, intervals=False, **settings)
        return ELMClassifier(n_hidden, scale=None, random_state=problem.seed, calibration=None, **settings)

    return make


def kernel_elm(**settings: Any) -> Callable[[Problem], Any]:
    """A maker of a kernel model."""

    def make(problem: Problem) -> Any:
        from samara import KernelELMClassifier, KernelELMRegressor

        if problem.regression:
            return KernelELMRegressor(random_state=problem.seed, intervals=False, **settings)
        return KernelELMClassifier(random_state=problem.seed, calibration=None, **settings)

    return make


def narrow_kernel(problem: Problem) -> Any:
    """Four times the usual gamma: half the width; inputs come scaled."""
    return kernel_elm(alpha=0.1, gamma=4 / problem.n_features)(problem)


def trees(n_trees: int, **settings: Any) -> Callable[[Problem], Any]:
    """Leaves of trees as nodes."""

    def make(problem: Problem) -> Any:
        from samara import TreeELMClassifier, TreeELMRegressor

        if problem.regression:
            return TreeELMRegressor(n_trees, random_state=problem.seed, intervals=False, **settings)
        return TreeELMClassifier(n_trees, random_state=problem.seed, calibration=None, **settings)

    return make


def leaves(**settings: Any) -> Callable[[Problem], Any]:
    """A maker of kernel models of a few rows each."""

    def make(problem: Problem) -> Any:
        from samara.solvers.kernel import Leaves

        return kernel_elm(alpha=0.1, solver=Leaves(LEAF_ROWS), **settings)(problem)

    return make


def centres(count: int) -> Callable[[Problem], Any]:
    """A maker of a kernel model with some of the rows as centres."""

    def make(problem: Problem) -> Any:
        return kernel_elm(alpha=0.1, solver="nystroem", rank=min(count, problem.n_rows))(problem)

    return make


LINEAR = samara(1, hidden="linear", direct_link=True, alpha=1.0)  # the peers' linear models, no node beside
_ALL = (
    Method("samara link", "the inputs and a linear node, ridge 1", LINEAR, ours=True),
    Method("samara 100 fixed", "100 nodes, ridge 1", samara(100, alpha=1.0), ours=True),
    Method("samara 300 fixed", "300 nodes, ridge 0.001", samara(300, alpha=1e-3), ours=True),
    Method("samara 1000 fixed", "1000 nodes, ridge 1", samara(1000, alpha=1.0), ours=True),
    Method("samara 2000 fixed", "2000 nodes, ridge 1", samara(2000, alpha=1.0), ours=True),
    Method("samara 100", "100 nodes, ridge chosen", samara(100), ours=True),
    Method("samara 300", "300 nodes, ridge chosen", samara(300), ours=True),
    Method("samara 1000", "1000 nodes, ridge chosen", samara(1000), ours=True),
    Method("samara auto", "nodes and ridge chosen", samara("auto"), ours=True),
    Method("samara kernel fixed", "Gaussian kernel, ridge 0.1", kernel_elm(alpha=0.1), ours=True),
    Method("samara kernel narrow", "half as wide a Gaussian kernel, ridge 0.1", narrow_kernel, ours=True),
    Method("samara kernel", "KernelELM as it comes: Gaussian kernel, ridge chosen", kernel_elm(), ours=True),
    Method("samara laplace", "Laplace kernel, ridge chosen", kernel_elm(kernel="laplace"), ours=True),
    Method("samara trees 30", "30 trees, rate 0.3, ridge 10", trees(30, rate=0.3, alpha=10.0), ours=True),
    Method("samara trees 40", "40 trees, rate 0.25, ridge 30", trees(40, rate=0.25, alpha=30.0), ours=True),
    Method("samara trees 50", "50 trees, ridge 30", trees(50, alpha=30.0), ours=True),
    Method("samara trees 50 firm", "50 trees, ridge 100", trees(50, alpha=100.0), ours=True),
    Method(
        "samara trees 50 small",
        "50 trees of 20 leaves, ridge 100",
        trees(50, leaves=20, alpha=100.0),
        ours=True,
    ),
    Method("samara trees 60", "60 trees, ridge 10", trees(60, alpha=10.0), ours=True),
    Method(
        "samara trees 60 small",
        "60 trees of 15 leaves, rate 0.15, ridge 300",
        trees(60, leaves=15, rate=0.15, alpha=300.0),
        ours=True,
    ),
    Method(
        "samara trees 80 small",
        "80 trees of 10 leaves, rate 0.1, ridge 100",
        trees(80, leaves=10, rate=0.1, alpha=100.0),
        ours=True,
    ),
    Method("samara centres 300", "Gaussian kernel, 300 centres, ridge 0.1", centres(300), ours=True),
    Method("samara centres 1000", "Gaussian kernel, 1000 centres, ridge 0.1", centres(1000), ours=True),
    Method(
        "samara leaves",
        f"Laplacian kernel of columns as ranks within leaves of {LEAF_ROWS} rows, ridge 0.1",
        leaves(kernel="laplacian", scale="quantile"),
        ours=True,
    ),
    Method(
        "samara leaves weighed",
        "the same, and a learned weight for each column",
        leaves(kernel="laplacian", scale="quantile", metric="agop_diagonal", rounds=1),
        ours=True,
    ),
    Method(
        "samara leaves turned",
        f"Laplace kernel within leaves of {LEAF_ROWS} rows, ridge 0.1, and a learned metric",
        leaves(kernel="laplace", metric="agop", rounds=2),
        ours=True,
    ),
    Method("hpelm", f"{NODES} sigmoid nodes, its own ridge", hpelm, "hpelm"),
    Method("hpelm LOO", f"nodes chosen among {NODES} by leave-one-out", hpelm_loo, "hpelm"),
    Method("scikit-elm", "as it comes: number of nodes by its own rule", scikit_elm, "scikit-elm"),
    Method("pyoselm", f"OS-ELM, {NODES} nodes, all rows in one batch", pyoselm, "pyoselm"),
    Method("gfdl", f"{NODES} sigmoid nodes and the inputs, ridge {ELM_RIDGE:g}", gfdl, "gfdl"),
    Method("IncrementalRidge", "as it comes: ridge 1", incremental_ridge, "scikit-learn-intelex"),
    Method("LightGBM", "as it comes", lightgbm, "lightgbm"),
    Method("RidgeCV", f"ridge chosen among {len(RIDGES)} by leave-one-out", ridge_cv),
    Method("KernelRidge", "Gaussian kernel, as it comes: ridge 1", kernel_ridge),
    Method("Nystroem", f"{NODES} components, then RidgeCV", nystroem),
    Method("RBFSampler", f"{NODES} components, gamma by scale, then RidgeCV", rbf_sampler),
    Method("SVM", "SVC or SVR as they come", support_vectors),
    Method("MLP", "as it comes: 100 nodes, Adam", mlp),
    Method("HistGradientBoosting", "as it comes", gradient_boosting),
)
METHODS: Mapping[str, Method] = {method.name: method for method in _ALL}
OURS = tuple(name for name, method in METHODS.items() if method.ours)
PEERS = tuple(name for name, method in METHODS.items() if not method.ours)
