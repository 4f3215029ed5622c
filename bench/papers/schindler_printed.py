"""What Schindler's thesis prints: the set-up of listing 3.1 and Tables 2.1, 3.1 and 3.2."""

METHODS = ("ELM", "OS-RELM", "PR-ELM", "RSVD-ELM")
N_HIDDEN = 1000
RUNS, RUNS_DS4 = 20, 5  # of Experiment 7

# Listing 3.1: rows, columns, informative columns, noise, effective rank, share of rows kept for testing.
RECIPES = {
    "DS1": (20_000, 20, 15, 0.01, 10, 0.2),
    "DS2": (20_000, 100, 40, 0.2, 20, 0.2),
    "DS3": (50_000, 40, 30, 0.05, 15, 0.3),
    "DS4": (200_000, 300, 140, 0.05, 50, 0.3),
}
RIDGES = tuple(round(0.01 + 0.07 * step, 2) for step in range(7))  # np.arange(0.01, 0.5, 0.07)
CHUNK_PAIRS = ((5000, 500), (5000, 4000), (3000, 500), (3000, 4000), (2000, 500), (2000, 4000))
FASTEST_PAIR = (2000, 500)  # section 3.3
PARTITIONS = (3, 5, 10, 15, 20)
RANKS = (5, 10, 15, 20, 30, 50, 100, 150)
FIRST_TO_REST = 0.5  # section 3.3: the first chunk takes "almost half the time all the others need together"

# Tables 3.1 and 3.2: training and testing RMSE, seconds, peak memory in MB (by tracemalloc).
Cost = tuple[float, float, float, float]
RESULTS: dict[str, dict[str, Cost]] = {
    "DS1": {
        "ELM": (0.00972, 0.01010, 14.12, 520.2),
        "OS-RELM": (0.03209, 0.03264, 18.48, 256.2),
        "PR-ELM": (0.01006, 0.00985, 3.14, 30.6),
        "RSVD-ELM": (0.01007, 0.00985, 0.94, 256.2),
    },
    "DS2": {
        "ELM": (0.19475, 0.20437, 14.17, 520.8),
        "OS-RELM": (0.19461, 0.20444, 18.91, 256.8),
        "PR-ELM": (0.20056, 0.19866, 3.20, 31.2),
        "RSVD-ELM": (0.22552, 0.22352, 1.84, 256.8),
    },
    "DS3": {
        "ELM": (0.04934, 0.05125, 31.95, 1128.3),
        "OS-RELM": (0.04935, 0.05122, 35.93, 560.3),
        "PR-ELM": (0.05009, 0.05052, 3.42, 50.3),
        "RSVD-ELM": (0.05009, 0.05052, 2.79, 560.3),
    },
    "DS4": {
        "ELM": (0.04999, 0.05016, 146.09, 4490.4),
        "OS-RELM": (0.04999, 0.05017, 110.56, 2242.4),
        "PR-ELM": (0.05020, 0.05014, 15.88, 77.6),
        "RSVD-ELM": (0.36008, 0.35989, 35.85, 2242.4),
    },
}

# Table 2.1: whether H is computed in full (OS-RELM: for β in one go, as his program does), and whether the
# ridge is chosen by the algorithm (RSVD-ELM: could be).
FULL_H = {"OS-RELM": True, "PR-ELM": False, "RSVD-ELM": True}
OWN_RIDGE = {"OS-RELM": True, "PR-ELM": False, "RSVD-ELM": True}
