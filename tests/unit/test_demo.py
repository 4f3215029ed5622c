"""The demo: its lines, its plots, its meter."""

import re

import numpy as np
import pytest

from samara import demo
from samara.resident import resident_bytes

NAMES = ["data", "plan", "choice", "accuracy", "time", "peak memory", "plots"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What the demo printed, with fewer nodes, and the folder it wrote to."""
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp("demo") / "plots"
    printed = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "SIZES", [50, 100])
        patch.setattr(demo, "say", lambda name, text: printed.append((name, text)))
        demo.main(["--output", str(folder)])
    return dict(printed), [name for name, _ in printed], folder


def test_prints_a_line_of_each(run):
    lines, names, _ = run
    assert names == NAMES
    assert all(text and "\n" not in text for text in lines.values())
    assert lines["plan"].startswith("solver gram, selection kfold")
    assert re.match(r"α = [\d.e+-]+, 100 nodes: best of 20 models", lines["choice"])


def test_learns_the_letters(run):
    lines, _, _ = run
    share = float(re.match(r"([\d.]+)%", lines["accuracy"])[1])
    assert 60 < share < 95


def test_writes_three_plots_and_nothing_else(run):
    lines, _, folder = run
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["confusion.png", "selection.png", "spectrum.png"]
    assert all(str(folder / name) in lines["plots"] for name in written)
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in written)


def test_lines_are_aligned(capsys):
    demo.say("data", "one")
    demo.say("peak memory", "two")
    first, second = capsys.readouterr().out.splitlines()
    assert first.index("one") == second.index("two")


@pytest.mark.skipif(resident_bytes() is None, reason="resident memory is not known on this system")
def test_meter_sees_what_a_job_held_for_a_moment():
    result, seconds, peak = demo.measured(lambda: np.ones(8_000_000).sum())
    assert result == 8_000_000
    assert seconds > 0
    assert 60e6 < peak < 90e6
    assert "above the input" in demo.peak_text(peak, 10**8)


def test_says_where_memory_cannot_be_measured():
    assert "not measurable" in demo.peak_text(None, 10**8)


def test_confusion_matrix_shows_per_cent_of_each_row():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    ax = figure.subplots()
    demo.confusion(np.array(list("AAABBB")), np.array(list("AABBBB")), ax)
    assert [text.get_text() for text in ax.texts] == ["67", "33", "", "100"]
