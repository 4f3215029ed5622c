"""`samara.linalg` offers what its reference page lists, and nothing else."""

import re
from pathlib import Path

import samara.linalg

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "linalg.md"


def test_the_room_exports_what_its_page_documents():
    """Functions, stops and results; helpers of other rooms stay in their modules."""
    documented = set(re.findall(r"^ +samara\.linalg\.(\w+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert set(samara.linalg.__all__) == documented | {"Stop"}  # the protocol of the stops
