"""How much memory a call allocates."""

import tracemalloc


def traced_peak(call, tries=4):
    """The most bytes at a time: the least of a few tries, for other threads of the process allocate too."""
    peaks = []
    for _ in range(tries):
        tracemalloc.start()
        try:
            call()
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return min(peaks)
