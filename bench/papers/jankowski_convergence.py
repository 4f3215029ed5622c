"""Table 1 and Figs. 1 to 9: how the error of the range finder falls, with and without noise."""

from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

from bench.ledger import Cell
from bench.papers.jankowski_sets import asked, cell_name, gaussians, load, missing, squared_distances
from bench.papers.running import Run
from bench.papers.tables import Figure

KERNELS = 2000  # of Figs. 1 to 7
DRAWS = 5  # of centres, noise and probes together; the paper shows one
POINTS = 150  # of a curve that are kept
DETAIL = (100, 160)  # columns that are kept one by one
QUICK_NOISE = (0, 1)  # per cent, with --quick
COLUMNS: dict[str, Any] = {"unit": "columns", "better": "same", "rounding": 0.5, "counts": False}


def key(name: str, kernels: int = KERNELS, noise: int = 0) -> str:
    """Under which the draws of a curve are kept."""
    return f"convergence/{cell_name(name)}/{kernels}/{noise} %"


def measure(name: str, folder: Path | None, kernels: int, noise: int, number: int) -> Cell:
    """One search on all rows to the error stop; where the gradient stop would have ended it follows."""
    from samara.linalg import ErrorStop, GradientStop, range_finder
    from samara.linalg.stops import PROBE_FACTOR

    inputs, rng = load(name, folder), np.random.default_rng((number, kernels))
    centres = inputs.X[rng.choice(len(inputs.X), min(kernels, len(inputs.X)), replace=False)]
    H = gaussians(squared_distances(inputs.X, centres))
    if noise:
        H[:, 1:] += noise / 100 * rng.standard_normal((len(H), len(centres)))
    found = range_finder(H, ErrorStop(), random_state=number, max_rank=len(centres))
    stopped = GradientStop().stopped_at(found.history)
    errors = PROBE_FACTOR * found.history
    return {
        "fast": found.rank,
        "gradient": found.rank if stopped is None else stopped,
        "rises": int(np.count_nonzero(np.diff(errors) > 0)),
        **({} if number else {"curve": _drawn(errors)}),
    }


def _drawn(errors: np.ndarray) -> Cell:
    """What the charts show of the errors after 0, 1, … columns."""
    places = np.unique(np.linspace(0, len(errors) - 1, POINTS).round().astype(int))
    return {
        "places": places.tolist(),
        "errors": [float(f"{error:.4g}") for error in errors[places]],
        "detail": [float(f"{error:.4g}") for error in errors[slice(*DETAIL)]],
    }


def draws(run: Run, name: str, noise: int = 0) -> list[Cell]:
    """All draws at 2000 kernels there was time for; --quick only looks at cardiotocography, a little."""
    if missing(run, name) or (run.quick and (name == "musk2" or noise not in QUICK_NOISE)):
        return []
    return run.cells(
        key(name, KERNELS, noise),
        1 if run.quick else DRAWS,
        lambda number: measure(name, run.data, KERNELS, noise, number),
    )


def curve(run: Run, name: str, kernels: int) -> Cell | None:
    """One draw of a set without noise."""
    if not asked(run, name, kernels):
        return None
    return run.cell(f"{key(name, kernels)}/0", lambda: measure(name, run.data, kernels, 0, 0))


def figure(run: Run, row: str, column: str, paper: float | None, found: tuple[str, list[Cell]]) -> Figure:
    """The mean over the draws of what a stop kept; ``found``: the set, and its draws."""
    method = "gradient" if column.startswith("Grad") else "rises" if "rises" in column else "fast"
    counts = [cell[method] for cell in found[1]]
    return Figure(
        row=row,
        column=column,
        paper=paper,
        ours=mean(counts) if counts else None,
        deviation=stdev(counts) if len(counts) > 1 else 0.0,
        repeats=len(counts),
        missing=missing(run, found[0]),
        **COLUMNS,
    )
