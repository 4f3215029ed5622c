"""Axes, colours and labels that the displays share. Matplotlib is imported only when something is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from samara.core import Array
from samara.errors import InputError, SamaraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

ACCENT = "#c8102e"  # the chosen point, and the ridge
INK = "#2f4b7c"
TEXT_ROOM = 0.36  # of the height of the curves: kept free below them for the label
MOST_TICKS = 8
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def fitted(estimator: Any, attribute: str) -> Any:
    """An attribute that only a fitted estimator has."""
    if not hasattr(estimator, attribute):
        raise InputError(f"This {type(estimator).__name__} is not fitted yet: call fit before plotting.")
    return getattr(estimator, attribute)


def axes(ax: Axes | None) -> tuple[Axes, Figure]:
    """The axes given, or those of a new figure, with a light grid and no box."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise SamaraError("Plots need Matplotlib: pip install samara[plot].") from error
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    return ax, cast("Figure", ax.figure)


def thinned(count: int) -> Array:
    """At most eight of ``count`` places, evenly apart, the last among them."""
    step = -(-count // MOST_TICKS)
    return np.arange(count)[::-step][::-1]


def size_colours(count: int) -> list[Any]:
    """Colours for sizes in their order, light to dark."""
    from matplotlib import colormaps

    return list(
        colormaps["viridis_r"](np.linspace(0.12 if count > 1 else 0.75, 1.0 if count > 1 else 0.75, count))
    )


def size_bar(figure: Figure, ax: Axes, colours: list[Any], sizes: Array) -> None:
    """A colour bar with one field a size."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    norm = BoundaryNorm(np.arange(len(sizes) + 1) - 0.5, len(sizes))
    shown = thinned(len(sizes))
    bar = figure.colorbar(ScalarMappable(norm, ListedColormap(colours)), ax=ax, ticks=list(shown), pad=0.02)
    bar.ax.set_yticklabels([f"{sizes[k]:,}" for k in shown])
    bar.ax.tick_params(which="both", length=0)
    bar.outline.set_visible(False)
    bar.set_label("hidden nodes")


def scale_ridges(ax: Axes, alphas: Array) -> None:
    """A logarithmic axis of ridges, with a place for 0 at its left where 0 was tried."""
    positive = alphas[alphas > 0]
    if len(positive) == len(alphas):
        ax.set_xscale("log")
    elif len(positive):
        ax.set_xscale("symlog", linthresh=positive[0], linscale=0.6)
        ax.set_xlim(left=-0.3 * positive[0])
    ax.set_xlabel("ridge α")


def scale_scores(ax: Axes, heights: Array) -> None:
    """A logarithmic axis where the scores span more than a factor of 4, plainly numbered."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    known = heights[np.isfinite(heights)]
    if not len(known) or known.min() <= 0 or known.max() <= 4 * known.min():
        return
    ax.set_yscale("log")
    decades = np.log10(known.max() / known.min())
    subs = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if decades < 1 else (1.0, 2.0, 5.0) if decades < 3 else (1.0,)
    ax.yaxis.set_major_locator(LogLocator(subs=subs))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def label_below(ax: Axes, x: float, y: float, text: str) -> Annotation:
    """A label in room made below all curves, where the axis has no numbers, tied to its point."""
    limits = ax.get_ylim()
    ticks = [tick for tick in ax.get_yticks() if limits[0] <= tick <= limits[1]]
    transform = ax.yaxis.get_transform()
    low, high = transform.transform(np.array(limits))
    ax.set_yticks(ticks)
    ax.set_yticks([], minor=True)
    ax.set_ylim(transform.inverted().transform(np.array([low - TEXT_ROOM * (high - low)]))[0], limits[1])
    ax.spines["left"].set_bounds(*limits)
    across = ax.xaxis.get_transform().transform(np.array([*ax.get_xlim(), x]))
    share = (across[2] - across[0]) / (across[1] - across[0])
    side, start = ("left", 0.0) if share < 0.25 else ("right", 1.0) if share > 0.75 else ("center", 0.5)
    return ax.annotate(
        text,
        xy=(x, y),
        xytext=(x, 0.03),
        textcoords=("data", "axes fraction"),
        ha=side,
        va="bottom",
        color=ACCENT,
        linespacing=1.3,
        arrowprops={
            "arrowstyle": "-",
            "linestyle": ":",
            "color": ACCENT,
            "relpos": (start, 1.0),
            "shrinkB": 5,
        },
    )


def short(value: float, digits: int = 3) -> str:
    """A few digits, never ``e+05``: 0.00123, 1,230 or 1.2 × 10⁵."""
    if not np.isfinite(value):
        return "∞" if value > 0 else "unknown"
    if value == 0 or 1e-4 <= abs(value) < 1e5:
        decimals = digits if value == 0 else digits - 1 - int(np.floor(np.log10(abs(value))))
        return f"{value:,.0f}" if decimals <= 0 else f"{value:.{digits}g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_RAISED)}"


def with_error(value: float, error: float) -> str:
    """The value to the second digit of its standard error: 1.383 ± 0.009 as 1.3834 ± 0.0093."""
    if not np.isfinite(error) or error <= 0:
        return short(value, 4)
    decimals = 1 - int(np.floor(np.log10(error)))
    if not 0 <= decimals <= 6:
        return f"{short(value, 4)} ± {short(error, 2)}"
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def interval(values: Array) -> str:
    """One number, or the range of several."""
    low, high = short(float(values.min())), short(float(values.max()))
    return low if low == high else f"{low} to {high}"
