"""What the cells say: is there a samara model as accurate as a peer, and how much faster is it?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from bench.contest.results import Results, deviation, matrices, measured, ranking, results_of
from bench.harness import Target
from bench.ledger import Cell
from bench.peers.methods import METHODS, OURS, PEERS
from bench.statistics import wins_ties_losses

PROMISED = 0.9  # of the sets
FIRST, SLOWER, BEHIND = "first", "slower", "less accurate"
NOT_COMPARED = "not compared"
BY_ITSELF = "samara auto"  # nothing left to choose


@dataclass(frozen=True)
class Verdict:
    """Samara against one peer on one set."""

    outcome: str
    model: str = ""  # the fastest of ours that is as accurate; the most accurate where none is
    times: float | None = None  # as long as ours the peer took
    gap: float | None = None  # our error less the peer's, in deviations


def judged(peer: Cell | None, ours: Mapping[str, Cell], spread: float | None = None) -> Verdict:
    """The fastest of our models whose error is within one deviation of the peer's, or below it.

    Both are compared on the splits they share. The deviation is ``spread`` where it is given, else that
    over the splits: the peer's, or ours where the peer ran on one alone.
    """
    there = {name: cell for name, cell in ours.items() if measured(cell)}
    if not measured(peer) or not there:
        return Verdict(NOT_COMPARED)
    assert peer is not None
    gaps = {
        name: (above(cell, peer), allowed(cell, peer) if spread is None else spread)
        for name, cell in there.items()
    }
    equal = [name for name, (gap, most) in gaps.items() if gap <= most]
    if equal:
        name = max(equal, key=lambda name: times(peer, there[name]))
    else:
        name = min(gaps, key=lambda name: gaps[name][0])
    (gap, most), faster = gaps[name], times(peer, there[name])
    outcome = BEHIND if not equal else FIRST if faster > 1 else SLOWER
    return Verdict(outcome, name, faster, gap / most if most else None)


def above(ours: Cell, peer: Cell) -> float:
    """By how much our mean error is above the peer's, on the splits both have."""
    pairs = list(zip(ours["errors"], peer["errors"], strict=False))
    return fmean(a - b for a, b in pairs)


def allowed(ours: Cell, peer: Cell) -> float:
    """One standard deviation over the splits."""
    return deviation(peer) if len(peer["errors"]) > 1 else deviation(ours)


def times(peer: Cell, ours: Cell) -> float:
    """How many times as long the peer's fit takes: the median over the splits both have."""
    return median(b / a for a, b in zip(ours["fit"], peer["fit"], strict=False))


def foreseen(peer: Cell | None, ours: Mapping[str, Cell]) -> float | None:
    """On which share of the splits our model is first that the peer's other splits would choose.

    Where the peer ran on one split there is nothing to choose by; nor among models that ran on fewer.
    """
    if not measured(peer) or len(peer["errors"]) < 2:
        return None
    splits, spread = range(len(peer["errors"])), deviation(peer)
    there = {name: cell for name, cell in ours.items() if len(cell.get("errors", ())) >= len(splits)}
    if not there:
        return None

    def first(held: int) -> bool:
        rest = [split for split in splits if split != held]
        chosen = judged(on(rest, peer), {name: on(rest, cell) for name, cell in there.items()}, spread).model
        return judged(on([held], peer), {chosen: on([held], there[chosen])}, spread).outcome == FIRST

    return fmean(map(first, splits))


def on(splits: Sequence[int], cell: Cell) -> Cell:
    """Errors and times of these splits alone."""
    return {key: [cell[key][split] for split in splits] for key in ("errors", "fit")}


def foresight(results: Results) -> dict[str, Cell]:
    """Of each peer: the mean of `foreseen` over the sets where something can be chosen, and how many."""
    made: dict[str, Cell] = {}
    for peer in PEERS:
        found = (
            foreseen(cells.get(peer), {model: cells[model] for model in OURS if model in cells})
            for cells in results.values()
        )
        told = [one for one in found if one is not None]
        made[peer] = {"share": fmean(told) if told else None, "sets": len(told)}
    return made


def verdicts(results: Results, models: Sequence[str] = OURS) -> dict[str, dict[str, Verdict]]:
    """By peer and set, for the sets on which the peer was tried."""
    return {
        peer: {
            name: judged(cells[peer], {model: cells[model] for model in models if model in cells})
            for name, cells in results.items()
            if peer in cells
        }
        for peer in PEERS
    }


def shares(found: Mapping[str, Mapping[str, Verdict]]) -> dict[str, Cell]:
    """Of each peer: how often each outcome, the share of first places, and the median ratio of times."""
    made: dict[str, Cell] = {}
    for peer, by_set in found.items():
        counted = Counter(verdict.outcome for verdict in by_set.values())
        compared = len(by_set) - counted[NOT_COMPARED]
        ratios = [one.times for one in by_set.values() if one.times and one.outcome in (FIRST, SLOWER)]
        made[peer] = {
            **{outcome: counted[outcome] for outcome in (FIRST, SLOWER, BEHIND, NOT_COMPARED)},
            "share": counted[FIRST] / compared if compared else None,
            "median_times": median(ratios) if ratios else None,
        }
    return made


def statistics_of(results: Results) -> Cell:
    """Ranks, Friedman's test, the critical difference, and wins, ties and losses of our models."""
    sets, methods, errors, deviations = matrices(results, METHODS)
    found = ranking(sets, methods, errors)
    if not found:
        return {}
    tally = wins_ties_losses(errors, deviations)
    counts: dict[str, Any] = {}
    for ours in (name for name in OURS if name in methods):
        row = methods.index(ours)
        counts[ours] = {
            peer: [int(part[row, methods.index(peer)]) for part in (tally.wins, tally.ties, tally.losses)]
            for peer in PEERS
            if peer in methods
        }
    return {**found, "wins_ties_losses": counts}


def findings_of(cells: Mapping[str, Cell]) -> Cell:
    """Everything that the page and the promises need beside the cells."""
    _, results = results_of(cells, METHODS)
    found = verdicts(results)
    return {
        "sets": len(results),
        "against": shares(found),
        "foresight": foresight(results),
        "against_auto": shares(verdicts(results, (BY_ITSELF,))),
        "statistics": statistics_of(results),
    }


def targets_of(findings: Cell) -> list[Target]:
    """First in time at equal error, on so many of the sets, against every peer."""
    return [
        Target(f"first in time at equal error against {peer}, share of sets", one["share"], PROMISED, True)
        for peer, one in findings["against"].items()
    ]
