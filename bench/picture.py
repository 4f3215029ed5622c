"""The picture of the README: every ridge and size that one fit of the letter data scored.

``python -m bench.picture`` writes docs/images/letter.png.
"""

from io import BytesIO

from matplotlib.figure import Figure
from PIL import Image

from bench.harness import CHECKOUT
from samara import ELMClassifier, SelectionDisplay
from samara.datasets import load_letter

PATH = CHECKOUT / "docs" / "images" / "letter.png"
SIZES = [100 * k for k in range(1, 21)]


def main() -> None:
    X, _, y, _ = load_letter(return_split=True)
    model = ELMClassifier(n_hidden=SIZES, random_state=0).fit(X, y)
    figure = Figure(figsize=(8, 4), layout="constrained")
    ax = SelectionDisplay.from_estimator(model, ax=figure.subplots()).ax_
    title = f"Letter recognition: {model.selection_.scores.size} models scored by one fit of {len(X):,} rows"
    ax.set_title(title, loc="left", fontsize=11, pad=12)
    save(figure)
    print(f"written: {PATH.relative_to(CHECKOUT)}, {PATH.stat().st_size / 1000:.0f} kB")


def save(figure: Figure) -> None:
    """As a PNG of 128 colours, a third of the size of the full palette and no different to the eye."""
    drawn = BytesIO()
    figure.savefig(drawn, dpi=150)
    PATH.parent.mkdir(parents=True, exist_ok=True)
    Image.open(drawn).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(PATH, optimize=True)


if __name__ == "__main__":
    main()
