"""KL(P‖Q) and pJSD(P'‖Q) estimated in O(n) from partners that are drawn anew at every step.

Affinities are dense if the perplexity is a fraction of n. A fixed subset of the pairs does not
suffice: the map would fit that subset, and the prior would survive in all other pairs. New draws at
every step estimate the sums over all pairs without bias.

The noise of the draws acts like a higher temperature and erases weak structure. The numbers of
draws are such that maps score like those of all pairs even if the data are mostly noise.

Sampling is systematic: for each sample, the others are placed along a line, with a length in
proportion to their probability, and partners are taken at equal distances from a random offset.
Neighbours on the line are neighbours in the map, so the partners spread evenly over the map,
and the estimated sums vary far less than with independent draws.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities import Bandwidths, Strata
from unprior.geometry import Points, SampleDistances
from unprior.objectives._divergences import PriorForces, add_up

#: Partners drawn for each sample at each step.
DATA_DRAWS, PRIOR_DRAWS = 60, 100

#: Rounds of draws to estimate a constant.
N_ESTIMATES = 10

#: Largest number of runs (stretches of the line with equal probability) per group, and smallest
#: number of samples in a run.
MOST_RUNS, LEAST_RUN = 64, 4

#: Bits of a coordinate along each axis of the map.
BITS = 10


class Partners(Protocol):
    """A way to draw partners at a map with three columns."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    def draw(self, Y: Floats, n_draws: int, seed: int, number: int) -> tuple[Indices, Floats]:
        """Draw partners of each sample, and their weights, for evaluation ``number``."""


@dataclass(frozen=True)
class LikelyPartners:
    """Partners drawn by their mean affinity, for the attraction."""

    strata: Strata

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.strata.of_sample)

    def draw(self, Y: Floats, n_draws: int, seed: int, number: int) -> tuple[Indices, Floats]:
        """Draw partners of each sample, and their weights, for evaluation ``number``."""
        from unprior.kernels._draws import draw_likely

        strata = self.strata
        centers = np.add.reduceat(Y[strata.order], strata.first[:-1]) / strata.sizes[:, None]
        along = np.argsort(curve_positions(centers), kind="stable")
        place = np.argsort(along)
        first = np.append(0, np.cumsum(strata.sizes[along]))
        shift = strata.first[along] - first[:-1]
        members = strata.order[np.arange(len(Y)) + np.repeat(shift, strata.sizes[along])]
        density = np.ascontiguousarray(strata.density[np.ix_(along, along)])
        return draw_likely(place[strata.of_sample], density, members, first, n_draws, seed, number)


@dataclass(frozen=True)
class NearPartners:
    """Partners drawn by their distance in the map, within groups, for the prior's repulsion.

    The classes of labels are groups, since labels push only samples of the same class apart. Other
    priors have one group: their push grows only with the logarithm of the affinity, so the
    distance in the map matters more.
    """

    groups: Indices
    sizes: Indices

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.groups)

    @classmethod
    def of(cls, groups: Indices) -> NearPartners:
        """Draw partners from the same group; groups are numbered from 0."""
        return cls(groups, np.bincount(groups))

    def draw(self, Y: Floats, n_draws: int, seed: int, number: int) -> tuple[Indices, Floats]:
        """Draw partners of each sample, and their weights, for evaluation ``number``."""
        from unprior.kernels._draws import draw_near

        members = np.lexsort((curve_positions(Y), self.groups))
        n_runs = np.clip(self.sizes // LEAST_RUN, 1, MOST_RUNS)
        group_runs = np.append(0, np.cumsum(n_runs))
        start = np.append(0, np.cumsum(self.sizes))
        group = np.repeat(np.arange(len(n_runs)), n_runs)
        within = np.arange(len(group)) - group_runs[group]
        first = np.append(start[group] + within * self.sizes[group] // n_runs[group], len(Y))
        sorted_map, sizes = Y[members], np.diff(first)
        centers = np.add.reduceat(sorted_map, first[:-1]) / sizes[:, None]
        away = np.square(sorted_map - np.repeat(centers, sizes, axis=0)).sum(axis=1)
        spread = np.add.reduceat(away, first[:-1]) / sizes
        runs = (group_runs, members, first, centers, spread)
        return draw_near(Y, self.groups, *runs, n_draws, seed, number)


def curve_positions(Y: Floats) -> Indices:
    """Return the positions of samples along a Z-order curve through the map."""
    low = Y.min(axis=0)
    span = float((Y.max(axis=0) - low).max())
    grid = ((Y - low) / (span or 1.0) * (2**BITS - 1)).astype(np.int64)
    positions = np.zeros(len(Y), dtype=np.int64)
    for bit in range(BITS):
        for axis in range(3):
            positions |= ((grid[:, axis] >> bit) & 1) << (3 * bit + axis)
    return positions


class PairAffinities(Protocol):
    """Joint affinities of sampled pairs, of the data or of a prior."""

    def affinities(self, partners: Indices) -> Floats:
        """Return the affinities of each sample to its partners, shaped like ``partners``."""


@dataclass(frozen=True)
class ClassPairs:
    """Affinities of labels: the same for all samples of a class, and 0 between classes."""

    by_sample: Floats

    @classmethod
    def of(cls, codes: Indices) -> ClassPairs:
        """Set p_ij = 1 / (n (m − 1)) in a class of m samples; n does not count classes of one."""
        mates = np.bincount(codes)[codes] - 1
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
