"""KL(P‖Q) and pJSD(P'‖Q) estimated in O(n) from partners that are drawn anew at every step.

Affinities are dense if the perplexity is a fraction of n. A fixed subset of the pairs does not
suffice: the map would fit that subset, and the prior would survive in all other pairs. New draws at
every step estimate the sums over all pairs without bias.

The noise of the draws acts like a higher temperature and erases weak structure. The numbers of
draws are such that maps score like those of all pairs even if the data are mostly noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities import Bandwidths
from unprior.geometry import Points, SampleDistances
from unprior.objectives._divergences import PriorForces, add_up
from unprior.objectives._partners import Partners
from unprior.priors import Labels

#: Partners drawn for each sample at each step.
DATA_DRAWS, PRIOR_DRAWS = 60, 100

#: Rounds of draws to estimate a constant.
N_ESTIMATES = 10


class PairAffinities(Protocol):
    """Joint affinities of sampled pairs, of the data or of a prior."""

    def affinities(self, partners: Indices) -> Floats:
        """Return the affinities of each sample to its partners, shaped like ``partners``."""


@dataclass(frozen=True)
class ClassPairs:
    """Affinities of labels: the same for all samples of a class, and 0 between classes."""

    by_sample: Floats

    @classmethod
    def of(cls, labels: Labels) -> ClassPairs:
        """Set p_ij = 1 / (n (m − 1)) in a class of m samples; n does not count classes of one."""
        mates = labels.counts[labels.codes] - 1
        n_with_mates = np.count_nonzero(mates)
        return cls(np.where(mates > 0, 1 / (np.maximum(mates, 1) * n_with_mates), 0.0))

    def affinities(self, partners: Indices) -> Floats:
        """Return the affinities of each sample to its partners, which belong to its class."""
        return np.broadcast_to(self.by_sample[:, None], partners.shape)


@dataclass(frozen=True)
class PointPairs:
    """Affinities of points, with distances from their coordinates in a compiled loop."""

    points: Points
    bandwidths: Bandwidths

    def affinities(self, partners: Indices) -> Floats:
        """Return the affinities of each sample to its partners."""
        from unprior.kernels._draws import joint_affinities, point_distances

        squared = point_distances(
            self.points.values, int(self.points.curve), self.points.unit, partners
        )
        joint_affinities(squared, partners, *self.bandwidths.arrays)
        return squared


@dataclass(frozen=True)
class DistancePairs:
    """Affinities of any samples, by the distances of pairs."""

    distances: SampleDistances
    bandwidths: Bandwidths

    def affinities(self, partners: Indices) -> Floats:
        """Return the affinities of each sample to its partners."""
        from unprior.kernels._draws import joint_affinities

        rows = np.repeat(np.arange(len(partners)), partners.shape[1])
        squared = np.square(self.distances.pairs(rows, partners.ravel())).reshape(partners.shape)
        joint_affinities(squared, partners, *self.bandwidths.arrays)
        return squared


@dataclass
class SampledAttraction:
    """KL(P‖Q) with its attraction estimated anew at each evaluation.

    Attributes
    ----------
    log_mean : float
        Σ p log p, or an estimate: the part of KL(P‖Q) that does not depend on the map.
    """

    pairs: PairAffinities
    partners: Partners
    log_mean: float
    seed: int
    n_draws: int = DATA_DRAWS
    n_evaluations: int = field(default=0, init=False)

    @classmethod
    def of(cls, pairs: PairAffinities, partners: Partners, seed: int) -> SampledAttraction:
        """Create the term, with Σ p log p estimated from many draws."""
        log_mean = estimate_sums(pairs, partners, seed)[1]
        return cls(pairs, partners, log_mean, seed)

    def attract(self, Y: Floats) -> tuple[Floats, float]:
        """Estimate the attraction on each sample, and Σ p log w."""
        from unprior.kernels._draws import drawn_attraction

        partners, weights = self.partners.draw(Y, self.n_draws, self.seed, self.n_evaluations)
        self.n_evaluations += 1
        force, log_kernel = drawn_attraction(Y, partners, self.pairs.affinities(partners), weights)
        return force, float(log_kernel.sum())

    def value(self, log_kernel: float, normalizer: float) -> float:
        """KL(P‖Q) from Σ p log w and Z."""
        return self.log_mean - log_kernel + float(np.log(normalizer))


@dataclass
class SampledDivergence:
    """One prior's pJSD, estimated anew at each evaluation.

    Draws depend only on the seed and the number of evaluations so far.
    """

    pairs: PairAffinities
    partners: Partners
    strength: float
    symmetry: float
    skewness: float
    seed: int
    n_draws: int = PRIOR_DRAWS
    n_evaluations: int = field(default=0, init=False)

    def repel(self, Y: Floats, normalizer: float) -> PriorForces:
        """Estimate at a map with three columns, given Z = Σ w."""
        from unprior.kernels._draws import drawn_forces

        partners, weights = self.partners.draw(Y, self.n_draws, self.seed, self.n_evaluations)
        self.n_evaluations += 1
        sums = drawn_forces(
            Y,
            partners,
            self.pairs.affinities(partners),
            weights,
            normalizer,
            float(self.symmetry),
            float(self.skewness),
        )
        return add_up(sums, self.symmetry, self.skewness)


def estimate_sums(pairs: PairAffinities, partners: Partners, seed: int) -> tuple[float, float]:
    """Estimate Σ p and Σ p log p over all pairs from many draws."""
    sums = []
    for number in range(N_ESTIMATES):
        origin = np.zeros((partners.n_samples, 3))
        drawn, weights = partners.draw(origin, DATA_DRAWS, seed, number)
        P = pairs.affinities(drawn)
        # A sample may draw itself, which is not a pair.
        P = np.where(drawn == np.arange(len(drawn))[:, None], 0, P)
        logs = np.log(np.where(P > 0, P, 1))
        sums.append(((weights * P).sum(), (weights * P * logs).sum()))
    total, log_mean = np.mean(sums, axis=0)
    return float(total), float(log_mean)
