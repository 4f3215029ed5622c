"""Figs. 1 to 9 of Jankowski and Linowiecki, drawn from the cells of a run."""

from collections.abc import Callable, Sequence
from typing import Any

from bench.ledger import Cell
from bench.papers.jankowski_convergence import DETAIL, KERNELS, key
from bench.papers.running import Run
from bench.papers.tables import Figure

Chart = Callable[[Run, Sequence[Figure]], Any]
ALL, KEPT = "#4c72b0", "#c44e52"


def whole_curves(*panels: tuple[str, int, int]) -> Chart:
    """Algorithm 2 alone: set, kernels and per cent of noise of each panel."""
    return _panels(panels, _whole)


def stopped_curves(*panels: tuple[str, int, int]) -> Chart:
    """Dashed what Algorithm 2 goes on to, solid what the gradient stop keeps."""
    return _panels(panels, _stopped)


def detail_curve(name: str) -> Chart:
    """Every column of a short stretch."""
    return _panels([(name, KERNELS, 0)], _detail)


def _panels(panels: Sequence[tuple[str, int, int]], draw: Callable[[Any, Cell], None]) -> Chart:
    def chart(run: Run, figures: Sequence[Figure]) -> Any:
        from matplotlib.figure import Figure as Drawing

        across = min(len(panels), 2 if len(panels) <= 4 else 4)
        down = -(-len(panels) // across)
        drawing = Drawing(
            figsize=(4.2 * across if across < 4 else 11, 3.1 * down if across < 4 else 2.5 * down),
            layout="constrained",
        )
        axes = drawing.subplots(down, across, squeeze=False).ravel()
        for ax, (name, kernels, noise) in zip(axes, panels, strict=False):
            _panel(ax, run, (name, kernels, noise), draw)
        for ax in axes[len(panels) :]:
            ax.axis("off")
        return drawing

    return chart


def _panel(ax: Any, run: Run, panel: tuple[str, int, int], draw: Callable[[Any, Cell], None]) -> None:
    name, kernels, noise = panel
    cell = run.ledger.cells.get(f"{key(name, kernels, noise)}/0")
    ax.set_title(f"{name}, {noise} % of noise" if noise else name, loc="left", fontsize=9)
    ax.tick_params(labelsize=8)
    if cell is None:
        ax.set(xticks=[], yticks=[])
        ax.text(0.5, 0.5, "not measured", transform=ax.transAxes, ha="center", va="center", color="0.5")
        return
    draw(ax, cell)
    ax.set_xlabel("columns of Q", fontsize=8)
    ax.set_ylabel("error, eq. (18)", fontsize=8)


def _whole(ax: Any, cell: Cell) -> None:
    ax.semilogy(*_points(cell), color=ALL, lw=1.4)
    _mark(ax, cell, "fast")


def _stopped(ax: Any, cell: Cell) -> None:
    places, errors = _points(cell)
    kept = sum(place <= cell["gradient"] for place in places)
    ax.semilogy(places, errors, "--", color=ALL, lw=1.2)
    ax.semilogy(places[:kept], errors[:kept], color=KEPT, lw=1.8)
    _mark(ax, cell, "gradient")


def _detail(ax: Any, cell: Cell) -> None:
    errors = cell["curve"]["detail"]
    ax.plot(range(DETAIL[0], DETAIL[0] + len(errors)), errors, ".-", color=ALL, lw=1.2)


def _points(cell: Cell) -> tuple[list[int], list[float]]:
    return cell["curve"]["places"], cell["curve"]["errors"]


def _mark(ax: Any, cell: Cell, stop: str) -> None:
    """Where it stopped; the number stands where there is room."""
    columns = cell[stop]
    left = columns > cell["fast"] / 2
    ax.axvline(columns, color="0.7", lw=0.8, zorder=0)
    ax.annotate(
        f"{columns}",
        (columns, 1),
        xycoords=("data", "axes fraction"),
        xytext=(-3 if left else 3, -10),
        textcoords="offset points",
        ha="right" if left else "left",
        fontsize=8,
        color="0.35",
    )
