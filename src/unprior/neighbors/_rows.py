"""True distances of some rows, to all or to candidates -> the nearest, of equals by their hash."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.neighbors._ties import tie_order


def nearest_in_rows(source: PairwiseDistances, k: int, rows: Indices) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of some rows among all samples."""
    everyone = np.arange(source.n_samples)
    distances = np.array(source.block(rows, everyone), dtype=np.float64)
    distances[np.arange(len(rows)), rows] = np.inf
    indices = smallest(distances, k, rows, everyone)
    return indices, np.take_along_axis(distances, indices, axis=1)


def nearest_of_pairs(
    source: PairwiseDistances, k: int, rows: Indices, places: Indices, candidates: Indices
) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of some rows among candidates, at least k for each.

    Candidates come as pairs (place in ``rows``, sample).
    """
    lengths = source.pairs(rows[places], candidates)
    nearest = first_of_each(k, len(rows), places, lengths, ties=tie_order(rows[places], candidates))
    return candidates[nearest], lengths[nearest]


def first_of_each(k: int, n_rows: int, places: Indices, lengths: Floats, ties: Indices) -> Indices:
    """Return which pairs (place, ...) are the k shortest of every place, the shortest first."""
    order = np.lexsort((ties, lengths, places))
    starts = np.searchsorted(places[order], np.arange(n_rows))
    return order[starts[:, None] + np.arange(k)]


def join_nearest(
    rows: Indices, found: tuple[Indices, Floats], more: tuple[Indices, Floats]
) -> tuple[Indices, Floats]:
    """Return as many nearest neighbours of some rows as each of two searches has found.

    A neighbour that both have found counts once.
    """
    k = found[0].shape[1]
    indices, lengths = (np.hstack(parts) for parts in zip(found, more, strict=True))
    order = np.lexsort((lengths, indices))
    indices, lengths = (np.take_along_axis(each, order, axis=1) for each in (indices, lengths))
    lengths[:, 1:][indices[:, 1:] == indices[:, :-1]] = np.inf
    nearest = sort_nearest(rows, indices, lengths)[:, :k]
    indices, lengths = (np.take_along_axis(each, nearest, axis=1) for each in (indices, lengths))
    return indices, lengths


def sort_nearest(rows: Indices, indices: Indices, lengths: Floats) -> Indices:
    """Return the order in which the neighbours of each row are the nearest first."""
    return np.lexsort((tie_order(rows[:, None], indices), lengths))


def smallest(distances: Floats, k: int, rows: Indices, columns: Indices) -> Indices:
    """Return where the k smallest entries of each row stand, the smallest first.

    Rows and columns are the samples that the distances are of: equal ones are taken in the order
    of `unprior.neighbors._ties.tie_order`.
    """
    places = np.argpartition(distances, k - 1, axis=1)[:, :k]
    last = np.take_along_axis(distances, places, axis=1).max(axis=1)
    # A partition picks among equals as it likes. That matters only where some are left out.
    for row in np.flatnonzero(np.count_nonzero(distances <= last[:, None], axis=1) > k):
        nearer = np.flatnonzero(distances[row] < last[row])
        equal = np.flatnonzero(distances[row] == last[row])
        ties, missing = tie_order(rows[row], columns[equal]), k - len(nearer)
        places[row] = np.r_[nearer, equal[np.argpartition(ties, missing - 1)[:missing]]]
    order = sort_nearest(rows, columns[places], np.take_along_axis(distances, places, axis=1))
    return np.take_along_axis(places, order, axis=1)


def put_back(order: Indices, found: list[tuple[Indices, Floats]]) -> tuple[Indices, Floats]:
    """Join the neighbours of rows that were searched in some order, each row in its own place.

    The list is emptied on the way, so that the neighbours of many are not held twice.
    """
    n, k, stop = len(order), found[0][0].shape[1], len(order)
    indices, distances = np.empty((n, k), dtype=np.intp), np.empty((n, k))
    while found:
        some, lengths = found.pop()
        rows = order[stop - len(some) : stop]
        indices[rows], distances[rows] = some, lengths
        stop -= len(some)
    return indices, distances
