"""Map a function over blocks of rows, on threads or a cluster, with a progress bar."""

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

#: Number of retries after all workers that had the work are lost.
LOSSES = 2

#: Seconds to wait before data are sent to the workers again.
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
    """Return ``work(rows)`` for each block, on ``n_jobs`` threads in joblib's sense.

    ``joblib.parallel_config(backend=...)`` selects another backend.

    Examples
    --------
    >>> map_blocks(sum, [range(3), range(3, 5)], title="sums")
    [3, 7]
    """
    for _ in range(LOSSES):
        # A cluster whose only worker dies loses its data; by now there may be other workers.
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
    # joblib ignores the configured number of jobs when it falls back to threads.
    n_workers = joblib.effective_n_jobs(n_jobs)
    sent = send_ahead(work, n_workers)
    with progress_bar(sum(map(len, blocks)), title, verbose=verbose) as bar:

        def jobs() -> Iterator[Any]:
            # joblib takes the next job when a thread becomes free, which measures the progress.
            for rows in blocks:
                yield joblib.delayed(run_sent)(sent, rows)
                bar.update(len(rows))

        # Nested threads would compete, and their number could change the last bits.
        with one_blas_thread():
            return list(joblib.Parallel(n_workers, prefer="threads")(jobs()))


def shares_memory() -> bool:
    """Whether blocks can write to arrays of the caller: on threads, not on other backends."""
    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False))


def send_ahead(work: Callable[[Rows], Result], n_workers: int) -> Any:
    """Send work, and the data in it, to all workers of a dask cluster; otherwise return it.

    joblib would send it with each block; and if only one worker held it, the run would be lost with
    that worker.
    """
    client = getattr(get_active_backend()[0], "client", None)
    if client is None or n_workers == 1:
        return work
    for wait in WAITS:
        # A worker that has just died may still be listed.
        with suppress(OSError):
            return client.scatter(work, broadcast=True, hash=False)
        time.sleep(wait)
    return client.scatter(work, broadcast=True, hash=False)


def run_sent(work: Any, rows: Any) -> Any:
    """Return ``work(rows)`` for a result of `send_ahead`."""
    # If the cluster has shrunk to one worker, joblib runs blocks locally.
    return work.result()(rows) if hasattr(work, "result") else work(rows)
