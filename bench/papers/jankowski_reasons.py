"""Why figures of Jankowski and Linowiecki do not hold here: found by looking, set by set."""

from bench.papers.jankowski_notes import one_line
from bench.papers.jankowski_tables import METHODS, SHAPES
from bench.papers.jankowski_tables import NOISE as PRINTED_NOISE

SUMS = ("mean rank", "wins", "unique wins")

GRADIENT = one_line("""
    Read to the letter, Algorithm 3 stops earlier than the paper's tables say, on nearly every set. With τ =
    0.01 in place of 0.02, or falls averaged over 20 columns in place of 10, the counts agree: that column
    stands beside it.
""")
MUSK2 = one_line("""
    The paper had 168 features, the file has the 166 measured ones: the names of molecule and conformation
    are not in it. On these 166 some columns can be saved at every width above γ = 1/4; the paper saves
    none.
""")
NURSERY = one_line("""
    From column 36 to 168 the error lies on a plateau (3.1 to 0.5: the pairs of features), on which it falls
    by 0.02 a column and less. τ = 0.02 stops on it (at 52 of 1000), τ = 0.005 behind it (at 198); the
    paper's 170 is its end. Standardised indicators, codes, and mismatches weighed 2, 4 or 8 times were
    tried: none gives both of its columns.
""")
OWN_WIDTH = one_line("""
    One width serves all sets. With 1000 kernels the paper's count comes out at γ = 1/{} on this set alone;
    six of the fourteen sets agree on 1/78 to 1/82.
""")
SHUTTLE = one_line("""
    Not explained. A width of its own is not enough: γ = 1/64, which gives the paper's count with 1000
    kernels, gives 0.40 of 100 and 0.26 of 200 on the first fold, where the paper has 0.465 and 0.278.
""")
CHESS = one_line("""
    One width serves all sets. On this one the paper's count comes out at γ = 1/82 with 1000 kernels, and at
    1/90 with 2000 (0.878 on the first fold).
""")
WIDTHS = {"letter-recognition": 69, "sat-all": 90, "shuttle-all": 64, "nursery": 81}
FEW_FOLDS = one_line("""
    How many folds there are decides which differences the test sees, and so how many ranks there are; the
    paper has a hundred. On cardiotocography-1 with 100 and 200 kernels ten folds give three ranks,
    twenty-four give all six machines the paper's.
""")
BIAS = one_line("""
    H has 101 columns with 100 kernels, one of them the constant, and Q no more than 100 here, so that
    FastSVD is not the SVD even where it keeps all: 75.75 and 75.89 % on ten folds, which the test tells
    apart. In the paper both have 76.4 and one rank.
""")
SMALL_VALUES = one_line("""
    The paper does not say which singular values count as 0. Here it is those below a millionth of the
    largest, on all sets. On the first fold with 1000 kernels that gives 90.3 %, a cut at 0.001 (3e-7 of the
    largest) the paper's 92.4, one at 1e-8 of the largest 94.7; on the square H of cardiotocography no cut
    leaves 26 %.
""")
NURSERY_STOP = one_line("""
    The gradient stop ends on a plateau of the error, at 52 columns of 1000 on the first fold, where the
    paper has 170 (see Table 3): 90.0 % there, 92.4 with 100 columns, 95.8 with 170.
""")
MUSK2_STOP = one_line("""
    In the paper the gradient stop saves no column on this set, and its accuracy is that of FastSVD; here,
    on 166 of the 168 features, it ends at a fifth of them. With all columns FastSVD-2000 has 99.0 % here
    too.
""")


