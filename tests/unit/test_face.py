"""`import samara` is enough for all of the public face, and loads none of it before it is asked for."""

import subprocess
import sys

import pytest

import samara


def ran(code):
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_modules_come_with_the_package():
    """As the README writes it."""
    said = ran("import samara; print(samara.datasets.load('iris').frame.shape, samara.linalg.rsvd.__name__)")
    assert said.split() == ["(150,", "5)", "rsvd"]


def test_nothing_is_loaded_before_it_is_asked_for():
    """scikit-learn alone takes a second."""
    said = ran(
        "import sys, samara; dir(samara); print(*{'sklearn', 'pyarrow', 'matplotlib'} & {*sys.modules})"
    )
    assert not said.strip()


@pytest.mark.parametrize("name", dir(samara))
def test_every_name_is_there(name):
    """What `dir` lists can be had."""
    assert getattr(samara, name, None) is not None


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'dataset'"):
        samara.dataset  # noqa: B018 - looked up for its error
