"""Why figures of Jankowski and Linowiecki do not hold here: found by looking, set by set."""

from bench.papers.jankowski_tables import SHAPES, TABLE_7, TABLE_8


def _line(text: str) -> str:
    return " ".join(text.split())


GRADIENT = _line("""
    Read to the letter, Algorithm 3 stops earlier than the paper's tables say, on nearly every set. With τ = 0.01 in
    place of 0.02, or falls averaged over 20 columns in place of 10, the counts agree: that column stands beside it.
""")
MUSK2 = _line("""
    The paper had 168 features, the file has the 166 measured ones: the names of molecule and conformation are not in
    it. On these 166 some columns can be saved at every width above γ = 1/4; the paper saves none.
""")
NURSERY = _line("""
    From column 36 to 168 the error lies on a plateau (3.1 to 0.5: the pairs of features), on which it falls by 0.02 a
    column and less. τ = 0.02 stops on it (at 52 of 1000), τ = 0.005 behind it (at 198); the paper's 170 is its end.
    Standardised indicators, codes, and mismatches weighed 2, 4 or 8 times were tried: none gives both of its columns.
""")
OWN_WIDTH = _line("""
    One width serves all sets. The paper's count comes out at γ = 1/{} on this set alone; six of the fourteen agree
    on 1/78 to 1/82.
""")
FAST_WIDE = {
    "letter-recognition": OWN_WIDTH.format(69),
    "sat-all": OWN_WIDTH.format(90),
    "shuttle-all": OWN_WIDTH.format(64),
    "nursery": OWN_WIDTH.format(81),
}


def _columns(*sizes: int) -> dict[str, str]:
    """Of the fractions: what is special to a set before what is common to all."""
    made = {"musk2, *": MUSK2}
    for size in sizes:
        made |= {f"{name}, FastSVD-{size}": why for name, why in FAST_WIDE.items()}
    made["nursery, *"] = NURSERY
    for size in sizes:
        made |= {f"{name}, GradFastSVD-{size}*": GRADIENT for name in (*SHAPES, "mean")}
    return made


NOISE: dict[str, str] = {}
SHAPE: dict[str, str] = {
    "musk2, features": "The file has no column for the names of molecule and conformation.",
    "nursery, classes": "The set has five classes, at UCI too.",
}
COLUMNS_WIDE = _columns(1000, 2000)
COLUMNS_SMALL = _columns(100, 200)
TIME: dict[str, str] = {}
WIDE: dict[str, str] = {}
SMALL: dict[str, str] = {}
FIGURE: dict[str, str] = {}
