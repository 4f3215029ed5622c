"""Writers and holders of locks that are killed: run as a program, for it forks.

``python -m tests.faults.killed_writers kill FOLDER SECONDS`` kills writers at random moments and prints
what it found; ``hold PATH`` holds a lock until it is killed; ``count FOLDER`` has processes compete for one.
"""

import json
import os
import random
import signal
import sys
import time

import numpy as np

from samara.errors import LockedError
from samara.store import held, read_record, write_record

ROWS = 20_000  # 160 kB an array: several writes, and long enough to be killed in


def state(number):
    """A record that shows whether all of it is of one state."""
    return {"number": number}, {"A": np.full(ROWS, float(number)), "b": np.array(number)}


def write_for_ever(path, number):
    """Count on from the state that is there."""
    while True:
        number += 1
        write_record(path, *state(number))


def forked(function, *arguments):
    """The pid of a process that does this and ends."""
    pid = os.fork()
    if pid:
        return pid
    try:
        function(*arguments)
    finally:
        os._exit(0)


def kill(folder, seconds):
    """States and leftovers after each kill, for some seconds."""
    path, chance = os.path.join(folder, "run.ckpt"), random.Random(0)
    write_record(path, *state(0))
    numbers, leftovers, end = [0], 0, time.monotonic() + float(seconds)
    while time.monotonic() < end:
        pid = forked(write_for_ever, path, numbers[-1])
        time.sleep(chance.uniform(0.0, 0.04))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        record = read_record(path)
        number = record.header["number"]
        assert (record.arrays["A"] == number).all()
        assert record.arrays["b"] == number
        numbers.append(number)
        leftovers += len(os.listdir(folder)) > 1
        with held(path):
            assert sorted(os.listdir(folder)) == ["run.ckpt", "run.ckpt.lock"]
    return {"numbers": numbers, "leftovers": leftovers}


def hold(path):
    """Say when the lock is held, then wait to be killed."""
    with held(path):
        sys.stdout.write(f"{os.getpid()}\n")
        sys.stdout.flush()
        time.sleep(600)


def add_one(folder, times):
    """Raise the number in a file under the lock, with a moment in between for others to interfere."""
    path, done = os.path.join(folder, "number"), 0
    while done < times:
        try:
            with held(path):
                with open(path) as file:
                    number = int(file.read())
                time.sleep(0)
                with open(path, "w") as file:
                    file.write(str(number + 1))
                done += 1
        except LockedError:
            time.sleep(0.0001)


def count(folder):
    """The number after four processes raised it 200 times each."""
    with open(os.path.join(folder, "number"), "w") as file:
        file.write("0")
    pids = [forked(add_one, folder, 200) for _ in range(4)]
    for pid in pids:
        os.waitpid(pid, 0)
    with open(os.path.join(folder, "number")) as file:
        return {"number": int(file.read()), "left": sorted(os.listdir(folder))}


if __name__ == "__main__":
    found = {"kill": kill, "hold": hold, "count": count}[sys.argv[1]](*sys.argv[2:])
    sys.stdout.write(json.dumps(found))
