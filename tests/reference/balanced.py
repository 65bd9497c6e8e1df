"""Slow, obvious reference of the balanced ⊖: sets, sorting and loops over all pairs."""

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
    """All pairs (i, j) and (j, i) in which either sample lists the other."""
    pairs = {(i, j) for i, others in enumerate(named) for j in others}
    return pairs | {(j, i) for i, j in pairs}


def group_matrix(codes, classes):
    """The group of j as seen from i: its stratum, or the last number for i's own small class."""
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


def kernel(rest, allowed, width):
    """The nearness of pairs by what is left of their squares; 0 for those that are not allowed."""
    return np.exp(np.where(allowed, -rest / width, -np.inf))


def scale_by_turns(rest, allowed, groups, wanted, width, rounds):
    """Scale a symmetric kernel for one prior after another, until each group has what it should.

    Both ends of a pair are scaled, so each by the root; a group that has nobody is left alone.
    """
    rest = rest.copy()
    for _ in range(rounds):
        for own, share in zip(groups, wanted, strict=True):
            sums = group_sums(kernel(rest, allowed, width), own, share.shape[1])
            there = (sums > 0) & (share > 0)
            logs = np.log(np.where(there, share / np.where(there, sums, 1), 1)) / 2
            ends = np.take_along_axis(logs, own, axis=1)
            rest -= width * (ends + ends.T)
    return rest


def narrow_down(rest, allowed, groups, wanted, width, rounds, *, squared, broad_rounds):
    """Scale it at broad widths first, each half of the one before."""
    broader = width
    while broader < 0.25 * np.quantile(squared[allowed], 0.9):
        broader *= 2
    while broader > width:
        rest = scale_by_turns(rest, allowed, groups, wanted, broader, broad_rounds * len(groups))
        broader /= 2
    return scale_by_turns(rest, allowed, groups, wanted, width, rounds * len(groups) ** 2)


def started(squared, allowed, groups):
    """Sum, over priors, half the least square of every group at both ends."""
    n, shift = len(squared), 0
    for own in groups:
        half = np.zeros((n, n))
        for i, j in np.ndindex(n, n):
            here = allowed[i] & (own[i] == own[i, j])
            half[i, j] = squared[i, here].min() / 2 / len(groups) if here.any() else 0
        shift = shift + half + half.T
    return shift


def balanced_nearness(squared, allowed, groups, strengths, width, rounds, broad_rounds=4):
    """The nearness of all pairs that are allowed, in which each group has its share.

    At strengths below 1 it goes evenly from what the group has where nobody is near to more than
    others are.
    """
    n = len(squared)

    def scaled(groups, wanted):
        rest = squared - started(squared, allowed, groups)
        how = {"squared": squared, "broad_rounds": broad_rounds}
        rest = narrow_down(rest, allowed, groups, wanted, width, rounds, **how)
        return kernel(rest, allowed, width)

    everyone = np.zeros((n, n), dtype=int)
    even = scaled([everyone], [np.ones((n, 1))])
    wanted = []
    for own, strength in zip(groups, strengths, strict=True):
        count = own.max() + 1
        plain = group_sums(even, own, count)
        plain = plain / plain.sum(axis=1, keepdims=True)
        wanted.append(strength * shares(own, count) + (1 - strength) * plain)
    return scaled(groups, wanted)


def distances(P, width):
    """Distances of a nearness, bent so that none is negative."""
    rest = -width * np.log(P)
    return np.sqrt((rest + np.sqrt(rest**2 + 4 * width**2)) / 2)


def whole_shares(i, shares, k):
    """Shares of k as whole numbers: where a ruler of unit steps, moved by a hash, meets them."""
    offset = (tie_order(i, i) >> 11) / 2**53
    ends = offset + np.cumsum([0.0, *(k * float(share) for share in shares)])
    return np.diff(np.floor(ends)).astype(int).tolist()


def nearest_by_shares(i, others, groups, shares, lengths, k):
    """The k nearest of i, of each group its share while it has any; then whoever is nearest."""
    order = sorted(others, key=lambda j: (lengths[j], tie_order(i, j)))
    chosen = []
    for group, places in enumerate(whole_shares(i, shares, k)):
        chosen += [j for j in order if groups[j] == group][:places]
    chosen = sorted(chosen, key=order.index)[:k]
    free = [j for j in order if j not in chosen]
    return sorted(chosen + free[: k - len(chosen)], key=order.index)
