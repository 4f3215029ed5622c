"""Men and Wang's Tables 2, 3 and 4: random nodes and kernel models, exactly and by their sketch."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from bench.ledger import Cell
from bench.papers.men_wang_tables import (
    GAUSSIAN,
    GAUSSIAN_SETTINGS,
    LINEAR,
    NODES,
    SHARES,
    SIGMOID,
    SIGMOID_C,
    SIZES,
    SKETCH_C,
    Printed,
)
from bench.papers.men_wang_texts import (
    ABOUT,
    GAUSSIAN_ABOUT,
    GAUSSIAN_REASONS,
    LINEAR_ABOUT,
    LINEAR_REASONS,
    SIGMOID_ABOUT,
    SIGMOID_REASONS,
)
from bench.papers.running import Run, table_of
from bench.papers.splits import Split, file_split
from bench.papers.tables import Figure, Paper, Table
from bench.papers.trials import averaged, faster_figure, interleaved, rate_figure, rates

TRIALS, LINEAR_TRIALS = 10, 3  # they ran thirty
RANDOM = ("letter", "segment")  # no official rows: other rows in every trial
OVERSAMPLING = 10  # their p, "a small constant, such as p = 5 or p = 10"; they use all k + p directions
ALL = 0.0  # the share that stands for k = m
QUICK_ROWS = 200  # to train on
DIGIT = 0.005  # half a unit of the last digit printed


def rows_of(name: str, run: Run, seed: int) -> Split:
    """The official rows to train and test on, else as many random ones as the paper had.

    Waveform has 5000 rows, of which they trained on 5000 and tested on 1000: those are the last ones.
    """
    train, test = SIZES[name]
    if name == "waveform":
        rows = table_of(name, run.data)
        y, X = rows.pop("target").to_numpy().astype(int), rows.to_numpy(np.float64)
        split: Split = X[:train], X[-test:], y[:train], y[-test:]
    else:
        found = file_split(name, run.data, np.random.default_rng(seed), (train, test))
        assert found is not None  # asked for only where it is there
        split = found
    if run.quick:
        X, X_test, y, y_test = split
        kept = np.random.default_rng(seed).permutation(len(X))[:QUICK_ROWS]
        return X[kept], X_test, y[kept], y_test
    return split


def directions(n: int, share: float) -> int:
    """Columns of their Q: k + p."""
    return round(share * n) + OVERSAMPLING


def network(n_inputs: int, seed: int, exponent: int, solver: Any, rank: Any = "auto") -> Any:
    """1000 sigmoid nodes as the authors of ELM draw them: weights from [-1, 1], biases from [0, 1]."""
    from samara import ELMClassifier
    from samara.maps import AdditiveNodes

    rng = np.random.default_rng(seed)
    weights = np.concatenate([rng.uniform(-1, 1, (n_inputs, NODES)), rng.uniform(0, 1, (1, NODES))])
    return ELMClassifier(
        n_hidden=NODES,
        hidden=AdditiveNodes(weights, "sigmoid"),
        scale=None,
        fit_intercept=False,
        alpha=2.0**-exponent,
        solver=solver,
        rank=rank,
        random_state=seed,
    )


def networks(name: str, shape: tuple[int, int], seed: int, exact: str) -> dict[str, Any]:
    """The exact network of Table 2 and the three sketched ones; never more directions than nodes."""
    from samara.solvers import Sketch

    n, n_inputs = shape
    sketch = Sketch(oversampling=0, power=0)
    made = {"exact": network(n_inputs, seed, SIGMOID_C[name], exact)}
    for label, share in SHARES.items():
        made[label] = network(n_inputs, seed, SKETCH_C[name], sketch, min(NODES, directions(n, share)))
    return made


def table_2(run: Run) -> list[Figure]:
    """Testing rates of all four, and how many times faster the sketch is than eq. (21) with n×n numbers."""
    figures: list[Figure] = []
    for name, printed in SIGMOID.items():
        missing = run.missing(name)

        def trial(seed: int, name: str = name) -> Cell:
            split = rows_of(name, run, seed)
            made = networks(name, split[0].shape, seed, "gram")
            return {label: rates(model, split)["rate"] for label, model in made.items()}

        def timed(name: str = name) -> Cell:
            X, _, y, _ = rows_of(name, run, 0)
            made = networks(name, X.shape, 0, "dual")
            return interleaved({label: partial(model.fit, X, y) for label, model in made.items()}, run.quick)

        cells = [] if missing else run.cells(f"table 2/{name}", run.repeats(TRIALS), trial)
        times = None if missing else run.cell(f"table 2/{name}/seconds", timed)
        for label, one in printed.items():
            found = [cell[label] for cell in cells]
            pair = one.rate, one.deviation
            figures.append(rate_figure((name, label), pair, found, SIZES[name][1], missing=missing))
        figures += faster(name, printed, times, missing)
    return figures


def faster(name: str, printed: Mapping[str, Printed], times: Cell | None, missing: str) -> list[Figure]:
    """For every k how many times it is faster than the exact one."""
    return [
        faster_figure(
            (name, f"times faster, {label}"),
            printed["exact"].seconds / printed[label].seconds,
            times,
            ("exact", label),
            missing=missing,
        )
        for label in SHARES
    ]


def kernel_model(
    settings: Mapping[str, Any],
    seed: int,
    share: float | None,
    shape: tuple[int, int],
    exact_error: bool = False,
) -> Any:
    """A kernel ELM on inputs as they are; a ``share`` of 0 is k = m, none the exact one."""
    from samara import KernelELMClassifier
    from samara.solvers.kernel import Exact, KernelSketch

    made = {"scale": None, "fit_intercept": False, "random_state": seed, **settings}
    if share is None:
        return KernelELMClassifier(solver=Exact(), **made)
    rank = directions(shape[0], share) if share else min(shape)
    oversampling = 0 if share else OVERSAMPLING
    solver = KernelSketch(oversampling, exact_error=exact_error, projected=True)
    return KernelELMClassifier(solver=solver, rank=rank, **made)


def kernel_cells(
    run: Run, place: str, settings: Mapping[str, Any], share: float | None, trials: int
) -> list[Cell]:
    """``table/set/label`` of all trials: the rate and ‖K − K̃‖_F worked out; one where nothing is random."""
    name = place.split("/")[1]

    def trial(seed: int) -> Cell:
        split = rows_of(name, run, seed)
        model = kernel_model(settings, seed, share, split[0].shape, exact_error=True)
        made = rates(model, split)
        return made if share is None else {**made, "norm": float(f"{model.fnorm_:.4g}")}

    several = run.repeats(trials) if share is not None or name in RANDOM else 1
    return run.cells(place, several, trial)


def kernel_times(
    run: Run, place: str, settings: Mapping[str, Any], shares: Mapping[str, float]
) -> Cell | None:
    """Seconds of the exact fit and of the sketched ones, in turn."""
    name = place.split("/")[1]

    def timed() -> Cell:
        X, _, y, _ = rows_of(name, run, 0)
        all_shares: dict[str, float | None] = {"exact": None, **shares}
        models = {label: kernel_model(settings, 0, share, X.shape) for label, share in all_shares.items()}
        return interleaved({label: partial(model.fit, X, y) for label, model in models.items()}, run.quick)

    return run.cell(f"{place}/seconds", timed)


def norm_figure(place: tuple[str, str], paper: float, cells: list[Cell], missing: str) -> Figure:
    """‖K − K̃‖_F; three digits of it are printed."""
    digit = DIGIT if paper >= DIGIT else 0.005 * paper
    found = averaged([cell["norm"] for cell in cells])
    row, column = place
    more = {"unit": "", "better": "lower", "rounding": digit, "counts": False, "missing": missing}
    return Figure(row=row, column=f"‖K − K̃‖, {column}", paper=paper, **found, **more)


def table_3(run: Run) -> list[Figure]:
    """Rates, error norms and times at their C and gamma."""
    figures: list[Figure] = []
    for name, printed in GAUSSIAN.items():
        missing = run.missing(name)
        C, gamma = (2.0**exponent for exponent in GAUSSIAN_SETTINGS[name])
        settings = {"kernel": "rbf", "gamma": gamma / 2, "alpha": 1 / C}  # why halved: see GAUSSIAN_ABOUT
        for label, one in printed.items():
            place, share = f"table 3/{name}/{label}", SHARES.get(label)
            cells = [] if missing else kernel_cells(run, place, settings, share, TRIALS)
            found, pair = [cell["rate"] for cell in cells], (one.rate, one.deviation)
            figures.append(rate_figure((name, label), pair, found, SIZES[name][1], missing=missing))
            if one.norm is not None:
                figures.append(norm_figure((name, label), one.norm, cells, missing))
        times = None if missing else kernel_times(run, f"table 3/{name}", settings, SHARES)
        figures += faster(name, printed, times, missing)
    return figures


def table_4(run: Run) -> list[Figure]:
    """Rates, error norm and time with a linear kernel and as many directions as inputs."""
    figures: list[Figure] = []
    for name, (exponent, rate, ratio, norm) in LINEAR.items():
        missing = run.missing(name)
        settings = {"kernel": "linear", "alpha": 2.0**-exponent}
        for label, share in (("exact", None), ("k = m", ALL)):
            place = f"table 4/{name}/{label}"
            cells = [] if missing else kernel_cells(run, place, settings, share, LINEAR_TRIALS)
            found = [cell["rate"] for cell in cells]
            figures.append(rate_figure((name, label), (rate, 0.0), found, SIZES[name][1], missing=missing))
            if share is not None:
                figures.append(norm_figure((name, label), norm, cells, missing))
        times = None if missing else kernel_times(run, f"table 4/{name}", settings, {"k = m": ALL})
        place = name, "times faster, k = m"
        figures.append(faster_figure(place, ratio, times, ("exact", "k = m"), missing=missing))
    return figures


PAPER = Paper(
    key="men-wang",
    authors="C. Men, W. Wang",
    title="A randomized ELM speedup algorithm",
    source="Neurocomputing 159, 2015, doi:10.1016/j.neucom.2015.02.018",
    about=ABOUT,
    tables=(
        Table(
            name="Table 2",
            title="1000 sigmoid nodes: exact, and sketched along k directions",
            about=SIGMOID_ABOUT,
            measure=table_2,
            reasons=SIGMOID_REASONS,
        ),
        Table(
            name="Table 3",
            title="Gaussian kernel: exact, and sketched along k directions",
            about=GAUSSIAN_ABOUT,
            measure=table_3,
            reasons=GAUSSIAN_REASONS,
        ),
        Table(
            name="Table 4",
            title="Linear kernel: exact, and sketched along as many directions as inputs",
            about=LINEAR_ABOUT,
            measure=table_4,
            reasons=LINEAR_REASONS,
        ),
    ),
)
