"""Fits that are killed at random moments and restarted until they are done: a child process.

Called as ``python killing.py METHOD KILLS SEED FOLDER``. Prints as JSON how often a fit was killed,
how often something had been saved by then, how many fits came to their end, and how many of these
have the bits of one that was left alone.

Every fit runs in a fork of this process, which has loaded all it needs but run nothing: a fork of a
process whose threads are at work would hang.
"""

import importlib
import json
import os
import pkgutil
import random
import shutil
import signal
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import unprior as up
from unprior import kernels
from unprior.embedders import _umap_model  # noqa: F401
from unprior.optimize import _checkpoint

for module in pkgutil.iter_modules(kernels.__path__):
    importlib.import_module(f"unprior.kernels.{module.name}")

#: Saved often, so that some kills happen while a file is written.
_checkpoint.SECONDS, _checkpoint.SHARE = 0.02, 0.5

#: The share of kills that come before the descent, and the most that one fit has to survive.
EARLY, MOST = 0.1, 5


def make_umap(callbacks, **options):
    watched = {"callbacks": callbacks, "callbacks_every_iters": 1}
    return up.Confetti(embedder_params={"n_epochs": 500, **watched}, **options)


METHODS = {
    "independent": lambda **o: up.IndependentTSNE(n_iter=200, perplexity=10, **o),
    "half": lambda **o: up.IndependentTSNE(n_iter=80, perplexity=10, strength=0.5, **o),
    "jedi": lambda **o: up.JEDI(n_iter=500, **o),
    "drawn": lambda **o: up.JEDI(n_iter=100, solver="sampled", **o),
    "ctsne": lambda **o: up.ConditionalTSNE(n_iter=500, perplexity=10, **o),
    "revised": lambda **o: up.RevisedConditionalTSNE(n_iter=500, perplexity=10, **o),
    "umap": make_umap,
}


def fit(method, folder, target):
    """Fit in a fork of this process; return its id, and a pipe that tells of the first step."""
    heard, said = os.pipe()
    if child := os.fork():
        os.close(said)
        return child, heard
    status = 1
    try:
        warnings.filterwarnings("ignore", category=up.UnpriorWarning)
        data = up.datasets.make_two_factor(120, random_state=0)
        tell = [lambda *_: os.write(said, b".") and None]
        fitted = METHODS[method](random_state=0, checkpoint=folder, callbacks=tell)
        np.save(target, fitted.fit(data.X, prior=data.known).embedding_)
        status = 0
    finally:
        os._exit(status)


def leave_alone(method, target):
    """Return the map of a fit that nobody kills, and how long its descent takes."""
    child, heard = fit(method, None, target)
    os.read(heard, 1)
    begin = time.monotonic()
    _, status = os.waitpid(child, 0)
    assert status == 0
    return np.load(target), time.monotonic() - begin


def finish(method, place, target, moments, took, most):
    """Kill a fit at random moments, up to so many times, and let it come to its end."""
    killed = saved = 0
    while True:
        child, heard = fit(method, place, target)
        # A fit with nothing left to do sends no message.
        if killed < most and (moments.random() < EARLY or os.read(heard, 1)):
            time.sleep(moments.uniform(0, took))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        os.close(heard)
        if status == 0:
            return killed, saved
        assert os.WIFSIGNALED(status), f"failed with {status}"
        killed += 1
        saved += any(place.rglob("*.npz"))


def main(method, kills, seed, folder):
    moments, folder = random.Random(seed), Path(folder)
    alone, took = leave_alone(method, folder / "alone.npy")
    found = {"killed": 0, "saved": 0, "finished": 0, "same": 0}
    while found["killed"] < kills:
        place, target = folder / "checkpoint", folder / "map.npy"
        most = min(MOST, kills - found["killed"])
        killed, saved = finish(method, place, target, moments, took, most)
        same = bool((np.load(target) == alone).all())
        for name, more in zip(found, (killed, saved, 1, same), strict=True):
            found[name] += more
        shutil.rmtree(place)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
