"""The main job on a real table: ``python -m samara.demo`` (or ``make demo``).

Fits the letter recognition data inside 200 MB, chooses ridge and number of nodes from that one fit, and
prints a line each of plan, choice, accuracy, time and peak memory. Writes three plots and nothing else.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from samara import ELMClassifier, SelectionDisplay, SpectrumDisplay
from samara.core import Array
from samara.costs import format_bytes
from samara.datasets import load_letter
from samara.resident import peak_resident_bytes, reset_peak, resident_bytes

SIZES = list(range(100, 1001, 100))
MEMORY = "200MB"


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, predict, print, draw."""
    parser = argparse.ArgumentParser(prog="python -m samara.demo", description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder for the plots")
    run(parser.parse_args(arguments).output, say)


def run(folder: Path, tell: Callable[[str, str], None]) -> None:
    """Fit, predict, draw; tells a name and a text of each step."""
    X_train, X_test, y_train, y_test = load_letter(return_split=True)
    tell("data", f"letter recognition, {len(X_train):,} rows × {X_train.shape[1]} inputs, 26 classes")
    model = ELMClassifier(n_hidden=SIZES, memory=MEMORY, random_state=0)
    _, fit_seconds, peak = measured(lambda: model.fit(X_train, y_train))
    tell("plan", str(model.plan_).splitlines()[0])
    tell("choice", choice(model))
    predicted, predict_seconds, _ = measured(lambda: model.predict(X_test))
    tell("accuracy", f"{(predicted == y_test).mean():.2%} of {len(y_test):,} test rows")
    tell("time", f"{fit_seconds:.2f} s to fit and choose, {predict_seconds:.2f} s to predict")
    tell("peak memory", peak_text(peak, model.plan_.peak_bytes))
    tell("plots", ", ".join(str(path) for path in draw(model, X_train, y_test, predicted, folder)))


def say(name: str, text: str) -> None:
    """One aligned line."""
    print(f"{name:<12} {text}", flush=True)


def choice(model: Any) -> str:
    """What was chosen, out of how many."""
    tried = model.selection_
    count = tried.scores.size
    return (
        f"α = {model.alpha_:.3g}, {model.n_hidden_:,} nodes: best of {count} models "
        f"({len(tried.alphas)} ridges × {len(tried.n_hidden)} sizes) by {tried.n_folds}-fold cross-validation"
    )


def peak_text(peak: int | None, predicted: int) -> str:
    """The peak beside what was predicted and allowed."""
    if peak is None:
        return "not measurable on this system"
    limit = f"{MEMORY[:-2]} MB"
    return f"{format_bytes(peak)} above the input (predicted {format_bytes(predicted)}, limit {limit})"


def measured(job: Callable[[], Any]) -> tuple[Any, float, int | None]:
    """What a job gives, its seconds, and the most memory it holds above what was held before, in bytes."""
    reset_peak()
    before = resident_bytes()
    start = time.perf_counter()
    result = job()
    seconds = time.perf_counter() - start
    after = peak_resident_bytes()
    return result, seconds, None if before is None or after is None else max(0, after - before)


def draw(model: Any, X: Array, y_test: Array, predicted: Array, folder: Path) -> list[Path]:
    """Draw selection, spectrum and confusion matrix without touching the user's plotting backend."""
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    plots: dict[str, Callable[[Any], Any]] = {
        "selection": lambda ax: SelectionDisplay.from_estimator(model, ax=ax),
        "spectrum": lambda ax: SpectrumDisplay.from_estimator(model, X, ax=ax),
        "confusion": lambda ax: confusion(y_test, predicted, ax),
    }
    paths = []
    for name, plot in plots.items():
        figure = Figure(figsize=(9, 9) if name == "confusion" else (8, 5), layout="constrained")
        plot(figure.subplots())
        paths.append(folder / f"{name}.png")
        figure.savefig(paths[-1], dpi=120)
    return paths


def confusion(y_true: Array, predicted: Array, ax: Any) -> None:
    """What each letter was taken for, in per cent of its rows; blank below half a per cent."""
    from matplotlib.colors import PowerNorm
    from sklearn.metrics import ConfusionMatrixDisplay

    shown = ConfusionMatrixDisplay.from_predictions(
        y_true,
        predicted,
        normalize="true",
        ax=ax,
        cmap="Blues",
        colorbar=False,
        im_kw={"norm": PowerNorm(0.5, 0, 1)},
        text_kw={"fontsize": 8},
    )
    for share, text in zip(shown.confusion_matrix.flat, shown.text_.flat, strict=True):
        text.set_text(f"{100 * share:.0f}" if share >= 0.005 else "")
    ax.set(title="What 100 test rows of each letter are taken for", xlabel="predicted", ylabel="true")


if __name__ == "__main__":
    main()
