"""Schindler's Experiments 1 to 7 and Table 2.1, one function each."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import mean, median, stdev

from bench.ledger import Cell
from bench.papers.running import Run
from bench.papers.schindler_cells import (
    costs,
    first_pair,
    nodes,
    own_ridge,
    part_peaks,
    rank_errors,
    ridge_errors,
    rows,
    run_costs,
    run_errors,
    training_rows,
)
from bench.papers.schindler_printed import (
    CHUNK_PAIRS,
    FASTEST_PAIR,
    FIRST_TO_REST,
    FULL_H,
    METHODS,
    N_HIDDEN,
    OWN_RIDGE,
    PARTITIONS,
    RANKS,
    RECIPES,
    RESULTS,
    RIDGES,
    Cost,
)
from bench.papers.tables import Figure

LETTER = "to the letter"
WAYS = (LETTER, "woodbury", "information")
SETS = tuple(RECIPES)
CORNER = 1.1  # the smallest rank whose error is within a tenth of the best is called the corner
H_ROW_MB = 8 * N_HIDDEN / 1e6  # one row of H

plain = partial(Figure, better="lower", counts=False)  # what is measured but no accuracy
MB, SECONDS = "MB", "s"


def table_2_1(run: Run) -> list[Figure]:
    """Which algorithms hold H in full, and which choose their ridge."""
    made = []
    added = training_rows("DS3") - training_rows("DS1")
    for kind, full in FULL_H.items():
        few, many = (highest(run_costs(run, name, kind)) for name in ("DS1", "DS3"))
        ours = None if few is None or many is None else (many - few) / (added * H_ROW_MB)
        paper = (RESULTS["DS3"][kind][3] - RESULTS["DS1"][kind][3]) / (added * H_ROW_MB)
        about = {"unit": "rows of H a row", "rounding": 0.005}
        made.append(
            plain(row=kind, column="memory that grows with the rows", paper=paper, ours=ours, **about)
        )
        kept = None if ours is None else float(ours >= 1)
        made.append(plain(row=kind, column="full H", paper=float(full), ours=kept, unit="1 = yes"))
        chosen = own_ridge(run, kind)
        made.append(
            plain(
                row=kind,
                column="built-in α",
                paper=float(OWN_RIDGE[kind]),
                ours=None if chosen is None else float(chosen),
                unit="1 = yes",
                better="higher",
            )
        )
    return made


def experiment_1(run: Run) -> list[Figure]:
    """Which of the candidate ridges is best."""
    made = []
    for name in SETS:
        for kind in ("OS-RELM", "PR-ELM"):
            by_ridge = ridge_errors(run, name, kind)
            best = min(by_ridge, key=lambda alpha: by_ridge[alpha]["test"]) if by_ridge else None
            same = {"unit": "", "better": "same", "rounding": 0.005}
            made.append(plain(row=name, column=f"{kind}, best ridge", paper=RIDGES[0], ours=best, **same))
            for alpha in (RIDGES[0], RIDGES[-1]):
                error = by_ridge.get(alpha, {}).get("test")
                column = f"{kind}, RMSE at ridge {alpha:g}"
                made.append(plain(row=name, column=column, paper=None, ours=error, unit=""))
    return made


def corner(by_rank: dict[int, Cell]) -> int | None:
    """The smallest rank whose error is nearly that of the best."""
    if not by_rank:
        return None
    best = min(cell["test"] for cell in by_rank.values())
    return min(rank for rank, cell in by_rank.items() if cell["test"] <= CORNER * best)


def experiment_2(run: Run) -> list[Figure]:
    """Errors by rank."""
    made = []
    for name in SETS:
        by_rank = rank_errors(run, name)
        found = corner(by_rank)
        made.append(plain(row=name, column="l at the corner", paper=None, ours=found, unit=""))
        made += [
            plain(row=name, column=f"RMSE at l = {rank}", paper=None, ours=by_rank[rank]["test"], unit="")
            for rank in RANKS
            if rank in by_rank
        ]
    return made


def experiment_3(run: Run) -> list[Figure]:
    """Chunk sizes of OS-RELM, the ridge chosen from the first chunk."""
    made, taken = [], dict[tuple[int, int], float]()
    for pair in CHUNK_PAIRS[-2:] if run.quick else CHUNK_PAIRS:
        row = f"{pair[0]}, {pair[1]}"
        for way in WAYS:
            sizes = [size // 10 for size in pair] if run.quick else list(pair)
            given = {"way": way, "pair": sizes, "select": True}
            given |= {"n_hidden": nodes(run), "rows": rows(run, "DS3")}
            cell = costs(run, f"chunks/{way}/{pair[0]} {pair[1]}", "chunks", given) or {}
            if way == LETTER and "seconds" in cell:
                taken[pair] = cell["seconds"]
            made += cost_figures(row, way, cell)
    best = min(taken, key=lambda pair: taken[pair]) if len(taken) == len(CHUNK_PAIRS) else None
    number = None if best is None else float(CHUNK_PAIRS.index(best) + 1)
    place = float(CHUNK_PAIRS.index(FASTEST_PAIR) + 1)
    fastest = plain(row="number of the fastest pair", column=LETTER, paper=place, ours=number, unit="")
    return [fastest, *made]


def cost_figures(row: str, way: str, cell: Cell) -> list[Figure]:
    """Seconds and peak of something the thesis shows as a curve."""
    return [
        plain(row=row, column=f"{way}, {unit}", paper=None, ours=cell.get(name), unit=unit)
        for name, unit in (("seconds", SECONDS), ("peak_mb", MB))
    ]


def experiment_4(run: Run) -> list[Figure]:
    """Partitions of PR-ELM."""
    made = []
    for count in (None, *(PARTITIONS[-1:] if run.quick else PARTITIONS)):
        given = {"count": count, "n_hidden": nodes(run), "rows": rows(run, "DS3")}
        cell = costs(run, f"partitions/{count or 'samara'}", "partitions", given) or {}
        row, way = (f"{count} partitions", LETTER) if count else ("its own blocks", "samara")
        made += cost_figures(row, way, cell)
    return made


def experiment_5(run: Run) -> list[Figure]:
    """Costs of RSVD-ELM by rank."""
    made = []
    for rank in RANKS[::4] if run.quick else RANKS:
        for way in (LETTER, "samara"):
            given = {"way": way, "rank": rank, "n_hidden": nodes(run), "rows": rows(run, "DS3")}
            made += cost_figures(f"l = {rank}", way, costs(run, f"ranks/{way}/{rank}", "ranks", given) or {})
    return made


def experiment_6(run: Run) -> list[Figure]:
    """Parts of OS-RELM: seconds on one core, and the peaks of its parts to the letter."""
    made = []
    for select in (True, False):
        how = "ridge chosen" if select else "ridge given"
        for way in WAYS:
            given = {"way": way, "pair": list(first_pair(run)), "select": select}
            given |= {"n_hidden": nodes(run), "rows": rows(run, "DS3")}
            cell = costs(run, f"parts/seconds/{way}/{how}", "chunks", given, threads=1) or {}
            first, rest = cell.get("first chunk"), cell.get("rest of chunks")
            printed = FIRST_TO_REST if select and way == LETTER else None
            made.append(
                plain(
                    row=f"{way}, {how}",
                    column="time of the first chunk / of the others",
                    paper=printed,
                    ours=first / rest if first and rest else None,
                    unit="",
                    better="same",
                    rounding=0.05,
                )
            )
        peaks = part_peaks(run, select) or {}
        made += [
            plain(row=f"{LETTER}, {how}", column=f"memory of {part}", paper=None, ours=peak, unit=MB)
            for part, peak in peaks.items()
        ]
    return made


def experiment_7(run: Run, names: Sequence[str]) -> list[Figure]:
    """Errors, time and memory of the four algorithms."""
    made = []
    for name in names:
        by_kind = {kind: run_costs(run, name, kind) for kind in METHODS}
        for kind in METHODS:
            train, test, seconds, memory = RESULTS[name][kind]
            cells, row = run_errors(run, name, kind), f"{name}, {kind}"
            share = RECIPES[name][-1]
            made.append(error_figure(row, "train", train, cells, split_deviation(train, name, 1 - share)))
            made.append(error_figure(row, "test", test, cells, split_deviation(test, name, share)))
            if kind != "ELM":
                printed = {"seconds": seconds, "peak_mb": memory}
                made += cost_ratios(row, printed, RESULTS[name]["ELM"], (by_kind[kind], by_kind["ELM"]))
    return made


def split_deviation(rmse: float, name: str, share: float) -> float:
    """By how much the RMSE of so large a share of a set's rows differs from split to split.

    Squares of normal noise have the variance 2σ⁴; rows are drawn without replacement from the set's n.
    """
    return rmse * math.sqrt((1 - share) / (2 * share * RECIPES[name][0]))


def error_figure(row: str, part: str, paper: float, cells: list[Cell], spread: float) -> Figure:
    """RMSE over splits: he had one split, and its seed is not known."""
    values = [cell[part] for cell in cells]
    return Figure(
        row=row,
        column=f"{part} RMSE",
        paper=paper,
        ours=mean(values) if values else None,
        unit="",
        better="lower",
        paper_deviation=spread,
        deviation=stdev(values) if len(values) > 1 else 0.0,
        repeats=len(values),
    )


def cost_ratios(
    row: str, printed: Mapping[str, float], elm: Cost, cells: tuple[list[Cell], list[Cell]]
) -> list[Figure]:
    """Time and memory by those of ELM in the same round, the medians."""
    made = []
    for name, column, place in (("seconds", "time / ELM's", 2), ("peak_mb", "memory / ELM's", 3)):
        ratios = [one[name] / other[name] for one, other in zip(*cells, strict=False)]
        made.append(
            plain(
                row=row,
                column=column,
                paper=printed[name] / elm[place],
                ours=median(ratios) if ratios else None,
                unit="",
                deviation=stdev(ratios) if len(ratios) > 1 else 0.0,
                rounding=0.0005,
                repeats=len(ratios),
            )
        )
    return made


def highest(cells: list[Cell]) -> float | None:
    """The peak of all rounds."""
    return max((cell["peak_mb"] for cell in cells), default=None)


def table_3_1(run: Run) -> list[Figure]:
    """Experiment 7 on DS1 and DS2."""
    return experiment_7(run, ("DS1", "DS2"))


def table_3_2(run: Run) -> list[Figure]:
    """Experiment 7 on DS3 and DS4."""
    return experiment_7(run, ("DS3", "DS4"))
