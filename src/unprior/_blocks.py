"""Blocks of rows -> their results in order, on threads or a cluster, with a progress bar."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence, Sized
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, TypeVar

import joblib
from joblib.parallel import get_active_backend

from unprior._progress import progress_bar
from unprior._threads import one_blas_thread

#: How often work is begun anew after all workers that had it are gone.
LOSSES = 2

#: Seconds before data that could not be sent to all workers are sent again.
WAITS = (0.1, 1.0, 5.0)

Rows = TypeVar("Rows", bound=Sized)
Result = TypeVar("Result")


def map_blocks(
    work: Callable[[Rows], Result],
    blocks: Sequence[Rows],
    *,
    title: str,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> list[Result]:
    """Return ``work(rows)`` for every block, on ``n_jobs`` threads in joblib's meaning.

    Within ``joblib.parallel_config(backend=...)`` the blocks go where that says.

    Examples
    --------
    >>> map_blocks(sum, [range(3), range(3, 5)], title="sums")
    [3, 7]
    """
    for _ in range(LOSSES):
        # A cluster whose only worker dies loses what was sent there; by now there may be others.
        with suppress(CancelledError):
            return _map_once(work, blocks, title, n_jobs, verbose)
    return _map_once(work, blocks, title, n_jobs, verbose)


def _map_once(
    work: Callable[[Rows], Result],
    blocks: Sequence[Rows],
    title: str,
    n_jobs: int | None,
    verbose: int,
) -> list[Result]:
    # Left to itself, joblib drops the configured number of jobs when it turns to threads.
    n_workers = joblib.effective_n_jobs(n_jobs)
    sent = send_ahead(work, n_workers)
    with progress_bar(sum(map(len, blocks)), title, verbose=verbose) as bar:

        def jobs() -> Iterator[Any]:
            # joblib takes the next job when a thread is about to be free: that is the progress.
            for rows in blocks:
                yield joblib.delayed(run_sent)(sent, rows)
                bar.update(len(rows))

        # Inner threads would wait for each other, and their number could change the last bits.
        with one_blas_thread():
            return list(joblib.Parallel(n_workers, prefer="threads")(jobs()))


def shares_memory() -> bool:
    """Whether blocks run where they can fill arrays of the caller: on threads, not elsewhere."""
    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False))


def send_ahead(work: Callable[[Rows], Result], n_workers: int) -> Any:
    """Put work, and the data in it, on all workers of a dask cluster; elsewhere leave it as it is.

    joblib would send it along with every block. And if one worker alone held it, the run would be
    lost with that one.
    """
    client = getattr(get_active_backend()[0], "client", None)
    if client is None or n_workers == 1:
        return work
    for wait in WAITS:
        # A worker that has just died may still be on the list.
        with suppress(OSError):
            return client.scatter(work, broadcast=True, hash=False)
        time.sleep(wait)
    return client.scatter(work, broadcast=True, hash=False)


def run_sent(work: Any, rows: Any) -> Any:
    """Return ``work(rows)`` for what `send_ahead` returned."""
    # On a cluster that has shrunk to one worker meanwhile, joblib runs blocks here, not there.
    return work.result()(rows) if hasattr(work, "result") else work(rows)
