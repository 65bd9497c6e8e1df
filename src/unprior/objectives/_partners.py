"""Draw partners of each sample, with weights that make sums over draws unbiased.

Sampling is systematic: for each sample, the others are placed along a line, with a length in
proportion to their probability, and partners are taken at equal distances from a random offset.
Neighbours on the line are neighbours in the map, so that the partners spread evenly over the map,
and the estimated sums vary far less than with independent draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities import Strata

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
    priors have one group: their push grows only with the logarithm of the affinity, so that the
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
