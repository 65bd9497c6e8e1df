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
from unprior.neighbors._index import PointIndex
from unprior.neighbors._lift import Lift
from unprior.neighbors._rows import smallest
from unprior.neighbors._stored_strata import search_stored

#: Distances that one thread holds at a time (16 MB of float64).
BLOCK_ENTRIES = 2_000_000


class Nearest(NamedTuple):
    """Neighbours of every sample, one stratum after another, as compact as they can be.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, n_found), int32
        Samples; -1 where a stratum has no more.
    distances : ndarray of shape (n_samples, n_found), float32
        Distances to them.
    recall : float
        Share of the true ones that were found.
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
    """Find the nearest others of every sample within each stratum.

    Points of many samples are looked up in an index, stored ones in an index of as many as may be
    held, one after another. Of other data all pairs are looked at, some rows at a time.

    Parameters
    ----------
    data : Prior
        The data as distances.
    strata : ndarray of shape (n_samples,)
        The stratum of every sample, numbered from 0.
    counts : ndarray of shape (n_strata,)
        Neighbours to find in each stratum; as many as there are, if it has fewer.
    lift : Lift, optional
        What is subtracted from squared distances before neighbours are compared.
    exact : bool, default=False
        Whether to look at all pairs, however many they are.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar at once.

    Returns
    -------
    nearest : Nearest
    """
    members = [np.flatnonzero(strata == c) for c in range(len(counts))]
    wanted = [min(int(count), len(some)) for count, some in zip(counts, members, strict=True)]
    points = data.some_points()
    if points is None or points.curve is Curve.ARC:
        return _by_rows(data, members, wanted, lift, n_jobs, verbose)
    # A sample may find itself.
    asked = [min(count + 1, len(some)) for count, some in zip(wanted, members, strict=True)]
    options: dict[str, Any] = {"lift": lift, "exact": exact, "n_jobs": n_jobs, "verbose": verbose}
    if isinstance(data, StoredDistances):
        search = search_stored(data, members, asked, **options)
    else:
        search = _search_points(points.values, members, asked, **options)
    parts, recalls = [], []
    for count, (found, lines, recall) in zip(wanted, search, strict=True):
        if lift is not None:
            lines = _straight_lines(data, points, found)
        parts.append(_without_self(found, lines, count))
        recalls.append(recall)
    indices, distances = (np.hstack(each) for each in zip(*parts, strict=True))
    if points.curve is Curve.SQUARE:
        np.square(distances, out=distances)
    return Nearest(
        indices, distances * np.float32(points.unit), float(np.average(recalls, weights=wanted))
    )


def _straight_lines(data: SampleDistances, points: Points, found: Indices) -> Floats:
    """Return the straight lines of all samples to those found; lifted ones have lost digits."""
    rows = np.repeat(np.arange(len(found)), found.shape[1])
    if not isinstance(data, StoredDistances):
        from unprior.kernels._inverted import measure

        return np.asarray(measure(points.values, points.values, rows, found.ravel())).reshape(
            found.shape
        )
    lines = data.pairs(rows, found.ravel()).reshape(found.shape) / points.unit
    return np.sqrt(lines) if points.curve is Curve.SQUARE else lines


def _search_points(
    points: Floats,
    members: Sequence[Indices],
    asked: Sequence[int],
    *,
    lift: Lift | None,
    exact: bool,
    n_jobs: int | None,
    verbose: int,
) -> Iterator[tuple[Indices, Floats, float]]:
    """Yield the nearest in one stratum after another, the lines to them, and what share was found.

    Searches are many and short; there is one progress bar for all.
    """
    queries = points if lift is None else lift.queries(points, np.arange(len(points)))
    with progress_bar(len(points) * len(members), "neighbours", verbose=verbose) as bar:
        for some, count in zip(members, asked, strict=True):
            own = points[some] if lift is None else lift.indexed(points[some], some)
            index = PointIndex.build(own, n_jobs=n_jobs, ids=some)
            plan = index.whole if exact else index.plan(queries, count, n_jobs=n_jobs)
            found, lines = index.query(queries, count, n_jobs=n_jobs, plan=plan)
            bar.update(len(points))
            yield some[found], lines, plan.recall


def _without_self(
    found: Indices, lines: Floats, count: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Leave every sample itself out, or else the farthest of them."""
    own = found == np.arange(len(found))[:, None]
    order = np.argsort(own, axis=1, kind="stable")[:, :count]  # samples themselves go last
    indices = np.take_along_axis(np.where(own, -1, found), order, axis=1)
    distances = np.take_along_axis(np.where(own, np.inf, lines), order, axis=1)
    return indices.astype(np.int32), distances.astype(np.float32)


def _by_rows(
    data: SampleDistances,
    members: Sequence[Indices],
    counts: Sequence[int],
    lift: Lift | None,
    n_jobs: int | None,
    verbose: int,
) -> Nearest:
    """CandidateFinder at all pairs."""
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
    for some, count in zip(members, counts, strict=True):
        within: Floats = distances[:, some]
        rest = within
        if lift is not None:
            taken_off = lift.asking[rows] @ lift.asked[some].T
            rest = (within * lift.factor) ** 2 - taken_off
        nearest = smallest(rest, count, rows, some)
        chosen = np.take_along_axis(within, nearest, axis=1)
        indices.append(np.where(np.isfinite(chosen), some[nearest], -1).astype(np.int32))
        lengths.append(chosen.astype(np.float32))
    return Nearest(np.hstack(indices), np.hstack(lengths))
