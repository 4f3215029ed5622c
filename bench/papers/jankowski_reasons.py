"""Why figures of Jankowski and Linowiecki do not hold here: found by looking, set by set."""

from bench.papers.jankowski_tables import METHODS, SHAPES

SUMS = ("mean rank", "wins", "unique wins")


def _line(text: str) -> str:
    return " ".join(text.split())


GRADIENT = _line("""
    Read to the letter, Algorithm 3 stops earlier than the paper's tables say, on nearly every set. With τ =
    0.01 in place of 0.02, or falls averaged over 20 columns in place of 10, the counts agree: that column
    stands beside it.
""")
MUSK2 = _line("""
    The paper had 168 features, the file has the 166 measured ones: the names of molecule and conformation
    are not in it. On these 166 some columns can be saved at every width above γ = 1/4; the paper saves
    none.
""")
NURSERY = _line("""
    From column 36 to 168 the error lies on a plateau (3.1 to 0.5: the pairs of features), on which it falls
    by 0.02 a column and less. τ = 0.02 stops on it (at 52 of 1000), τ = 0.005 behind it (at 198); the
    paper's 170 is its end. Standardised indicators, codes, and mismatches weighed 2, 4 or 8 times were
    tried: none gives both of its columns.
""")
OWN_WIDTH = _line("""
    One width serves all sets. With 1000 kernels the paper's count comes out at γ = 1/{} on this set alone;
    six of the fourteen sets agree on 1/78 to 1/82.
""")
WIDTHS = {"letter-recognition": 69, "sat-all": 90, "shuttle-all": 64, "nursery": 81}
FEW_FOLDS = _line("""
    The paper's ranks rest on a hundred folds, these on ten or fewer, and the test tells fewer machines
    apart.
""")
SMALL_VALUES = _line("""
    The paper does not say which singular values count as 0. Here it is those below a millionth of the
    largest, on all sets. On the first fold with 1000 kernels that gives 90.3 %, a cut at 0.001 (3e-7 of the
    largest) the paper's 92.4, one at 1e-8 of the largest 94.7; on the square H of cardiotocography no cut
    leaves 26 %.
""")
NURSERY_STOP = _line("""
    The gradient stop ends on a plateau of the error, at 52 columns of 1000 on the first fold, where the
    paper has 170 (see Table 3): 90.0 % there, 92.4 with 100 columns, 95.8 with 170.
""")
MUSK2_STOP = _line("""
    In the paper the gradient stop saves no column on this set, and its accuracy is that of FastSVD; here,
    on 166 of the 168 features, it ends at a fifth of them. With all columns FastSVD-2000 has 99.0 % here
    too.
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


def _ranks(why: str, *sizes: int) -> dict[str, str]:
    """Of all ranks and of what is counted from them."""
    machines = [f"{method}-{size}" for method in METHODS.values() for size in sizes]
    of_sets = {f"{name}, {machine}, rank": why for name in SHAPES for machine in machines}
    return of_sets | {f"{row}, {machine}": why for row in SUMS for machine in machines}


NOISE: dict[str, str] = {}
SHAPE = {
    "musk2, features": "The file has no column for the names of molecule and conformation.",
    "nursery, classes": "The set has five classes, at UCI too.",
}
COLUMNS_WIDE = _columns(1000, 2000)
COLUMNS_SMALL = _columns(100, 200)
TIME: dict[str, str] = {}
WIDE = {
    "letter-recognition, SVD-*": SMALL_VALUES,
    "nursery, GradFastSVD-*": NURSERY_STOP,
    "musk2, GradFastSVD-*": MUSK2_STOP,
    **_ranks(FEW_FOLDS, 1000, 2000),
}
SMALL: dict[str, str] = {}
FIGURE: dict[str, str] = {}
