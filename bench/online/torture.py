"""Conditioning: fitted values of ill-conditioned streams, against least squares by the SVD."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lstsq

from bench.harness import Target
from bench.online.literal import LiteralOSELM
from samara import ConditionWarning, ELMRegressor

CONDITIONS = (1e2, 1e4, 1e6, 1e8, 1e10, 1e12)
ALPHAS = (1e-2, 1e-6, 1e-10, 0.0)
N_ROWS, N_HIDDEN, BATCH = 2000, 50, 100
UPDATES = ("information", "qr", "woodbury")
DEFINED = 1e-7  # two routines of LAPACK agree to this: there is a solution to be compared with


@dataclass(frozen=True)
class Identity:
    """Hidden rows that are the inputs: H is what the test makes it."""

    n_out: int = N_HIDDEN

    def __call__(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        return np.positive(X, out=out)


def problem(condition: float, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows with singular values from 1 down to 1/condition, and targets with noise in all directions."""
    rng = np.random.default_rng(0)
    U = np.linalg.qr(rng.standard_normal((N_ROWS, N_HIDDEN)))[0]
    V = np.linalg.qr(rng.standard_normal((N_HIDDEN, N_HIDDEN)))[0]
    H = np.sqrt(N_ROWS) * (U * np.geomspace(1, 1 / condition, N_HIDDEN)) @ V.T
    T = H @ rng.standard_normal(N_HIDDEN) + 0.1 * rng.standard_normal(N_ROWS)
    return H.astype(dtype), T.astype(dtype)


def least_squares(H: np.ndarray, T: np.ndarray, alpha: float, driver: str) -> np.ndarray:
    """Fitted values of ‖Hβ − T‖² + α‖β‖², in the precision of H."""
    rows = np.vstack([H, np.sqrt(alpha) * np.eye(H.shape[1])]).astype(H.dtype)
    targets = np.append(T, np.zeros(H.shape[1])).astype(H.dtype)
    eps = np.finfo(H.dtype).eps
    return H @ lstsq(rows, targets, cond=eps, lapack_driver=driver)[0]


def pieces(H: np.ndarray, T: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for lo in range(0, len(H), BATCH):
        yield H[lo : lo + BATCH], T[lo : lo + BATCH]


def samara(H: np.ndarray, T: np.ndarray, alpha: float, update: str) -> np.ndarray:
    """Fitted values of partial_fit."""
    model = ELMRegressor(
        N_HIDDEN,
        hidden=Identity(),
        alpha=alpha,
        scale=None,
        fit_intercept=False,
        update=update,
        dtype=str(H.dtype),
    )
    for X, y in pieces(H, T):
        model.partial_fit(X, y)
    return np.asarray(model.predict(H))


def literal(H: np.ndarray, T: np.ndarray, alpha: float) -> np.ndarray:
    """Fitted values of OS-ELM to the letter."""
    first, *rest = pieces(H, T)
    model = LiteralOSELM(first[0], first[1][:, None], alpha)
    for X, y in rest:
        model.learn(X, y[:, None])
    return (H @ model.beta)[:, 0]


def cell(condition: float, alpha: float, dtype: str) -> dict[str, Any]:
    """Relative errors of all contenders; None where one gave NaN, a text where it refused."""
    H, T = problem(condition, dtype)
    wide = (H.astype(np.float64), T.astype(np.float64), alpha)
    wanted = least_squares(*wide, "gelsd")
    size = np.linalg.norm(wanted)
    errors: dict[str, Any] = {
        "between lstsq": float(np.linalg.norm(least_squares(*wide, "gelsy") - wanted) / size)
    }
    tries: dict[str, Any] = {name: lambda name=name: samara(H, T, alpha, name) for name in UPDATES}
    tries["literal"] = lambda: literal(H, T, alpha)
    tries["lstsq, same precision"] = lambda: least_squares(H, T, alpha, "gelsd")
    for name, attempt in tries.items():
        try:
            with warnings.catch_warnings(record=True) as said, np.errstate(all="ignore"):
                warnings.simplefilter("always")
                error = float(np.linalg.norm(attempt() - wanted) / size)
            if any(issubclass(one.category, ConditionWarning) for one in said):
                errors["warned"] = [*errors.get("warned", ()), name]
            errors[name] = error if np.isfinite(error) else None
        except (ValueError, np.linalg.LinAlgError) as refusal:
            errors[name] = "refused" if name in UPDATES else f"{type(refusal).__name__}"
    return errors


def keys(quick: bool) -> list[tuple[str, float, float]]:
    """Precision, ridge and condition of each cell."""
    conditions, alphas = (CONDITIONS[::5], ALPHAS[::3]) if quick else (CONDITIONS, ALPHAS)
    return [(d, a, c) for d in ("float64", "float32") for a in alphas for c in conditions]


def shown(error: Any, warned: bool = False) -> str:
    if warned and isinstance(error, float):
        return f"(warns) {error:.0e}"
    return "NaN" if error is None else error if isinstance(error, str) else f"{error:.0e}"


def report(cells: dict[tuple[str, float, float], dict[str, Any]]) -> str:
    """The table."""
    columns = ("between lstsq", "lstsq, same precision", *UPDATES, "literal")
    head = "".join(f"{name:>23}" for name in columns)
    lines = ["", f"torture: error of the fitted values\n{'':<9}{'ridge':>7}{'cond(H)':>9}{head}"]
    for (dtype, alpha, condition), errors in cells.items():
        warned = errors.get("warned", ())
        row = "".join(f"{shown(errors[name], name in warned):>23}" for name in columns)
        lines.append(f"{dtype:<9}{alpha:>7.0e}{condition:>9.0e}{row}")
    return "\n".join(lines)


def targets(cells: dict[tuple[str, float, float], dict[str, Any]]) -> list[Target]:
    """Within 1e-6 wherever there is something to compare with, and never NaN."""
    made = []
    defined = [e for (dtype, _, _), e in cells.items() if dtype == "float64" and e["between lstsq"] < DEFINED]
    for update in ("information", "qr"):
        silent = [errors for errors in defined if update not in errors.get("warned", ())]
        lost = sum(not isinstance(errors[update], float) for errors in cells.values())
        for which, where in ((defined, "where lstsq is defined"), (silent, "of these, without a warning")):
            errors = [e[update] if isinstance(e[update], float) else np.inf for e in which]
            label = f"{update}: worst error in float64, {where}"
            made.append(Target(label, max(errors, default=None), 1e-6))
        made.append(Target(f"{update}: cells without a finite answer", float(lost), 0.5))
    return made
