"""What a fit sends over a cluster, and what its workers hold: pure functions of its shape and the cluster's.

Summaries are counted as they travel: of symmetric moments and of triangles the upper half. Parts are cut one
for each thread; neighbours have the same worker, so that of the merges (one less than parts) those between
workers send a summary, one less than there are workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import ceil, log2

from samara.costs import format_bytes, passes, sketch_is_longer, steps_of_precondition
from samara.peaks import lane_bytes, overhead
from samara.shapes import LOW_RANK, SKETCH_ROWS, Shape, columns_of

HEAD = (
    1_200  # bytes of a summary or of what is shared beside its arrays: names, sizes, where classes are found
)


@dataclass(frozen=True)
class Cluster:
    """Worker processes, and threads of each."""

    processes: int
    threads: int

    @property
    def parts(self) -> int:
        """Runs of rows, one for each thread."""
        return self.processes * self.threads

    @property
    def rounds(self) -> int:
        """Merges that follow each other: ⌈log₂⌉ of the threads, then of the workers."""
        return ceil(log2(self.threads)) + ceil(log2(self.processes))


@dataclass(frozen=True)
class PassTraffic:
    """What one pass over the rows sends, in bytes.

    Attributes
    ----------
    name : str
        What the pass is called where progress is shown.
    fewest, most : int
        How often there is such a pass.
    shared : int
        What all parts share: nodes, shifts, columns to be multiplied. Once through the scheduler, and from
        the first worker to each of the others.
    summary : int
        The summary of all rows, as it comes home through the scheduler.
    between : int
        What workers send each other: what is shared, and summaries to be merged.
    held : int
        A summary in a worker while rows are added to it.
    """

    name: str
    fewest: int
    most: int
    shared: int
    summary: int
    between: int
    held: int


@dataclass(frozen=True)
class Traffic:
    """What a fit sends over a cluster, and what its workers hold; a ``print`` shows a table.

    Attributes
    ----------
    cluster : Cluster
        Worker processes and threads of each; ``parts`` and ``rounds`` of merges follow.
    passes : tuple of PassTraffic
        The kinds of passes, in their order.
    rows : int
        Bytes of rows in memory, which travel once, through the scheduler; 0 where workers read them.
    worker_bytes : int
        Predicted peak of memory that the fit adds to a worker.
    """

    cluster: Cluster
    passes: tuple[PassTraffic, ...]
    rows: int
    worker_bytes: int

    @property
    def merges(self) -> int:
        """Merges of a pass, one less than parts; one less than workers of them send a summary."""
        return self.cluster.parts - 1

    def sent(self, most: bool = False) -> int:
        """Bytes that the fit sends through the scheduler to workers, with the fewest or the most passes."""
        return self.rows + sum(_times(one, most) * one.shared for one in self.passes)

    def between(self, most: bool = False) -> int:
        """Bytes that workers send each other."""
        return sum(_times(one, most) * one.between for one in self.passes)

    def home(self, most: bool = False) -> int:
        """Bytes that come home through the scheduler."""
        return sum(_times(one, most) * one.summary for one in self.passes)

    def __str__(self) -> str:
        cluster = self.cluster
        head = (
            f"cluster: {_several(cluster.processes, 'worker')} × {_several(cluster.threads, 'thread')}, "
            f"{_several(self.merges, 'merge')} in {_several(cluster.rounds, 'round')} a pass; "
            f"a worker needs {format_bytes(self.worker_bytes)} beside what it holds"
        )
        lines: list[tuple[str, ...]] = [("pass", "times", "to workers", "between them", "home")]
        for one in self.passes:
            counts = (one.shared, one.between, one.summary)
            lines.append((one.name, _range(one.fewest, one.most), *map(format_bytes, counts)))
        sums = [[count(most) for count in (self.sent, self.between, self.home)] for most in (False, True)]
        both = zip(*[map(format_bytes, some) for some in sums], strict=True)
        rows = f", with {format_bytes(self.rows)} of rows" * bool(self.rows)
        lines.append((f"whole fit{rows}", "", *(_range(*some) for some in both)))
        widths = [max(len(line[j]) for line in lines) for j in range(5)]
        return "\n".join(
            [head] + [f"  {line[0]:<{widths[0]}}  " + _right(line[1:], widths[1:]) for line in lines]
        )


def _times(one: PassTraffic, most: bool) -> int:
    return one.most if most else one.fewest


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _range(few: object, most: object) -> str:
    return str(few) if few == most else f"{few} to {most}"


def _right(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))


def traffic(shape: Shape, solver: str, block: int, cluster: Cluster) -> Traffic:
    """What a fit sends over a cluster, and what its workers hold."""
    if solver == "precondition" and sketch_is_longer(shape):
        solver = "qr"
    made = tuple(_Fit(shape, cluster).passes(solver))
    worker = _worker_bytes(shape, made, block, cluster) + shape.sent_bytes // cluster.processes
    return Traffic(cluster, made, shape.sent_bytes, worker)


def _worker_bytes(shape: Shape, made: tuple[PassTraffic, ...], block: int, cluster: Cluster) -> int:
    """The peak of a worker: threads with a summary and a block each, or the parcels of a merge."""
    each = -(-shape.n_rows // cluster.parts)
    rows = min(block, each if shape.n_folds == 1 else -(-2 * each // shape.n_folds))
    lane = lane_bytes(shape, rows, cluster.parts)

    def peak(one: PassTraffic) -> int:
        # A thread packs its summary while what it was added up in is still there.
        adding = cluster.threads * (one.held + one.summary + lane)
        # Its own and the one that came, what they are added up in, and those of the other threads.
        merging = (cluster.threads + 2) * one.summary
        return 2 * one.shared + max(adding, merging)

    return overhead(shape.width, cluster.threads) + max(map(peak, made))


Size = Callable[[float], float]  # rows → bytes of their summary
Times = tuple[int, int]  # the fewest and the most


@dataclass(frozen=True)
class _Fit:
    """The passes of each solver, as its code makes them."""

    shape: Shape
    cluster: Cluster

    def passes(self, solver: str) -> Iterator[PassTraffic]:
        """All of them, in order."""
        shape = self.shape
        sampled = 8 * shape.sample_rows * (shape.n_inputs + 1)
        looked = 32 * (shape.n_inputs + shape.n_targets) + sampled
        yield self._pass("look", (1, 1), 0, lambda rows: looked, 3 * sampled)
        few, most = passes(shape, solver)
        loo = shape.n_sizes if shape.selection == "loo" and solver in ("gram", "qr", *LOW_RANK) else 0
        columns = shape.n_columns
        if solver in LOW_RANK:
            columns = columns_of(shape, solver)
            yield from self._low_rank(solver, columns, (few - 2 - loo, most - 2 - loo))
        elif solver == "lsqr":
            yield from self._lsqr((few - 2, most - 2))
        elif solver == "precondition":
            yield from self._precondition()
        else:
            yield self._exact(solver, shape.width)
        if loo:
            cases = shape.n_alphas * shape.n_targets
            press = 8 * columns * (columns + 1 + shape.n_alphas + cases)
            yield self._mapped("leave-one-out", (loo, loo), press, 16 * cases, press)

    def _exact(self, solver: str, width: int, more: float = 0.0) -> PassTraffic:
        """Moments, triangles or rows of so many augmented columns; ``more`` is shared beside the nodes."""
        shape, folds = self.shape, self.shape.n_folds
        whole = folds * width * width
        single = 4 * width * width if shape.itemsize == 4 else 0
        if solver == "gram":
            return self._mapped("moments", (1, 1), more, 4 * whole + 4 * folds * width, 8 * whole + single)
        if solver == "qr":
            size = partial(_trapezoids, folds, width, shape.itemsize)
            return self._mapped("triangle", (1, 1), more, size, 4 * shape.itemsize * whole)
        row = shape.itemsize * width + 8  # and its fold
        mine = row * shape.n_rows / self.cluster.parts
        return self._mapped("rows", (1, 1), more, lambda rows: row * rows, mine)

    def _low_rank(self, solver: str, columns: int, times: Times) -> Iterator[PassTraffic]:
        shape, found = self.shape, columns
        extra = shape.training_sets * (1 + shape.n_targets) if solver == "sketch" else 0
        probed = isinstance(shape.rank, str) or solver.startswith("fast")
        yield self._products("sketch", times, columns + 1 + extra, 8 * columns**2 if probed else 0)
        if solver == "sketch":
            found += shape.training_sets * shape.n_targets
        exact = "qr" if shape.tiny_ridge else "gram"
        directions = shape.itemsize * shape.n_columns * found
        yield self._exact(exact, 1 + found + shape.n_targets, directions)

    def _lsqr(self, times: Times) -> Iterator[PassTraffic]:
        shape = self.shape
        held_out = int(shape.selection == "kfold")
        yield self._products("products", (1, 1), shape.training_sets * (1 + shape.n_targets))
        steps = times[0] - held_out, times[1] - held_out
        yield self._products("products", steps, shape.training_sets * shape.n_targets)
        if held_out:
            yield self._held_out()

    def _precondition(self) -> Iterator[PassTraffic]:
        shape, steps = self.shape, steps_of_precondition(self.shape)
        each = SKETCH_ROWS if shape.oversampling is None else shape.oversampling
        yield self._products("products", (1, 1), shape.training_sets * (1 + shape.n_targets))
        sketch = 8 * each * shape.n_columns * shape.width
        yield self._mapped("sketch", (1, 1), 0, sketch, 2 * sketch)
        if shape.selection == "kfold":
            yield self._products("products", steps, shape.n_folds * shape.n_alphas * shape.n_targets)
            yield self._held_out()
        yield self._products("products", steps, shape.n_targets)

    def _products(self, name: str, times: Times, columns: int, probes: float = 0.0) -> PassTraffic:
        """ZᵀZP for so many columns P."""
        size = 8 * self.shape.width * columns
        return self._mapped(name, times, size, size + probes, 2 * size + 8 * probes)

    def _held_out(self) -> PassTraffic:
        shape = self.shape
        cases = shape.n_folds * shape.n_alphas * shape.n_targets
        return self._mapped("held out", (1, 1), 8 * shape.width * cases, 8 * cases, 8 * shape.width * cases)

    def _mapped(self, name: str, times: Times, shared: float, size: Size | float, held: float) -> PassTraffic:
        """A pass over hidden rows: nodes, scaling and shifts go to the workers, the shifts with summaries."""
        shape = self.shape
        shifts = shape.itemsize * shape.n_columns + 16 * shape.n_targets
        nodes = shape.itemsize * (shape.n_inputs + 1) * shape.n_hidden + 16 * shape.n_inputs
        given: Size = size if callable(size) else lambda rows: size
        whitening = shape.itemsize * shape.n_hidden**2 if shape.layer_bytes else 0  # of centres
        shared += nodes + whitening + shifts
        return self._pass(name, times, shared, lambda rows: given(rows) + shifts, held)

    def _pass(self, name: str, times: Times, shared: float, size: Size, held: float) -> PassTraffic:
        workers, rows = self.cluster.processes, self.shape.n_rows / self.cluster.processes
        between = (workers - 1) * (HEAD + shared)
        while workers > 1:
            between += workers // 2 * (HEAD + size(rows))
            workers, rows = -(-workers // 2), 2 * rows
        home = HEAD + size(self.shape.n_rows)
        return PassTraffic(name, *times, HEAD + round(shared), round(home), round(between), round(held))


def _trapezoids(folds: int, width: int, itemsize: int, rows: float) -> float:
    """Bytes of a triangle for each fold, of fewer rows where a fold has fewer."""
    height = min(width, rows / folds)
    return folds * itemsize * (height * width - height * (height - 1) / 2)
