"""Bi et al.'s Table 2 and Figures 1 to 3: DK-ELM, a kernel ELM whose matrix is made in parts."""

from bench.papers.bi_scaling import chart_1, chart_2, chart_3, figure_1, figure_2, figure_3
from bench.papers.bi_table import table_2
from bench.papers.tables import Paper, Table

MEASURED = (
    "Rows as many as the paper's, generated, 100 inputs where theirs have 5000; kernel ELM by `ssvd` with "
    "100 directions on worker processes of one thread on one machine, the faster of two runs. Theirs are "
    "up to eight slave nodes of four cores under Hadoop. Their curves can only be seen in pictures, of "
    "which the text gives few numbers. "
)
SHARED_CORES = (
    "Modelled from one and two workers, which share two cores with the scheduler and the caller. In a run "
    "that was looked into, of 6.2 s for 25,000 rows on two, half of one worker's time would be 5.0; the "
    "caller works for 0.4, and 0.8 goes to sums that travel and wait for each other. All of that counts as "
    "fixed. The paper's eight have a node each, and fifty times the inputs to share out."
)

PAPER = Paper(
    key="bi",
    authors="X. Bi, X. Zhao, G. Wang, P. Zhang, C. Wang",
    title="Distributed extreme learning machine with kernels based on MapReduce",
    source="Neurocomputing 149, 2015, doi:10.1016/j.neucom.2014.01.070",
    about=(
        "A kernel ELM by MapReduce: the matrix in parts, its stochastic SVD, products with its factors. "
        "In samara it is the solver `ssvd` of kernel models, on any engine."
    ),
    tables=(
        Table(
            name="Table 2",
            title="Kernel ELM by the whole decomposition, and cut at k directions",
            about=(
                "At the C and σ of the paper, but for segment: with the σ of 2⁻⁷ printed K is the "
                "identity and 24 % of new rows are right; 2⁷ gives their rate, and is taken. They do not "
                "say how inputs were scaled (here: not at all), how rows were split (here: the official "
                "rows; two thirds of segment at random), whether the rates are those of new rows (which "
                "are put beside theirs), nor their k (100 is put beside theirs, or all rows but one). Of "
                "Arcene's 900 rows 200 have public labels: 100 to train on, and 100 to test on that its "
                "makers call valid. Of shuttle the full system is solved by conjugate gradients to a "
                "residual of 1e-6. Five trials, two of shuttle, one where nothing is random."
            ),
            measure=table_2,
        ),
        Table(
            name="Fig. 1",
            title="Sizeup: time by the number of rows",
            about=MEASURED
            + "As the paper's figure its baseline is given, the square of the rows: it says that "
            "its own are below.",
            measure=figure_1,
            chart=chart_1,
        ),
        Table(
            name="Fig. 2",
            title="Time by the number of workers",
            about=MEASURED,
            measure=figure_2,
            chart=chart_2,
        ),
        Table(
            name="Fig. 3",
            title="Speedup: time on one worker by time on many",
            about=MEASURED
            + "Beyond two workers times are modelled: what is fixed, what is shared out, and sums "
            "of n×k numbers merged as a tree over a network of 10 Gbit/s.",
            measure=figure_3,
            chart=chart_3,
            reasons={"the best of all, *": SHARED_CORES},
        ),
    ),
)
