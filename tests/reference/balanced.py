"""Slow, obvious twins of the balanced ⊖: sets, sorting and loops over all pairs."""

from __future__ import annotations

import numpy as np

from reference.ties import tie_order


def nearest_per_stratum(D, strata, counts):
    """For every sample, a list for each stratum of its nearest there, by (distance, hash)."""
    return [
        [
            sorted(
                (j for j in range(len(D)) if j != i and strata[j] == stratum),
                key=lambda j: (D[i, j], tie_order(i, j)),
            )[:count]
            for stratum, count in enumerate(counts)
        ]
        for i in range(len(D))
    ]


def candidate_pairs(named):
    """All pairs (i, j) and (j, i) of which one names the other."""
    pairs = {(i, j) for i, others in enumerate(named) for j in others}
    return pairs | {(j, i) for i, j in pairs}


def group_matrix(codes, classes):
    """The group of j in the eyes of i: its stratum, or the last number for i's own small class."""
    n, count = len(codes), max(codes) + 1
    groups = np.empty((n, n), dtype=int)
    for i, j in np.ndindex(n, n):
        mates = classes[i] >= 0 and classes[i] == classes[j]
        groups[i, j] = count if mates else codes[j]
    return groups


def shares(groups, count):
    """The share of every group among the others of each sample."""
    n = len(groups)
    return np.array(
        [
            [sum(groups[i, j] == g for j in range(n) if j != i) / (n - 1) for g in range(count)]
            for i in range(n)
        ]
    )


def group_sums(P, groups, count):
    """How near every group is to each sample."""
    return np.array(
        [[P[i][groups[i] == g].sum() for g in range(count)] for i in range(len(P))]
    ).reshape(len(P), count)


def scale_by_turns(P, groups, wanted, rounds):
    """Scale a symmetric kernel for one prior after another, until each group has what it should.

    Both ends of a pair are scaled, so each by the root; a group that has nobody is left alone.
    """
    P = P.copy()
    for _ in range(rounds):
        for own, share in zip(groups, wanted, strict=True):
            sums = group_sums(P, own, share.shape[1])
            there = (sums > 0) & (share > 0)
            factors = np.sqrt(np.where(there, share / np.where(there, sums, 1), 1))
            ends = np.take_along_axis(factors, own, axis=1)
            P *= ends * ends.T
    return P


def started(squared, allowed, groups):
    """Scale the kernel, for each prior, by half the least square of every group at both ends."""
    n, shift = len(squared), 0
    for own in groups:
        half = np.zeros((n, n))
        for i, j in np.ndindex(n, n):
            here = allowed[i] & (own[i] == own[i, j])
            half[i, j] = squared[i, here].min() / 2 / len(groups) if here.any() else 0
        shift = shift + half + half.T
    return shift


def balanced_nearness(squared, allowed, groups, strengths, width, rounds):
    """The nearness of all pairs that are allowed, in which each group has its share.

    At strengths below 1 it goes evenly from what the group has where nobody is near to more than
    others are.
    """
    n = len(squared)

    def kernel(groups):
        exponents = (started(squared, allowed, groups) - squared) / width
        return np.where(allowed, np.exp(exponents), 0)

    everyone = np.zeros((n, n), dtype=int)
    even = scale_by_turns(kernel([everyone]), [everyone], [np.ones((n, 1))], rounds)
    wanted = []
    for own, strength in zip(groups, strengths, strict=True):
        count = own.max() + 1
        plain = group_sums(even, own, count)
        wanted.append(strength * shares(own, count) + (1 - strength) * plain)
    return scale_by_turns(kernel(groups), groups, wanted, rounds)


def distances(P, width):
    """Distances of a nearness, bent so that none is negative."""
    rest = -width * np.log(P)
    return np.sqrt((rest + np.sqrt(rest**2 + 4 * width**2)) / 2)
