"""The code on the pages runs, and prints what the pages say it prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import samara
import samara.report
from tests.pages import blocks, run_page

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*/*.md"))]
WITH_CODE = [page for page in PAGES if any(kind == "python" for kind, *_ in blocks(page))]
# The memory limit of a scan is that of the whole process: what other tests left in this one does not count.
ALONE = [page for page in WITH_CODE if "samara.scan(" in page.read_text(encoding="utf-8")]


def named(page):
    """How a page is called in the list of tests."""
    return str(page.relative_to(ROOT))


# These take from six seconds to half a minute, for what tests of the same rooms show too.
SLOW = {"cluster", "kernels", "randomized", "solvers", "online"}


def marked(pages):
    """Pages, the slow ones marked."""
    return [pytest.param(page, marks=[pytest.mark.slow] * (page.stem in SLOW)) for page in pages]


@pytest.mark.parametrize("page", marked(page for page in WITH_CODE if page not in ALONE), ids=named)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    """In a folder of its own."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    pyplot.switch_backend("Agg")
    run_page(page)
    pyplot.close("all")


@pytest.mark.parametrize("page", marked(ALONE), ids=named)
def test_the_code_of_a_page_runs_alone(page, tmp_path):
    """In a process of its own."""
    command = [sys.executable, "-W", "error", "-m", "tests.pages", str(page)]
    path = os.pathsep.join([str(ROOT), *sys.path])
    ran = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr


def test_the_reference_has_every_public_name_once():
    """Of the package and of its reports; what a report draws is reached as samara.SelectionDisplay too."""
    listed = re.findall(
        r"^   (samara[\w.]+)$", (ROOT / "docs/reference/index.md").read_text("utf-8"), re.MULTILINE
    )
    public = {f"samara.{name}" for name in samara.__all__ if name != "__version__"}
    public |= {f"samara.report.{name}" for name in samara.report.__all__ if name not in samara.__all__}
    assert len(listed) == len(set(listed))
    assert public <= set(listed)
