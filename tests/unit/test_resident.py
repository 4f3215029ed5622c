"""Resident memory: seen when it is taken, remembered when it is gone, forgotten when asked."""

import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from samara import resident
from samara.resident import peak_resident_bytes, reset_peak, resident_bytes

MEGABYTE = 1 << 20
linux = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK),
    reason="needs Linux's /proc/self/clear_refs to reset the peak",
)


@linux
def test_what_is_taken_and_given_back_is_in_the_peak_alone():
    """64 MB that are gone again count in the peak, and no longer once it is reset."""
    assert reset_peak()
    before = resident_bytes()
    held = np.ones(8 * MEGABYTE)
    assert resident_bytes() - before > 60 * MEGABYTE
    del held
    assert resident_bytes() - before < 32 * MEGABYTE
    assert peak_resident_bytes() - before > 60 * MEGABYTE
    assert reset_peak()
    assert peak_resident_bytes() - before < 32 * MEGABYTE


@pytest.mark.parametrize(("platform", "expected"), [("darwin", 5000), ("freebsd", 5000 * 1024)])
def test_without_proc_the_most_so_far_is_told(monkeypatch, tmp_path, platform, expected):
    """In bytes on macOS, in kilobytes elsewhere; and there is nothing to reset."""
    monkeypatch.setattr(resident, "_STATUS", tmp_path / "none")
    monkeypatch.setattr(resident, "_CLEAR", tmp_path / "no folder" / "none")
    used = SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda who: SimpleNamespace(ru_maxrss=5000))
    monkeypatch.setitem(sys.modules, "resource", used)
    monkeypatch.setattr(sys, "platform", platform)
    assert resident_bytes() == peak_resident_bytes() == expected
    assert not reset_peak()


def test_nothing_is_told_where_nobody_knows(monkeypatch, tmp_path):
    """Neither /proc nor getrusage."""
    monkeypatch.setattr(resident, "_STATUS", tmp_path / "none")
    monkeypatch.setitem(sys.modules, "resource", None)
    assert resident_bytes() is None
    assert peak_resident_bytes() is None
