"""How much of a prior neighbours share: 0 by chance, 1 if it is shown completely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.geometry import BLOCK_ENTRIES, draw_landmarks
from unprior.priors._base import Prior

#: Landmarks used to estimate each sample's mean distance, and pairs used to estimate the overall
#: mean distance.
LANDMARKS, MEAN_PAIRS = 500, 2_000_000


@dataclass(frozen=True, eq=False)
class PriorLeft:
    """Measures how much of a prior neighbours share: Σ (far − near) / Σ (far − least).

    Attributes
    ----------
    prior : Prior
        The prior.
    far : ndarray of shape (n_samples,)
        Mean prior distance of each sample to all others.
    least : ndarray of shape (n_samples,)
        Smallest possible mean prior distance to k neighbours: above 0 only for labels, in classes
        of fewer than ``k + 1`` samples.
    k : int
        Number of neighbours.
    """

    prior: Prior
    far: Floats
    least: Floats
    k: int

    @classmethod
    def of(cls, prior: Prior, k: int) -> PriorLeft:
        """Prepare to measure a prior among k neighbours."""
        n = prior.n_samples
        codes = prior.class_codes
        if codes is not None:
            others = np.bincount(codes)[codes] - 1
            return cls(prior, 1 - others / (n - 1), 1 - np.minimum(others, k) / k, k)
        return cls(prior, mean_distances(prior), np.zeros(n), k)

    def among(self, rows: Indices, neighbors: Indices) -> float:
        """Return what is left of the prior among the neighbours of some samples.

        Parameters
        ----------
        rows : ndarray of shape (n_rows,)
            The samples.
        neighbors : ndarray of shape (n_rows, k)
            Their neighbours.
        """
        near = self.prior.pairs(np.repeat(rows, neighbors.shape[1]), neighbors.ravel())
        # Outliers in the prior have distant neighbours on any map, so comparing each sample with
        # its own mean distance reduces the variance of a subset.
        room = float(np.mean(self.far[rows] - self.least[rows]))
        if not room > 0:  # no map can show such a prior
            return 0.0
        return float(np.mean(self.far[rows]) - np.mean(near)) / room

    def permutation(self, rng: np.random.RandomState) -> Indices:
        """Return a random permutation that preserves the chance level."""
        return rng.permutation(self.prior.n_samples)


def mean_distances(prior: Prior) -> Floats:
    """Return the mean distance of every sample to all others, estimated from landmarks."""
    n = prior.n_samples
    landmarks = draw_landmarks(n, LANDMARKS)
    everyone, step = np.arange(n), max(1, BLOCK_ENTRIES // n)
    total = np.zeros(n)
    for start in range(0, len(landmarks), step):
        block = prior.block(landmarks[start : start + step], everyone)
        total += block.sum(axis=0, dtype=np.float64)
    if len(landmarks) == n:
        return total / (n - 1)
    # Using few landmarks biases all means alike; random pairs of all samples correct that.
    rng = np.random.default_rng(0)
    sums = []
    for _ in range(0, MEAN_PAIRS, BLOCK_ENTRIES // 4):
        i, j = rng.integers(0, n, (2, BLOCK_ENTRIES // 4))
        sums.append(float(prior.pairs(i, j)[i != j].mean()))
    return total * (np.mean(sums) / total.mean()) if total.any() else total
