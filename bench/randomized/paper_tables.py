"""The published figures, as data.

Men and Wang: "A randomized ELM speedup algorithm", Neurocomputing, 2015, Tables 1 and 2. Schindler: his
thesis, Tables 3.1 and 3.2.
"""

# Men and Wang, Tables 1 and 2: rows to train and to test on, then testing rates of the exact ELM and of
# theirs at k = 0.01n, 0.05n and 0.1n.
MEN_WANG = {
    "dna": (1400, 1186, 93.03, 84.91, 89.03, 92.46),
    "optdigits": (3823, 1797, 96.83, 87.09, 96.25, 96.42),
    "letter": (2861, 1003, 98.19, 68.24, 97.22, 97.47),
    "segment": (2061, 249, 92.78, 62.62, 89.06, 91.57),
    "svmguide1": (3089, 4000, 94.29, 61.82, 75.34, 94.90),
    "waveform": (5000, 1000, 92.16, 64.18, 87.92, 90.30),
    "usps": (7291, 2007, 93.66, 74.57, 93.52, 93.44),
}

# Schindler, Tables 3.1 and 3.2, RSVD-ELM: RMSE in training and testing.
RSVD_ELM = {
    "DS1": (0.01007, 0.00985),
    "DS2": (0.22552, 0.22352),
    "DS3": (0.05009, 0.05052),
    "DS4": (0.36008, 0.35989),
}
