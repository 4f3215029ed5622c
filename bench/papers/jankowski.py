"""Jankowski and Linowiecki, 2019: how many columns, how much time and how much accuracy a fast SVD takes."""

from bench.papers import jankowski_accuracy as accuracy
from bench.papers import jankowski_columns as columns
from bench.papers import jankowski_convergence as convergence
from bench.papers import jankowski_notes as notes
from bench.papers import jankowski_reasons as reasons
from bench.papers import jankowski_times as times
from bench.papers import jankowski_widths as widths
from bench.papers.jankowski_charts import detail_curve, stopped_curves, whole_curves
from bench.papers.jankowski_sets import FILES, cell_name, missing, shape
from bench.papers.jankowski_tables import (
    ITERATIONS,
    NOISE,
    SHAPES,
    SUMMARY_7,
    SUMMARY_8,
    TABLE_3,
    TABLE_4,
    TABLE_7,
    TABLE_8,
)
from bench.papers.running import Run
from bench.papers.tables import Figure, Paper, Table

NOISY = "cardiotocography-1"  # the set of Table 1 and Figs. 1, 2 and 4 to 7
GRADIENT, FAST = "GradFastSVD-2000", "FastSVD-2000"
CURVES = 1000  # kernels of Figs. 8 and 9
STOPS = ("FastSVD", "GradFastSVD")
DISTINCT = tuple(name for name in FILES if cell_name(name) == name)
PART_A, PART_B = DISTINCT[:8], DISTINCT[8:]


def table_1(run: Run) -> list[Figure]:
    """Columns that the gradient stop keeps, by the noise."""
    return [
        convergence.figure(
            run, f"{noise} % of noise", GRADIENT, paper, (NOISY, convergence.draws(run, NOISY, noise))
        )
        for noise, paper in NOISE.items()
    ]


def table_2(run: Run) -> list[Figure]:
    """What the files hold."""
    made = []
    for name, printed in SHAPES.items():
        cell = (
            None
            if missing(run, name)
            else run.cell(f"shapes/{name}", lambda name=name: shape(name, run.data))
        )
        for column, paper in zip(("classes", "instances", "features"), printed, strict=False):
            made.append(
                Figure(
                    row=name,
                    column=column,
                    paper=paper,
                    ours=cell and cell[column],
                    unit="",
                    better="same",
                    repeats=1 if cell else 0,
                    missing=missing(run, name),
                    counts=False,
                )
            )
    return made


def table_3(run: Run) -> list[Figure]:
    """Columns of Q, 1000 and 2000 kernels."""
    return columns.figures(run, TABLE_3)


def table_4(run: Run) -> list[Figure]:
    """Columns of Q, 100 and 200 kernels."""
    return columns.figures(run, TABLE_4)


def table_5(run: Run) -> list[Figure]:
    """Times, 1000 kernels."""
    return times.figures(run, 1000)


def table_6(run: Run) -> list[Figure]:
    """Times, 2000 kernels."""
    return times.figures(run, 2000)


def table_7(run: Run) -> list[Figure]:
    """Accuracies and ranks, 1000 and 2000 kernels."""
    return accuracy.figures(run, TABLE_7, SUMMARY_7)


def table_8(run: Run) -> list[Figure]:
    """Accuracies and ranks, 100 and 200 kernels."""
    return accuracy.figures(run, TABLE_8, SUMMARY_8)


def fig_1(run: Run) -> list[Figure]:
    """Where Algorithm 2 stops on two sets."""
    return [
        convergence.figure(run, name, FAST, ITERATIONS[name], (name, convergence.draws(run, name)))
        for name in (NOISY, "musk2")
    ]


def fig_2(run: Run) -> list[Figure]:
    """Where it stops once there is noise."""
    row = f"{NOISY}, 1 % of noise"
    return [convergence.figure(run, row, FAST, ITERATIONS[row], (NOISY, convergence.draws(run, NOISY, 1)))]


def fig_3(run: Run) -> list[Figure]:
    """How often the error rises on the way."""
    cells = convergence.draws(run, NOISY)
    return [convergence.figure(run, NOISY, "columns at which the error rises", None, (NOISY, cells))]


def _stopped(run: Run, noise: int) -> list[Figure]:
    cells = convergence.draws(run, NOISY, noise)
    return [convergence.figure(run, f"{NOISY}, {noise} % of noise", GRADIENT, NOISE[noise], (NOISY, cells))]


def fig_4(run: Run) -> list[Figure]:
    """The gradient stop without noise."""
    return _stopped(run, 0)


def fig_5(run: Run) -> list[Figure]:
    """With 1 % of it."""
    return _stopped(run, 1)


def fig_6(run: Run) -> list[Figure]:
    """With 4 % of it."""
    return _stopped(run, 4)


