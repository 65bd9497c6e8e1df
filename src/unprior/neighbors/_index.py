"""Points -> an index that tells the nearest of them for any other points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.neighbors._rows import smallest

#: Distances that one thread holds at a time (16 MB of float64).
BLOCK_ENTRIES = 2_000_000


@dataclass(frozen=True, eq=False)
class PointIndex:
    """Points among which the nearest of any points are looked up, by straight lines.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_columns)

    Examples
    --------
    >>> import numpy as np
    >>> index = PointIndex.build(np.array([[0.0], [1.0], [3.0]]))
    >>> index.query(np.array([[2.6]]), 2)
    (array([[2, 1]]), array([[0.4, 1.6]]))
    """

    points: Floats

    @classmethod
    def build(
        cls, points: Floats, *, n_jobs: int | None = None, random_state: Any = 0
    ) -> PointIndex:
        """Make an index of points; the result depends on them and the seed alone."""
        return cls(np.ascontiguousarray(points))

    def query(self, points: Floats, k: int, *, n_jobs: int | None = None) -> tuple[Indices, Floats]:
        """Return the k nearest indexed points of each point, the nearest first, and distances.

        A point that is itself indexed is its own nearest: whoever asks leaves it out.
        """

        def search(rows: Indices) -> tuple[Indices, Floats]:
            distances = cdist(points[rows], self.points)
            indices = smallest(distances, k)
            nearest = np.take_along_axis(distances, indices, axis=1)
            order = np.argsort(nearest, axis=1, kind="stable")
            indices = np.take_along_axis(indices, order, axis=1)
            return indices, np.take_along_axis(nearest, order, axis=1)

        step = max(1, BLOCK_ENTRIES // len(self.points))
        blocks = [
            np.arange(start, min(start + step, len(points)))
            for start in range(0, len(points), step)
        ]
        found = map_blocks(search, blocks, title="neighbours", n_jobs=n_jobs)
        indices, distances = (np.vstack(parts) for parts in zip(*found, strict=True))
        return indices, distances
