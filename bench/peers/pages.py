"""The page of the comparison, its diagram and its trade-off page, from the results alone."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bench.contest.compete import BRIEF, SHORT
from bench.contest.pages import (
    DOCS,
    absent_section,
    lowest,
    methods_table,
    picture,
    ranks_text,
    share,
    table,
    told,
)
from bench.contest.results import Results, measured, results_of
from bench.harness import figure
from bench.ledger import Cell
from bench.papers.command import write_front_page
from bench.peers.findings import BEHIND, BY_ITSELF, FIRST, NOT_COMPARED, PROMISED, SLOWER, verdicts
from bench.peers.methods import METHODS, OURS, PEERS
from bench.peers.rules import MOST_VALUES, RULES, SPLITS
from bench.peers.tradeoff import tradeoff_page

SHOWN = 3  # models of Samara's beside the one that chooses for itself
PICTURE = "images/peers_critical_difference.png"


def write_pages(report: Mapping[str, Any], docs: Path = DOCS) -> list[Path]:
    """Write ``papers/peers.md``, its picture and ``papers/tradeoff.html``; nothing without results."""
    _, results = results_of(report["cells"], METHODS)
    if not any(measured(cell) for by_method in results.values() for cell in by_method.values()):
        return []
    folder = docs / "papers"
    (folder / "images").mkdir(parents=True, exist_ok=True)
    written = [folder / "tradeoff.html", folder / "peers.md"]
    footer = (
        f"Measured {report['date'][:10]} on {report['machine']['cpu']}, {report['machine']['threads']} cores."
    )
    written[0].write_text(tradeoff_page(report["cells"], footer), encoding="utf-8")
    if report["findings"]["statistics"]:
        written.append(folder / PICTURE)
        written[-1].write_bytes(picture(results, METHODS))
    written[1].write_text("\n".join(page(report)) + "\n", encoding="utf-8")
    return [*written, write_front_page(folder)]


def page(report: Mapping[str, Any]) -> Iterable[str]:
    """The lines of the page."""
    abouts, results = results_of(report["cells"], METHODS)
    findings = report["findings"]
    yield "---\norphan: true\n---\n\n# Samara and its peers\n"
    yield (
        f"{len(results)} data sets, {len(METHODS)} methods: errors, times and memory on the same rows of "
        "the same machine, each method in a process of its own and each library in an environment of its "
        'own. <a href="../tradeoff.html">Every single result</a> can be looked at, filtered by data set, '
        "task and method.\n"
    )
    yield from promise_section(findings)
    yield from statistics_section(findings["statistics"])
    yield from sets_section(abouts, results)
    yield from losses_section(results)
    yield from absent_section(results)
    yield from settings_section(report)


def promise_section(findings: Cell) -> Iterable[str]:
    """First in time at equal error: how often, against whom."""
    yield "## First in time at equal error\n"
    yield (
        "Is there a Samara model whose error is at most one standard deviation (over the splits) above "
        "the peer's, and does the fastest such model fit in less time? *first* counts the data sets "
        "where it does, *slower* those where it does not, *less accurate* those where no model of Samara "
        f"reaches the error. A peer that failed or took more than {RULES.limit:g} s is *not compared*. "
        "*times* is the median of the peer's time by Samara's where errors are equal. Promised is a share of "
        f"{PROMISED:.0%}. Which of Samara's models is meant is chosen in hindsight, as a reader of a "
        "trade-off would. *foreseen* leaves out one split, chooses the model by the others, and counts "
        "whether it is first on that one: the mean over the splits of the sets on which the peer ran on more "
        "than one. That is a harder question, as one split also misses the error by chance. "
        f"*auto* takes {BY_ITSELF} alone.\n"
    )
    outcomes = (FIRST, SLOWER, BEHIND, NOT_COMPARED)
    rows = []
    for peer, one in findings["against"].items():
        alone = findings["against_auto"][peer]["share"]
        before = findings["foresight"][peer]["share"]
        counts = " / ".join(str(one[outcome]) for outcome in outcomes)  # in one column: all fit on a screen
        shares = (share(one["share"]), figure(one["median_times"]), share(before), share(alone))
        rows.append((peer, *shares, counts))
    yield from table(("peer", "share first", "times", "foreseen", "auto", " / ".join(outcomes)), rows)


def statistics_section(found: Cell) -> Iterable[str]:
    """Ranks over all data sets, and who wins how often."""
    if not found:
        return
    yield "## Ranks of the errors\n"
    yield ranks_text(found)
    yield f"![Critical-difference diagram]({PICTURE})\n"
    counts, ranks = found["wins_ties_losses"], found["mean_ranks"]
    best = sorted((ours for ours in counts if ours != BY_ITSELF), key=lambda ours: ranks[ours])[:SHOWN]
    columns = [ours for ours in counts if ours in best or ours == BY_ITSELF]
    yield (
        f"Wins, ties and losses of the error of {BY_ITSELF} and of the {SHOWN} others of Samara's with the "
        "best mean ranks; within the larger of both deviations is a tie.\n"
    )
    rows = [
        (peer, *(" / ".join(map(str, counts[ours][peer])) for ours in columns))
        for peer in PEERS
        if any(peer in one for one in counts.values())
    ]
    yield from table(("against", *columns), rows)


def sets_section(abouts: Mapping[str, Cell], results: Results) -> Iterable[str]:
    """Of each set the best of both sides."""
    yield "## The data sets\n"
    yield (
        "Error ± standard deviation over the splits, and seconds to fit: of the peer and the Samara "
        f"model of lowest error, and of {BY_ITSELF}. Regression (R): root mean square error, in "
        "deviations of the target; classes (number given): share of wrong ones.\n"
    )
    rows = []
    for name, about in abouts.items():
        kind = str(about["n_classes"] or "R")
        best = [lowest(results[name], side) for side in (PEERS, OURS)]
        shown = [(method, told(results[name][method])) if method else ("-", "-") for method in best]
        alone = results[name].get(BY_ITSELF)
        size = (f"{about['n_fit']:,}", f"{about['n_features']:,}", kind)
        rows.append((name, *size, *shown[0], *shown[1], told(alone) if alone else "-"))
    head = ("data set", "rows", "columns", "kind", "best peer", "", "best of Samara", "", BY_ITSELF)
    yield from table(head, rows)


def losses_section(results: Results) -> Iterable[str]:
    """Where Samara is not first, each with the reason."""
    yield "## Where Samara is not first\n"
    yield (
        "*deviations* is how far Samara's error is above the peer's, *times* how many times as long as "
        "Samara's the peer's fit takes: below 1 it is faster.\n"
    )
    rows = [
        (peer, name, one.outcome, one.model, figure(one.times), figure(one.gap))
        for peer, by_set in verdicts(results).items()
        for name, one in by_set.items()
        if one.outcome in (SLOWER, BEHIND)
    ]
    yield from table(("peer", "data set", "outcome", "Samara model", "times", "deviations"), rows)


def settings_section(report: Mapping[str, Any]) -> Iterable[str]:
    """How it was measured, with what."""
    machine = report["machine"]
    yield "## How it was measured\n"
    yield (
        f"{report['date'][:10]}, {machine['cpu']}, {machine['threads']} cores for every method. {SPLITS} "
        f"random splits of each set, {RULES.cut.fitted:.0%} of the rows to fit (at most "
        f"{RULES.cut.most_rows:,}) and the rest to test (at most {RULES.cut.most_test_rows:,}). "
        "Categories are one column each, inputs and numeric targets are standardised by "
        "the rows to fit, before any clock starts. A method that takes "
        f"longer than {RULES.enough:g} s on a split is not run on the next; one of less than {BRIEF:g} s is "
        f"repeated, and the fastest counts; fits of less than {SHORT:g} s are so in {RULES.rounds} rounds "
        "through the methods. A method is a process of its own, forked from one that has its "
        f"libraries imported, and is warmed up by rows of noise. One of more than {RULES.limit:g} s is "
        "ended, and not tried on sets of the same task that are larger in rows, columns and classes. "
        f"Sets of more than {MOST_VALUES:,} values to fit are left out. Samara learns no intervals "
        "and no calibration here, which no peer has either. Peaks are those of "
        "resident memory above what was held before the fit. The settings of Samara's models were chosen by "
        f"other splits of the same sets; these begin at seed {RULES.cut.first_seed}.\n"
    )
    yield from methods_table(report, METHODS)
