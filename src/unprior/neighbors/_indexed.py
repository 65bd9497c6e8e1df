"""Distances of points, as straight lines tell them -> the nearest neighbours, by an index."""

from __future__ import annotations

import numpy as np

from unprior._typing import PairwiseDistances
from unprior.geometry import Curve, PointDistances
from unprior.neighbors._graph import KNNGraph
from unprior.neighbors._index import PointIndex


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
