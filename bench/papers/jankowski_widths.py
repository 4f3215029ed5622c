"""Which kernel width did Jankowski and Linowiecki use? They do not say; Table 3 does.

The share of columns that Algorithm 2 keeps grows with γ in exp(−γ‖x − c‖²). It is measured once per set on a
grid of γ; every rule "γ = constant × something of the set" is then read off these curves, its constant chosen
for the smallest mean distance to Table 3's FastSVD column.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bench.ledger import Cell
from bench.papers.jankowski_sets import FILES, Coding, fold, gaussians, load, missing, squared_distances
from bench.papers.jankowski_tables import TABLE_3
from bench.papers.running import Run
from bench.papers.tables import Figure

Geometry = Literal["one width", "width per node"]

KERNELS = 1000
EXPONENTS: dict[Geometry, tuple[float, ...]] = {
    "one width": tuple(np.arange(-11, -1.9, 0.5).tolist()),
    "width per node": tuple(np.arange(-8, 1.1, 1.0).tolist()),
}
CONSTANTS = 2.0 ** np.arange(-14, 10, 0.05)
NEAREST = 0.01  # share of the rows that are within a node's own scale, where it has one


@dataclass(frozen=True)
class Rule:
    """γ = constant × scale(facts of the set)."""

    label: str
    scale: Callable[[Cell], float]
    geometry: Geometry = "one width"
    coding: Coding = "indicators"


def _one(_: Cell) -> float:
    return 1.0


RULES = (
    Rule("γ = c", _one),
    Rule("γ = c, nominal features as standardised codes", _one, coding="scaled codes"),
    Rule("γ = c, nominal features as standardised indicators", _one, coding="scaled indicators"),
    Rule("γ = c / √d", lambda facts: facts["features"] ** -0.5),
    Rule("γ = c / d", lambda facts: 1 / facts["features"]),
    Rule("γ = c / median ‖x − c‖²", lambda facts: 1 / facts["median"]),
    Rule("γ = c / mean ‖x − c‖²", lambda facts: 1 / facts["mean"]),
    Rule("γ = c · l / max ‖x − c‖²", lambda facts: KERNELS / facts["largest"]),
    Rule("γ = c / (radius of each centre's nearest 1 % of rows)²", _one, geometry="width per node"),
)


def variant(name: str, rule: Rule) -> Coding:
    """The coding that matters for this set: only two sets have features that the paper calls nominal."""
    return rule.coding if name in ("abalone", "nursery") else "indicators"


class Curves:
    """Columns that Algorithm 2 keeps of 1000 kernels, over γ."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._loaded: tuple[tuple[str, Coding], np.ndarray] | None = None

    def facts(self, name: str, rule: Rule) -> Cell | None:
        """What a rule may use."""
        coding = variant(name, rule)

        def measure() -> Cell:
            D = self._distances(name, coding)
            width = load(name, self._run.data, coding).X.shape[1]
            return {
                "features": width,
                "median": round(float(np.median(D)), 3),
                "mean": round(float(D.mean()), 3),
                "largest": round(float(D.max()), 3),
            }

        return self._run.cell(f"widths/{FILES[name][0]}/{coding}/facts", measure)

    def curve(self, name: str, rule: Rule) -> list[float] | None:
        """The fractions on the grid; beyond all columns no more can come."""
        coding = variant(name, rule)

        def measure(exponent: float) -> Cell:
            from samara.linalg import ErrorStop, range_finder

            D = self._distances(name, coding)
            if rule.geometry == "width per node":
                D = D / own_scales(D)
            found = range_finder(
                gaussians(D, 2.0**exponent), ErrorStop(), random_state=0, max_rank=D.shape[1]
            )
            return {"fraction": round(found.rank / D.shape[1], 4)}

        fractions = []
        for exponent in EXPONENTS[rule.geometry]:
            key = f"widths/{FILES[name][0]}/{coding}/{rule.geometry}/{exponent:g}"
            cell = self._run.cell(key, lambda exponent=exponent: measure(exponent))
            if cell is None:
                return None
            fractions.append(cell["fraction"])
        return fractions

    def _distances(self, name: str, coding: Coding) -> np.ndarray:
        """Of the training rows of one fold to its centres, kept for the next call."""
        if self._loaded is None or self._loaded[0] != (name, coding):
            inputs = load(name, self._run.data, coding)
            rows = fold(inputs.y, 0, KERNELS)
            D = squared_distances(inputs.X[rows.train], inputs.X[rows.centres])
            self._loaded = (name, coding), D
        return self._loaded[1]


def own_scales(D: np.ndarray) -> np.ndarray:
    """For every centre the squared radius that holds the nearest hundredth of the rows."""
    count = int(NEAREST * len(D))
    return np.asarray(np.maximum(np.partition(D, count, axis=0)[count], 1e-3))


def search(run: Run) -> list[dict[str, Any]]:
    """Every rule with its best constant and its distance to Table 3."""
    curves = Curves(run)
    names = [name for name in FILES if name != "segmentation-all" and not missing(run, name)]
    if not names:
        return []
    # Set by set, so that distances are computed once.
    for name in names:
        for rule in RULES:
            curves.facts(name, rule)
            curves.curve(name, rule)
    scored = [_scored(rule, names, curves) for rule in RULES]
    return [one for one in scored if one]


def _scored(rule: Rule, names: list[str], curves: Curves) -> dict[str, Any] | None:
    """The constant with the smallest mean distance to the FastSVD column; None while curves are missing."""
    grid = np.array(EXPONENTS[rule.geometry])
    predicted = []
    for name in names:
        facts, fractions = curves.facts(name, rule), curves.curve(name, rule)
        if facts is None or fractions is None:
            return None
        predicted.append(np.interp(np.log2(CONSTANTS * rule.scale(facts)), grid, fractions))
    paper = np.array([TABLE_3[name]["fast", KERNELS].value for name in names])
    off = np.array(predicted) - paper[:, None]
    best = int(np.abs(off).mean(axis=0).argmin())
    return {
        "rule": rule.label,
        "constant": float(CONSTANTS[best]),
        "mean_difference": float(np.abs(off[:, best]).mean()),
        "sets": len(names),
    }


def figures(run: Run) -> list[Figure]:
    """How far each rule is from Table 3 at its best, and the constant; --quick leaves it out."""
    scored = {} if run.quick else {one["rule"]: one for one in search(run)}
    return [
        Figure(
            row=rule.label,
            column=column,
            paper=None,
            ours=scored[rule.label][key] if rule.label in scored else None,
            unit=unit,
            better="same",
            repeats=scored[rule.label]["sets"] if rule.label in scored else 0,
            counts=False,
        )
        for rule in RULES
        for column, key, unit in (
            ("mean distance from Table 3", "mean_difference", "of the kernels"),
            ("constant c", "constant", ""),
        )
    ]
