"""A fit that survives kill -9: passes whose summaries are written down every so often, and gone on with."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Condition
from typing import Any, Protocol, runtime_checkable

from samara.core import Array, Crew, Holder, Part, S, Source, Summary
from samara.engines import Threads
from samara.errors import StoreError
from samara.linalg.workers import single_blas_thread
from samara.store import Fingerprint, Json, Record, held, read_record, sweep, write_record

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

    def __init__(self, path: str | os.PathLike[str], every: float, fingerprint: Fingerprint) -> None:
        self.path, self.every, self.fingerprint = Path(os.path.realpath(path)), every, fingerprint
        self._entropy = self._passes = 0

    @contextmanager
    def guarding(self, entropy: int, seeded: bool) -> Iterator[int]:
        """Nobody else uses the files meanwhile; they are removed at the end, and left where it fails.

        Gives the entropy of the fit: the one given, unless a fit without a seed had begun with another.
        """
        with held(self.path):
            self._passes, self._entropy = 0, entropy
            if not self.path.exists():
                self._refuse_leftovers()
            elif not seeded:
                self._entropy = int(read_record(self.path).header.get("entropy", entropy))
            yield self._entropy
            with suppress(OSError):  # no reason to lose the model
                for number in reversed(range(self._passes)):  # without the first the others are leftovers
                    self.file(number).unlink(missing_ok=True)

    def engine(self, crew: Crew) -> Checkpointed:
        """An engine that writes its summaries down."""
        return Checkpointed(crew, self)

    def next_pass(self) -> int:
        """The number of the next pass."""
        number, self._passes = self._passes, self._passes + 1
        sweep(self.file(number))
        return number

    def file(self, number: int) -> Path:
        """The file of a pass."""
        return self.path if number == 0 else self.path.with_name(f"{self.path.name}.{number}")

    def read(self, number: int, way: str) -> Record | None:
        """What the file of a pass holds, if it was written for this fit; None where there is none."""
        file = self.file(number)
        if not file.exists():
            return None
        record = read_record(file)
        self.fingerprint.check(Fingerprint.from_header(record.header.get("fingerprint")), file)
        if (record.header.get("pass"), record.header.get("entropy")) != (number, self._entropy):
            raise StoreError(f"{file} is of another fit to the same data. Delete it or use another file.")
        if record.header.get("way") != way:
            raise StoreError(
                f"{file} holds {record.header.get('way')}; now there would be {way}. "
                "Use as many cores and as much memory, or delete it."
            )
        return record

    def write(self, number: int, way: str, lanes: Sequence[tuple[int, State]], done: bool) -> None:
        """Put the summaries of all workers down."""
        header: dict[str, Json] = {
            "fingerprint": self.fingerprint.as_header(),
            "entropy": self._entropy,
            "pass": number,
            "way": way,
            "done": done,
            "lanes": [{"blocks": blocks, "numbers": numbers} for blocks, (numbers, _) in lanes],
        }
        arrays = {
            f"{lane}/{name}": array for lane, (_, (_, own)) in enumerate(lanes) for name, array in own.items()
        }
        write_record(self.file(number), header, arrays)

    def _refuse_leftovers(self) -> None:
        """Files of later passes alone can't be trusted, and might be the first ones of another fit."""
        later = re.compile(re.escape(self.path.name) + r"\.\d{1,4}")
        names = sorted(filter(later.fullmatch, os.listdir(self.path.parent)))
        if names:
            raise StoreError(
                f"{self.path} is gone, but {' and '.join(names)} of an earlier fit lie beside it. "
                "Delete them or use another file."
            )


