"""Threads of the compiled loops: as many as ``n_jobs`` asks for, and given back on exit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import joblib


@contextmanager
def compiled_threads(n_jobs: int | None) -> Iterator[int]:
    """Run numba's parallel loops on ``n_jobs`` threads (joblib's meaning) within the block."""
    import numba

    before = numba.get_num_threads()
    n_threads = min(joblib.effective_n_jobs(n_jobs), numba.config.NUMBA_NUM_THREADS)
    numba.set_num_threads(n_threads)
    try:
        yield n_threads
    finally:
        numba.set_num_threads(before)
