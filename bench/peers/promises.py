"""What was promised against hpelm, scikit-elm and gfdl, on the same data, nodes and threads.

All fit the same standardised inputs with 1000 sigmoid nodes and the ridge 1. hpelm's leave-one-out chooses a
size at a given ridge; samara's "auto" chooses the ridge.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.contest.environments import missing, python_of
from bench.duels import Duel, Part, found
from bench.harness import CHECKOUT, Contender, Target
from bench.ledger import Cell
from bench.measure import Trial

PEERS = {"hpelm": "hpelm", "skelm": "scikit-elm", "gfdl": "gfdl"}  # and their environments
ALPHA = 1.0
REAL_TABLE = "kin40k"  # read as <data folder>/kin40k.parquet, target in the column "target"
NUMBERS = CHECKOUT / "build" / "bench" / f"{REAL_TABLE}.npy"  # the same, where no library for Parquet is

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def friedman(n_rows: int) -> Split:
    """Friedman-1 with 20 inputs, five of which matter, and noise of 1: no model can do better than RMSE 1."""
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(n_rows + 5_000, 20, noise=1.0, random_state=0)
    return X[:n_rows], X[n_rows:], y[:n_rows], y[n_rows:]


def real_table(n_rows: int) -> Split:
    """The first rows of a real table to train on, the rest to test."""
    rows = np.load(NUMBERS)
    X, y = rows[:, :-1], rows[:, -1]
    return X[:n_rows], X[n_rows:], y[:n_rows], y[n_rows:]


def write_numbers(folder: Path) -> None:
    """The real table as one array, the target last, for contenders in environments of their own."""
    import pandas as pd

    rows = pd.read_parquet(folder / f"{REAL_TABLE}.parquet")
    NUMBERS.parent.mkdir(parents=True, exist_ok=True)
    np.save(NUMBERS, rows[[*rows.columns.drop("target"), "target"]].to_numpy(np.float64))


def standardised(data: str, n_rows: int) -> Split:
    """Scaled inputs for everyone, since only samara scales by itself (it does so again, and pays for it)."""
    X, X_test, y, y_test = {"friedman1": friedman, REAL_TABLE: real_table}[data](n_rows)
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    return (X - mean) / deviation, (X_test - mean) / deviation, y, y_test


def trial(split: Split, fit: Callable[[np.ndarray, np.ndarray, int], Any], n_hidden: int) -> Trial:
    """Fit on the training rows, report the error on the others; ``fit`` takes X, y and a number of nodes."""
    X, X_test, y, y_test = split

    def describe(model: Any) -> dict[str, Any]:
        rmse = float(np.sqrt(np.mean((np.ravel(model.predict(X_test)) - y_test) ** 2)))
        chosen = {"alpha": float(model.alpha_)} if hasattr(model, "alpha_") else {}
        return {"test_rmse": rmse, **chosen}

    return Trial(run=lambda: fit(X, y, n_hidden), describe=describe, warm_up=lambda: fit(X[:64], y[:64], 10))


def samara(data: str, n_rows: int, n_hidden: int, alpha: float | str = ALPHA) -> Trial:
    from samara import ELMRegressor

    def fit(X: np.ndarray, y: np.ndarray, nodes: int) -> Any:
        return ELMRegressor(n_hidden=nodes, hidden="sigmoid", alpha=alpha, random_state=0).fit(X, y)

    return trial(standardised(data, n_rows), fit, n_hidden)


def hpelm(data: str, n_rows: int, n_hidden: int, select: str | None = None) -> Trial:
    from hpelm import ELM

    def fit(X: np.ndarray, y: np.ndarray, nodes: int) -> Any:
        np.random.seed(0)  # noqa: NPY002 (hpelm draws its nodes from the global state)
        model = ELM(X.shape[1], 1, norm=ALPHA)
        model.add_neurons(nodes, "sigm")
        model.train(X, y[:, None], *([select] if select else []))
        return model

    return trial(standardised(data, n_rows), fit, n_hidden)


def skelm(data: str, n_rows: int, n_hidden: int) -> Trial:
    from skelm import ELMRegressor

    def fit(X: np.ndarray, y: np.ndarray, nodes: int) -> Any:
        return ELMRegressor(alpha=ALPHA, n_neurons=nodes, ufunc="sigm", random_state=0).fit(X, y)

    return trial(standardised(data, n_rows), fit, n_hidden)


def gfdl(data: str, n_rows: int, n_hidden: int) -> Trial:
    from gfdl.model import GFDLRegressor

    def fit(X: np.ndarray, y: np.ndarray, nodes: int) -> Any:
        return GFDLRegressor(
            hidden_layer_sizes=(nodes,), activation="sigmoid", direct_links=False, seed=0, reg_alpha=ALPHA
        ).fit(X, y)

    return trial(standardised(data, n_rows), fit, n_hidden)


def side(name: str, peer: str, kwargs: dict[str, Any], reference: str) -> Contender:
    """A peer in its environment."""
    return Contender(name, f"bench.peers.promises:{peer}", kwargs, reference, python_of(PEERS[peer]))


def one_ridge(data: str, n_rows: int, n_hidden: int) -> list[Contender]:
    """Samara and each peer with the same ridge on one data set; a ratio says how much longer a peer takes."""
    kwargs = {"data": data, "n_rows": n_rows, "n_hidden": n_hidden}
    ours = f"{data} samara"
    theirs = [side(f"{data} {peer}", peer, kwargs, ours) for peer, name in PEERS.items() if not missing(name)]
    return [Contender(ours, "bench.peers.promises:samara", kwargs), *theirs]


def selecting(n_rows: int, n_hidden: int) -> list[Contender]:
    """Samara choosing its ridge against hpelm choosing its size by leave-one-out."""
    kwargs = {"data": "friedman1", "n_rows": n_rows, "n_hidden": n_hidden}
    ours = Contender("samara_auto", "bench.peers.promises:samara", {**kwargs, "alpha": "auto"})
    return [ours, side("hpelm_loo", "hpelm", {**kwargs, "select": "LOO"}, "samara_auto")]


def duels(chosen: argparse.Namespace) -> list[Duel]:
    """On generated data, on a real table, and with something chosen."""
    sizes = (2_000, 100) if chosen.quick else (20_000, 1_000)
    there = chosen.data and (Path(chosen.data) / f"{REAL_TABLE}.parquet").exists()
    if there:
        write_numbers(Path(chosen.data))
    absent = None if there else f"no {REAL_TABLE}.parquet in the folder of --data or SAMARA_DATA"
    return [
        Duel("promises/friedman1", one_ridge("friedman1", *sizes)),
        Duel("promises/selecting", selecting(*sizes), missing=missing("hpelm") or None),
        Duel(f"promises/{REAL_TABLE}", one_ridge(REAL_TABLE, *sizes), missing=absent),
    ]


def targets(cells: dict[str, Cell]) -> list[Target]:
    """What was promised."""
    slower = {peer: found(cells["friedman1"], f"friedman1 {peer}", "median_ratio") for peer in PEERS}
    loo = found(cells["selecting"], "hpelm_loo", "median_ratio")
    return [
        Target("times faster than hpelm", slower["hpelm"], 1.5, at_least=True),
        Target("times faster than scikit-elm", slower["skelm"], 1.0, at_least=True),
        Target("times faster than gfdl", slower["gfdl"], 1.0, at_least=True),
        Target("with the ridge chosen: times faster than hpelm's LOO", loo, 10, at_least=True),
    ]


PART = Part("The same nodes and ridge on both sides", duels, targets)
