"""Distance matrices to scores, slowly and obviously: loops over samples, tie orders and sizes."""

from __future__ import annotations

from itertools import permutations

import numpy as np


def others(n, i):
    """All samples but i."""
    return np.delete(np.arange(n), i)


def membership(D, i, k):
    """How probably each sample is among the k nearest of i, when ties are broken at random."""
    result, distances = np.zeros(len(D)), D[i, others(len(D), i)]
    for j in others(len(D), i):
        nearer = (distances < D[i, j]).sum()
        nearer_or_tied = (distances <= D[i, j]).sum()
        result[j] = min(max((k - nearer) / (nearer_or_tied - nearer), 0), 1)
    return result


def row_overlaps(A, B):
    """Expected share of common neighbours, one row for each sample, one column for each size."""
    n = len(A)
    return np.array(
        [[membership(A, i, k) @ membership(B, i, k) / k for k in range(1, n)] for i in range(n)]
    )


def row_recalls(A, labels):
    """Expected share of a sample's class among its neighbours; no row for samples alone in it."""
    n, rows = len(A), []
    for i in range(n):
        own = np.array([j != i and labels[j] == labels[i] for j in range(n)])
        if own.any():
            rows.append([membership(A, i, k)[own].sum() / own.sum() for k in range(1, n)])
    return np.array(rows)


def enumerated_overlap(A, B):
    """Mean overlap by size over every pair of tie orders: the definition itself."""
    n = len(A)
    total, count = np.zeros(n - 1), 0
    for i in range(n):
        orders_a, orders_b = (
            # A stable sort of every arrangement breaks ties in every way, equally often.
            [
                sorted(arrangement, key=lambda j: D[i, j])
                for arrangement in permutations(others(n, i))
            ]
            for D in (A, B)
        )
        for order_a in orders_a:
            for order_b in orders_b:
                total += [len({*order_a[:k]} & {*order_b[:k]}) / k for k in range(1, n)]
                count += 1
    return total / count


def coherence(D_map, D_prior, k):
    """1 - mean prior distance to the k map neighbours / mean prior distance to all others."""
    n = len(D_map)
    near = np.mean([membership(D_map, i, k) @ D_prior[i] / k for i in range(n)])
    far = np.mean([D_prior[i, others(n, i)].mean() for i in range(n)])
    return 1 - near / far


def class_purities(D_map, labels, k):
    """Purity of each class of two samples or more, by its own chance and its own best."""
    n, labels, found = len(D_map), np.asarray(labels), {}
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        if len(members) > 1:
            share = np.mean([membership(D_map, i, k)[members].sum() / k for i in members])
            chance, best = (len(members) - 1) / (n - 1), min(k, len(members) - 1) / k
            found[label] = (share - chance) / (best - chance) if best > chance else 0.0
    return found


def purity(D_map, labels, k):
    """Share of the k map neighbours in the sample's class: 0 as by chance, 1 all it has."""
    n, labels = len(D_map), np.asarray(labels)
    share = np.mean([membership(D_map, i, k) @ (labels == labels[i]) / k for i in range(n)])
    n_others = np.array([np.sum(labels == label) - 1 for label in labels])
    chance, best = np.mean(n_others / (n - 1)), np.mean(np.minimum(k, n_others) / k)
    return (share - chance) / (best - chance) if best > chance else 0.0


def kept_within(D_map, D_data, strata, k):
    """How much nearer in the data map neighbours of a stratum are than all of it, at best 1."""
    on_map, at_best = [], []
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        if len(members) < 4:
            continue
        here = np.ix_(members, members)
        n_near = min(k, (len(members) - 1) // 3)
        for i, distances in enumerate(D_data[here]):
            far = distances.sum() / (len(members) - 1)
            on_map.append(far - membership(D_map[here], i, n_near) @ distances / n_near)
            at_best.append(far - membership(D_data[here], i, n_near) @ distances / n_near)
    return np.sum(on_map) / np.sum(at_best)


def trustworthiness(D_data, D_map, k):
    """1 - scaled sum of how far beyond rank k the map's neighbours lie in the data."""
    n, intrusion = len(D_data), 0.0
    for i in range(n):
        inside = membership(D_map, i, k)
        # The expected excess over random tie orders, as a sum over sizes: a sample that is not
        # yet a neighbour at size k, k + 1, ... lies one rank further out for each of them.
        for size in range(k, n):
            intrusion += inside @ (1 - membership(D_data, i, size))
    return 1 - intrusion * 2 / (n * k * (2 * n - 3 * k - 1))
