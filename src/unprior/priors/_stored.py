"""Rows on demand, and a metric -> distances, with few rows in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

from unprior._blocks import map_blocks
from unprior._stored import WALK_ENTRIES, StoredRows
from unprior._typing import Floats, Indices
from unprior.priors._base import BLOCK_ENTRIES, Prior, as_rows
from unprior.priors._by_rows import ByRows
from unprior.priors._spread import Spread, farthest_apart, find_spread

#: Numbers that pairs of rows hold at a time, beside the rows themselves.
PAIRED = 500_000


@dataclass(frozen=True, eq=False, repr=False)
class StoredFeatures(ByRows):
    """Numbers that are on disk or on a cluster, and stay there: `Features` of `StoredRows`.

    Distances are those of `Features`, to the bit. A part of them, ``prior[rows]``, is in memory.
    """

    kind: ClassVar[str] = "stored features"
    entries: ClassVar[int] = WALK_ENTRIES

    values: StoredRows

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        rows, cols = as_rows(rows), as_rows(cols)
        distances = np.empty((len(rows), len(cols)))
        for some in self.steps(len(rows)):
            own = self.values[rows[some]]
            for others in self.steps(len(cols)):
                distances[some, others] = self.row_metric.block(own, self.values[cols[others]])
        return distances

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ...

        Those that have a row in common are worked on together, so that it is read once.
        """
        i, j = as_rows(i), as_rows(j)
        distances = np.empty(len(i))
        for own, own_rows, mine in self._shares(i, np.arange(len(i))):
            for others, other_rows, here in self._shares(j, mine):
                for pairs in np.array_split(here, 1 + here.size * own_rows.shape[1] // PAIRED):
                    distances[pairs] = self.row_metric.pairs(
                        own_rows[np.searchsorted(own, i[pairs])],
                        other_rows[np.searchsorted(others, j[pairs])],
                    )
        return distances

    def _shares(self, ends: Indices, pairs: Indices) -> Iterator[tuple[Indices, Floats, Indices]]:
        """Share pairs out by the row at one end: rows that are read together, and their pairs."""
        rows, places = np.unique(ends[pairs], return_inverse=True)
        for some in self.steps(len(rows)):
            mine = pairs[(places >= some.start) & (places < some.stop)]
            yield rows[some], self.values[rows[some]], mine

    def prepared(self, rows: slice | Indices) -> Floats:
        """Rows as the metric measures them, in double precision."""
        return np.asarray(self.row_metric.prepare(self.values[rows]))

    @cached_property
    def spread(self) -> Spread:
        """Middle of all rows, as the metric measures them, and how far each is from it."""
        return find_spread(self.prepared, self.values.walk())

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        if self.row_metric.measure in ("euclidean", "sqeuclidean"):
            pair = farthest_apart(self.prepared, self.values.walk(), self.spread)
            return float(self.pairs(pair[:1], pair[1:])[0])
        n, walk = self.n_samples, self.values.walk()
        step = max(1, BLOCK_ENTRIES // len(walk[0]))
        blocks = [range(start, min(start + step, n)) for start in range(0, n, step)]
        return max(map_blocks(partial(_largest_from, self), blocks, title="largest distance"))

    def _take(self, rows: Indices) -> Prior:
        from unprior.priors._features import Features

        return Features(self.values[rows], self.metric, self.row_metric)


def _largest_from(stored: StoredFeatures, rows: range) -> float:
    """Return the largest distance of some rows to those that follow."""
    own = stored.values[slice(rows.start, rows.stop)]
    return max(
        float(stored.row_metric.block(own, stored.values[slice(some.start, some.stop)]).max())
        for some in stored.values.walk()
        if some.stop > rows.start
    )
