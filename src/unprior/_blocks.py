"""Blocks of rows -> their results in order, on several threads and with a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from typing import Any, TypeVar

import joblib
from threadpoolctl import threadpool_limits

from unprior._progress import progress_bar

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

    Examples
    --------
    >>> map_blocks(sum, [range(3), range(3, 5)], title="sums")
    [3, 7]
    """
    with progress_bar(sum(map(len, blocks)), title, verbose=verbose) as bar:

        def jobs() -> Iterator[Any]:
            # joblib takes the next job when a thread is about to be free: that is the progress.
            for rows in blocks:
                yield joblib.delayed(work)(rows)
                bar.update(len(rows))

        # Left to itself, joblib drops the configured number of jobs when it turns to threads.
        parallel = joblib.Parallel(joblib.effective_n_jobs(n_jobs), prefer="threads")
        # Inner threads would wait for each other, and their number could change the last bits.
        with threadpool_limits(1, user_api="blas"):
            return list(parallel(jobs()))
