"""The published figures of Jankowski and Linowiecki as data: Tables 1 to 8, and what the text says of Fig. 1.

"A fast neural network learning algorithm with approximate singular value decomposition", Int. J. Appl. Math.
Comput. Sci., 2019.
"""

import re
from typing import NamedTuple

METHODS = {"fast": "FastSVD", "gradient": "GradFastSVD", "svd": "SVD"}  # as here, as in the paper

# Table 1: columns of Q that the gradient stop keeps of 2000 kernels, by per cent of noise.
NOISE = {0: 172, 1: 211, 2: 165, 4: 227, 8: 233, 16: 638, 32: 878}
# The text on Figs. 1 and 2: columns that Algorithm 2 keeps of 2000 kernels.
ITERATIONS = {"cardiotocography-1": 788, "musk2": 2000, "cardiotocography-1, 1 % of noise": 2000}

# Table 2: classes, instances, features, of which ordered (not nominal).
SHAPES = {
    "cardiotocography-1": (10, 2126, 21, 21),
    "cardiotocography-2": (3, 2126, 21, 21),
    "chess-king-rook-vs-king-pawn": (2, 3196, 38, 38),
    "spambase": (2, 4601, 57, 57),
    "thyroid-disease": (3, 7200, 21, 21),
    "abalone": (29, 4177, 8, 7),
    "image": (7, 2310, 19, 19),
    "letter-recognition": (26, 20000, 16, 16),
    "magic04": (2, 19020, 10, 10),
    "musk2": (2, 6598, 168, 166),
    "nursery": (6, 12960, 8, 0),
    "sat-all": (6, 6435, 36, 36),
    "segmentation-all": (7, 2310, 19, 19),
    "shuttle-all": (7, 58000, 9, 9),
    "waveform": (3, 5000, 21, 21),
}


class Printed(NamedTuple):
    """One cell: value±deviation(rank), of which a table may lack the last or the last two."""

    value: float
    deviation: float = 0.0
    rank: int = 0


Column = tuple[str, int]  # method and number of kernels


def _printed(cell: str) -> Printed:
    value, deviation, rank = re.findall(r"([\d.]+)(?:±([\d.]+))?(?:\((\d)\))?", cell)[0]
    return Printed(float(value), float(deviation or 0), int(rank or 0))


def _table(columns: list[Column], text: str) -> dict[str, dict[Column, Printed]]:
    """One dictionary a row, keyed by method and number of kernels."""
    rows = (line.split() for line in text.strip().splitlines())
    return {name: dict(zip(columns, map(_printed, cells), strict=True)) for name, *cells in rows}


def _stops(*sizes: int) -> list[Column]:
    return [(stop, size) for size in sizes for stop in ("fast", "gradient")]


def _machines(*sizes: int) -> list[Column]:
    return [*_stops(*sizes), *(("svd", size) for size in sizes)]


# Tables 3 and 4: columns of Q as a fraction of the kernels; means over 10 × 10-fold cross-validation.
TABLE_3 = _table(
    _stops(1000, 2000),
    """
    cardiotocography-1            0.601±0.0068   0.157±0.017    0.414±0.0035   0.0921±0.0091
    cardiotocography-2            0.6±0.0072     0.155±0.016    0.414±0.0034   0.0928±0.0094
    chess-king-rook-vs-king-pawn  0.99±0.002     0.327±0.048    0.878±0.0049   0.191±0.028
    spambase                      0.908±0.0075   0.352±0.046    0.837±0.0055   0.223±0.032
    thyroid-disease               0.355±0.01     0.18±0.014     0.256±0.0055   0.108±0.0074
    abalone                       0.0701±0.0025  0.0433±0.0028  0.0382±0.0011  0.023±0.0014
    image                         0.219±0.0047   0.0986±0.0068  0.133±0.0022   0.0566±0.0043
    letter-recognition            0.868±0.0072   0.196±0.018    0.616±0.0042   0.108±0.011
    magic04                       0.296±0.0061   0.114±0.0079   0.191±0.0037   0.0644±0.0056
    musk2                         1±0            1±0            1±0            1±0
    nursery                       0.617±0.0047   0.17±0.016     0.363±0.0027   0.0928±0.0068
    sat-all                       0.806±0.0054   0.147±0.018    0.616±0.0041   0.0828±0.0095
    segmentation-all              0.219±0.0047   0.0986±0.0068  0.133±0.0022   0.0566±0.0043
    shuttle-all                   0.0772±0.0028  0.0512±0.003   0.0439±0.0016  0.0284±0.0016
    waveform                      1±0.00074      0.207±0.033    0.966±0.0014   0.119±0.02
    mean                          0.575±0.0049   0.22±0.017     0.46±0.0031    0.156±0.01
    """,
)
TABLE_4 = _table(
    _stops(100, 200),
    """
    cardiotocography-1            1±0.0019     0.889±0.061  0.986±0.0051  0.535±0.042
    cardiotocography-2            1±0.00099    0.871±0.069  0.987±0.0056  0.532±0.044
    chess-king-rook-vs-king-pawn  1±0          1±0          1±0           0.976±0.07
    spambase                      0.98±0.016   0.98±0.016   0.965±0.015   0.934±0.065
    thyroid-disease               0.84±0.038   0.716±0.039  0.671±0.032   0.493±0.029
    abalone                       0.458±0.021  0.324±0.017  0.267±0.011   0.179±0.011
    image                         0.841±0.027  0.575±0.048  0.596±0.02    0.347±0.023
    letter-recognition            1±0.0022     1±0.0022     0.999±0.0029  0.75±0.068
    magic04                       0.97±0.017   0.681±0.035  0.775±0.019   0.395±0.021
    musk2                         1±0          1±0          1±0           1±0
    nursery                       1±0          0.997±0.025  1±0           0.671±0.061
    sat-all                       1±0          0.898±0.087  1±0           0.528±0.049
    segmentation-all              0.841±0.027  0.575±0.048  0.596±0.02    0.347±0.023
    shuttle-all                   0.465±0.02   0.354±0.023  0.278±0.011   0.199±0.013
    waveform                      1±0          1±0          1±0           0.768±0.1
    mean                          0.893±0.011  0.791±0.031  0.808±0.0093  0.577±0.042
    """,
)

