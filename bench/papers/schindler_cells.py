"""The cells of Schindler's experiments: errors, seconds and peaks of memory."""

from typing import Any

from bench.ledger import Cell
from bench.papers.running import Run
from bench.papers.schindler_printed import N_HIDDEN, RANKS, RECIPES, RIDGES, RUNS, RUNS_DS4

QUICK_ROWS = {"DS1": 2000, "DS2": 2000, "DS3": 3000, "DS4": 3000}
QUICK_NODES = 60
ROUNDS = {"DS1": 2, "DS2": 2, "DS3": 2, "DS4": 1}  # of what is timed
LONG_CHUNKS = (2000, 4000)  # in Experiment 1, where time does not matter
TRIALS = "bench.papers.schindler_trials"


def rows(run: Run, name: str) -> int | None:
    """Rows of a set that is made smaller with --quick."""
    return QUICK_ROWS[name] if run.quick else None


def nodes(run: Run) -> int:
    """Hidden nodes."""
    return QUICK_NODES if run.quick else N_HIDDEN


def training_rows(name: str) -> int:
    """Of a whole set."""
    return round(RECIPES[name][0] * (1 - RECIPES[name][-1]))


def costs(
    run: Run, key: str, function: str, kwargs: dict[str, Any], threads: int | None = None
) -> Cell | None:
    """Seconds and peak of resident memory of a trial in a process of its own (in this one with --quick)."""

    def measure() -> Cell:
        from bench.harness import Contender
        from bench.measure import measure as here

        name = f"{TRIALS}:{function}"
        made = here(name, kwargs) if run.quick else Contender(key, name, kwargs).run(threads or run.threads)
        if "error" in made:
            return {"error": made["error"]}
        return {"seconds": made["seconds"], "peak_mb": made["peak_mb"], **made["results"]}

    return run.cell(key, measure)


def given_to(run: Run, kind: str, name: str) -> dict[str, Any]:
    """What an algorithm is told about a set."""
    from bench.papers.schindler_models import RANK

    return {"rank": min(RANK[name], nodes(run))} if kind == "RSVD-ELM" else {}


def errors(run: Run, key: str, name: str, kind: str, seed: int, **given: Any) -> Cell | None:
    """RMSE in training and testing of one fit."""

    def measure() -> Cell:
        from bench.papers.schindler_models import model_of
        from bench.papers.schindler_sets import error, split

        X, X_test, y, y_test = split(name, seed, rows(run, name))
        model = model_of(kind, nodes(run), seed, **given).fit(X, y)
        return {"train": error(model, X, y), "test": error(model, X_test, y_test)}

    return run.cell(key, measure)


def ridge_errors(run: Run, name: str, kind: str) -> dict[float, Cell]:
    """Experiment 1: by ridge."""
    from bench.papers.schindler_sets import SEED

    asked = RIDGES[:: len(RIDGES) - 1] if run.quick else RIDGES[::2] if name == "DS4" else RIDGES
    given = {"pair": LONG_CHUNKS} if kind == "OS-RELM" else {}
    cells = {
        alpha: errors(run, f"ridge/{name}/{kind}/{alpha:g}", name, kind, SEED, alpha=alpha, **given)
        for alpha in asked
    }
    return {alpha: cell for alpha, cell in cells.items() if cell}


def rank_errors(run: Run, name: str) -> dict[int, Cell]:
    """Experiment 2: by rank l."""
    from bench.papers.schindler_sets import SEED

    asked = RANKS[::4] if run.quick else RANKS
    cells = {rank: errors(run, f"rank/{name}/{rank}", name, "RSVD-ELM", SEED, rank=rank) for rank in asked}
    return {rank: cell for rank, cell in cells.items() if cell}


def run_errors(run: Run, name: str, kind: str) -> list[Cell]:
    """Experiment 7: over splits and nodes of several seeds."""
    wanted = RUNS_DS4 if name == "DS4" else RUNS
    repeats = run.repeats(wanted, training_rows(name))
    given = given_to(run, kind, name)
    cells = [errors(run, f"rmse/{name}/{kind}/{seed}", name, kind, seed, **given) for seed in range(repeats)]
    return [cell for cell in cells if cell]


def run_costs(run: Run, name: str, kind: str) -> list[Cell]:
    """Experiment 7: seconds, round by round."""
    kwargs = {
        "name": name,
        "kind": kind,
        "n_hidden": nodes(run),
        "rows": rows(run, name),
        "given": given_to(run, kind, name),
    }
    rounds = 1 if run.quick else ROUNDS[name]
    cells = [costs(run, f"seconds/{name}/{kind}/{number}", "method", kwargs) for number in range(rounds)]
    return [cell for cell in cells if cell and "error" not in cell]


def part_peaks(run: Run, select: bool) -> Cell | None:
    """Experiment 6: memory of each part of OS-RELM to the letter."""

    def measure() -> Cell:
        from bench.papers.schindler_literal import LiteralOSRELM
        from bench.papers.schindler_sets import split
        from bench.papers.schindler_trials import scales, traced

        X, _, y, _ = split("DS3", rows=rows(run, "DS3"))
        peaks: dict[str, float] = {}
        model = LiteralOSRELM(nodes(run), RIDGES if select else RIDGES[:1], first_pair(run))
        traced(lambda: model.fit(X, y, scales(peaks)))
        return {part: round(peak, 1) for part, peak in peaks.items()}

    return run.cell(f"parts/memory/{'chosen' if select else 'given'}", measure)


def first_pair(run: Run) -> tuple[int, int]:
    """Chunk sizes of Experiment 6."""
    from bench.papers.schindler_printed import FASTEST_PAIR

    return (200, 50) if run.quick else FASTEST_PAIR


def own_ridge(run: Run, kind: str) -> bool | None:
    """Table 2.1: whether our counterpart, given his candidates, chooses among them."""

    def measure() -> Cell:
        from bench.papers.schindler_models import model_of
        from bench.papers.schindler_sets import split

        X, _, y, _ = split("DS1", rows=QUICK_ROWS["DS1"])
        model = model_of(kind, QUICK_NODES, 0, alpha=list(RIDGES)).fit(X, y)
        chosen = float(getattr(model, "model", model).alpha_)
        return {"alpha": chosen, "chosen": int(chosen in RIDGES)}

    cell = run.cell(f"own ridge/{kind}", measure)
    return bool(cell["chosen"]) if cell else None
