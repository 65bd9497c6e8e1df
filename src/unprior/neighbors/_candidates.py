"""Points -> the few pairs among which the nearest neighbours of every sample are, for certain.

Matrix products give squared distances many times quicker than differences do, but they round. How
much is bounded, so that all who might be among the k nearest can be told, and they are hardly more
than k. Their true distances then decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points around the origin, none farther from it than 1.

    Attributes
    ----------
    points : ndarray of shape (n_samples, n_columns)
        Where the samples are, in the precision they came in.
    squared : ndarray of shape (n_samples,)
        Squared distances from the origin.
    slack : float
        Bound on the rounding of |a − b|², as a share of |a|² + |b|².
    """

    points: Floats
    squared: Floats
    slack: float

    def candidates(self, rows: Indices, k: int) -> tuple[Indices, Indices]:
        """Pairs (place in ``rows``, sample) that hold the k nearest of each row, ties included.

        Pairs are in ascending order; a row is no candidate of its own.
        """
        slack, own = self.slack, self.squared[rows]
        # |a − b|² as it is at most, but for the part that is the row's own.
        most = (-2 * self.points[rows]) @ self.points.T
        most += (1 + slack) * self.squared
        most[np.arange(len(rows)), rows] = np.inf
        kth = np.partition(most, k - 1, axis=1)[:, k - 1]
        # No neighbour is farther from the row than this, so from the origin not farther than both.
        radius = np.sqrt(np.maximum(kth + (1 + slack) * own, 0))
        reach = np.square(np.sqrt(own) + radius)
        near = most <= (kth + 2 * slack * (own + reach))[:, None]
        return np.divmod(np.flatnonzero(near), len(self.points))


def make_cloud(points: Floats) -> Cloud:
    """Move points to the origin and shrink them to a radius of 1, where no square overflows."""
    centred = points - points.mean(axis=0, dtype=np.float64).astype(points.dtype)
    largest = np.abs(centred).max()
    if largest > 0:
        centred /= largest
        centred /= np.sqrt(np.einsum("ij,ij->i", centred, centred).max())
    slack = 2 * (points.shape[1] + 8) * float(np.finfo(points.dtype).eps)
    return Cloud(centred, np.einsum("ij,ij->i", centred, centred), slack)
