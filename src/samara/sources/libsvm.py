"""LIBSVM text: sparse rows ``label index:value …``, parsed a block of lines at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samara.core import Array, Chunk
from samara.errors import InputError, StoreError
from samara.schema import Column
from samara.sources.files import File, reading
from samara.sources.picks import Picks, Request

_BLOCK = 1 << 20  # bytes parsed together
_PIECE = 1 << 24  # bytes of a piece
_LABEL = "label"
_SPACE = np.zeros(256, bool)
_SPACE[[9, 10, 11, 12, 13, 32]] = True


@dataclass(frozen=True)
class Lines:
    """Parsed lines: labels, and the entries of their rows one after the other."""

    labels: Array  # (b,)
    indptr: Array  # (b + 1,)
    index: Array  # of the column, from 0
    values: Array


@dataclass(frozen=True)
class LinesPiece:
    """The lines of a file that begin in a range of bytes."""

    file: File
    start: int
    stop: int
    width: int
    zero_based: bool
    n_rows: int | None
    picks: Picks

    @property
    def name(self) -> str:
        return f"{self.file.path}, bytes {self.start} to {self.stop - 1}"

    @property
    def rows_guess(self) -> int | None:
        return self.n_rows

    @property
    def held_bytes(self) -> int:
        """A block of text, where its numbers are, and the numbers."""
        return 24 * _BLOCK

    @property
    def stored_bytes(self) -> int:
        return self.stop - self.start

    def picking(self, picks: Picks) -> LinesPiece:
        """The same rows; all their columns are always read."""
        return replace(self, picks=picks)

    def chunks(
        self, rows: int, start: int = 0, stop: int | None = None, labels: bool = False
    ) -> Iterator[Chunk]:
        """The rows from ``start`` to ``stop`` in chunks of at most ``rows``, as CSR matrices."""
        from scipy.sparse import csr_matrix

        row = 0
        for lines in self.parsed():
            n = len(lines.labels)
            first, last = max(0, start - row), n if stop is None else min(n, stop - row)
            for lo in range(first, last, rows):
                hi = min(lo + rows, last)
                a, b = lines.indptr[lo], lines.indptr[hi]
                parts = lines.values[a:b], lines.index[a:b], lines.indptr[lo : hi + 1] - a
                X = csr_matrix(parts, shape=(hi - lo, self.width))
                self._check(X, row + lo)
                y = lines.labels[lo:hi, None] if self.picks.targets else np.empty((hi - lo, 0))
                yield Chunk(X, y, None, {} if labels else None)
            row += n
            if stop is not None and row >= stop:
                return

    def _check(self, X: Any, row: int) -> None:
        X.sort_indices()
        if not X.has_canonical_format:
            raise InputError(
                f"{self.name}: one of the rows {row} to {row + X.shape[0] - 1} has an index twice."
            )
        if X.nnz and X.indices.max() >= self.width:
            raise InputError(
                f"{self.name} has the index {X.indices.max() + (not self.zero_based)}, "
                f"but n_features={self.width}: scan with a larger one."
            )

    def head(self, n: int) -> Any:
        """The first rows as an Arrow table of labels and of entries by index."""
        import pyarrow as pa

        for chunk in self.chunks(n, 0, n):
            X, rows = chunk.X, range(chunk.X.shape[0])
            entries = [list(zip(X[i].indices.tolist(), X[i].data.tolist(), strict=True)) for i in rows]
            kind = pa.map_(pa.int64(), pa.float64())
            return pa.table({_LABEL: chunk.y[:, 0], "entries": pa.array(entries, kind)})
        return pa.table({_LABEL: np.empty(0)})

    def parsed(self) -> Iterator[Lines]:
        """The lines in blocks."""
        with reading(self.name), self.file.open() as opened:
            opened.seek(self.start)
            left, rest = self.stop - self.start, b""
            while left > 0:
                data = opened.read(min(_BLOCK, left))
                if not data:
                    raise StoreError(f"{self.name} can't be read: the file ends before its rows do.")
                left -= len(data)
                block, _, rest = (rest + data).rpartition(b"\n") if left else (rest + data, b"", b"")
                if block:
                    yield parse_lines(block, self.zero_based, self.name)


def parse_lines(block: bytes, zero_based: bool, place: str) -> Lines:
    """The rows of whole lines; comments and query numbers are passed over."""
    if b"#" in block:
        block = re.sub(rb"#[^\n]*", b"", block)
    if b"qid:" in block:
        block = re.sub(rb"\sqid:\d+", b"", block)
    letters = np.frombuffer(block, np.uint8)
    space = _SPACE[letters]
    begins = np.flatnonzero(~space & np.concatenate(([True], space[:-1])))  # of the words
    if not len(begins):  # nothing but comments and blank lines
        return Lines(np.empty(0), np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0))
    line = np.searchsorted(np.flatnonzero(letters == 10), begins)
    first = np.concatenate(([True], line[1:] != line[:-1]))[: len(begins)]
    colons = np.flatnonzero(letters == 58)
    counts = np.bincount(np.searchsorted(begins, colons, "right") - 1, minlength=len(begins))
    wrong = counts != ~first
    try:
        numbers = np.fromstring(block.replace(b":", b" "), sep=" ")
    except ValueError as error:
        raise InputError(f"{place} is no LIBSVM text: {str(error).splitlines()[0]}.") from None
    if wrong.any() or len(numbers) != len(begins) + len(colons):
        word = block[begins[int(np.argmax(wrong))] :].split(maxsplit=1)[0][:40].decode("utf8", "replace")
        raise InputError(f"{place} is no LIBSVM text: {word!r} where a label or index:value was expected.")
    at = np.cumsum(1 + ~first) - (1 + ~first)  # where each word's numbers are
    index, values = numbers[at[~first]] - (not zero_based), numbers[at[~first] + 1]
    if (index < 0).any() or (index != np.floor(index)).any() or not np.isfinite(index).all():
        raise InputError(
            f"{place} holds an index that is no whole number from {0 if zero_based else 1} on: "
            "scan with zero_based=True if indices begin at 0."
        )
    if np.isinf(values).any():
        raise InputError(f"{place} holds infinity: leave such rows out.")
    values[np.isnan(values)] = np.nan
    starts = np.flatnonzero(first)
    indptr = np.concatenate((starts - np.arange(len(starts)), [len(values)]))
    return Lines(numbers[at[first]], indptr, index.astype(np.int64), values)


def libsvm_pieces(
    files: Sequence[File], request: Request, n_features: int | None, zero_based: bool
) -> tuple[Picks, tuple[LinesPiece, ...], int]:
    """The columns asked for, the pieces of the files, and the number of inputs.

    Rows and the largest index are counted in a pass of their own, unless the number of inputs is given.
    """
    if request.where is not None or request.columns is not None or request.weight is not None:
        raise InputError(
            "LIBSVM text has neither named columns nor weights: leave out columns, where and weight."
        )
    if request.target not in (None, _LABEL):
        raise InputError(f"The target of LIBSVM text is called {_LABEL!r}, got {request.target!r}.")
    picks = Picks((), (Column(_LABEL, "number"),))
    pieces = [
        LinesPiece(file, a, b, n_features or 0, zero_based, None, picks)
        for file in files
        for a, b in _ranges(file)
    ]
    if n_features is None:
        counted = [_counted(piece) for piece in pieces]
        n_features = max((width for _, width in counted), default=0)
        pieces = [
            replace(piece, n_rows=n, width=n_features)
            for piece, (n, _) in zip(pieces, counted, strict=True)
            if n
        ]
    return picks, tuple(pieces), n_features


def _counted(piece: LinesPiece) -> tuple[int, int]:
    """Rows, and one more than the largest index."""
    rows = width = 0
    for lines in piece.parsed():
        rows += len(lines.labels)
        width = max(width, int(lines.index.max(initial=-1)) + 1)
    return rows, width


def _ranges(file: File) -> Iterator[tuple[int, int]]:
    """Ranges of bytes that end with a line."""
    start = 0
    with reading(file.path), file.open() as opened:
        while start < file.size:
            stop = min(start + _PIECE, file.size)
            opened.seek(stop)
            while stop < file.size:
                data = opened.read(_BLOCK)
                at = data.find(b"\n")
                stop += len(data) if at < 0 else at + 1
                if at >= 0 or not data:
                    break
            yield start, stop
            start = stop
