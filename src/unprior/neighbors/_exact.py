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
from unprior.neighbors._index import PointIndex
from unprior.neighbors._mirrored import can_be_mirrored, search_mirrored
from unprior.neighbors._rows import nearest_in_rows, put_back
from unprior.neighbors._tiled import TILE_ROWS, StoredSearch, TiledSearch, tiled_search

#: Distances that one thread holds at a time (16 MB of float64).
BLOCK_ENTRIES = 2_000_000

#: From this many samples on, tiles are quicker, if few neighbours are asked.
MANY, FEW_SHARE = 5000, 0.05

#: From this many samples on, an index is asked. It is the quicker one from 10 000 on; but what
#: takes seconds anyway may as well be exact.
LARGE = 30_000

#: Some rows -> their neighbours and the distances to them.
Search: TypeAlias = Callable[[Indices], tuple[Indices, Floats]]


def find_neighbors(
    source: PairwiseDistances,
    k: int,
    *,
    exact: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> KNNGraph:
    """Find the k nearest neighbours of every sample, some rows at a time.

    All pairs are looked at, unless there are many samples and their distances are straight lines
    between points in memory ("euclidean", "cosine", "correlation" and the like, not what ⊖ makes of
    them): then an index finds nearly all neighbours, in a small share of the time.

    Parameters
    ----------
    source : PairwiseDistances
        Anything that tells distances: data, a prior, or what ⊖ makes of them. No metric is assumed.
    k : int
        Neighbours of each sample, itself not counted.
    exact : bool, default=False
        CandidateFinder at all pairs, however many there are.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar at once.

    Returns
    -------
    graph : KNNGraph
        ``recall`` is the share of the true neighbours in it, 1 if all pairs were looked at. Which
        of equally distant samples is the nearer goes by a hash of each pair of samples: it looks
        random and is the same every time, so that nobody is the neighbour of very many merely by
        standing first in the data.

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
    # Shuffled, so that near ones are met early whatever the order of the data means. What is
    # stored is read in its own order.
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
    """Whether rows are read from a store; what ⊖ looks at is ``data`` and what is ``known``."""
    looked_at = getattr(source, "data", source), *getattr(source, "known", ())
    return any(isinstance(part, StoredDistances) for part in looked_at)


def _search_tiles(search: TiledSearch, k: int, places: Indices) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of the samples at consecutive places."""
    return search.nearest(consecutive(places), search.columns(), k)


def consecutive(places: Indices) -> slice:
    """Consecutive places as a slice, which copies nothing."""
    return slice(int(places[0]), int(places[-1]) + 1)


def in_order(order: Indices, found: list[tuple[Indices, Floats]]) -> KNNGraph:
    """Join the neighbours of samples that were searched in another order than theirs."""
    return KNNGraph(*put_back(order, found))


def search_index(
    source: PairwiseDistances, k: int, *, n_jobs: int | None = None, verbose: int = 0
) -> KNNGraph | None:
    """Return nearly all neighbours; None if an index cannot find them, or not any quicker.

    Parameters
    ----------
    source : PairwiseDistances
        Rows in memory under a metric of straight lines, or their squares; others get None.
    k : int
        Neighbours of each sample, itself not counted.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar at once.

    Returns
    -------
    graph : KNNGraph or None
        With the share of the true neighbours that some samples found.

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
    return KNNGraph(indices, distances, plan.recall)
