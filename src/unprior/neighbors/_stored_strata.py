"""Stored points and strata -> the nearest within each stratum, with few points in memory at a time.

A portion, as many points as may be in memory, is read and indexed. It is searched for the
neighbours of all samples, a block at a time; then the next portion is read. So all data are read
once for each portion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, cast

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.geometry import Points, StoredDistances, draw_landmarks
from unprior.neighbors._index import Plan, PointIndex
from unprior.neighbors._lift import Lift
from unprior.neighbors._rows import sort_nearest
from unprior.storage import HELD

#: Number of sampled queries from which the number of probes is chosen.
SAMPLED_QUERIES = 300

#: Neighbours of every sample, and Euclidean distances to them.
Neighbors: TypeAlias = tuple[Indices, Floats]


@dataclass(frozen=True, eq=False)
class Portion:
    """Samples of one stratum that are in memory, indexed.

    Attributes
    ----------
    samples : ndarray of int
    index : PointIndex
        Of their points.
    plan : Plan
        How to search in it.
    count : int
        How many of them to find for each sample.
    """

    samples: Indices
    index: PointIndex
    plan: Plan
    count: int

    def nearest(self, rows: Indices, points: Floats) -> Neighbors:
        """Find the nearest of the given rows, with these points, in the portion."""
        places, lengths = self.index.query(points, self.count, n_jobs=1, ids=rows, plan=self.plan)
        return self.samples[places], lengths


def search_stored(
    data: StoredDistances,
    members: Sequence[Indices],
    counts: Sequence[int],
    *,
    lift: Lift | None,
    exact: bool,
    n_jobs: int | None,
    verbose: int,
) -> Iterator[tuple[Indices, Floats, float]]:
    """Yield the nearest in each stratum, Euclidean distances to them, and the recall.

    A sample may be among its own nearest.
    """
    n, step = data.n_samples, data.values.step
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    queries = _read_queries(data, draw_landmarks(n, SAMPLED_QUERIES), lift)
    before: list[Neighbors] = []
    recall = 0.0
    for cuts in _cut_strata([len(rows) for rows in members], HELD * step):
        portions = []
        for stratum, cut in cuts:
            samples = members[stratum][cut]
            points = _read(data, samples)
            points = points if lift is None else lift.indexed(points, samples)
            index = PointIndex.build(points, n_jobs=n_jobs, ids=samples)
            count = min(counts[stratum], len(samples))
            plan = index.whole
            if not exact:
                plan = index.plan(queries, count, n_jobs=n_jobs, n_queries=n)
            portions.append(Portion(samples, index, plan, count))
        search = partial(_search, data, portions, lift)
        found = map_blocks(search, blocks, title="neighbours", n_jobs=n_jobs, verbose=verbose)
        by_portion = zip(*found, strict=True)
        for portion, (stratum, cut), nearest in zip(portions, cuts, by_portion, strict=True):
            indices, lengths = (np.vstack(each) for each in zip(*nearest, strict=True))
            before.append((indices, lengths))
            before = [_merge(before, counts[stratum])]
            recall += portion.plan.recall * len(portion.samples) / len(members[stratum])
            if cut.stop == len(members[stratum]):
                yield *before.pop(), recall
                recall = 0.0


def _cut_strata(sizes: Sequence[int], most: int) -> Iterator[list[tuple[int, slice]]]:
    """Yield lists of strata, or slices of them, of at most ``most`` samples together."""
    cuts: list[tuple[int, slice]] = []
    room = most
    for stratum, size in enumerate(sizes):
        start = 0
        while start < size:
            stop = min(start + room, size)
            cuts.append((stratum, slice(start, stop)))
            start, room = stop, room - (stop - start)
            if not room:
                yield cuts
                cuts, room = [], most
    if cuts:
        yield cuts


def _read(data: StoredDistances, rows: Indices) -> Floats:
    return cast("Points", data[rows].points()).values


def _read_queries(data: StoredDistances, rows: Indices, lift: Lift | None) -> Floats:
    points = _read(data, rows)
    return points if lift is None else lift.queries(points, rows)


def _search(
    data: StoredDistances, portions: Sequence[Portion], lift: Lift | None, rows: Indices
) -> list[Neighbors]:
    points = _read_queries(data, rows, lift)
    return [portion.nearest(rows, points) for portion in portions]


def _merge(found: Sequence[Neighbors], count: int) -> Neighbors:
    """Return the nearest of several searches among disjoint samples."""
    if len(found) == 1:
        return found[0]
    indices, lengths = (np.hstack(each) for each in zip(*found, strict=True))
    order = sort_nearest(np.arange(len(indices)), indices, lengths)[:, :count]
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(lengths, order, axis=1)
