"""Threads of compiled loops and of BLAS: as ``n_jobs`` asks for, with the same bits, given back.

Compiled loops of this library give the same bits on any number of threads. Matrix products and
eigenvectors by BLAS and LAPACK do not: the order of their sums depends on the threads. So BLAS
works on one thread wherever results depend on it, and speed comes from blocks of rows, each on a
thread of our own (`unprior._blocks`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import joblib
from threadpoolctl import ThreadpoolController


@contextmanager
def compiled_threads(n_jobs: int | None) -> Iterator[int]:
    """Run numba's loops on ``n_jobs`` threads (joblib's meaning) within the block, BLAS on one."""
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
    """Run BLAS on one thread within the block: more of them change the last bits."""
    with _libraries(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Find the loaded libraries; again once modules were imported, which may have loaded more.

    The search takes 4 ms, more than a new sample takes to be placed on a map.
    """
    return ThreadpoolController()


#: Whether this process is a fork of one whose compiled loops ran on threads of GNU's OpenMP.
_lost_threads = False


def _note_fork() -> None:
    """Note in a new fork whether threads were lost: numba would end the process without a word."""
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
            "and they cannot run here; take joblib's default backend, 'loky', or start processes "
            "with multiprocessing.get_context('spawn')."
        )
        raise RuntimeError(message)
