"""Distances between samples by a metric between stored rows, with few in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, TypeAlias

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.geometry._base import BLOCK_ENTRIES, as_rows
from unprior.geometry._points import Points
from unprior.geometry._row_distances import PointDistances, RowDistances
from unprior.storage import HELD, WALK_ENTRIES, StoredRows

#: Number of landmarks in the first pass, and in any pass; their most entries; and the number of
#: points whose distances to them are computed at a time.
LANDMARKS, MOST_LANDMARKS, LANDMARK_ENTRIES, COLUMNS = 64, 1024, 500_000, 1024

#: Most entries of paired rows held in memory at a time.
PAIRED = 500_000

#: Reads points.
Take: TypeAlias = Callable[[slice | Indices], Floats]

#: Reads rows in blocks: their positions among the requested rows, and their values.
Read: TypeAlias = Callable[[Indices], Iterator[tuple[Indices, Floats]]]


@dataclass(frozen=True, eq=False)
class Spread:
    """The mean of points and their distances to it.

    Attributes
    ----------
    middle : ndarray of shape (n_columns,)
        Their mean.
    radii : ndarray of shape (n_samples,)
        Distance of each point to the mean.
    """

    middle: Floats
    radii: Floats


def find_spread(take: Take, walk: Sequence[range]) -> Spread:
    """Compute the mean and the radii in two passes over all points."""
    sums = map_blocks(partial(_sum, take), walk, title="middle")
    middle = np.sum(sums, axis=0) / walk[-1].stop
    radii = map_blocks(partial(_radii, take, middle), walk, title="distances from the middle")
    return Spread(middle, np.concatenate(radii))


def farthest_apart(take: Take, walk: Sequence[range], spread: Spread) -> Indices:
    """Return two points with the largest Euclidean distance, up to rounding."""
    # By decreasing radius: two points within half the best distance of the mean cannot exceed it.
    order = np.argsort(-spread.radii, kind="stable")
    best, pair, start = -1.0, (0, 0), 0
    count, most = LANDMARKS, max(1, min(MOST_LANDMARKS, LANDMARK_ENTRIES // len(spread.middle)))
    while start < len(order) and 2 * spread.radii[order[start]] > best:
        landmarks = order[start : start + min(count, most)]
        own = take(landmarks) - spread.middle
        measure = partial(_farthest_from, take, spread.middle, landmarks, own)
        distance, i, j = max(map_blocks(measure, walk, title="largest distance"))
        if distance > best:
            best, pair = distance, (i, j)
        # Usually one pass suffices; otherwise more landmarks at a time save passes.
        start, count = start + len(landmarks), 2 * count
    return np.array(pair)


def _sum(take: Take, rows: range) -> Floats:
    return np.asarray(take(slice(rows.start, rows.stop)).sum(axis=0))


def _radii(take: Take, middle: Floats, rows: range) -> Floats:
    return np.linalg.norm(take(slice(rows.start, rows.stop)) - middle, axis=1)


def _farthest_from(
    take: Take, middle: Floats, landmarks: Indices, own: Floats, rows: range
) -> tuple[float, int, int]:
    """Return the largest distance of landmarks, whose points are given, to rows, and the pair."""
    others = take(slice(rows.start, rows.stop)) - middle
    lengths = np.einsum("ij,ij->i", own, own)
    best = (-1.0, 0, 0)
    for start in range(0, len(others), COLUMNS):
        some = others[start : start + COLUMNS]
        # Matrix products round small distances, but not the largest.
        squares = lengths[:, None] + np.einsum("ij,ij->i", some, some) - 2 * (own @ some.T)
        i, j = divmod(int(squares.argmax()), len(some))
        best = max(best, (float(squares[i, j]), int(landmarks[i]), rows.start + start + j))
    return float(np.sqrt(max(best[0], 0.0))), *best[1:]


@dataclass(frozen=True, eq=False, repr=False)
class StoredDistances(RowDistances):
    """Distances by a metric between rows that are read on demand from disk or a cluster.

    They are bitwise equal to those of `PointDistances`. ``distances[rows]`` is in memory.
    """

    kind: ClassVar[str] = "stored rows"
    entries: ClassVar[int] = WALK_ENTRIES

    values: StoredRows

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        rows, cols = as_rows(rows), as_rows(cols)
        distances = np.empty((len(rows), len(cols)))
        # The longer side is read once for each block of the shorter that is held in memory.
        if len(rows) <= len(cols):
            for mine, own, theirs, others in self._meetings(rows, cols):
                distances[np.ix_(mine, theirs)] = self.row_metric.block(own, others)
        else:
            for theirs, others, mine, own in self._meetings(cols, rows):
                distances[np.ix_(mine, theirs)] = self.row_metric.block(own, others)
        return distances

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ...

        Pairs with a row in common are processed together, so that it is read once.
        """
        i, j = as_rows(i), as_rows(j)
        distances = np.empty(len(i))
        for own, own_rows, mine in self._shares(self._held, i, np.arange(len(i))):
            for others, other_rows, here in self._shares(self._pieces, j, mine):
                for pairs in np.array_split(here, 1 + here.size * own_rows.shape[1] // PAIRED):
                    distances[pairs] = self.row_metric.pairs(
                        own_rows[np.searchsorted(own, i[pairs])],
                        other_rows[np.searchsorted(others, j[pairs])],
                    )
        return distances

    def _meetings(
        self, few: Indices, many: Indices
    ) -> Iterator[tuple[Indices, Floats, Indices, Floats]]:
        """Yield all combinations of blocks: positions and rows of one side, then of the other."""
        for here, held in self._held(few):
            for there, read in self._pieces(many):
                for some in self.steps(len(held)):
                    yield here[some], held[some], there, read

    def _shares(
        self, read: Read, ends: Indices, pairs: Indices
    ) -> Iterator[tuple[Indices, Floats, Indices]]:
        """Group pairs by the row at one end: yield rows that are read together, and their pairs."""
        rows, positions = np.unique(ends[pairs], return_inverse=True)
        for some, values in read(rows):
            yield rows[some], values, pairs[(positions >= some[0]) & (positions <= some[-1])]

    def _held(self, rows: Indices) -> Iterator[tuple[Indices, Floats]]:
        """Yield large blocks, which are held while others are read: positions and rows."""
        size = HELD * self._step
        for start in range(0, len(rows), size):
            positions = np.arange(start, min(start + size, len(rows)))
            yield positions, self.values[rows[positions]]

    def _pieces(self, rows: Indices) -> Iterator[tuple[Indices, Floats]]:
        """Yield small blocks, which are processed at a time, in ascending order."""
        return self.values.pieces(rows, self._step)

    def prepared(self, rows: slice | Indices) -> Floats:
        """Return rows as transformed by the metric, in double precision."""
        return np.asarray(self.row_metric.prepare(self.values[rows]))

    def prepared_pieces(self, rows: Indices) -> Iterator[tuple[Indices, Floats]]:
        """Yield blocks of rows as transformed by the metric, with their positions."""
        for positions, values in self._pieces(rows):
            yield positions, np.asarray(self.row_metric.prepare(values))

    @cached_property
    def spread(self) -> Spread:
        """The mean of all rows, as transformed by the metric, and their distances to it."""
        return find_spread(self.prepared, self.values.walk())

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        if self.row_metric.measure in ("euclidean", "sqeuclidean"):
            pair = farthest_apart(self.prepared, self.values.walk(), self.spread)
            return float(self.pairs(pair[:1], pair[1:])[0])
        n, walk = self.n_samples, self.values.walk()
        # Limited by the size of a block of distances and by the rows held in memory.
        step = max(1, min(BLOCK_ENTRIES // len(walk[0]), HELD * self._step))
        blocks = [range(start, min(start + step, n)) for start in range(0, n, step)]
        return max(map_blocks(partial(_largest_from, self), blocks, title="largest distance"))

    def some_points(self) -> Points | None:
        """Return the first row as a point, if rows are points."""
        return self[:1].points()

    def _take(self, rows: Indices) -> PointDistances:
        return PointDistances(self.values[rows], self.metric, self.row_metric)


def _largest_from(stored: StoredDistances, rows: range) -> float:
    """Return the largest distance of rows to those that follow."""
    own = stored.values[slice(rows.start, rows.stop)]
    return max(
        float(stored.row_metric.block(own, stored.values[slice(some.start, some.stop)]).max())
        for some in stored.values.walk()
        if some.stop > rows.start
    )
