"""Stored points and strata -> the nearest within each stratum, with few points in memory at a time.

As many points as may be held are read and indexed. All samples, some at a time, look their nearest
up in these, then the next are read: everything is read once for each part that is held.
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

#: Samples that tell how many buckets of an index to look at.
ASKED = 300

#: Samples near every sample, and the straight lines to them.
Neighbors: TypeAlias = tuple[Indices, Floats]


@dataclass(frozen=True, eq=False)
class Part:
    """Samples of one stratum that are held, indexed.

    Attributes
    ----------
    samples : ndarray of int
    index : PointIndex
        Of their points.
    plan : Plan
        How to search in it.
    count : int
        How many of them to find, for each of all samples.
    """

    samples: Indices
    index: PointIndex
    plan: Plan
    count: int

    def nearest(self, rows: Indices, points: Floats) -> Neighbors:
        """Find the nearest of some rows, which are these points, among the samples held."""
        places, lines = self.index.query(points, self.count, n_jobs=1, ids=rows, plan=self.plan)
        return self.samples[places], lines


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
    """Yield the nearest in one stratum after another, the lines to them, and what share was found.

    So many of each stratum, if there are; a sample may be among its own nearest.
    """
    n, step = data.n_samples, data.values.step
    blocks = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    asked = _read_queries(data, draw_landmarks(n, ASKED), lift)
    before: list[Neighbors] = []
    recall = 0.0
    for cuts in _cut_strata([len(some) for some in members], HELD * step):
        parts = []
        for stratum, cut in cuts:
            samples = members[stratum][cut]
            own = _read(data, samples)
            own = own if lift is None else lift.indexed(own, samples)
            index = PointIndex.build(own, n_jobs=n_jobs, ids=samples)
            count = min(counts[stratum], len(samples))
            plan = index.whole if exact else index.plan(asked, count, n_jobs=n_jobs)
            parts.append(Part(samples, index, plan, count))
        search = partial(_look_up, data, parts, lift)
        found = map_blocks(search, blocks, title="neighbours", n_jobs=n_jobs, verbose=verbose)
        for part, (stratum, cut), pieces in zip(parts, cuts, zip(*found, strict=True), strict=True):
            indices, lines = (np.vstack(each) for each in zip(*pieces, strict=True))
            before.append((indices, lines))
            before = [_nearest_of(before, counts[stratum])]
            recall += part.plan.recall * len(part.samples) / len(members[stratum])
            if cut.stop == len(members[stratum]):
                yield *before.pop(), recall
                recall = 0.0


def _cut_strata(sizes: Sequence[int], most: int) -> Iterator[list[tuple[int, slice]]]:
    """Yield strata, or slices of them, that have so many samples together."""
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


def _look_up(
    data: StoredDistances, parts: Sequence[Part], lift: Lift | None, rows: Indices
) -> list[Neighbors]:
    points = _read_queries(data, rows, lift)
    return [part.nearest(rows, points) for part in parts]


def _nearest_of(found: Sequence[Neighbors], count: int) -> Neighbors:
    """Return the nearest of searches that have nobody in common."""
    if len(found) == 1:
        return found[0]
    indices, lines = (np.hstack(each) for each in zip(*found, strict=True))
    order = sort_nearest(np.arange(len(indices)), indices, lines)[:, :count]
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(lines, order, axis=1)
