"""Fits with a checkpoint that are killed at random moments: run as a program, for it forks.

``python -m tests.faults.killed_fits kill FOLDER KILLS`` kills the fit of each case so often, lets it end, and
prints its hash beside that of a fit without a checkpoint; ``fit PATH CASE`` fits once, slowly.
"""

import hashlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import samara.linalg.workers
import samara.prepare
import samara.settings
from samara import ELMClassifier, ELMRegressor, KernelELMRegressor
from samara.engines import Threads

ROWS, COLUMNS, BLOCK = 1536, 5, 64

CASES = {
    "gram": (ELMRegressor, {"n_hidden": 40}, 2),
    "gram in float32": (ELMRegressor, {"n_hidden": 40, "dtype": "float32"}, 2),
    "one worker": (ELMRegressor, {"n_hidden": [10, 40], "dtype": "float32"}, 1),
    "qr": (ELMRegressor, {"n_hidden": 30, "solver": "qr", "alpha": 1e-6}, 2),
    "qr in float32 with folds": (ELMRegressor, {"n_hidden": 30, "solver": "qr", "dtype": "float32"}, 1),
    "leave-one-out": (ELMRegressor, {"n_hidden": 30, "selection": "loo"}, 2),
    "weights": (ELMRegressor, {"n_hidden": 30, "direct_link": True}, 2),
    "sparse": (ELMRegressor, {"n_hidden": 30, "hidden": "tanh"}, 2),
    "strings": (ELMClassifier, {"n_hidden": 30, "class_weight": "balanced"}, 2),
    "auto": (ELMRegressor, {"n_hidden": "auto"}, 2),
    "auto in float32": (ELMRegressor, {"n_hidden": "auto", "dtype": "float32"}, 1),
    "rbf": (ELMRegressor, {"n_hidden": 30, "hidden": "rbf", "scale": "quantile"}, 2),
    "nystroem": (KernelELMRegressor, {"solver": "nystroem", "rank": 30, "gamma": "median"}, 2),
}


def make_rows(case):
    """The table of a case: inputs, targets and weights."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, COLUMNS))
    y = np.sin(3 * X[:, 0]) * X[:, 1] + np.abs(X[:, 2])
    weight = rng.integers(0, 3, ROWS) * 0.7 if case == "weights" else None
    if case == "sparse":
        X = sparse.csr_matrix(np.where(abs(X) > 1, X, 0))
    if case == "strings":
        y = np.array(["low", "middle", "high"], object)[np.digitize(y, [0.3, 1.5])]
    if case == "gram in float32":
        X = X.astype(np.float32)
    return X, y, weight


def fitted(case, path=None, delay=0.0, every=0.002):
    """The hash of a model: fitted without a checkpoint, or with one and a pause after each block."""
    samara.prepare.LOOK_CELLS = 1  # a look in many blocks
    samara.linalg.workers._WORTH_THREADS = 0.0  # by several workers, few as the rows are
    samara.settings.AUTO_START, samara.settings.AUTO_MOST = 16, 64  # a search that ends within a second
    kind, parameters, workers = CASES[case]
    engine = Threads(workers, BLOCK, lambda *ignored: time.sleep(delay))
    estimator = kind(random_state=0, engine=engine, **parameters)
    estimator.fit(*make_rows(case), checkpoint=path, every=every)
    model = estimator.model_
    return hashlib.sha256(model.coef.tobytes() + model.intercept.tobytes()).hexdigest()


def forked(case, path, delay):
    """The pid of a process that fits, and a pipe with the hash at its end."""
    end, start = os.pipe()
    pid = os.fork()
    if pid:
        os.close(start)
        return pid, end
    try:
        os.write(start, fitted(case, path, delay).encode())
    finally:
        os._exit(0)


def ended(pid, end):
    """The hash that a process found before it ended, empty where it was killed or failed."""
    os.waitpid(pid, 0)
    with os.fdopen(end) as pipe:
        return pipe.read()


def wait_for_a_write(folder, seconds=0.05):
    """Until a file is half written, if one is before long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not any(name.endswith(".part") for name in os.listdir(folder)):
        pass


def kill(folder, kills):
    """What `killed` found for each case, in a folder of its own."""
    found = {}
    for case in CASES:
        own = Path(folder, case)
        own.mkdir()
        found[case] = killed(own, int(kills), case)
    return found


def killed(folder, kills, case):
    """Hashes, how many files the kills left, and how many were inside a write."""
    chance, path = random.Random(case), folder / "run.ckpt"
    wanted, begin = ended(*forked(case, None, 0.0)), time.monotonic()
    assert ended(*forked(case, path, 0.001)) == wanted, "uninterrupted"
    span, files, inside = time.monotonic() - begin, [], 0
    for number in range(kills):
        pid, end = forked(case, path, 0.001)
        time.sleep(chance.uniform(0.02, 0.5) * span)
        if number % 2:
            wait_for_a_write(folder)
        os.kill(pid, signal.SIGKILL)
        assert ended(pid, end) in ("", wanted), "ended before it was killed"
        names = os.listdir(folder)
        files.append(sum(name.startswith("run.ckpt") and not name.endswith(".lock") for name in names))
        inside += any(name.endswith(".part") for name in names)
    found = ended(*forked(case, path, 0.0))
    return {"wanted": wanted, "found": found, "files": files, "inside": inside, "left": os.listdir(folder)}


def fit(path, case):
    """Fit once, slowly, and say the hash."""
    return fitted(case, path, 0.01)


if __name__ == "__main__":
    done = {"kill": kill, "fit": fit}[sys.argv[1]](*sys.argv[2:])
    sys.stdout.write(json.dumps(done))
