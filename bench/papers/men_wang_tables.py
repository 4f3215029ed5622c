"""The figures of C. Men and W. Wang, "A randomized ELM speedup algorithm", Neurocomputing, 2015."""

from dataclasses import dataclass

SHARES = {"k = 0.01n": 0.01, "k = 0.05n": 0.05, "k = 0.1n": 0.1}

# Table 1: rows to train and to test on.
SIZES = {
    "dna": (1400, 1186),
    "letter": (2861, 1003),
    "optdigits": (3823, 1797),
    "segment": (2061, 249),
    "svmguide1": (3089, 4000),
    "waveform": (5000, 1000),
    "usps": (7291, 2007),
}


@dataclass(frozen=True)
class Printed:
    """One method on one set: testing rate and deviation in per cent, seconds, ‖K − K̃‖_F."""

    rate: float
    deviation: float
    seconds: float
    norm: float | None = None


def _printed(text: str, normed: bool) -> dict[str, dict[str, Printed]]:
    """One line a set: rate, deviation and seconds of the exact one, then the same at each k."""
    width = 4 if normed else 3
    made = {}
    for name, *cells in (line.split() for line in text.strip().splitlines()):
        numbers = [float(cell) for cell in cells]
        parts = [numbers[:3], *(numbers[lo : lo + width] for lo in range(3, len(numbers), width))]
        made[name] = {label: Printed(*part) for label, part in zip(("exact", *SHARES), parts, strict=True)}
    return made


# Table 2: 1000 sigmoid nodes.
NODES = 1000
SIGMOID = _printed(
    """
    dna        93.03 0.38   2.98  84.91 1.27  1.09  89.03 1.00  1.35  92.46 0.49  1.53
    optdigits  96.83 0.34  38.46  87.09 2.19  8.72  96.25 0.41 12.62  96.42 0.33 18.95
    letter     98.19 0.22  17.13  68.24 4.49  4.98  97.22 0.45  6.50  97.47 0.36  8.90
    segment    92.78 1.10   8.50  62.62 4.40  2.56  89.06 1.86  3.02  91.57 1.05  4.36
    svmguide1  94.29 0.46  20.92  61.82 6.39  5.57  75.34 2.99  7.60  94.90 0.72 10.29
    waveform   92.16 0.47  69.57  64.18 3.25 14.61  87.92 1.00 21.46  90.30 0.55 37.85
    usps       93.66 0.23 292.85  74.57 2.08 17.15  93.52 0.44 31.08  93.44 0.20 53.87
    """,
    normed=False,
)
# The exponents of C of the exact network.
SIGMOID_C = {
    "dna": -7,
    "optdigits": -5,
    "letter": -2,
    "segment": 3,
    "svmguide1": 10,
    "waveform": 4,
    "usps": -1,
}
# Those of the sketched ones. Six are printed for seven sets: that of segment is not. Of all C it is 2⁻⁵, the
# same as letter's above it, that gives the rates of its line.
SKETCH_C = {
    "dna": -9,
    "optdigits": -8,
    "letter": -5,
    "segment": -5,
    "svmguide1": -1,
    "waveform": -5,
    "usps": -8,
}

# Table 3: Gaussian kernel. The deviation of the exact one, which has nothing random, is not printed.
GAUSSIAN = _printed(
    """
    dna        92.83 0   1.76  88.54 0.71 0.29  33.36  91.50 0.68  0.51 21.81  93.08 0.34  0.92 12.01
    letter     99.20 0  12.68  97.30 0.76 1.27  93.90  96.76 0.95  2.91 68.64  98.90 0.29  5.78 54.95
    optdigits  98.33 0  26.18  98.07 0.31 2.21  66.14  98.11 0.57  6.34 63.34  98.21 0.06 11.97 60.50
    segment    97.19 0  26.86  96.67 0.21 1.52  57.90  96.95 0.27  4.24 53.90  96.93 0.27  7.13 49.70
    svmguide1  96.88 0  15.48  93.45 1.42 2.23 129.61  93.79 0.88  6.15 79.60  96.40 0.23 10.79 54.32
    waveform   87.30 0  59.33  87.27 0.06 4.07   0.77  87.30 0    11.33  0.08  87.30 0    28.03  0.01
    usps       95.07 0 112.24  92.20 0.19 6.42  41.44  94.82 0.10 24.05 40.46  95.03 0.03 52.24 39.27
    """,
    normed=True,
)
# Exponents of C and gamma.
GAUSSIAN_SETTINGS = {
    "dna": (-1, -6),
    "letter": (0, -2),
    "optdigits": (-1, -6),
    "segment": (-1, -5),
    "svmguide1": (-1, -6),
    "waveform": (-1, -9),
    "usps": (0, 1),
}

# Table 4, linear kernel, k = m: exponent of C, testing rate (the same exactly and by the sketch), times that
# the sketch is faster, error norm of the sketch.
LINEAR = {
    "dna": (-8, 92.24, 1.50, 1.12e-9),
    "optdigits": (-9, 91.82, 9.71, 3.87e-7),
    "letter": (-9, 87.14, 10.66, 2.79e-8),
    "segment": (1, 81.12, 7.28, 1.01e-6),
    "svmguide1": (8, 76.90, 12.58, 8.08e-7),
    "waveform": (9, 85.80, 17.93, 1.15e-8),
    "usps": (-9, 87.39, 16.04, 6.38e-8),
}
