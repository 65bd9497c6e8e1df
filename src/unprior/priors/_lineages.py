"""Distances between the tips of a tree, by range-minimum queries for their common ancestors.

With the tips in the order of a drawing without crossing branches, the common ancestor of two tips
is the oldest of the common ancestors of adjacent tips between them. A sparse table of the oldest
over 1, 2, 4, ... adjacent pairs answers any query with two look-ups, in O(n log n) memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices


@dataclass(frozen=True)
class Lineages:
    """The tips of a tree in drawing order, and their common ancestors.

    Attributes
    ----------
    depths : ndarray of shape (n_tips,)
        Distance of each tip to the root, which is added to its distances.
    shared : ndarray of shape (n_ancestors,)
        Twice the distance of each ancestor to the root, which is subtracted. Ancestors are numbered
        from the oldest, each before its descendants.
    table : ndarray of shape (n_levels, n_tips)
        ``table[k, t]`` is the common ancestor of the tips t to t + 2^k; the last column is unused.
    """

    depths: Floats
    shared: Floats
    table: Indices

    @classmethod
    def from_neighbors(cls, depths: Floats, shared: Floats, meets: Indices) -> Lineages:
        """Build the table from the common ancestor of each tip but the last and the next one."""
        table = [np.append(meets, 0).astype(np.int32)]
        run = 1
        while 2 * run <= len(meets):
            level = table[-1].copy()
            level[:-run] = np.minimum(table[-1][:-run], table[-1][run:])
            table.append(level)
            run *= 2
        return cls(depths, shared, np.array(table))

    @property
    def n_tips(self) -> int:
        """Number of tips."""
        return len(self.depths)

    def distances(self, a: Indices, b: Indices) -> Floats:
        """Return distances between tips, elementwise with broadcasting."""
        ancestor = self._ancestor(np.minimum(a, b), np.maximum(a, b))
        # The difference of large depths may round to below zero.
        distances = np.maximum(self.depths[a] + self.depths[b] - self.shared[ancestor], 0)
        return np.where(a == b, 0.0, distances)

    def _ancestor(self, first: Indices, last: Indices) -> Indices:
        """Return the common ancestor of two different tips; arbitrary for equal tips."""
        spans = np.arange(self.n_tips)
        levels = np.maximum(np.frexp(spans)[1] - 1, 0)
        # Two overlapping runs of 2^level tips cover the span, from its start and to its end.
        start, end = levels * self.n_tips, levels * self.n_tips - (1 << levels)
        span, flat = last - first, self.table.ravel()
        return np.minimum(flat[start[span] + first], flat[end[span] + last])
