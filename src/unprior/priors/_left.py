"""Prior and neighbours -> how much of the prior neighbours share: 0 is chance, 1 is all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._landmarks import draw_landmarks
from unprior._typing import Floats, Indices
from unprior.priors._base import BLOCK_ENTRIES, Prior
from unprior.priors._labels import Labels

#: Samples whose distances to all others tell the mean distance of two.
MEAN_ROWS = 1000


@dataclass(frozen=True, eq=False)
class PriorLeft:
    """Measures what neighbours share of a prior: (far − near) / (far − least).

    Attributes
    ----------
    prior : Prior
        The prior.
    far : float
        Mean prior distance of two random samples.
    least : float
        Mean prior distance of neighbours if all of them were the nearest in the prior: above 0 only
        for labels with classes of fewer than ``k + 1`` samples.
    k : int
        Number of neighbours.
    """

    prior: Prior
    far: float
    least: float
    k: int

    @classmethod
    def of(cls, prior: Prior, k: int) -> PriorLeft:
        """Prepare to measure a prior among k neighbours."""
        n = prior.n_samples
        if isinstance(prior, Labels):
            counts = prior.counts.astype(np.float64)
            far = 1 - float(counts @ (counts - 1)) / (n * (n - 1))
            least = 1 - float(counts @ np.minimum(counts - 1, k)) / (n * k)
            return cls(prior, far, least, k)
        return cls(prior, _mean_distance(prior), 0.0, k)

    def among(self, rows: Indices, neighbors: Indices) -> float:
        """Return what is left of the prior among the neighbours of some samples.

        Parameters
        ----------
        rows : ndarray of shape (n_rows,)
            The samples.
        neighbors : ndarray of shape (n_rows, k)
            Their neighbours.
        """
        i = np.repeat(rows, neighbors.shape[1])
        near = float(np.mean(self.prior.pairs(i, neighbors.ravel())))
        if not self.far > self.least:  # no map can show anything of such a prior
            return 0.0
        return (self.far - near) / (self.far - self.least)


def _mean_distance(prior: Prior) -> float:
    """Return the mean distance of two samples: of some of them to all others."""
    n = prior.n_samples
    rows = draw_landmarks(n, MEAN_ROWS)
    everyone, step = np.arange(n), max(1, BLOCK_ENTRIES // n)
    totals: list[Floats] = [
        prior.block(rows[start : start + step], everyone).sum(axis=1, dtype=np.float64)
        for start in range(0, len(rows), step)
    ]
    return float(np.concatenate(totals).mean()) / (n - 1)
