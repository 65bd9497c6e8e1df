"""Data and strata -> the nearest of every sample within each stratum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unprior._blocks import map_blocks
from unprior._progress import progress_bar
from unprior._typing import Floats, Indices
from unprior.geometry import Curve, Points, SampleDistances, StoredDistances
from unprior.neighbors._index import PointIndex, warn_of_recall
from unprior.neighbors._lift import Lift
from unprior.neighbors._rows import smallest
from unprior.neighbors._stored_strata import search_stored

#: Largest number of distances that one thread holds at a time (16 MB).
BLOCK_ENTRIES = 2_000_000


class Nearest(NamedTuple):
    """Neighbours of every sample, one stratum after another.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, n_found), int32
        Neighbours; -1 where a stratum has no more.
    distances : ndarray of shape (n_samples, n_found), float32
        Distances to them.
    recall : float
        Fraction of the true neighbours that were found.
    """

    indices: NDArray[np.int32]
    distances: NDArray[np.float32]
    recall: float = 1.0


def nearest_per_stratum(
    data: SampleDistances,
    strata: Indices,
    counts: Indices,
    *,
    lift: Lift | None = None,
    exact: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Nearest:
    """Find the nearest neighbours of every sample within each stratum.

    Points are searched by an index, stored ones by one index for each portion that fits into
    memory. For other data all pairs are compared, a block of rows at a time.

    Parameters
    ----------
    data : SampleDistances
        The data.
    strata : ndarray of shape (n_samples,)
        The stratum of every sample, numbered from 0.
    counts : ndarray of shape (n_strata,)
        Number of neighbours to find in each stratum, or all if it has fewer samples.
    lift : Lift, optional
        What is subtracted from squared distances before neighbours are compared.
    exact : bool, default=False
        Whether to compare all pairs, whatever their number.
    n_jobs : int, optional
        Number of threads, in joblib's sense. The result does not depend on it.
    verbose : int, default=0
        1 always shows a progress bar.

    Returns
    -------
    nearest : Nearest
    """
    members = [np.flatnonzero(strata == c) for c in range(len(counts))]
    wanted = [min(int(count), len(rows)) for count, rows in zip(counts, members, strict=True)]
    points = data.some_points()
    if points is None or points.curve is Curve.ARC:
        return _by_rows(data, members, wanted, lift, n_jobs, verbose)
    # One more, since a sample may find itself.
    searched = [min(count + 1, len(rows)) for count, rows in zip(wanted, members, strict=True)]
    options: dict[str, Any] = {"lift": lift, "exact": exact, "n_jobs": n_jobs, "verbose": verbose}
    if isinstance(data, StoredDistances):
        search = search_stored(data, members, searched, **options)
    else:
        search = _search_points(points.values, members, searched, **options)
    blocks, recalls = [], []
    for count, (found, lengths, recall) in zip(wanted, search, strict=True):
        if lift is not None:
            lengths = _euclidean(data, points, found)
        blocks.append(_without_self(found, lengths, count))
        recalls.append(recall)
    indices, distances = (np.hstack(each) for each in zip(*blocks, strict=True))
    if points.curve is Curve.SQUARE:
        np.square(distances, out=distances)
    recall = float(np.average(recalls, weights=wanted))
    warn_of_recall(recall)
    return Nearest(indices, distances * np.float32(points.unit), recall)


def _euclidean(data: SampleDistances, points: Points, found: Indices) -> Floats:
    """Return Euclidean distances to the neighbours found; lifted points have lost digits."""
    rows = np.repeat(np.arange(len(found)), found.shape[1])
    if not isinstance(data, StoredDistances):
        from unprior.kernels._inverted import euclidean_pairs

        lengths = euclidean_pairs(points.values, points.values, rows, found.ravel())
        return np.asarray(lengths).reshape(found.shape)
    lengths = data.pairs(rows, found.ravel()).reshape(found.shape) / points.unit
    return np.sqrt(lengths) if points.curve is Curve.SQUARE else lengths


def _search_points(
    points: Floats,
    members: Sequence[Indices],
    counts: Sequence[int],
    *,
    lift: Lift | None,
    exact: bool,
    n_jobs: int | None,
    verbose: int,
) -> Iterator[tuple[Indices, Floats, float]]:
    """Yield the nearest in each stratum, Euclidean distances to them, and the recall.

    Searches are many and short; there is one progress bar for all.
    """
    queries = points if lift is None else lift.queries(points, np.arange(len(points)))
    with progress_bar(len(points) * len(members), "neighbours", verbose=verbose) as bar:
        for rows, count in zip(members, counts, strict=True):
            indexed = points[rows] if lift is None else lift.indexed(points[rows], rows)
            index = PointIndex.build(indexed, n_jobs=n_jobs, ids=rows)
            plan = index.whole if exact else index.plan(queries, count, n_jobs=n_jobs)
            found, lengths = index.query(queries, count, n_jobs=n_jobs, plan=plan)
            bar.update(len(points))
            yield rows[found], lengths, plan.recall


def _without_self(
    found: Indices, lengths: Floats, count: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Drop each sample itself, or else its farthest neighbour."""
    itself = found == np.arange(len(found))[:, None]
    order = np.argsort(itself, axis=1, kind="stable")[:, :count]  # samples themselves go last
    indices = np.take_along_axis(np.where(itself, -1, found), order, axis=1)
    distances = np.take_along_axis(np.where(itself, np.inf, lengths), order, axis=1)
    return indices.astype(np.int32), distances.astype(np.float32)


def _by_rows(
    data: SampleDistances,
    members: Sequence[Indices],
    counts: Sequence[int],
    lift: Lift | None,
    n_jobs: int | None,
    verbose: int,
) -> Nearest:
    """Compare all pairs, a block of rows at a time."""
    n = data.n_samples
    step = max(1, BLOCK_ENTRIES // n)
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    search = partial(_nearest_in_rows, data, members, counts, lift)
    found = map_blocks(search, blocks, title="neighbours", n_jobs=n_jobs, verbose=verbose)
    return Nearest(np.vstack([f.indices for f in found]), np.vstack([f.distances for f in found]))


def _nearest_in_rows(
    data: SampleDistances,
    members: Sequence[Indices],
    counts: Sequence[int],
    lift: Lift | None,
    rows: Indices,
) -> Nearest:
    distances = data.block(rows, np.arange(data.n_samples))
    distances[np.arange(len(rows)), rows] = np.inf
    indices, lengths = [], []
    for stratum, count in zip(members, counts, strict=True):
        within: Floats = distances[:, stratum]
        shifted = within
        if lift is not None:
            products = lift.query_rows[rows] @ lift.indexed_rows[stratum].T
            shifted = (within * lift.factor) ** 2 - products
        nearest = smallest(shifted, count, rows, stratum)
        chosen = np.take_along_axis(within, nearest, axis=1)
        indices.append(np.where(np.isfinite(chosen), stratum[nearest], -1).astype(np.int32))
        lengths.append(chosen.astype(np.float32))
    return Nearest(np.hstack(indices), np.hstack(lengths))
