"""The harness: contenders in, medians, ratios and peaks out.

Every run has a process of its own and the rounds interleave (A B C, A B C, ...), so what else the machine
does falls on all contenders alike. What counts is the ratio within a round; its median is what is reported.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from bench.forked import Forks
from bench.measure import available_cores

CHECKOUT = Path(__file__).resolve().parent.parent
RESULTS = CHECKOUT / "bench" / "results"
THREAD_SETTINGS = ("OPENBLAS", "OMP", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")

Run = dict[str, Any]  # what bench.measure prints, or {"error": why it printed nothing}


@dataclass(frozen=True, slots=True)
class Contender:
    """One side of a benchmark: ``function`` ("module:name"), given ``kwargs``, returns a Trial to measure."""

    name: str
    function: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    reference: str | None = None  # the contender its time is divided by
    python: str = sys.executable  # another environment's interpreter, where it lives in one

    def run(self, threads: int) -> Run:
        """Measure once in a fresh process. A failure is a result too: the last line of what it said."""
        done = subprocess.run(
            [self.python, "-m", "bench.measure", json.dumps({**self._order, "threads": threads})],
            cwd=CHECKOUT,
            env=surroundings(self.python, threads),
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            said = done.stderr.strip().splitlines()
            return {"error": said[-1] if said else f"ended with exit code {done.returncode}"}
        run: Run = json.loads(done.stdout.splitlines()[-1])
        return run

    def run_each(self, forks: Forks, each: Sequence[Mapping[str, Any]], rules: Mapping[str, Any]) -> Any:
        """Measure with each of some keywords, one after the other, in one fork of an interpreter that waits.

        ``rules`` are ``limit``, the seconds for all, and ``enough`` and ``brief`` of `measure_each`.
        """
        return forks.run(self.python, {**self._order, "each": list(each), **rules})

    @property
    def _order(self) -> dict[str, Any]:
        return {"function": self.function, "kwargs": dict(self.kwargs)}


def surroundings(python: str, threads: int) -> dict[str, str]:
    """The variables of a process that measures."""
    variables = {**os.environ, **{f"{name}_NUM_THREADS": str(threads) for name in THREAD_SETTINGS}}
    if python != sys.executable:
        variables.pop("PYTHONPATH", None)  # or this environment's libraries would mix with the other's
    return variables


def waiting(threads: int) -> Forks:
    """Interpreters that wait, for `Contender.run_each`."""
    return Forks(threads, surroundings, str(CHECKOUT))


@dataclass(frozen=True, slots=True)
class Target:
    """A number that was promised, beside what was measured (None: could not be)."""

    label: str
    measured: float | None
    limit: float
    at_least: bool = False

    def verdict(self) -> str:
        """PASS, or by how much it is missed, relative to the limit."""
        if self.measured is None:
            return "not measured"
        excess = self.measured / self.limit - 1
        shortfall = -excess if self.at_least else excess
        return "PASS" if shortfall <= 0 else f"short by {shortfall:.1%}"


class Comparison:
    """The runs of all contenders over all rounds, and the figures drawn from them."""

    def __init__(self, contenders: Sequence[Contender], threads: int) -> None:
        self.contenders = contenders
        self.threads = threads
        self.runs: dict[str, list[Run]] = {contender.name: [] for contender in contenders}

    def play(self, rounds: int) -> "Comparison":
        """Run every contender once a round; one that failed is not tried again."""
        for number in range(1, rounds + 1):
            for contender in self.contenders:
                runs = self.runs[contender.name]
                if runs and "error" in runs[-1]:
                    continue
                run = contender.run(self.threads)
                runs.append(run)
                outcome = run.get("error") or f"{run['seconds']:.3f} s, peak {run['peak_mb']:.1f} MB"
                print(f"round {number}/{rounds}  {contender.name}: {outcome}", flush=True)
        return self

    def error(self, name: str) -> str | None:
        """Why a contender failed, None if it did not."""
        return next((run["error"] for run in self.runs[name] if "error" in run), None)

    def seconds(self, name: str) -> float | None:
        """Median time."""
        return None if self.error(name) else median(run["seconds"] for run in self.runs[name])

    def ratio(self, name: str, reference: str) -> float | None:
        """Median over the rounds of one contender's time by another's in the same round."""
        if self.error(name) or self.error(reference):
            return None
        pairs = zip(self.runs[name], self.runs[reference], strict=True)
        return float(median(run["seconds"] / other["seconds"] for run, other in pairs))

    def peak_mb(self, name: str) -> float | None:
        """The highest peak of any round: a limit on memory has to hold every time."""
        return None if self.error(name) else max(run["peak_mb"] for run in self.runs[name])

    def results(self, name: str) -> dict[str, Any]:
        """What the contender reported about itself in the last round."""
        return {} if self.error(name) else self.runs[name][-1]["results"]

    def summary(self, contender: Contender) -> dict[str, Any]:
        """Everything known of one contender, as it goes into the JSON file."""
        # Where the data lie is nobody's business.
        kwargs = {name: value for name, value in contender.kwargs.items() if name != "folder"}
        about = {"function": contender.function, "kwargs": kwargs}
        if why := self.error(contender.name):
            return {**about, "error": why}
        runs = self.runs[contender.name]
        reference = contender.reference
        return {
            **about,
            "median_seconds": self.seconds(contender.name),
            "reference": reference,
            "median_ratio": self.ratio(contender.name, reference) if reference else None,
            "peak_mb": self.peak_mb(contender.name),
            "peak_is_exact": runs[-1]["peak_is_exact"],
            # A leading underscore marks what only the benchmark itself needs: coefficients to compare, say.
            "results": {key: value for key, value in self.results(contender.name).items() if key[0] != "_"},
            "seconds": [run["seconds"] for run in runs],
            "versions": runs[-1]["versions"],
            "blas": runs[-1]["blas"],
        }


def options(description: str) -> argparse.ArgumentParser:
    """The command line every benchmark shares."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, help="runs of each contender (default 5; 1 with --quick)")
    parser.add_argument("--threads", type=int, default=available_cores(), help="cores for every contender")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs at all")
    parser.add_argument(
        "--json", type=Path, help="file to write (default in bench/results/; none if --quick)"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("SAMARA_DATA"),
        help="folder of real data sets, for benchmarks that use some (default: the variable SAMARA_DATA)",
    )
    return parser


