"""Where the lineages of neighbouring tips meet -> the distance between any two tips.

Draw a tree so that no branches cross. Two tips meet at the oldest of the points where the
neighbours between them meet, so a table of the oldest over runs of 1, 2, 4, ... neighbours answers
any pair with two look-ups: O(n log n) memory, and no n × n matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices


@dataclass(frozen=True)
class Lineages:
    """The tips of a tree in the order they are drawn, and where they meet.

    Attributes
    ----------
    depths : ndarray of shape (n_tips,)
        What each tip adds to its distances: its way to the root.
    shared : ndarray of shape (n_points,)
        What each meeting point takes away: twice its own way to the root. The points are numbered
        from the oldest, every one before its descendants.
    table : ndarray of shape (n_levels, n_tips)
        ``table[k, t]`` is the point where the tips t to t + 2^k meet; the last column is unused.
    """

    depths: Floats
    shared: Floats
    table: Indices

    @classmethod
    def from_neighbors(cls, depths: Floats, shared: Floats, meets: Indices) -> Lineages:
        """Build the table, given the point where each tip but the last meets the next one."""
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
        """Distances between tips, elementwise with broadcasting."""
        point = self._meeting(np.minimum(a, b), np.maximum(a, b))
        # A difference of long ways to the root; rounding must not push it below zero.
        distances = np.maximum(self.depths[a] + self.depths[b] - self.shared[point], 0)
        return np.where(a == b, 0.0, distances)

    def _meeting(self, first: Indices, last: Indices) -> Indices:
        """Return the point where two tips meet; for one and the same tip, any."""
        spans = np.arange(self.n_tips)
        levels = np.maximum(np.frexp(spans)[1] - 1, 0)
        # Two runs of 2^level neighbours cover the span, one from its start and one to its end.
        start, end = levels * self.n_tips, levels * self.n_tips - (1 << levels)
        span, flat = last - first, self.table.ravel()
        return np.minimum(flat[start[span] + first], flat[end[span] + last])
