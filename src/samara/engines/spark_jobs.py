"""One job of Spark at a time: followed part by part, and cancelled where somebody gives up.

Tasks tell how they ended through an accumulator, which Spark passes on as each of them ends. So rows are
counted while the job runs, and an error of ours comes here as itself: raised in a task, Spark would try it
four times over and hand on a page of text.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from queue import SimpleQueue
from typing import Any
from uuid import uuid4

from samara.errors import ClusterError

Event = tuple[int, int, bytes | None]  # part, its rows, and the error that ended it
_PATIENCE = 10.0  # seconds that a cancelled job may take to end


class Post:
    """Brings what tasks tell to the queue of their job."""

    def __init__(self) -> None:
        self.boxes: dict[str, SimpleQueue[Any]] | None = None  # there is none on a worker

    def __reduce__(self) -> tuple[type[Post], tuple[()]]:
        return Post, ()

    def zero(self, value: Any) -> list[Any]:
        """Nothing told."""
        return []

    def addInPlace(self, told: list[Any], more: list[Any]) -> list[Any]:  # noqa: N802 - Spark's own name
        """Told on a worker; here, put into the queues."""
        if self.boxes is None:
            return told + more
        for job, event in more:
            box = self.boxes.get(job)
            if box is not None:
                box.put(event)
        return []


@lru_cache(maxsize=1)
def _post(context: Any) -> tuple[Post, Any]:
    """One for all jobs of a context: Spark never forgets an accumulator."""
    post = Post()
    post.boxes = {}
    return post, context.accumulator([], post)


@dataclass(frozen=True)
class Teller:
    """How a task tells that it has ended."""

    job: str
    accumulator: Any

    def __call__(self, part: int, rows: int, error: BaseException | None = None) -> None:
        """The rows of a part, or why there are none."""
        self.accumulator.add([(self.job, (part, rows, None if error is None else _as_bytes(error)))])


def _as_bytes(error: BaseException) -> bytes:
    """An error that travels, or what it says."""
    from cloudpickle import dumps

    try:
        made: bytes = dumps(error)
        pickle.loads(made)
    except Exception:
        made = pickle.dumps(ClusterError(f"A task failed: {type(error).__name__}: {error}"))
    return made


def followed(
    context: Any,
    work: Callable[[Teller], Any],
    name: str,
    done: Callable[[int], None] | None,
) -> Any:
    """What a job gives, run in a thread of its own; ``done`` is called with the rows of each part.

    Here one waits for a queue, where Ctrl-C is heard at once.
    """
    from pyspark import InheritableThread

    job, box = f"samara-{uuid4().hex[:12]}", SimpleQueue[Any]()
    post, accumulator = _post(context)
    assert post.boxes is not None
    post.boxes[job] = box

    def run() -> None:
        try:
            context.setJobGroup(job, f"samara: {name}", True)
            box.put((work(Teller(job, accumulator)), None))
        except BaseException as error:
            box.put((None, error))

    thread = InheritableThread(target=run, daemon=True)
    thread.start()
    try:
        return _awaited(box, done)
    except BaseException:
        with suppress(Exception):  # the session may be stopped
            context.cancelJobGroup(job)
        thread.join(_PATIENCE)
        raise
    finally:
        post.boxes.pop(job, None)


def _awaited(box: SimpleQueue[Any], done: Callable[[int], None] | None) -> Any:
    """The result of a job; the first error of a part ends it."""
    counted: set[int] = set()
    while True:
        event = box.get()
        if len(event) == 2:
            result, error = event
            if error is not None:
                raise error
            return result
        part, rows, failed = event
        if failed is not None:
            raise pickle.loads(failed)
        if done and part not in counted:  # a part may be done anew, when its worker is lost later on
            counted.add(part)
            done(rows)
