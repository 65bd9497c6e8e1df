"""KL(P‖Q) and pJSD(P'‖Q) estimated from partners that are drawn afresh at every step, in O(n).

Affinities are dense when the perplexity is a share of n. A part of the pairs that is fixed once
will not do: the map would fit that part, and the prior survive in all other pairs. A fresh draw at
every step does, since the sums it estimates are those of all pairs.

Noise of the draws acts like a higher temperature: it wipes out weak structure. The numbers of
draws are such that maps score like those of all pairs also where data are little more than noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities import Bandwidths
from unprior.geometry import Points, SampleDistances
from unprior.objectives._jensen_shannon import PriorForces, add_up
from unprior.objectives._partners import Partners
from unprior.priors import Labels

#: Partners drawn for every sample at every step.
DATA_DRAWS, PRIOR_DRAWS = 60, 100

#: Rounds of draws that estimate a constant.
N_ESTIMATES = 10


class Pairs(Protocol):
    """Data or a prior, as joint affinities of drawn pairs."""

    def affinities(self, partners: Indices) -> Floats:
        """Affinities of every sample to its partners, shape as ``partners``."""


@dataclass(frozen=True)
class ClassMates:
    """Labels: all samples of a class have the same affinity, and all others none."""

    shares: Floats

    @classmethod
    def of(cls, labels: Labels) -> ClassMates:
        """Return p_ij = 1 / (n (m − 1)) in a class of m, where n leaves out classes of one."""
        mates = labels.counts[labels.codes] - 1
        n_with_mates = np.count_nonzero(mates)
        return cls(np.where(mates > 0, 1 / (np.maximum(mates, 1) * n_with_mates), 0.0))

    def affinities(self, partners: Indices) -> Floats:
        """Affinities of every sample to its partners, which are of its class."""
        return np.broadcast_to(self.shares[:, None], partners.shape)


@dataclass(frozen=True)
class PointPairs:
    """Points: distances come from coordinates, in a compiled loop."""

    points: Points
    bandwidths: Bandwidths

    def affinities(self, partners: Indices) -> Floats:
        """Affinities of every sample to its partners."""
        from unprior.kernels._draws import joint_affinities, point_distances

        squared = point_distances(
            self.points.values, int(self.points.curve), self.points.unit, partners
        )
        joint_affinities(squared, partners, *self.bandwidths.arrays)
        return squared


@dataclass(frozen=True)
class AnyPairs:
    """Any samples, by the distances of pairs."""

    distances: SampleDistances
    bandwidths: Bandwidths

    def affinities(self, partners: Indices) -> Floats:
        """Affinities of every sample to its partners."""
        from unprior.kernels._draws import joint_affinities

        everyone = np.repeat(np.arange(len(partners)), partners.shape[1])
        squared = np.square(self.distances.pairs(everyone, partners.ravel())).reshape(
            partners.shape
        )
        joint_affinities(squared, partners, *self.bandwidths.arrays)
        return squared


@dataclass
class DrawnAttraction:
    """KL(P‖Q) with its attraction estimated anew at every evaluation.

    A sample of edges that is drawn once would do for the mean of the forces, but not for the map:
    it settles on these very edges.

    Attributes
    ----------
    log_mean : float
        Σ p log p, or an estimate: the part of KL(P‖Q) that no map changes.
    """

    pairs: Pairs
    partners: Partners
    log_mean: float
    seed: int
    n_draws: int = DATA_DRAWS
    n_evaluations: int = field(default=0, init=False)

    @classmethod
    def of(cls, pairs: Pairs, partners: Partners, seed: int) -> DrawnAttraction:
        """Make the term, with Σ p log p estimated from many draws."""
        log_mean = estimate_sums(pairs, partners, seed)[1]
        return cls(pairs, partners, log_mean, seed)

    def attract(self, Y: Floats) -> tuple[Floats, float]:
        """Estimate the attraction on every sample, and Σ p log w."""
        from unprior.kernels._draws import drawn_attraction

        partners, weights = self.partners.draw(Y, self.n_draws, self.seed, self.n_evaluations)
        self.n_evaluations += 1
        force, log_kernel = drawn_attraction(Y, partners, self.pairs.affinities(partners), weights)
        return force, float(log_kernel.sum())

    def value(self, log_kernel: float, normalizer: float) -> float:
        """KL(P‖Q) from Σ p log w and Z."""
        return self.log_mean - log_kernel + float(np.log(normalizer))


@dataclass
class DrawnDivergence:
    """One prior's pJSD, estimated anew at every evaluation.

    The n-th evaluation of two equal instances gives the same bits: draws depend on the seed and on
    the number of evaluations so far, and on nothing else.
    """

    pairs: Pairs
    partners: Partners
    strength: float
    symmetry: float
    skewness: float
    seed: int
    n_draws: int = PRIOR_DRAWS
    n_evaluations: int = field(default=0, init=False)

    def repel(self, Y: Floats, normalizer: float) -> PriorForces:
        """Estimate at a map with three columns whose Σ w is known."""
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


def estimate_sums(pairs: Pairs, partners: Partners, seed: int) -> tuple[float, float]:
    """Estimate Σ p and Σ p log p over all pairs from many draws."""
    sums = []
    for number in range(N_ESTIMATES):
        nowhere = np.zeros((partners.n_samples, 3))
        drawn, weights = partners.draw(nowhere, DATA_DRAWS, seed, number)
        P = pairs.affinities(drawn)
        # A sample may draw itself, which is no pair.
        P = np.where(drawn == np.arange(len(drawn))[:, None], 0, P)
        logs = np.log(np.where(P > 0, P, 1))
        sums.append(((weights * P).sum(), (weights * P * logs).sum()))
    total, log_mean = np.mean(sums, axis=0)
    return float(total), float(log_mean)
