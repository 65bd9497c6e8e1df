"""Distances on demand -> the nearest neighbours of every sample: all pairs, or an index."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from unprior._blocks import map_blocks
from unprior._params import Whole, check_value
from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.geometry import Curve, PointDistances, StoredDistances
from unprior.neighbors._graph import KNNGraph
from unprior.neighbors._index import PointIndex, warn_of_recall
from unprior.neighbors._mirrored import can_be_mirrored, search_mirrored
from unprior.neighbors._rows import nearest_in_rows, put_back
from unprior.neighbors._tiled import TILE_ROWS, StoredSearch, TiledSearch, tiled_search

#: Largest number of distances that one thread holds at a time (16 MB).
BLOCK_ENTRIES = 2_000_000

#: From this many samples on, tiles are faster if few neighbours are wanted.
MANY, FEW_SHARE = 5000, 0.05

#: From this many samples on, an index is used. It is faster from 10 000 on, but while all pairs
#: take only seconds, the search may as well be exact.
LARGE = 30_000

#: Rows -> their neighbours and the distances to them.
Search: TypeAlias = Callable[[Indices], tuple[Indices, Floats]]


def find_neighbors(
    source: PairwiseDistances,
    k: int,
    *,
    exact: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> KNNGraph:
    """Find the k nearest neighbours of every sample, a block of rows at a time.

    All pairs are compared, unless there are many samples and their distances follow from Euclidean
    distances between points in memory ("euclidean", "cosine", "correlation" and the like, but not
    factored distances): then an index finds nearly all neighbours in a small fraction of the time.

    Parameters
    ----------
    source : PairwiseDistances
        Data, a prior, or factored distances. They need not satisfy the triangle inequality.
    k : int
        Number of neighbours of each sample, not counting itself.
    exact : bool, default=False
        Whether to compare all pairs, whatever their number.
    n_jobs : int, optional
        Number of threads, in joblib's sense. The result does not depend on it.
    verbose : int, default=0
        1 always shows a progress bar.

    Returns
    -------
    graph : KNNGraph
        ``recall`` is the fraction of true neighbours found, 1 if all pairs were compared. Ties are
        broken by a hash of each pair of samples, the same every time, so that no sample becomes the
        neighbour of many others just because it comes first in the data.

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
    if n >= LARGE and k <= FEW_SHARE * n and not exact:
        graph = search_index(source, k, n_jobs=n_jobs, verbose=verbose)
        if graph is not None:
            return graph
    # Shuffled, so that near samples come early whatever the order of the data. Stored data are read
    # in their order.
    order = np.arange(n) if _is_stored(source) else np.random.default_rng(0).permutation(n)
    tiled = tiled_search(source, order) if n >= MANY and k <= FEW_SHARE * n else None
    threads: dict[str, Any] = {"n_jobs": n_jobs, "verbose": verbose}
    if tiled is None:
        order = np.arange(n)
    elif can_be_mirrored(tiled, k):
        return in_order(order, search_mirrored(tiled, k, **threads))
    step = TILE_ROWS if tiled else max(1, BLOCK_ENTRIES // n)
    if isinstance(tiled, StoredSearch):
        step = tiled.n_rows(k)
    search: Search = (
        partial(_search_tiles, tiled, k) if tiled else partial(nearest_in_rows, source, k)
    )
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    found = map_blocks(search, blocks, title="neighbours", **threads)
    return in_order(order, found)


def _is_stored(source: PairwiseDistances) -> bool:
    """Whether rows are read from disk or Dask, for data or for the inputs of an operator."""
    inputs = getattr(source, "data", source), *getattr(source, "sources", ())
    return any(isinstance(one, StoredDistances) for one in inputs)


def _search_tiles(search: TiledSearch, k: int, places: Indices) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of the samples at consecutive places."""
    return search.nearest(consecutive(places), search.columns(), k)


def consecutive(places: Indices) -> slice:
    """Return consecutive places as a slice, so that nothing is copied."""
    return slice(int(places[0]), int(places[-1]) + 1)


def in_order(order: Indices, found: list[tuple[Indices, Floats]]) -> KNNGraph:
    """Join the neighbours of blocks of samples, which were processed in a different order."""
    return KNNGraph(*put_back(order, found))


def search_index(
    source: PairwiseDistances, k: int, *, n_jobs: int | None = None, verbose: int = 0
) -> KNNGraph | None:
    """Return nearly all neighbours by an index; None if it does not apply or would not be faster.

    It applies to rows in memory under Euclidean distance or its square. The recall of the graph is
    estimated on sampled queries.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.priors import features, labels
    >>> search_index(labels(["a", "b"]), 1) is None
    True
    """
    points = source.points() if isinstance(source, PointDistances) else None
    if points is None or points.curve is Curve.ARC:
        return None
    index = PointIndex.build(points.values, n_jobs=n_jobs)
    plan = index.plan(points.values, k + 1, n_jobs=n_jobs)
    if plan.n_probes == len(index.buckets):
        return None
    indices, distances = index.neighbors(k, n_jobs=n_jobs, plan=plan, verbose=verbose)
    if points.curve is Curve.SQUARE:
        np.square(distances, out=distances)
    distances *= points.unit
    warn_of_recall(plan.recall)
    return KNNGraph(indices, distances, plan.recall)
