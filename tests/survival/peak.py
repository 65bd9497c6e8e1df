"""The peak memory of a fit: a child process, called as ``python peak.py METHOD SAMPLES``.

Prints as JSON the MiB that the process held at most, and that it held before the fit: Python,
libraries and data. A fit that is refused for want of memory says so instead.
"""

import json
import resource
import sys
import warnings

import numpy as np

import unprior as up

#: Every estimator, with few steps: memory is taken before the descent and by each of its steps.
FITS = {
    "IndependentTSNE": lambda: up.IndependentTSNE(n_iter=10, random_state=0),
    "JEDI": lambda: up.JEDI(n_iter=10, random_state=0),
    "Confetti": lambda: up.Confetti(embedder_params={"n_epochs": 10}, random_state=0),
    "ConfettiNeighbors": lambda: up.ConfettiNeighbors(),
    "ConditionalTSNE": lambda: up.ConditionalTSNE(n_iter=10, random_state=0),
    "RevisedConditionalTSNE": lambda: up.RevisedConditionalTSNE(n_iter=10, random_state=0),
    "Residual": lambda: up.Residual(),
    "InverseSLLE": lambda: up.InverseSLLE(random_state=0),
}

N_FEATURES = 50


def peak():
    """MiB that this process has held at most."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held / 2**20 if sys.platform == "darwin" else held / 2**10


def main(method, n_samples):
    warnings.filterwarnings("ignore", category=up.UnpriorWarning)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, N_FEATURES)).astype(np.float32)
    classes = rng.choice([*"abcde"], n_samples)
    estimator = FITS[method]()
    found = {"before": round(peak())}
    try:
        estimator.fit(X, prior=classes)
    except MemoryError as error:
        found["refused"] = str(error)
    print(json.dumps({**found, "peak": round(peak())}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
