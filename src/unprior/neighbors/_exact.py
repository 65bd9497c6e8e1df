"""Distances on demand -> the nearest neighbours of every sample, by looking at all pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from unprior._blocks import map_blocks
from unprior._params import Whole, check_value
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.neighbors._candidates import Cloud, make_cloud
from unprior.neighbors._graph import KNNGraph
from unprior.priors import Prior
from unprior.priors._points import Curve, points_of

#: Distances that one thread holds at a time (16 MB of float64).
BLOCK_ENTRIES = 2_000_000

#: From this many samples on, points are searched by matrix products, if few neighbours are asked.
MANY, FEW_SHARE = 5000, 0.05

#: Candidates for each neighbour that is wanted, above which they are too many to sort out.
CROWDED = 8

#: Some rows -> their neighbours and the distances to them.
Search: TypeAlias = Callable[[Indices], tuple[Indices, Floats]]


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
    search, step = _choose_search(source, k), max(1, BLOCK_ENTRIES // n)
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    found = map_blocks(search, blocks, title="neighbours", n_jobs=n_jobs, verbose=verbose)
    return KNNGraph(np.vstack([i for i, _ in found]), np.vstack([d for _, d in found]))


def _choose_search(source: PairwiseDistances, k: int) -> Search:
    """Return the quicker of two ways to the same neighbours."""
    n = source.n_samples
    points = points_of(source) if isinstance(source, Prior) else None
    if points is None or points.curve is Curve.ARC or n < MANY or k > FEW_SHARE * n:
        return partial(_search, source, k)
    return partial(_search_cloud, source, make_cloud(points.values), k)


def _search(source: PairwiseDistances, k: int, rows: Indices) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of some rows."""
    distances = np.array(source.block(rows, np.arange(source.n_samples)), dtype=np.float64)
    distances[np.arange(len(rows)), rows] = np.inf
    indices = smallest(distances, k)
    nearest = np.take_along_axis(distances, indices, axis=1)
    # The columns ascend, so a stable sort leaves equal distances in their order.
    order = np.argsort(nearest, axis=1, kind="stable")
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(nearest, order, axis=1)


def _search_cloud(
    source: PairwiseDistances, cloud: Cloud, k: int, rows: Indices
) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of some rows among the few that may be."""
    places, columns = cloud.candidates(rows, k)
    if len(places) > CROWDED * k * len(rows):
        # Ties, or clusters smaller than the rounding: sorting so many out would take longer.
        return _search(source, k, rows)
    lengths = source.pairs(rows[places], columns)
    # A stable sort again; each row's candidates stay together, and the first k are wanted.
    order = np.lexsort((lengths, places))
    starts = np.searchsorted(places, np.arange(len(rows)))
    nearest = order[starts[:, None] + np.arange(k)]
    return columns[nearest], lengths[nearest]


def smallest(distances: Floats, k: int) -> Indices:
    """Columns of the k smallest entries of each row, ascending; of equal entries the first ones."""
    columns = np.sort(np.argpartition(distances, k - 1, axis=1)[:, :k], axis=1)
    last = np.take_along_axis(distances, columns, axis=1).max(axis=1, keepdims=True)
    # A partition picks among equals as it likes. That matters only where some are left out.
    for row in np.flatnonzero(np.count_nonzero(distances <= last, axis=1) > k):
        nearer = np.flatnonzero(distances[row] < last[row])
        equal = np.flatnonzero(distances[row] == last[row])
        columns[row] = np.sort(np.r_[nearer, equal[: k - len(nearer)]])
    return columns
