"""What is said of the tables of Jankowski and Linowiecki: how they were measured."""


def one_line(text: str) -> str:
    """Without the breaks and blanks of its source."""
    return " ".join(text.split())


SETTINGS = one_line("""
    Ordered features are standardised, nominal ones are 0/1 indicators; the nodes are exp(−‖x − c‖²/80)
    around random training rows, a width that the paper does not give and its Table 3 implies (see Width); ε
    = 0.1, r = 10 and τ = 0.02 as printed. waveform is generated where there is no file of it. image and
    segmentation-all are one set, measured once.
""")
PROPOSED = one_line(f"""
    The pseudo-inverse that trains a network with Gaussian nodes is taken on a range found at random, column
    by column, until its error is small (FastSVD) or hardly falls any more (GradFastSVD). In samara these
    are `linalg.range_finder`, `linalg.pinv`, `ErrorStop` and `GradientStop`, and the solvers `fast_svd` and
    `fast_svd_gradient`. {SETTINGS}
""")
NOISE = one_line("""
    All rows, 2000 of them centres, H of equation (7), white noise of the deviation printed added to its
    Gaussian columns; means over five draws of centres, noise and probes, where the paper shows one.
""")
COLUMNS_WIDE = f"{SETTINGS} Five folds with 1000 kernels, two with 2000; the paper has a hundred."
COLUMNS_SMALL = f"{SETTINGS} Ten folds; the paper has a hundred."
TIMES = one_line("""
    Lines 7 to 9 of Algorithm 5 on the first fold, in turn with `numpy.linalg.svd` and its product; the
    gradient stop three times, the others twice, or once where rows × kernels² is above 4e10.
""")
FOLDS = one_line("""
    Folds are stratified, and the same for all six machines. The paired t-test is at 5 % (the paper does not
    give its level), on the folds that all machines of a row share; ranks, wins and unique wins are then the
    paper's. The SVD drops singular values below a millionth of the largest: with all of them inverted, the
    square H of cardiotocography would classify 26 % right, where the paper has 83.
""")
ACCURACY_WIDE = one_line(f"""
    {SETTINGS} {FOLDS} Ten folds once where the paper has ten times ten, fewer where rows × kernels² is
    large: with 1000 kernels five of shuttle-all; with 2000 four of letter-recognition and magic04, six of
    nursery, two of shuttle-all. With fewer folds the test tells fewer machines apart.
""")
ACCURACY_SMALL = one_line(f"""
    {SETTINGS} {FOLDS} Ten times ten folds as in the paper; of the sets with more than 10,000 rows the first
    50 (letter-recognition), 52 (magic04), 77 (nursery) and 17 (shuttle-all).
""")
BOTH_STOPS = one_line("""
    All rows, 1000 kernels, one draw; dashed: what Algorithm 2 goes on to. The text of the paper does not
    name the sets it chose: here all fourteen are drawn, in the order of Table 2.
""")
WIDTH = one_line("""
    How many of 1000 columns Algorithm 2 keeps grows with γ in exp(−γ‖x − c‖²). It is measured on a grid of
    γ for every set, and each rule's constant is chosen for the smallest mean distance from Table 3's
    FastSVD-1000. One γ for all sets, about 1/80, is nearest; it is what all other tables use.
""")
