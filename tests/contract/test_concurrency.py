"""Fits side by side: the same bits, and the caller's settings as they were."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import joblib
import numba
import numpy as np
import pytest
from sklearn.base import clone

import unprior as up
from unprior._threads import compiled_threads

ESTIMATORS = {
    "IndependentTSNE": up.IndependentTSNE(perplexity=5, n_iter=30, random_state=0),
    "JEDI": up.JEDI(n_iter=30, random_state=0),
    "ConditionalTSNE": up.ConditionalTSNE(perplexity=5, n_iter=30, random_state=0),
}

pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")


def fit(estimator, X, known):
    return clone(estimator).fit_transform(X, prior=known)


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
def test_threads(estimator, two_groups):
    X, known = two_groups[0], two_groups[1].astype(str)
    alone, threads = fit(estimator, X, known), numba.get_num_threads()
    with ThreadPoolExecutor(3) as pool:
        maps = [*pool.map(lambda _: fit(estimator, X, known), range(6))]
    for Y in maps:
        np.testing.assert_array_equal(Y, alone)
    assert numba.get_num_threads() == threads


def test_processes(two_groups, monkeypatch):
    X, known = two_groups[0], two_groups[1].astype(str)
    estimator = ESTIMATORS["JEDI"]
    alone = fit(estimator, X, known)
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)

    # Within a function, so that it is sent to workers as it is.
    def work():
        with compiled_threads(-1) as n_threads:
            return clone(estimator).set_params(n_jobs=-1).fit_transform(X, prior=known), n_threads

    for Y, n_threads in joblib.Parallel(2, backend="loky")([joblib.delayed(work)()] * 2):
        np.testing.assert_array_equal(Y, alone)
        # Two workers share the cores, whatever each asks for.
        assert n_threads <= max(1, joblib.cpu_count() // 2)


FIT = """
import hashlib, sys, multiprocessing
from concurrent.futures import ThreadPoolExecutor
import numba, numpy as np, unprior as up

def fit(_):
    X = np.random.default_rng(0).normal(size=(60, 3))
    jedi = up.JEDI(n_iter=20, n_jobs=2, random_state=0)
    return hashlib.sha256(jedi.fit_transform(X, prior=["a", "b"] * 30).tobytes()).hexdigest()

if __name__ == "__main__":
    if sys.argv[1] == "spawn":
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            found = {*pool.map(fit, range(4), chunksize=1)}
    else:
        with ThreadPoolExecutor(3) as pool:
            found = {*pool.map(fit, range(6))}
        assert numba.threading_layer() == sys.argv[1], numba.threading_layer()
    print(*found)
"""

# Numba's own layer, which is always available, aborts if two threads enter loops at once.
LAYERS = ["workqueue", "omp"] if sys.platform == "linux" else ["workqueue"]


def test_threads_of_every_layer_and_spawned_processes(tmp_path):
    (tmp_path / "fit.py").write_text(FIT)
    digests = set()
    for how in (*LAYERS, "spawn"):
        layer = {} if how == "spawn" else {"NUMBA_THREADING_LAYER": how}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(tmp_path / "fit.py"), how],
            env={**os.environ, **layer},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        digests |= {*done.stdout.split()}
    assert len(digests) == 1


def test_settings_come_back_when_a_callback_raises(two_groups):
    X, known = two_groups[0], two_groups[1].astype(str)

    def fail(*_):
        raise RuntimeError

    threads, errors, state = numba.get_num_threads(), np.geterr(), np.random.get_state()[1].copy()  # noqa: NPY002
    with pytest.raises(RuntimeError):
        clone(ESTIMATORS["JEDI"]).set_params(callbacks=[fail], n_jobs=2).fit(X, prior=known)
    assert numba.get_num_threads() == threads
    assert np.geterr() == errors
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


FORK = """
import os, numba, numpy as np
from unprior._threads import compiled_threads

@numba.njit(parallel=True)
def fill(x):
    for i in numba.prange(len(x)):
        x[i] = i

def run():
    with compiled_threads(2):
        fill(np.empty(9))

if not os.fork():  # before any loop has run, all is well
    run()
    os._exit(0)
assert os.wait()[1] == 0
run()
if not os.fork():
    try:
        run()
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
assert os.wait()[1] == 0
print(numba.threading_layer())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_that_lost_its_threads_says_so():
    """Numba itself aborts such a process, and a pool waits for it forever."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    *said, layer = done.stdout.split("\n")[:-1]
    assert said or layer != "omp"
    assert all("loky" in line for line in said)
