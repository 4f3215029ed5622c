"""Coverage of intervals and calibration of probabilities on the tables of a folder.

    python bench/trust.py FOLDER [--splits 3] [--quick]

Random 80/20 splits. Intervals: share of the targets inside the 90 % intervals, and their mean width in
standard deviations of the target. Probabilities: calibration error (15 bins) and log loss with and without
calibration.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import samara

NUMBERS = ("abalone", "bank8fm", "bike_hour", "cpu_act", "diabetes_reg", "house8l", "kin8nm", "puma8nh")
CLASSES = ("breast_cancer_wdbc", "cardiotocography", "ionosphere", "magic04", "satimage", "segment")


def table(path: Path) -> tuple[Any, Any]:
    """Inputs and target of a file: the last column, or one called ``target`` or ``y``."""
    import pyarrow.parquet as pq

    frame = pq.read_table(path).to_pandas()
    name = next((one for one in ("target", "y", "class", "label") if one in frame), frame.columns[-1])
    return frame.drop(columns=name), frame[name].to_numpy()


def splits(n: int, count: int, most: int) -> Any:
    """Rows to fit and rows to judge by."""
    for seed in range(count):
        order = np.random.default_rng(seed).permutation(n)[:most]
        cut = len(order) * 4 // 5
        yield order[:cut], order[cut:]


def calibration_error(P: Any, places: Any) -> float:
    """Mean gap between how sure the model is and how often it is right, in 15 bins."""
    sure, right = P.max(axis=1), P.argmax(axis=1) == places
    bins = np.minimum((sure * 15).astype(int), 14)
    return float(sum(abs((right - sure)[bins == b].sum()) for b in range(15)) / len(sure))


def main() -> None:
    """Print one line a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    most, n_hidden = (3000, 200) if asked.quick else (50_000, 1000)
    print("regression: table, share inside 90 %, width in deviations")
    for name in NUMBERS:
        X, y = table(asked.folder / f"{name}.parquet")
        found = []
        for fit, judge in splits(len(y), asked.splits, most):
            model = samara.ELMRegressor(n_hidden=n_hidden, random_state=0).fit(X.iloc[fit], y[fit])
            low, high = model.predict_interval(X.iloc[judge])
            inside = (low <= y[judge]) & (y[judge] <= high)
            found.append((inside.mean(), (high - low).mean() / y[judge].std()))
        print(f"{name:20s} {np.mean(found, axis=0)[0]:.3f} {np.mean(found, axis=0)[1]:.2f}", flush=True)
    print("classification: table, error and log loss without calibration, by temperature, isotonic")
    for name in CLASSES:
        X, y = table(asked.folder / f"{name}.parquet")
        rows = []
        for fit, judge in splits(len(y), asked.splits, most):
            row = []
            for calibration in (None, "temperature", "isotonic"):
                model = samara.ELMClassifier(n_hidden=n_hidden, calibration=calibration, random_state=0)
                P = model.fit(X.iloc[fit], y[fit]).predict_proba(X.iloc[judge])
                places = np.searchsorted(model.classes_, y[judge])
                chance = np.clip(P[np.arange(len(places)), places], 1e-15, 1)
                row += [calibration_error(P, places), -np.log(chance).mean()]
            rows.append(row)
        print(f"{name:20s} " + " ".join(f"{value:.3f}" for value in np.mean(rows, axis=0)), flush=True)


if __name__ == "__main__":
    main()