# Tables 5 and 6: time as a fraction of that of the SVD.
TABLES_5_6 = _table(
    _stops(1000, 2000),
    """
    cardiotocography-1            0.0969  0.0127  0.3963  0.0416
    cardiotocography-2            0.5056  0.0653  0.4594  0.0449
    chess-king-rook-vs-king-pawn  2.2424  0.3168  2.2720  0.1322
    spambase                      1.5718  0.2875  1.0279  0.0858
    thyroid-disease               0.6413  0.2303  0.2397  0.0616
    abalone                       0.0601  0.0409  0.019   0.0141
    image                         0.0950  0.0361  0.0764  0.0273
    letter-recognition            3.1637  0.2599  2.217   0.1655
    magic04                       0.7527  0.2067  0.34    0.0825
    musk2                         2.3530  2.3977  1.3005  1.1607
    nursery                       2.1806  0.3182  0.6835  0.1028
    sat-all                       2.0816  0.1611  1.2957  0.0655
    segmentation-all              0.1102  0.0472  0.0946  0.0341
    shuttle-all                   0.2325  0.1541  0.0945  0.0755
    waveform                      3.1955  0.1730  2.5319  0.0614
    """,
)

# Tables 7 and 8: accuracy in per cent; means over 10 × 10-fold stratified cross-validation.
TABLE_7 = _table(
    _machines(1000, 2000),
    """
    cardiotocography-1           83.3±2.1(1)  79.8±2.5(3)  82.9±2.2(2)  80.1±2.6(3)  83.4±2.1(1)  83.1±2.2(1)
    cardiotocography-2           92.4±1.6(2)  91±1.8(3)    92.7±1.6(1)  91.2±1.8(3)  92.6±1.6(1)  92.6±1.6(1)
    chess-king-rook-vs-king-pawn 99.4±0.42(2) 98.3±0.77(4) 99.4±0.44(2) 98.5±0.7(3)  99.4±0.43(1) 99.4±0.44(2)
    spambase                     92.9±1.3(1)  92.6±1.2(2)  91.9±1.2(3)  92.8±1.2(1)  92.9±1.2(1)  91.9±1.2(3)
    thyroid-disease              95.6±0.53(2) 94.7±0.53(3) 95.8±0.53(1) 94.7±0.49(3) 95.6±0.53(2) 95.9±0.52(1)
    abalone                      26.4±2(2)    26.4±2(1)    26.6±2.2(1)  26.3±2.1(2)  26.4±2(1)    26.5±2(1)
    image                        95.4±1.5(1)  93.1±1.5(3)  95.1±1.3(2)  93.2±1.5(3)  95.5±1.3(1)  95.1±1.3(2)
    letter-recognition           92.3±0.57(4) 81.9±1.2(6)  93±0.61(2)   82.8±1.3(5)  92.4±0.55(3) 93±0.6(1)
    magic04                      86.6±0.69(1) 86±0.66(3)   86.6±0.67(1) 86.1±0.67(2) 86.6±0.69(1) 86.6±0.68(1)
    musk2                        97.8±0.65(2) 97.8±0.65(2) 99.4±0.33(1) 99.4±0.33(1) 97.8±0.65(2) 99.4±0.33(1)
    nursery                      96.9±0.37(4) 92.8±0.67(6) 97±0.36(2)   93±0.6(5)    97±0.37(3)   97.1±0.37(1)
    sat-all                      90.3±1.1(2)  88.1±1(3)    90.6±1.1(1)  88.2±1.1(3)  90.3±1.2(2)  90.6±1.1(1)
    segmentation-all             95.4±1.5(1)  93.1±1.5(3)  95.1±1.3(2)  93.2±1.5(3)  95.5±1.3(1)  95.1±1.3(2)
    shuttle-all                  99±0.15(4)   98.7±0.18(6) 99.1±0.13(2) 98.8±0.18(5) 99.1±0.16(3) 99.2±0.12(1)
    waveform                     84±1.6(3)    86.3±1.4(1)  82.7±1.6(4)  86.1±1.6(2)  84±1.6(3)    82.7±1.5(4)
    """,
)
TABLE_8 = _table(
    _machines(100, 200),
    """
    cardiotocography-1           79±2.6(3)    78.2±2.8(4)  81.3±2.3(2)  79.1±2.5(3)  79±2.6(3)    81.6±2.2(1)
    cardiotocography-2           91.2±1.8(2)  90.7±1.8(3)  91.7±1.8(1)  90.8±1.9(3)  91.2±1.8(2)  91.8±1.7(1)
    chess-king-rook-vs-king-pawn 95±1.4(3)    95±1.4(3)    97.1±1(1)    97±1.1(2)    95±1.4(3)    97.1±1(1)
    spambase                     91.9±1.3(2)  91.9±1.3(2)  92.4±1.2(1)  92.3±1.2(1)  92±1.3(2)    92.4±1.2(1)
    thyroid-disease              94.5±0.48(4) 94.4±0.46(5) 94.9±0.52(2) 94.5±0.48(4) 94.5±0.51(3) 94.9±0.5(1)
    abalone                      26.3±2.1(1)  26.1±2.2(2)  26.4±2(1)    26.1±2(2)    26.4±2(1)    26.3±1.9(1)
    image                        94.3±1.6(3)  92.4±1.8(5)  94.9±1.4(2)  92.7±1.6(4)  94.9±1.5(2)  95.6±1.4(1)
    letter-recognition           76.4±0.88(3) 76.4±0.88(3) 82.7±0.89(1) 79.9±1.4(2)  76.4±0.88(3) 82.7±0.89(1)
    magic04                      86.1±0.68(3) 85.8±0.67(4) 86.3±0.65(2) 85.8±0.66(4) 86.1±0.68(3) 86.4±0.66(1)
    musk2                        87.5±0.64(2) 87.5±0.64(2) 89.8±0.76(1) 89.8±0.76(1) 87.5±0.64(2) 89.8±0.76(1)
    nursery                      91.4±0.67(3) 91.4±0.66(3) 93.9±0.6(1)  91.9±0.72(2) 91.4±0.67(3) 93.9±0.6(1)
    sat-all                      87.5±1.1(3)  87.3±1.1(4)  88.5±1.1(1)  87.6±1.1(2)  87.5±1.1(3)  88.5±1.1(1)
    segmentation-all             94.3±1.6(3)  92.4±1.8(5)  94.9±1.4(2)  92.7±1.6(4)  94.9±1.5(2)  95.6±1.4(1)
    shuttle-all                  98.7±0.18(4) 98.4±0.29(6) 98.7±0.18(2) 98.6±0.24(5) 98.7±0.17(3) 98.8±0.18(1)
    waveform                     86.6±1.4(1)  86.6±1.4(1)  86.5±1.4(1)  86.4±1.4(2)  86.6±1.4(1)  86.5±1.4(1)
    """,
)