@dataclass(frozen=True)
class Checkpointed:
    """An engine like the one it wraps, whose passes can be interrupted.

    Threads are gone on with behind their last block. Of a cluster only finished passes are written down.
    """

    crew: Crew
    checkpoint: Checkpoint

    @property
    def block_rows(self) -> int:
        return self.crew.block_rows

    @property
    def workers(self) -> int:
        return self.crew.workers

    def summarize(self, source: Source, make: Callable[[], S], name: str = "pass") -> S:
        """Summarize the rows, going on from what was written down."""
        number = self.checkpoint.next_pass()
        empty: Any = make()
        if not isinstance(empty, Saved):
            return self.crew.summarize(source, make, name)
        lanes = self.crew.lanes(source, empty) if isinstance(self.crew, Threads) else []
        workers = f"{len(lanes)} worker{'s' * (len(lanes) > 1)}" if lanes else "a cluster"
        way = f"the {name} pass of {workers}, {self.block_rows:,} rows at a time"
        found = self.checkpoint.read(number, way)
        if found is not None and found.header["done"]:
            finished: S = restored(empty, found, 0)
            return finished
        if not lanes:
            summed = self.crew.summarize(source, make, name)
            self.checkpoint.write(number, way, [(0, _state(summed))], done=True)
            return summed
        run = _Run(self, [make() for _ in lanes], number, way)
        if found is not None:
            for lane, entry in enumerate(found.header["lanes"]):
                restored(run.summaries[lane], found, lane)
                run.blocks[lane] = int(entry["blocks"])
        del found
        total: S = run.over(lanes, source.n_rows, name)
        self.checkpoint.write(number, way, [(0, _state(total))], done=True)
        return total

    def hold(self, source: Source, make: Callable[[], Summary], name: str = "pass") -> Source:
        """Summaries that stay where they are are not written down: a fit that goes on makes them anew."""
        assert isinstance(self.crew, Holder)
        return self.crew.hold(source, make, name)


class _Run:
    """The workers of one pass, who wait for each other while their summaries are written down."""

    def __init__(self, engine: Checkpointed, summaries: list[Any], number: int, way: str) -> None:
        self.engine, self.summaries, self.number, self.way = engine, summaries, number, way
        self.blocks = [0] * len(summaries)
        self._changed = Condition()
        self._active, self._waiting, self._round = len(summaries), 0, 0
        self._due = time.monotonic() + engine.checkpoint.every
        self._failed: BaseException | None = None

    def over(self, lanes: Sequence[Sequence[Part]], n_rows: int, name: str) -> Any:
        """Run all lanes, then merge their summaries in order."""
        with single_blas_thread(), ThreadPoolExecutor(len(lanes)) as pool:
            try:
                pending = [
                    pool.submit(self._lane, number, lane, n_rows, name) for number, lane in enumerate(lanes)
                ]
                for one in pending:
                    one.result()
            except BaseException as error:  # Ctrl-C comes here, not to the workers
                self._fail(error)
                raise
        total = self.summaries[0]
        for other in self.summaries[1:]:
            total.merge(other)
        return total

    def _lane(self, number: int, lane: Sequence[Part], n_rows: int, name: str) -> None:
        skip, progress = self.blocks[number], self.engine.crew.progress
        blocks = (block for part in lane for block in part.blocks(self.engine.block_rows))
        try:
            for index, block in enumerate(blocks):
                if index >= skip:
                    self.summaries[number].update(block)
                    self.blocks[number] = index + 1
                    self._pause()
                if progress:
                    progress(name, len(block), n_rows)
        except BaseException as error:
            self._fail(error)
            raise
        finally:
            with self._changed:
                self._active -= 1
                self._write_if_all_wait()

    def _fail(self, error: BaseException) -> None:
        """Nothing is written any more, for a summary may be half updated; who waits or goes on gives up."""
        with self._changed:
            self._failed = self._failed or error
            self._release()

    def _pause(self) -> None:
        """Between two blocks: where it is time, wait until all are here and one has written."""
        with self._changed:
            if not self._failed and (self._waiting or time.monotonic() >= self._due):
                self._waiting += 1
                this = self._round
                self._write_if_all_wait()
                while self._round == this:
                    self._changed.wait()
            if self._failed:
                raise self._failed

    def _write_if_all_wait(self) -> None:
        if not self._waiting or self._waiting < self._active:
            return
        try:
            lanes = [(self.blocks[k], _state(one)) for k, one in enumerate(self.summaries)]
            self.engine.checkpoint.write(self.number, self.way, lanes, done=False)
        except BaseException as error:
            self._failed = error
            raise
        finally:
            self._release()

    def _release(self) -> None:
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
