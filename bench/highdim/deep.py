"""Deep models on handwritten digits, against scikit-learn's network trained until it is as good.

Samara: local receptive fields, then an extreme learning machine; ridge chosen by the fit. The network trains
an epoch at a time until its test accuracy, looked at after every epoch and not on the clock, is that of
Samara's model: it is told when to stop by the rows that nobody else may look at.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.duels import Outcome, found
from bench.harness import Comparison, Contender, Target, table
from bench.kernel.data import missing
from bench.ledger import Cell, Ledger
from bench.measure import Trial
from bench.papers.splits import Split, file_split

PROMISED = 98.5  # per cent of the test rows
NETWORKS: dict[str, tuple[int, ...]] = {"100": (100,), "512": (512,), "512-256": (512, 256)}
EPOCHS = 40
HERE = "bench.highdim.deep"


def images(name: str, folder: str | None) -> Split:
    """Images in [0, 1], in float32: rows to train and to test on."""
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        test = np.random.default_rng(0).permutation(len(X)) < len(X) // 3
        split: Split | None = X[~test], X[test], y[~test], y[test]
    else:
        split = file_split(name, Path(folder) if folder else None, np.random.default_rng(0))
        assert split is not None
    X, X_test, y, y_test = split
    most = X.max()
    return (X / most).astype(np.float32), (X_test / most).astype(np.float32), y, y_test


def samara_fit(name: str, folder: str | None, fields: dict[str, Any], n_hidden: int) -> Trial:
    """Local fields, then nodes; everything is chosen from the training rows."""
    from samara import DeepELMClassifier
    from samara.maps import LocalFields

    X, X_test, y, y_test = images(name, folder)
    side = int(X.shape[1] ** 0.5)
    model = DeepELMClassifier(
        (LocalFields((side, side), **fields),),
        n_hidden=n_hidden,
        hidden="relu",
        scale=None,
        dtype="float32",
        random_state=0,
    )

    def describe(fitted: DeepELMClassifier) -> dict[str, Any]:
        return {"accuracy": 100 * fitted.score(X_test, y_test), "alpha": float(fitted.alpha_)}

    return Trial(
        lambda: model.fit(X, y), describe, lambda: DeepELMClassifier((2,), n_hidden=2).fit(X[:50], y[:50])
    )


def network_fit(name: str, folder: str | None, sizes: list[int], wanted: float, epochs: int) -> Trial:
    """Epochs until the test accuracy is the one wanted; the clock of the training alone is reported."""
    from sklearn.neural_network import MLPClassifier

    X, X_test, y, y_test = images(name, folder)
    model = MLPClassifier(tuple(sizes), random_state=0)

    def run() -> dict[str, Any]:
        seconds, best, epoch = 0.0, 0.0, 0
        while best < wanted and epoch < epochs:
            epoch += 1
            started = time.perf_counter()
            model.partial_fit(X, y, classes=np.unique(y))
            seconds += time.perf_counter() - started
            best = max(best, 100 * float(model.score(X_test, y_test)))
        return {"accuracy": best, "reached": best >= wanted, "epochs": epoch, "train_seconds": seconds}

    return Trial(run, lambda outcome: outcome)


def contenders(chosen: argparse.Namespace, accuracy: float | None) -> list[Contender]:
    """Samara's models, or, once their accuracy is known, the networks."""
    folder = str(chosen.data) if chosen.data else None
    data = {"name": "digits" if chosen.quick else "mnist", "folder": folder}
    if accuracy is None:
        small = {"n_maps": 48, "size": 7, "pool": 3, "stride": 4}
        if chosen.quick:
            small = {"n_maps": 16, "size": 3, "pool": 1, "stride": 1}
        n_hidden = 500 if chosen.quick else 2000
        return [Contender("samara", f"{HERE}:samara_fit", {**data, "fields": small, "n_hidden": n_hidden})]
    networks = {"100": NETWORKS["100"]} if chosen.quick else NETWORKS
    return [
        Contender(
            f"network {label}",
            f"{HERE}:network_fit",
            {**data, "sizes": list(sizes), "wanted": accuracy, "epochs": 100 if chosen.quick else EPOCHS},
        )
        for label, sizes in networks.items()
    ]


def played(sides: list[Contender], rounds: int, chosen: argparse.Namespace) -> Cell:
    """What each took."""
    comparison = Comparison(sides, chosen.threads).play(rounds)
    return {side.name: comparison.summary(side) for side in sides}


def run(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """Samara first: its accuracy is what the networks are stopped at."""
    why = None if chosen.quick else missing("mnist", chosen.data)
    title = "Deep models on handwritten digits, and networks trained until they are as good"
    if why:
        return {"missing": why}, f"\n{title}\n  {why}", targets({}, None)
    key = "deep/digits" if chosen.quick else "deep/mnist"
    rounds = chosen.rounds or (1 if chosen.quick else 3)
    cells = ledger.cell(f"{key}/samara", lambda: played(contenders(chosen, None), rounds, chosen)) or {}
    accuracy = found(cells, "samara", "accuracy")
    if accuracy is not None:
        for side in contenders(chosen, accuracy):
            made = ledger.cell(
                f"{key}/{side.name}", lambda side=side: played([side], 1, chosen)
            )  # the first epoch that is as good ends it: once is enough
            cells = cells | (made or {})
    lines = ["", title, table(cells) if cells else "  not yet measured"]
    return cells, "\n".join(lines), targets(cells, accuracy)


def targets(cells: Cell, accuracy: float | None) -> list[Target]:
    """The accuracy promised, and less time than any network took, also one that never got there."""
    ours = found(cells, "samara", "median_seconds")
    theirs = [found(cells, name, "train_seconds") for name in cells if name != "samara"]
    known = [seconds for seconds in theirs if seconds is not None]
    times = min(known) / ours if ours and known else None
    return [
        Target("deep: per cent of the test rows right", accuracy, PROMISED, at_least=True),
        Target("deep: times as long for a network as good", times, 1.0, at_least=True),
    ]
