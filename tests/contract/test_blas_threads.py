"""The same bits for any number of BLAS threads, which a process reads when it starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

ROOT = Path(__file__).parents[1]

#: Large enough for BLAS to split its products among threads.
FITS = {
    "JEDI exact": (1500, "up.JEDI(solver='exact', n_iter=8, random_state=0)"),
    "JEDI sampled": (3000, "up.JEDI(solver='sampled', n_iter=8, random_state=0)"),
    "Confetti": (
        1500,
        "up.Confetti(embedder='tsne', embedder_params={'n_iter': 8}, n_jobs=2, random_state=0)",
    ),
    "InverseSLLE": (400, "up.InverseSLLE(random_state=0)"),
    "Residual": (3000, "up.Residual()"),
    "Residual aligned": (3000, "up.Residual('aligned')"),
}

SCRIPT = """
import hashlib
import numpy as np
import unprior as up
rng = np.random.default_rng(0)
X = rng.normal(size=({n}, 60))
X[:, :3] *= 3
prior = up.priors.labels((X[:, 0] > 0).astype(str)) if {labels} else X[:, :3]
made = {make}.fit_transform(X, prior=prior)
print(hashlib.sha256(np.ascontiguousarray(made).tobytes()).hexdigest())
"""


def bits(name, n_threads):
    n, make = FITS[name]
    script = SCRIPT.format(n=n, make=make, labels=name == "InverseSLLE")
    path = os.pathsep.join([str(ROOT.parent / "src"), os.environ.get("PYTHONPATH", "")])
    threads = {f"{blas}_NUM_THREADS": str(n_threads) for blas in ("OPENBLAS", "MKL", "OMP")}
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, "PYTHONPATH": path, **threads},
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(
    not any(library["user_api"] == "blas" for library in threadpool_info()),
    reason="the threads of this BLAS cannot be set",
)
@pytest.mark.parametrize("name", FITS)
def test_same_bits_for_any_number_of_blas_threads(name):
    assert bits(name, 1) == bits(name, 2)
