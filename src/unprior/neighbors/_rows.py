"""Exact distances of rows to all samples or to candidates -> the nearest, ties broken by a hash."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.neighbors._ties import tie_order


def nearest_in_rows(source: PairwiseDistances, k: int, rows: Indices) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of given rows among all samples."""
    samples = np.arange(source.n_samples)
    distances = np.array(source.block(rows, samples), dtype=np.float64)
    distances[np.arange(len(rows)), rows] = np.inf
    indices = smallest(distances, k, rows, samples)
    return indices, np.take_along_axis(distances, indices, axis=1)


def nearest_of_pairs(
    source: PairwiseDistances, k: int, rows: Indices, places: Indices, candidates: Indices
) -> tuple[Indices, Floats]:
    """Find the nearest neighbours of given rows among candidates, at least k for each.

    Candidates are given as pairs (place in ``rows``, sample).
    """
    lengths = source.pairs(rows[places], candidates)
    nearest = first_of_each(k, len(rows), places, lengths, ties=tie_order(rows[places], candidates))
    return candidates[nearest], lengths[nearest]


def first_of_each(k: int, n_rows: int, places: Indices, lengths: Floats, ties: Indices) -> Indices:
    """Return the k shortest pairs of every place, shortest first."""
    order = np.lexsort((ties, lengths, places))
    starts = np.searchsorted(places[order], np.arange(n_rows))
    return order[starts[:, None] + np.arange(k)]


def sort_nearest(rows: Indices, indices: Indices, lengths: Floats) -> Indices:
    """Return the order that sorts the neighbours of each row, nearest first."""
    return np.lexsort((tie_order(rows[:, None], indices), lengths))


def smallest(distances: Floats, k: int, rows: Indices, columns: Indices) -> Indices:
    """Return the columns of the k smallest entries of each row, smallest first.

    ``rows`` and ``columns`` are the samples that the distances are between; ties are broken by
    `unprior.neighbors._ties.tie_order`.
    """
    places = np.argpartition(distances, k - 1, axis=1)[:, :k]
    last = np.take_along_axis(distances, places, axis=1).max(axis=1)
    # The partition breaks ties arbitrarily, which matters only where not all of them are among k.
    for row in np.flatnonzero(np.count_nonzero(distances <= last[:, None], axis=1) > k):
        nearer = np.flatnonzero(distances[row] < last[row])
        equal = np.flatnonzero(distances[row] == last[row])
        ties, missing = tie_order(rows[row], columns[equal]), k - len(nearer)
        places[row] = np.r_[nearer, equal[np.argpartition(ties, missing - 1)[:missing]]]
    order = sort_nearest(rows, columns[places], np.take_along_axis(distances, places, axis=1))
    return np.take_along_axis(places, order, axis=1)


def put_back(order: Indices, found: list[tuple[Indices, Floats]]) -> tuple[Indices, Floats]:
    """Join the neighbours of rows that were processed in another order, in the order of the data.

    The list is emptied on the way, so that no neighbours are in memory twice.
    """
    n, k, stop = len(order), found[0][0].shape[1], len(order)
    indices, distances = np.empty((n, k), dtype=np.intp), np.empty((n, k))
    while found:
        nearest, lengths = found.pop()
        rows = order[stop - len(nearest) : stop]
        indices[rows], distances[rows] = nearest, lengths
        stop -= len(nearest)
    return indices, distances
