"""The number of threads of compiled loops and of BLAS, limited by ``n_jobs`` and restored.

Compiled loops of this library give the same bits on any number of threads. BLAS and LAPACK do not:
the order of their sums depends on the threads. So BLAS runs on one thread wherever results depend
on it, and blocks of rows run in parallel instead (`unprior._blocks`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import joblib
from threadpoolctl import ThreadpoolController

#: `Pace`: steps on all threads before the first one on a single thread, for comparison.
FIRST = 2

#: `Pace`: steps on all threads may take as long as WINDOW steps on one; otherwise STAY steps follow
#: on one thread before all are tried again.
WINDOW, STAY = 10, 50


@contextmanager
def compiled_threads(n_jobs: int | None) -> Iterator[int]:
    """Run numba's loops on ``n_jobs`` threads, in joblib's sense, and BLAS on one."""
    import numba

    _refuse_forks()
    before = numba.get_num_threads()
    n_threads = min(joblib.effective_n_jobs(n_jobs), numba.config.NUMBA_NUM_THREADS)
    numba.set_num_threads(n_threads)
    try:
        with one_blas_thread():
            yield n_threads
    finally:
        numba.set_num_threads(before)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run BLAS on one thread: more of them change the last bits."""
    with _loaded_libraries(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _loaded_libraries(n_modules: int) -> ThreadpoolController:
    """Find the BLAS libraries, which takes milliseconds: anew only after an import loaded more."""
    return ThreadpoolController()


#: Whether this process was forked from one whose compiled loops used GNU OpenMP threads.
_lost_threads = False


def _note_fork() -> None:
    """Note in a new fork whether threads were lost: numba would abort the process."""
    global _lost_threads
    pool = sys.modules.get("numba.np.ufunc.omppool")
    try:
        is_open = pool is not None and sys.modules["numba"].threading_layer() == "omp"
    except ValueError:  # no loop has run yet
        is_open = False
    _lost_threads = is_open and getattr(pool, "openmp_vendor", "") == "GNU"


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def _refuse_forks() -> None:
    if _lost_threads:
        message = (
            "unprior: this process was forked after compiled loops had run on several threads, "
            "and they cannot run here; use joblib's default backend, 'loky', or start processes "
            "with multiprocessing.get_context('spawn')."
        )
        raise RuntimeError(message)


@dataclass
class Pace:
    """Number of threads for each step of a loop, by the time that earlier steps took.

    On a busy machine, threads that synchronise thousands of times a second all wait for the one
    whose core another program uses, and a single thread can be many times faster. So steps run on
    all threads unless one is faster; after a while all are tried again. The loop must give the same
    bits on any number of threads.

    Examples
    --------
    >>> pace = Pace(4)
    >>> for seconds in [0.1, 0.1, 0.3]:
    ...     pace.note(seconds)
    >>> pace.n_threads
    4
    >>> pace.note(20.0)
    >>> pace.n_threads
    1
    """

    most: int

    def __post_init__(self) -> None:
        self.n_threads = self.most
        self._single = float("inf")  # seconds of the last step on one thread
        self._on_all, self._n_on_all = 0.0, 0
        self._left = 0  # remaining steps on one thread

    def note(self, seconds: float) -> None:
        """Record the time of a step."""
        if self.n_threads > 1:
            self._after_all(seconds)
        elif self.most > 1:
            self._after_one(seconds)

    def _after_all(self, seconds: float) -> None:
        self._on_all += seconds
        self._n_on_all += 1
        if self._on_all > WINDOW * self._single:
            self.n_threads, self._left = 1, STAY
        elif self._n_on_all == FIRST and self._single == float("inf"):
            self.n_threads, self._left = 1, 1
        elif self._n_on_all == WINDOW:
            self._on_all, self._n_on_all = 0.0, 0

    def _after_one(self, seconds: float) -> None:
        if self._single == float("inf") and seconds * self._n_on_all < self._on_all:
            self._left = STAY
        self._single = seconds
        self._left -= 1
        if self._left == 0:
            self.n_threads, self._on_all, self._n_on_all = self.most, 0.0, 0
