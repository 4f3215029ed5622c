"""Runs the code of a page of the documentation, and compares what it prints with what the page shows."""

import contextlib
import io
import re
import sys
from pathlib import Path

import pytest

FENCED = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")


def blocks(page):
    """Kind, text and line of each block of code or of output."""
    text = page.read_text(encoding="utf-8")
    return [(m[1], m[2], text.count("\n", 0, m.start(2))) for m in FENCED.finditer(text)]


def run_page(page):
    """All blocks of a page, in their order, in one namespace; a text block after code is its output."""
    names, printed = {"__name__": "__main__"}, None
    for kind, text, line in blocks(page):
        if kind == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile("\n" * line + text, str(page), "exec"), names)
            printed = output.getvalue()
        elif printed is not None:
            assert_alike(printed, text, f"{page.name}, line {line}")
            printed = None


def assert_alike(printed, shown, place):
    """The same words; numbers may differ by 2 %, for their last digits vary with NumPy and BLAS."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", shown).split(), f"{place}: {printed}"
    found, wanted = ([float(n.replace(",", "")) for n in NUMBER.findall(t)] for t in (printed, shown))
    assert found == pytest.approx(wanted, rel=0.02, abs=0.011), f"{place}: {printed}"


if __name__ == "__main__":
    run_page(Path(sys.argv[1]))