class Summary(NamedTuple):
    """The last three rows of Tables 7 and 8, for one column."""

    accuracy: Printed
    rank: Printed
    wins: int
    unique: int


def _summary(columns: list[Column], accuracies: str, ranks: str, wins: str) -> dict[Column, Summary]:
    made = {}
    for column, accuracy, rank, won in zip(
        columns, accuracies.split(), ranks.split(), wins.split(), strict=True
    ):
        count, unique = won.rstrip("]").split("[")
        made[column] = Summary(_printed(accuracy), _printed(rank), int(count), int(unique))
    return made


SUMMARY_7 = _summary(
    _machines(1000, 2000),
    "88.5±1.1 86.7±1.2 88.5±1 87±1.2 88.6±1 88.5±1",
    "2.13±0.3 3.27±0.43 1.8±0.23 2.93±0.34 1.73±0.24 1.53±0.24",
    "5[0] 2[1] 6[0] 2[0] 8[1] 10[3]",
)
SUMMARY_8 = _summary(
    _machines(100, 200),
    "85.4±1.2 85±1.3 86.7±1.1 85.7±1.2 85.5±1.2 86.8±1.1",
    "2.67±0.24 3.47±0.38 1.4±0.14 2.73±0.33 2.4±0.2 1±0",
    "2[0] 1[0] 9[0] 2[0] 2[0] 15[6]",
)
