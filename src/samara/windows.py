"""An exact sliding window over rows: sums of chunks in two stacks, so that nothing is ever subtracted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from copy import copy

from samara.core import Batch, Source
from samara.summaries import Layout
from samara.summaries.grown import Running, copy_of, widened

CHUNKS = 8  # of a window: so many sums are kept, and one chunk at most is read again to solve

Update = Callable[[Running, Source], None]


class Window:
    """The last ``size`` rows, in chunks, and sums of the chunks that lie in it as a whole.

    A queue of two stacks: ``front`` holds, for each of the older chunks, the sum of it and the ones up to the
    middle; ``back`` one running sum of the newer ones. When a chunk has left the window, the next sum of
    ``front`` is right as it is. The oldest chunk is in no sum: the window may cut it, and the rows of it
    that still count are read when the model is solved.
    """

    def __init__(self, size: int, make: Callable[[], Running], update: Update) -> None:
        self.size, self._make, self._update = size, make, update
        self._length = max(1, -(-size // CHUNKS))
        self._chunks: deque[list[Batch]] = deque()  # whole ones, the oldest first
        self._front: list[Running] = []
        self._back = make()
        self._filling: list[Batch] = []
        self._newest = make()  # sum of the rows of the chunk that is filling

    @property
    def n_rows(self) -> int:
        """Rows kept: those of the window, and the rest of its oldest chunk."""
        return self._length * len(self._chunks) + _rows_of(self._filling)

    def learn(self, source: Source) -> None:
        """Take the rows of a batch in; what has left the window is dropped."""
        start = 0
        while start < source.n_rows:
            stop = min(source.n_rows, start + self._length - _rows_of(self._filling))
            piece = source.cut(start, stop)
            self._update(self._newest, piece)
            self._filling.append(piece)
            start = stop
            if _rows_of(self._filling) == self._length:
                self._close()
            while self._chunks and self.n_rows - self._length >= self.size:
                self._chunks.popleft()
                self._leave()

    def summaries(self) -> list[Running]:
        """Summaries that make up the window, the cut chunk's made anew."""
        oldest = self._make()
        skip = max(0, self.n_rows - self.size)
        for piece in self._chunks[0] if self._chunks else ():
            if piece.n_rows > skip:
                self._update(oldest, piece.cut(skip, piece.n_rows))
            skip = max(0, skip - piece.n_rows)
        return [oldest, *self._front[-1:], self._back, self._newest]

    def widened(self, layout: Layout) -> Window:
        """The same rows with more targets, which were 0 in all of them."""
        made, more = copy(self), layout.n_targets
        made._chunks = deque([piece.padded(more) for piece in chunk] for chunk in self._chunks)
        made._filling = [piece.padded(more) for piece in self._filling]
        made._front = [widened(one, layout) for one in self._front]
        made._back, made._newest = widened(self._back, layout), widened(self._newest, layout)
        return made

    def _close(self) -> None:
        """A chunk is full."""
        self._chunks.append(self._filling)
        if len(self._chunks) > 1:
            _add(self._back, self._newest)
        self._filling, self._newest = [], self._make()

    def _leave(self) -> None:
        """The chunk that is now the oldest leaves the sums."""
        if self._front:
            self._front.pop()
            return
        if not self._chunks:
            return
        total = self._make()
        for chunk in reversed(list(self._chunks)[1:]):
            for piece in chunk:
                self._update(total, piece)
            self._front.append(copy_of(total))
        self._back = self._make()


def _add(total: Running, other: Running) -> None:
    """Merge two of one kind."""
    total.merge(other)  # type: ignore[arg-type]


def _rows_of(pieces: Sequence[Batch]) -> int:
    return sum(piece.n_rows for piece in pieces)
