"""A fit that survives kill -9: passes whose summaries are written down every so often, and gone on with."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Condition
from typing import Any, Protocol, runtime_checkable

from samara.core import Array, Part, S, Source
from samara.engines import Threads
from samara.errors import StoreError
from samara.linalg.blas import single_blas_thread
from samara.store import Fingerprint, Record, held, read_record, write_record

State = tuple[dict[str, Any], dict[str, Array]]


@runtime_checkable
class Saved(Protocol):
    """A summary that can be written down between two blocks, and gone on with to the bit."""

    def state(self) -> State:
        """Numbers and arrays; the arrays may be its own."""
        ...

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Become the summary that was written down."""
        ...


class Checkpoint:
    """The files of a fit: one a pass, ``run.ckpt``, ``run.ckpt.1``, …, all gone once it has ended well.

    Each pass of a fit follows from the ones before, so a pass is known by its number. One that was finished
    is not read again; one under way goes on behind the last block that every worker had written down.
    """

    def __init__(
        self, path: str | os.PathLike[str], every: float, fingerprint: Fingerprint, entropy: int | None = None
    ) -> None:
        self.path, self.every, self.fingerprint = Path(path), every, fingerprint
        self.entropy = entropy  # of a fit without a seed: the one it began with
        self._number = 0

    def entropy_of(self, fresh: int) -> int:
        """The entropy that the fit began with; a fresh one where it begins now."""
        if self.path.exists():
            begun = read_record(self.path).header.get("entropy")
            fresh = fresh if begun is None else int(begun)
        self.entropy = fresh
        return fresh

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Nobody else uses the files meanwhile; they are removed at the end, and left where it fails."""
        with held(self.path):
            self._number = 0
            yield
            for file in [self.path, *self.path.parent.glob(self.path.name + ".[0-9]*")]:
                file.unlink(missing_ok=True)

    def engine(self, threads: Threads) -> Checkpointed:
        """Threads that write their summaries down."""
        return Checkpointed(threads, self)

    def next_file(self) -> Path:
        """The file of the next pass."""
        number, self._number = self._number, self._number + 1
        return self.path if number == 0 else self.path.with_name(f"{self.path.name}.{number}")

    def read(self, file: Path, cut: str) -> Record | None:
        """What a file holds, if it was written for this fit; None where there is none."""
        if not file.exists():
            return None
        record = read_record(file)
        self.fingerprint.check(Fingerprint.from_header(record.header.get("fingerprint")), file)
        if record.header.get("cut") != cut:
            raise StoreError(
                f"{file} was written with {record.header.get('cut')}, now there are {cut}. "
                "Use as many cores and as much memory, or delete it."
            )
        return record

    def write(self, file: Path, cut: str, lanes: Sequence[tuple[int, State]], done: bool) -> None:
        """Put the summaries of all workers down."""
        header = {
            "fingerprint": self.fingerprint.as_header(),
            "entropy": self.entropy,
            "cut": cut,
            "done": done,
            "lanes": [{"blocks": blocks, "numbers": numbers} for blocks, (numbers, _) in lanes],
        }
        arrays = {
            f"{lane}/{name}": array for lane, (_, (_, own)) in enumerate(lanes) for name, array in own.items()
        }
        write_record(file, header, arrays)


@dataclass(frozen=True)
class Checkpointed:
    """An engine like the one it wraps, whose passes can be interrupted."""

    threads: Threads
    checkpoint: Checkpoint

    @property
    def block_rows(self) -> int:
        return self.threads.block_rows

    @property
    def workers(self) -> int:
        return self.threads.workers

    def summarize(self, source: Source, make: Callable[[], S], name: str = "pass") -> S:
        """Summarize the rows, going on from what was written down."""
        file = self.checkpoint.next_file()
        if not isinstance(make(), Saved):
            return self.threads.summarize(source, make, name)
        lanes = self.threads.lanes(source)
        cut = f"{len(lanes)} workers of {self.block_rows} rows"
        found = self.checkpoint.read(file, cut)
        if found is not None and found.header["done"]:
            finished = make()
            restored(finished, found, 0)
            return finished
        run = _Run(self, [make() for _ in lanes], file, cut)
        if found is not None:
            for lane, entry in enumerate(found.header["lanes"]):
                restored(run.summaries[lane], found, lane)
                run.blocks[lane] = int(entry["blocks"])
        del found
        total: S = run.over(lanes, source.n_rows, name)
        self.checkpoint.write(file, cut, [(0, _state(total))], done=True)
        return total


class _Run:
    """The workers of one pass, who wait for each other while their summaries are written down."""

    def __init__(self, engine: Checkpointed, summaries: list[Any], file: Path, cut: str) -> None:
        self.engine, self.summaries, self.file, self.cut = engine, summaries, file, cut
        self.blocks = [0] * len(summaries)
        self._changed = Condition()
        self._active, self._waiting, self._round = len(summaries), 0, 0
        self._due = time.monotonic() + engine.checkpoint.every
        self._failed: BaseException | None = None

    def over(self, lanes: Sequence[Sequence[Part]], n_rows: int, name: str) -> Any:
        """Run all lanes, then merge their summaries in order."""
        with single_blas_thread(), ThreadPoolExecutor(len(lanes)) as pool:
            pending = [
                pool.submit(self._lane, number, lane, n_rows, name) for number, lane in enumerate(lanes)
            ]
            for one in pending:
                one.result()
        total = self.summaries[0]
        for other in self.summaries[1:]:
            total.merge(other)
        return total

    def _lane(self, number: int, lane: Sequence[Part], n_rows: int, name: str) -> None:
        skip, progress = self.blocks[number], self.engine.threads.progress
        blocks = (block for part in lane for block in part.blocks(self.engine.block_rows))
        try:
            for index, block in enumerate(blocks):
                if index >= skip:
                    self.summaries[number].update(block)
                    self.blocks[number] = index + 1
                    self._pause()
                if progress:
                    progress(name, len(block), n_rows)
        finally:
            with self._changed:
                self._active -= 1
                self._write_if_all_wait()

    def _pause(self) -> None:
        """Between two blocks: where it is time, wait until all are here and one has written."""
        with self._changed:
            if self._failed is not None:
                raise self._failed
            if time.monotonic() < self._due and not self._waiting:
                return
            self._waiting += 1
            this = self._round
            self._write_if_all_wait()
            while self._round == this:
                self._changed.wait()

    def _write_if_all_wait(self) -> None:
        if not self._waiting or self._waiting < self._active:
            return
        try:
            lanes = [(self.blocks[k], _state(one)) for k, one in enumerate(self.summaries)]
            self.engine.checkpoint.write(self.file, self.cut, lanes, done=False)
        except BaseException as error:
            self._failed = error
            raise
        finally:
            self._waiting, self._round = 0, self._round + 1
            self._due = time.monotonic() + self.engine.checkpoint.every
            self._changed.notify_all()


def _state(summary: Any) -> State:
    state: State = summary.state()
    return state


def restored(summary: Any, record: Record, lane: int) -> Any:
    """The summary that one worker had written down."""
    own = f"{lane}/"
    arrays = {name[len(own) :]: array for name, array in record.arrays.items() if name.startswith(own)}
    summary.restore(record.header["lanes"][lane]["numbers"], arrays)
    return summary
