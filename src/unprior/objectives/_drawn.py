"""pJSD(P'‖Q) estimated from partners that are drawn afresh at every step: O(n) a step.

P' is dense when its perplexity is a share of n, and s is not linear in it, so no fixed part of its
pairs will do: a map would fit the part, and the prior survive. A fresh draw at every step does,
since the sums it estimates are those of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities import Bandwidths, Cells
from unprior.objectives._jensen_shannon import PriorForces, add_up
from unprior.priors import Labels, Prior
from unprior.priors._points import Points

#: Partners drawn for every sample at every step: of the data, whose forces are linear in the
#: affinities, fewer do than of a prior.
DATA_DRAWS, PRIOR_DRAWS = 10, 20

#: Rounds of draws that estimate a constant.
N_ESTIMATES = 20


class Pairs(Protocol):
    """A prior that tells the joint affinities of drawn pairs."""

    def affinities(self, partners: Indices) -> Floats:
        """Affinities of every sample to its partners, shape as ``partners``."""


@dataclass(frozen=True)
class ClassMates:
    """Labels: all samples of a class are alike."""

    shares: Floats

    @classmethod
    def of(cls, labels: Labels) -> ClassMates:
        """Return p_ij = 1 / (n (m − 1)) in a class of m, n counting those that are not alone."""
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
    """Any prior that tells the distances of pairs."""

    prior: Prior
    bandwidths: Bandwidths

    def affinities(self, partners: Indices) -> Floats:
        """Affinities of every sample to its partners."""
        from unprior.kernels._draws import joint_affinities

        everyone = np.repeat(np.arange(len(partners)), partners.shape[1])
        squared = np.square(self.prior.pairs(everyone, partners.ravel())).reshape(partners.shape)
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
    cells: Cells
    log_mean: float
    seed: int
    n_draws: int = DATA_DRAWS
    n_evaluations: int = field(default=0, init=False)

    @classmethod
    def of(cls, pairs: Pairs, cells: Cells, seed: int) -> DrawnAttraction:
        """Make the term, with Σ p log p estimated from many draws."""
        term = cls(pairs, cells, 0.0, seed)
        estimates = []
        for _ in range(N_ESTIMATES):
            partners, weights = cells.draw(term.n_draws, draw_key(term))
            P = pairs.affinities(partners)
            # Partners may be the sample itself, whose affinity is zero.
            self_drawn = partners == np.arange(len(partners))[:, None]
            terms = np.where((P > 0) & ~self_drawn, P * np.log(np.where(P > 0, P, 1)), 0)
            estimates.append(float((weights * terms).sum()))
        term.log_mean = float(np.mean(estimates))
        return term

    def attract(self, Y: Floats) -> tuple[Floats, float]:
        """Estimate the attraction on every sample, and Σ p log w."""
        from unprior.kernels._draws import drawn_attraction

        partners, weights = self.cells.draw(self.n_draws, draw_key(self))
        force, log_kernel = drawn_attraction(Y, partners, self.pairs.affinities(partners), weights)
        return force, float(log_kernel.sum())

    def value(self, log_kernel: float, normalizer: float) -> float:
        """KL(P‖Q) from Σ p log w and Z."""
        return self.log_mean - log_kernel + float(np.log(normalizer))


@dataclass(frozen=True)
class MeanAttraction:
    """The mean of KL(P‖Q) over several views of the same samples, each with draws of its own.

    It differs from KL(P‖Q) of their mean P by a number that no map changes.
    """

    views: Sequence[DrawnAttraction]

    def attract(self, Y: Floats) -> tuple[Floats, float]:
        """Estimate the attraction on every sample, and Σ p log w."""
        forces, log_kernels = zip(*(view.attract(Y) for view in self.views), strict=True)
        return np.mean(forces, axis=0), float(np.mean(log_kernels))

    def value(self, log_kernel: float, normalizer: float) -> float:
        """KL(P‖Q) from Σ p log w and Z."""
        return float(np.mean([view.value(log_kernel, normalizer) for view in self.views]))


@dataclass
class DrawnDivergence:
    """One prior's pJSD, estimated anew at every evaluation.

    The n-th evaluation of two equal instances gives the same bits: draws depend on the seed and on
    the number of evaluations so far, and on nothing else.
    """

    pairs: Pairs
    cells: Cells
    strength: float
    symmetry: float
    skewness: float
    seed: int
    n_draws: int = PRIOR_DRAWS
    n_evaluations: int = field(default=0, init=False)

    def repel(self, Y: Floats, normalizer: float) -> PriorForces:
        """Estimate at a map with three columns whose Σ w is known."""
        from unprior.kernels._draws import drawn_forces

        partners, weights = self.cells.draw(self.n_draws, draw_key(self))
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


def draw_key(term: DrawnAttraction | DrawnDivergence) -> np.uint64:
    """Return the key of a term's next draw, and count it."""
    key = np.uint64(term.seed) * np.uint64(2**32) + np.uint64(term.n_evaluations)
    term.n_evaluations += 1
    return key