def fig_7(run: Run) -> list[Figure]:
    """With 32 % of it."""
    return _stopped(run, 32)


def _both_stops(run: Run, names: tuple[str, ...]) -> list[Figure]:
    made = list[Figure]()
    for name in names:
        cell = convergence.curve(run, name, CURVES)
        found = name, [cell] if cell else []
        made += [convergence.figure(run, name, f"{stop}-{CURVES}", None, found) for stop in STOPS]
    return made


def fig_8(run: Run) -> list[Figure]:
    """Both stops on the first eight sets."""
    return _both_stops(run, PART_A)


def fig_9(run: Run) -> list[Figure]:
    """Both stops on the others."""
    return _both_stops(run, PART_B)


def table_of_widths(run: Run) -> list[Figure]:
    """Which width the nodes had: rules against Table 3."""
    return widths.figures(run)


PAPER = Paper(
    key="jankowski",
    authors="N. Jankowski, R. Linowiecki",
    title="A fast neural network learning algorithm with approximate singular value decomposition",
    source="International Journal of Applied Mathematics and Computer Science 29(3), 2019",
    about=notes.PROPOSED,
    tables=(
        Table(
            name="Table 1",
            title="Columns of Q by the level of noise",
            about=notes.NOISE,
            measure=table_1,
            reasons=reasons.NOISE,
        ),
        Table(
            name="Table 2",
            title="The data sets",
            about="What the files hold; features are counted before nominal ones become indicators.",
            measure=table_2,
            reasons=reasons.SHAPE,
        ),
        Table(
            name="Table 3",
            title="Columns of Q as a fraction of 1000 and 2000 kernels",
            about=notes.COLUMNS_WIDE,
            measure=table_3,
            reasons=reasons.COLUMNS_WIDE,
        ),
        Table(
            name="Table 4",
            title="Columns of Q as a fraction of 100 and 200 kernels",
            about=notes.COLUMNS_SMALL,
            measure=table_4,
            reasons=reasons.COLUMNS_SMALL,
        ),
        Table(
            name="Table 5",
            title="Time as a fraction of the SVD's, 1000 kernels",
            about=notes.TIMES,
            measure=table_5,
            reasons=reasons.TIME_1000,
        ),
        Table(
            name="Table 6",
            title="Time as a fraction of the SVD's, 2000 kernels",
            about=notes.TIMES,
            measure=table_6,
            reasons=reasons.TIME_2000,
        ),
        Table(
            name="Table 7",
            title="Accuracy and ranks, 1000 and 2000 kernels",
            about=notes.ACCURACY_WIDE,
            measure=table_7,
            reasons=reasons.WIDE,
        ),
        Table(
            name="Table 8",
            title="Accuracy and ranks, 100 and 200 kernels",
            about=notes.ACCURACY_SMALL,
            measure=table_8,
            reasons=reasons.SMALL,
        ),
        Table(
            name="Fig. 1",
            title="The error column by column: cardiotocography-1 and musk2",
            about=notes.NOISE,
            measure=fig_1,
            chart=whole_curves((NOISY, 2000, 0), ("musk2", 2000, 0)),
            reasons=reasons.FIG_1,
        ),
        Table(
            name="Fig. 2",
            title="The same with 1 % of noise",
            about=notes.NOISE,
            measure=fig_2,
            chart=whole_curves((NOISY, 2000, 1)),
        ),
        Table(
            name="Fig. 3",
            title="The error does not always fall",
            about="A short stretch of Fig. 1, column by column; the paper does not name its set.",
            measure=fig_3,
            chart=detail_curve(NOISY),
        ),
        *(
            Table(
                name=name,
                title=f"The gradient stop with {noise} % of noise",
                about=f"{notes.NOISE} Dashed: what Algorithm 2 goes on to.",
                measure=measure,
                chart=stopped_curves((NOISY, 2000, noise)),
                reasons=reasons.stopped(noise),
            )
            for name, noise, measure in (
                ("Fig. 4", 0, fig_4),
                ("Fig. 5", 1, fig_5),
                ("Fig. 6", 4, fig_6),
                ("Fig. 7", 32, fig_7),
            )
        ),
        *(
            Table(
                name=name,
                title=f"Convergence with both stops, part {part}",
                about=notes.BOTH_STOPS,
                measure=measure,
                chart=stopped_curves(*((one, CURVES, 0) for one in names)),
            )
            for name, part, names, measure in (
                ("Fig. 8", "A", PART_A, fig_8),
                ("Fig. 9", "B", PART_B, fig_9),
            )
        ),
        Table(
            name="Width",
            title="The width of the nodes, which the paper does not give",
            about=notes.WIDTH,
            measure=table_of_widths,
        ),
    ),
)
