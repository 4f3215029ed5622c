"""The picture of docs/explanation/cluster.md: points where it was measured, dashed lines where modelled."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from bench.harness import CHECKOUT

PATH = CHECKOUT / "docs" / "images" / "cluster.png"
COLOURS = ("#4c72b0", "#dd8452", "#55a868", "#8172b3", "#c44e52")


def draw(findings: dict[str, Any], quick: bool, path: Path = PATH) -> None:
    """Sizeup and speedup side by side; --quick draws nothing that is kept."""
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _sizeup(left, findings)
    _speedup(right, findings)
    note = "points: measured, on worker processes of one machine; dashed: by the fitted model"
    small = "; --quick sizes, which mean nothing" if quick else ""
    figure.suptitle(f"A fit of {findings['n_hidden']:,} nodes on a cluster{small}\n{note}", fontsize=10)
    if quick:
        path = CHECKOUT / "build" / "cluster-quick.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    print(f"drawn: {path.relative_to(CHECKOUT)}")


def _sizeup(ax: Any, findings: dict[str, Any]) -> None:
    for colour, (workers, seconds) in zip(COLOURS, findings["seconds"].items(), strict=True):
        name = f"{workers} worker{'s' * (workers != '1')}"
        ax.plot(findings["rows"], seconds, "--", color=colour, lw=1.4, label=f"{name}, model")
        if workers in findings["measured"]:
            points = findings["measured"][workers]
            ax.plot(findings["n_rows"], points, "o", color=colour, ms=6, label=f"{name}, measured")
    _shade(ax, findings["n_rows"][0], findings["n_rows"][-1])
    ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
    ax.set_title("Sizeup: time by the number of rows", loc="left", fontsize=10)
    ax.legend(fontsize=8, frameon=False)


def _speedup(ax: Any, findings: dict[str, Any]) -> None:
    workers = findings["workers"]
    ax.plot(workers, workers, color="0.7", lw=1, label="as many times as workers")
    for colour, (rows, times) in zip(COLOURS, findings["speedup"].items(), strict=False):
        ax.plot(workers, times, "--", color=colour, lw=1.4, label=f"{int(rows):,} rows, model")
    one, two = (findings["measured"][p][-1] for p in ("1", "2"))
    name = f"{findings['n_rows'][-1]:,} rows, measured"
    ax.plot([1, 2], [1, one / two], "o", color=COLOURS[0], ms=6, label=name)
    _shade(ax, 0.9, 2.2)
    ax.set(xscale="log", yscale="log", xlabel="workers", ylabel="times faster than one worker")
    ax.set_title("Speedup: time on one worker by time on many", loc="left", fontsize=10)
    ax.legend(fontsize=8, frameon=False)


def _shade(ax: Any, low: float, high: float) -> None:
    """Where anything was measured; all the rest is the model."""
    ax.axvspan(low, high, color="0.92", zorder=0)
    place = ax.get_xaxis_transform()
    ax.text(low, 0.02, " measured", transform=place, fontsize=8, color="0.35", va="bottom")
    ax.text(1.3 * high, 0.02, "→ modelled", transform=place, fontsize=8, color="0.35", va="bottom")
