"""Tables 7 and 8: accuracy of the network of Algorithm 5, by either stop and by the full SVD."""

from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import numpy as np

from bench.harness import Target
from bench.randomized.ledger import Cell, Ledger
from bench.randomized.paper_tables import ACCURACIES, SHAPES, SIZES
from bench.randomized.sets import FOLDS, fold, hidden, load
from samara.linalg import ErrorStop, GradientStop, pinv

STOPS = {"fast": ErrorStop(), "gradient": GradientStop()}
METHODS = (*STOPS, "svd")
POINTS, SETS_WANTED = 2.0, 12
WORK = 3e11  # rows × kernels² over all folds of a cell: what does not fit gets fewer folds, at least two


def folds(name: str, kernels: int) -> int:
    """Of the ten folds, how many are run."""
    return int(np.clip(round(WORK / (SHAPES[name][1] * kernels**2)), 2, FOLDS))


def svd_weights(H: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """A⁺Y by the full SVD, equation (12), without the singular values that are rounding errors."""
    U, s, Vt = np.linalg.svd(H, full_matrices=False)
    kept = s > max(H.shape) * np.finfo(s.dtype).eps * s[0]
    return np.asarray(Vt[kept].T @ ((U[:, kept].T @ Y) / s[kept, None]))


def measure(name: str, folder: Path | None, kernels: int, number: int) -> Cell:
    """Per cent of the fold's test rows whose largest output is their class."""
    inputs = load(name, folder)
    rows = fold(inputs.y, number, kernels)
    centres = inputs.X[rows.centres]
    H, Y = hidden(inputs.X[rows.train], centres), inputs.targets[rows.train]
    H_test, y_test = hidden(inputs.X[rows.test], centres), inputs.y[rows.test]
    weights = {
        label: pinv(H, stop, random_state=number, max_rank=len(centres)) @ Y for label, stop in STOPS.items()
    }
    weights["svd"] = svd_weights(H, Y)
    return {
        method: round(100 * float(np.mean(np.argmax(H_test @ W, axis=1) == y_test)), 3)
        for method, W in weights.items()
    }


def run(names: Iterable[str], ledger: Ledger, folder: Path | None, sizes: Iterable[int] = SIZES) -> Cell:
    """Means over the folds: {size: {set: {method: accuracy, "folds": how many}}}."""
    names, means = list(names), {}
    for kernels in sizes:
        by_set = means[kernels] = {}
        for name in names:
            tested = [
                ledger.cell(
                    f"accuracy/{name}/{kernels}/{number}",
                    lambda name=name, kernels=kernels, number=number: measure(name, folder, kernels, number),
                )
                for number in range(folds(name, kernels))
            ]
            if done := [one for one in tested if one]:
                by_set[name] = {method: mean(one[method] for one in done) for method in METHODS}
                by_set[name]["folds"] = len(done)
    return means


def off(name: str, kernels: int, method: str, accuracies: dict[str, float]) -> float:
    """Points above the paper's accuracy."""
    return accuracies[method] - ACCURACIES[name][method, kernels]


def within(means: Cell, kernels: int, method: str) -> int:
    """Sets within two points of the paper."""
    return sum(abs(off(name, kernels, method, one)) <= POINTS for name, one in means[kernels].items())


def targets(means: Cell) -> list[Target]:
    """At least 12 sets in each of the twelve columns."""
    return [
        Target(
            f"accuracy, {method}, {kernels} kernels: sets within two points",
            within(means, kernels, method) if means[kernels] else None,
            SETS_WANTED,
            at_least=True,
        )
        for kernels in means
        for method in METHODS
    ]


def report(means: Cell) -> str:
    """Measured beside published, the ones that are off marked."""
    lines = ["", "accuracy in per cent: measured (paper), * = more than two points apart"]
    for kernels, by_set in means.items():
        lines.append(f"  {kernels} kernels")
        for name, one in by_set.items():
            cells = (
                f"{method} {one[method]:.1f} ({ACCURACIES[name][method, kernels]:.1f})"
                f"{'*' if abs(off(name, kernels, method, one)) > POINTS else ' '}"
                for method in METHODS
            )
            lines.append(f"    {name:<29}{'  '.join(cells)}  {one['folds']} folds")
    return "\n".join(lines)
