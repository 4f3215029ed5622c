"""Measurements in processes of their own, each forked from one that has done the imports already."""

import json
import os
import subprocess
import sys
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]


def surroundings():
    """The environment of a Python that finds what we find."""
    paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
    return {**os.environ, "PYTHONPATH": paths}


def measured(module, case):
    """What ``measure(case)`` of a module of this folder gives, in a process that does nothing else."""
    server = _server(module)
    server.stdin.write(json.dumps(case) + "\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    assert answer, f"the process of {module} is gone"
    found = json.loads(answer)
    assert "error" not in found, found["error"]
    return found


@cache
def _server(module):
    """One process a module, for as long as the tests run: it ends with our end of its input."""
    command = [sys.executable, "-m", "tests.faults.apart", f"tests.faults.{module}"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, env=surroundings(), text=True, **pipes)


def _forked(measure, case):
    """The answer of a child, as a line; a child that dies gives an error."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = json.dumps(measure(case))
        except BaseException:
            answer = json.dumps({"error": traceback.format_exc()})
        with os.fdopen(writer, "w") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    return answer or json.dumps({"error": f"ended with status {status}"})


def serve(module):
    """Answer each line of the input."""
    measure = import_module(module).measure
    for line in sys.stdin:
        sys.stdout.write(_forked(measure, json.loads(line)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
