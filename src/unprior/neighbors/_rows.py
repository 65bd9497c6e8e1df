"""True distances of some rows, to all or to candidates -> the nearest, and of equals the first."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Indices, PairwiseDistances


def nearest_in_rows(source: PairwiseDistances, k: int, rows: Indices) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of some rows among all samples."""
    distances = np.array(source.block(rows, np.arange(source.n_samples)), dtype=np.float64)
    distances[np.arange(len(rows)), rows] = np.inf
    indices = smallest(distances, k)
    nearest = np.take_along_axis(distances, indices, axis=1)
    # The columns ascend, so a stable sort leaves equal distances in their order.
    order = np.argsort(nearest, axis=1, kind="stable")
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(nearest, order, axis=1)


def nearest_of_pairs(
    source: PairwiseDistances, k: int, rows: Indices, places: Indices, candidates: Indices
) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of some rows among candidates, at least k for each.

    Candidates come as pairs (place in ``rows``, sample).
    """
    lengths = source.pairs(rows[places], candidates)
    order = np.lexsort((candidates, lengths, places))
    starts = np.searchsorted(places[order], np.arange(len(rows)))
    nearest = order[starts[:, None] + np.arange(k)]
    return candidates[nearest], lengths[nearest]


def join_nearest(
    found: tuple[Indices, Floats], more: tuple[Indices, Floats]
) -> tuple[Indices, Floats]:
    """Return as many nearest neighbours of some rows as each of two searches has found.

    A neighbour that both have found counts once.
    """
    k = found[0].shape[1]
    indices, lengths = (np.hstack(parts) for parts in zip(found, more, strict=True))
    order = np.lexsort((lengths, indices))
    indices, lengths = (np.take_along_axis(each, order, axis=1) for each in (indices, lengths))
    lengths[:, 1:][indices[:, 1:] == indices[:, :-1]] = np.inf
    nearest = np.lexsort((indices, lengths))[:, :k]
    indices, lengths = (np.take_along_axis(each, nearest, axis=1) for each in (indices, lengths))
    return indices, lengths


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
