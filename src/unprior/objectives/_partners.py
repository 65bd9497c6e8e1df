"""Map -> partners of every sample, drawn afresh, and how many samples each of them stands for.

Draws are systematic: for every sample the others are laid out along a line, the more likely ones at
greater length, and partners are taken at equal distances from a random start. Where neighbours on
the line are neighbours in the map, the partners spread evenly over the map, and the sums that they
estimate vary far less than those of independent draws. On average they are the sums of all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities import Strata

#: Most runs of neighbours along the line of a group, and the fewest samples of a run.
MOST_RUNS, LEAST_RUN = 64, 4

#: Bits of a place along each axis of the map.
BITS = 10


class Partners(Protocol):
    """A way to draw partners at a map with three columns."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    def draw(self, Y: Floats, n_draws: int, seed: int, number: int) -> tuple[Indices, Floats]:
        """Draw partners of every sample, and their weights, for the given evaluation."""


@dataclass(frozen=True)
class LikelyPartners:
    """Partners by their mean affinity, whatever their place in the map: what attraction needs."""

    strata: Strata

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.strata.of_sample)

    def draw(self, Y: Floats, n_draws: int, seed: int, number: int) -> tuple[Indices, Floats]:
        """Draw partners of every sample, and their weights, for the given evaluation."""
        from unprior.kernels._draws import draw_likely

        strata = self.strata
        centers = np.add.reduceat(Y[strata.members], strata.first[:-1]) / strata.sizes[:, None]
        order = np.argsort(curve_places(centers), kind="stable")
        place = np.argsort(order)
        first = np.append(0, np.cumsum(strata.sizes[order]))
        shift = strata.first[order] - first[:-1]
        members = strata.members[np.arange(len(Y)) + np.repeat(shift, strata.sizes[order])]
        density = np.ascontiguousarray(strata.density[np.ix_(order, order)])
        return draw_likely(place[strata.of_sample], density, members, first, n_draws, seed, number)


@dataclass(frozen=True)
class NearPartners:
    """Partners by their distance in the map, within groups: what pushes apart acts from nearby.

    Labels are the groups of their prior: it pushes only samples of the same class. Other priors
    have one group. Their push grows with the logarithm of the affinity alone, which matters less
    than the distance.
    """

    groups: Indices
    sizes: Indices

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.groups)

    @classmethod
    def of(cls, groups: Indices) -> NearPartners:
        """Partners from the same group, given by numbers from zero."""
        return cls(groups, np.bincount(groups))

    def draw(self, Y: Floats, n_draws: int, seed: int, number: int) -> tuple[Indices, Floats]:
        """Draw partners of every sample, and their weights, for the given evaluation."""
        from unprior.kernels._draws import draw_near

        members = np.lexsort((curve_places(Y), self.groups))
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


def curve_places(Y: Floats) -> Indices:
    """Places along a Z-order curve through the map: neighbours on it are neighbours in the map."""
    low = Y.min(axis=0)
    span = float((Y.max(axis=0) - low).max())
    cells = ((Y - low) / (span or 1.0) * (2**BITS - 1)).astype(np.int64)
    places = np.zeros(len(Y), dtype=np.int64)
    for bit in range(BITS):
        for axis in range(3):
            places |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return places
