"""The code on the pages runs, and prints what the pages say it prints."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*/*.md"))]
FENCED = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")


def blocks(page):
    """Kind, text and line of each block of code or of output."""
    text = page.read_text(encoding="utf-8")
    return [(m[1], m[2], text.count("\n", 0, m.start(2))) for m in FENCED.finditer(text)]


def assert_alike(printed, shown, place):
    """The same words; numbers may differ by 2 %, for their last digits vary with NumPy and BLAS."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", shown).split(), place
    found, wanted = ([float(n.replace(",", "")) for n in NUMBER.findall(t)] for t in (printed, shown))
    assert found == pytest.approx(wanted, rel=0.02, abs=0.011), place


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(kind == "python" for kind, *_ in blocks(page))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    """All blocks of a page, in their order, in one namespace; a text block after code is its output."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    pyplot.switch_backend("Agg")
    names, printed = {"__name__": "__main__"}, None
    for kind, text, line in blocks(page):
        if kind == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile("\n" * line + text, str(page), "exec"), names)
            printed = output.getvalue()
        elif printed:
            assert_alike(printed, text, f"{page.name}, line {line}")
            printed = None
    pyplot.close("all")
