"""The published figures, as data.

Tables 2 to 8: N. Jankowski, R. Linowiecki, "A fast neural network learning algorithm with approximate
singular value decomposition", Int. J. Appl. Math. Comput. Sci., 2019. Schindler: his thesis, Tables
3.1 and 3.2.
"""

SIZES = (100, 200, 1000, 2000)

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


def _table(columns: list[tuple[str, int]], text: str) -> dict[str, dict[tuple[str, int], float]]:
    """One dictionary a row, keyed by method and number of kernels."""
    rows = (line.split() for line in text.strip().splitlines())
    return {name: dict(zip(columns, map(float, cells), strict=True)) for name, *cells in rows}


# Tables 3 and 4: columns of Q as a fraction of the kernels; means over 10 × 10-fold cross-validation.
FRACTIONS = _table(
    [(stop, size) for size in (1000, 2000, 100, 200) for stop in ("fast", "gradient")],
    """
    cardiotocography-1            0.601   0.157   0.414   0.0921  1      0.889  0.986  0.535
    cardiotocography-2            0.6     0.155   0.414   0.0928  1      0.871  0.987  0.532
    chess-king-rook-vs-king-pawn  0.99    0.327   0.878   0.191   1      1      1      0.976
    spambase                      0.908   0.352   0.837   0.223   0.98   0.98   0.965  0.934
    thyroid-disease               0.355   0.18    0.256   0.108   0.84   0.716  0.671  0.493
    abalone                       0.0701  0.0433  0.0382  0.023   0.458  0.324  0.267  0.179
    image                         0.219   0.0986  0.133   0.0566  0.841  0.575  0.596  0.347
    letter-recognition            0.868   0.196   0.616   0.108   1      1      0.999  0.75
    magic04                       0.296   0.114   0.191   0.0644  0.97   0.681  0.775  0.395
    musk2                         1       1       1       1       1      1      1      1
    nursery                       0.617   0.17    0.363   0.0928  1      0.997  1      0.671
    sat-all                       0.806   0.147   0.616   0.0828  1      0.898  1      0.528
    segmentation-all              0.219   0.0986  0.133   0.0566  0.841  0.575  0.596  0.347
    shuttle-all                   0.0772  0.0512  0.0439  0.0284  0.465  0.354  0.278  0.199
    waveform                      1       0.207   0.966   0.119   1      1      1      0.768
    """,
)

# Tables 5 and 6: time as a fraction of that of the SVD.
TIMES = _table(
    [(stop, size) for size in (1000, 2000) for stop in ("fast", "gradient")],
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
ACCURACIES = _table(
    [
        (method, size)
        for pair in ((1000, 2000), (100, 200))
        for method, size in (
            *(("fast", pair[0]), ("gradient", pair[0])),
            *(("fast", pair[1]), ("gradient", pair[1])),
            *(("svd", pair[0]), ("svd", pair[1])),
        )
    ],
    """
    cardiotocography-1            83.3 79.8 82.9 80.1 83.4 83.1  79   78.2 81.3 79.1 79   81.6
    cardiotocography-2            92.4 91   92.7 91.2 92.6 92.6  91.2 90.7 91.7 90.8 91.2 91.8
    chess-king-rook-vs-king-pawn  99.4 98.3 99.4 98.5 99.4 99.4  95   95   97.1 97   95   97.1
    spambase                      92.9 92.6 91.9 92.8 92.9 91.9  91.9 91.9 92.4 92.3 92   92.4
    thyroid-disease               95.6 94.7 95.8 94.7 95.6 95.9  94.5 94.4 94.9 94.5 94.5 94.9
    abalone                       26.4 26.4 26.6 26.3 26.4 26.5  26.3 26.1 26.4 26.1 26.4 26.3
    image                         95.4 93.1 95.1 93.2 95.5 95.1  94.3 92.4 94.9 92.7 94.9 95.6
    letter-recognition            92.3 81.9 93   82.8 92.4 93    76.4 76.4 82.7 79.9 76.4 82.7
    magic04                       86.6 86   86.6 86.1 86.6 86.6  86.1 85.8 86.3 85.8 86.1 86.4
    musk2                         97.8 97.8 99.4 99.4 97.8 99.4  87.5 87.5 89.8 89.8 87.5 89.8
    nursery                       96.9 92.8 97   93   97   97.1  91.4 91.4 93.9 91.9 91.4 93.9
    sat-all                       90.3 88.1 90.6 88.2 90.3 90.6  87.5 87.3 88.5 87.6 87.5 88.5
    segmentation-all              95.4 93.1 95.1 93.2 95.5 95.1  94.3 92.4 94.9 92.7 94.9 95.6
    shuttle-all                   99   98.7 99.1 98.8 99.1 99.2  98.7 98.4 98.7 98.6 98.7 98.8
    waveform                      84   86.3 82.7 86.1 84   82.7  86.6 86.6 86.5 86.4 86.6 86.5
    """,
)