ONE_DRAW = one_line("""
    The paper shows one draw of each level, and these scatter: 211 columns with 1 % of noise, 165 with 2 %.
    Draws here lie between 102 and 175 without noise, 104 and 172 with 1 %, 182 and 212 with 2 %. Read to
    the letter, Algorithm 3 stops a little earlier than the paper says on nearly all sets (see Tables 3 and
    4).
""")
NEVER = one_line("""
    White noise of deviation σ takes about σ/2 off every probe with each column: 0.08 with 16 %, four times
    τ, to the last column. Between columns 300 and 400 the falls that Algorithm 3 averages are 0.5 with 16 %
    and 0.9 with 32 %, so read to the letter it can't stop there; the paper stops at 638 and 878.
""")
FLAT = 16  # per cent of noise from which on that is so
ALL_ROWS = one_line("""
    The paper's 788 does not agree with its Table 3, 0.414 of 2000 kernels, which is 828. On all 2126 rows
    with 2000 centres 828 to 840 come out here; on nine tenths of them, which leave 1913 centres, 800.
""")
SAME_ROWS = one_line("""
    The paper's own figures disagree: cardiotocography-1 and -2 are the same H with 10 and 3 columns of
    targets, and it has 0.0127 of the SVD's time for one and 0.0653 for the other. Here both take about
    0.08, of which finding the range is two thirds: some 100 columns are kept, 30 more probe the error.
""")
FEW_COLUMNS = one_line("""
    Few columns are kept (41 of 1000 on abalone, 93 on image), but they are made 50 at a time, and 30 more
    probe the error that is left; the whole takes 0.02 to 0.06 s, beside an SVD of 0.4 to 2.4 s.
""")
SMALL_H = one_line("""
    H has hardly more rows than columns, some 2000, and its SVD takes a third of a second with 1000 kernels
    and 1.2 s with 2000. By a profiler, shares of that are {} and {} for finding the range, {} and {} for the
    SVD of B, and the rest for the products around it.
    On the larger sets, abalone apart, FastSVD's shares are below the paper's.
""")
CARDIOTOCOGRAPHY, IMAGE = SMALL_H.format(0.30, 0.15, 0.24, 0.18), SMALL_H.format(0.08, 0.03, 0.06, 0.03)
ABALONE = one_line("""
    77 columns are kept and 30 more probe the error; to find them takes 0.038 of the 0.053 s, beside an SVD
    of half a second.
""")


def _columns(*sizes: int) -> dict[str, str]:
    """Of the fractions: what is special to a set before what is common to all."""
    made = {"musk2, *": MUSK2}
    for size in sizes:
        made |= {f"{name}, FastSVD-{size}": OWN_WIDTH.format(width) for name, width in WIDTHS.items()}
    made["nursery, *"] = NURSERY
    for size in sizes:
        made |= {f"{name}, GradFastSVD-{size}*": GRADIENT for name in (*SHAPES, "mean")}
    return made


def _noisy(noise: int) -> str:
    """Of the columns kept at a level of noise."""
    return NEVER if noise >= FLAT else ONE_DRAW


def stopped(noise: int) -> dict[str, str]:
    """Of one of Figs. 4 to 7."""
    return {f"cardiotocography-1, {noise} % of noise, *": _noisy(noise)}


def _ranks(why: str, *sizes: int) -> dict[str, str]:
    """Of all ranks and of what is counted from them."""
    machines = [f"{method}-{size}" for method in METHODS.values() for size in sizes]
    of_sets = {f"{name}, {machine}, rank": why for name in SHAPES for machine in machines}
    return of_sets | {f"{row}, {machine}": why for row in SUMS for machine in machines}


NOISE = {f"{noise} % of noise, *": _noisy(noise) for noise in PRINTED_NOISE}
SHAPE = {
    "musk2, features": "The file has no column for the names of molecule and conformation.",
    "nursery, classes": "The set has five classes, at UCI too.",
    "abalone, classes": "The classes are numbers of rings from 1 to 29, of which 28 does not occur.",
}
COLUMNS_WIDE = {
    "chess-king-rook-vs-king-pawn, FastSVD-2000": CHESS,
    **_columns(1000, 2000),
}
COLUMNS_SMALL = {
    **{f"shuttle-all, FastSVD-{size}": SHUTTLE for size in (100, 200)},
    **_columns(100, 200),
}
TIME_1000 = {
    "cardiotocography-1, *": SAME_ROWS,
    "cardiotocography-2, FastSVD-1000": CARDIOTOCOGRAPHY,
    "cardiotocography-2, GradFastSVD-1000": SAME_ROWS,
    "abalone, FastSVD-1000": ABALONE,
    **{f"{name}, FastSVD-1000": IMAGE for name in ("image", "segmentation-all")},
    **{f"{name}, GradFastSVD-1000": FEW_COLUMNS for name in ("abalone", "image", "segmentation-all")},
}
TIME_2000 = {
    **{f"cardiotocography-{number}, FastSVD-2000": CARDIOTOCOGRAPHY for number in (1, 2)},
    **{f"{name}, FastSVD-2000": IMAGE for name in ("image", "segmentation-all")},
    "abalone, GradFastSVD-2000": FEW_COLUMNS,
}
WIDE = {
    "letter-recognition, SVD-*": SMALL_VALUES,
    "nursery, GradFastSVD-*": NURSERY_STOP,
    "musk2, GradFastSVD-*": MUSK2_STOP,
    **_ranks(FEW_FOLDS, 1000, 2000),
}
SMALL = {
    "letter-recognition, FastSVD-100, rank": BIAS,
    "letter-recognition, GradFastSVD-100, rank": BIAS,
    **_ranks(FEW_FOLDS, 100, 200),
}
FIG_1 = {"cardiotocography-1, *": ALL_ROWS, "musk2, *": MUSK2}