def compare(contenders: Sequence[Contender], chosen: argparse.Namespace) -> Comparison:
    """Play the rounds the command line asks for."""
    return Comparison(contenders, chosen.threads).play(chosen.rounds or (1 if chosen.quick else 5))


def publish(name: str, comparison: Comparison, targets: Sequence[Target], chosen: argparse.Namespace) -> None:
    """Print the table and the targets, and write the JSON file."""
    report = {
        "benchmark": name,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": chosen.quick,
        "rounds": max(map(len, comparison.runs.values())),
        "machine": machine(chosen.threads),
        "contenders": {one.name: comparison.summary(one) for one in comparison.contenders},
        "targets": [{**asdict(target), "verdict": target.verdict()} for target in targets],
    }
    print(f"\n{name}: {report['machine']['cpu']}, {chosen.threads} threads, {report['rounds']} rounds")
    print(table(report["contenders"]))
    print(target_lines(targets, chosen.quick))
    path = chosen.json or (None if chosen.quick else RESULTS / f"{name}.json")
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report, indent=1) + "\n")
        print(f"\nwritten: {os.path.relpath(path)}")


def machine(threads: int) -> dict[str, Any]:
    """The hardware, by model and cores alone."""
    model = platform.processor() or platform.machine()
    if (cpuinfo := Path("/proc/cpuinfo")).exists():
        lines = cpuinfo.read_text().splitlines()
        names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
        model = next(names, model)
    return {"cpu": model, "cores": available_cores(), "threads": threads, "system": platform.system()}


def table(summaries: Mapping[str, Mapping[str, Any]]) -> str:
    """One line a contender, in columns."""
    rows = [("contender", "median s", "ratio", "to", "peak MB", "results")]
    for name, summary in summaries.items():
        if "error" in summary:
            rows.append((name, "-", "-", "-", "-", summary["error"]))
            continue
        results = "  ".join(f"{key} {figure(value)}" for key, value in summary["results"].items())
        seconds, peak = f"{summary['median_seconds']:.3f}", f"{summary['peak_mb']:.1f}"
        rows.append(
            (name, seconds, figure(summary["median_ratio"]), summary["reference"] or "", peak, results)
        )
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    )


def target_lines(targets: Sequence[Target], quick: bool) -> str:
    """The promised numbers beside the measured ones; sizes as small as --quick's prove nothing either way."""
    width = max((len(target.label) for target in targets), default=0)
    lines = ["", "targets" + (" (not judged at --quick sizes)" if quick else "")]
    for target in targets:
        bound = f"{'>=' if target.at_least else '<='} {figure(target.limit)}"
        verdict = "" if quick else target.verdict()
        line = f"  {target.label.ljust(width)}  {figure(target.measured):>9}  {bound:<10}  {verdict}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def figure(value: Any) -> str:
    """Four significant digits for a float, a dash for nothing."""
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
