"""Resident memory of this process: now, at its highest, and how to begin counting anew."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def resident_bytes() -> int | None:
    """Memory resident now; elsewhere than on Linux the most so far, and None where nobody tells."""
    return _field("VmRSS")


def peak_resident_bytes() -> int | None:
    """The most memory resident since the process began, or since `reset_peak`; None where nobody tells."""
    return _field("VmHWM")


def physical_bytes() -> int | None:
    """Memory of the machine; None where nobody tells."""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def reset_peak() -> bool:
    """Set the peak to what is resident now; False where the system can't, and the peak stays.

    Memory that was freed earlier goes back to the system first: a job that took it up again would otherwise
    seem to need nothing.
    """
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    try:
        _CLEAR.write_text("5")
    except OSError:
        return False
    return True


def _field(name: str) -> int | None:
    """A line of the status of this process, in bytes."""
    with contextlib.suppress(OSError, StopIteration):
        lines = _STATUS.read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
