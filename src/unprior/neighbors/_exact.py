"""Distances on demand -> the nearest neighbours of every sample, by looking at all pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import joblib
import numpy as np

from unprior._params import Whole, check_value
from unprior._progress import progress_bar
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.neighbors._graph import KNNGraph

#: Distances that one thread holds at a time (16 MB of float64).
BLOCK_ENTRIES = 2_000_000


def find_neighbors(
    source: PairwiseDistances, k: int, *, n_jobs: int | None = None, verbose: int = 0
) -> KNNGraph:
    """Find the k nearest neighbours of every sample exactly, some rows at a time.

    Parameters
    ----------
    source : PairwiseDistances
        Anything that tells distances: data, a prior, or what ⊖ makes of them. No metric is assumed.
    k : int
        Neighbours of each sample, itself not counted.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar at once.

    Returns
    -------
    graph : KNNGraph
        Among equally distant samples the one that comes first in the data is the nearer.

    Examples
    --------
    >>> from unprior.priors import features
    >>> find_neighbors(features([0.0, 1.0, 3.0, 7.0]), k=2).indices
    array([[1, 2],
           [0, 2],
           [1, 0],
           [2, 1]])
    """
    n = source.n_samples
    check_value("find_neighbors", "k", k, Whole(1, n - 1))
    step = max(1, BLOCK_ENTRIES // n)
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    with progress_bar(n, "neighbours", verbose=verbose) as bar:

        def searches() -> Iterator[Any]:
            # joblib takes the next search when a thread is about to be free: that is the progress.
            for rows in blocks:
                yield joblib.delayed(_search)(source, rows, k)
                bar.update(len(rows))

        found = joblib.Parallel(n_jobs=n_jobs, prefer="threads")(searches())
    return KNNGraph(np.vstack([i for i, _ in found]), np.vstack([d for _, d in found]))


def _search(source: PairwiseDistances, rows: Indices, k: int) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of some rows."""
    distances = np.array(source.block(rows, np.arange(source.n_samples)), dtype=np.float64)
    distances[np.arange(len(rows)), rows] = np.inf
    indices = _smallest(distances, k)
    nearest = np.take_along_axis(distances, indices, axis=1)
    # The columns ascend, so a stable sort leaves equal distances in their order.
    order = np.argsort(nearest, axis=1, kind="stable")
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(nearest, order, axis=1)


def _smallest(distances: Floats, k: int) -> Indices:
    """Columns of the k smallest entries of each row, ascending; of equal entries the first ones."""
    columns = np.sort(np.argpartition(distances, k - 1, axis=1)[:, :k], axis=1)
    last = np.take_along_axis(distances, columns, axis=1).max(axis=1, keepdims=True)
    # A partition picks among equals as it likes. That matters only where some are left out.
    for row in np.flatnonzero(np.count_nonzero(distances <= last, axis=1) > k):
        nearer = np.flatnonzero(distances[row] < last[row])
        equal = np.flatnonzero(distances[row] == last[row])
        columns[row] = np.sort(np.r_[nearer, equal[: k - len(nearer)]])
    return columns
