"""What Liu et al. 2014 print: recognition rates in per cent (mean, deviation over 30 splits) and seconds."""

SPLITS = 30

Rate = tuple[float, float]

NAMES = {
    "iris": "Iris",
    "ionosphere": "Ionosphere",
    "satimage": "SatelliteC1-C2",
    "tox171": "TOX-171",
    "pcmac": "PCMAC",
    "cll_sub_111": "CLL-SUB-111",
    "pie32": "CMU PIE",
    "yaleb32": "Extended Yale B",
}
METHODS = {"svm": "SVM", "elm": "ELM", "srelm": "SRELM", "tselm": "TSELM"}

# Tables 4 and 5: half of the rows to train on. (SVM, ELM, SRELM, TSELM), each (mean, deviation).
LOW: dict[str, tuple[Rate, ...]] = {
    "iris": ((85.3, 0.5), (86.2, 0.6), (86.3, 0.8), (86.7, 0.3)),
    "ionosphere": ((92.6, 0.5), (94.1, 0.4), (94.4, 0.5), (94.7, 0.3)),
    "satimage": ((95.2, 0.3), (96.6, 0.4), (96.8, 0.4), (97.1, 0.2)),  # its classes 1 and 2
}
HIGH: dict[str, tuple[Rate, ...]] = {
    "tox171": ((79.3, 1.4), (80.4, 1.2), (83.7, 1.0), (84.7, 0.8)),
    "pcmac": ((81.5, 0.8), (82.6, 0.8), (84.4, 0.6), (85.7, 0.5)),  # ELM is printed as "82.6.1"
    "cll_sub_111": ((75.6, 1.8), (77.6, 1.4), (81.8, 1.2), (83.3, 1.2)),
}
# Table 6: seconds to train, without the search for ridge and nodes. (ELM, SRELM, TSELM)
SECONDS = {
    "tox171": (6.673, 3.682, 3.057),
    "pcmac": (8.759, 4.834, 4.249),
    "cll_sub_111": (12.247, 6.356, 5.865),
}

# Table 7: rows of each of 68 persons to train on. (ELM, SRELM, TSELM)
PIE_RATES: dict[int, tuple[Rate, ...]] = {
    10: ((83.2, 0.7), (85.0, 1.3), (87.6, 0.4)),
    20: ((91.1, 0.6), (92.3, 0.7), (93.5, 0.3)),
    30: ((93.4, 0.6), (93.4, 0.7), (94.7, 0.3)),
    40: ((94.6, 0.6), (94.8, 0.4), (96.0, 0.3)),
}
# Table 8: seconds to train and to test.
PIE_TRAIN = {
    10: (0.175, 0.203, 0.106),
    20: (0.283, 0.275, 0.124),
    30: (0.399, 0.336, 0.212),
    40: (0.574, 0.423, 0.325),
}
PIE_TEST = {
    10: (0.814, 0.259, 0.258),
    20: (0.772, 0.245, 0.245),
    30: (0.709, 0.228, 0.229),
    40: (0.664, 0.213, 0.213),
}

# Fig. 2, of which no number is printed: rows of each of 38 persons to train on.
YALE_SIZES = (5, 10, 15, 20, 25, 30)
