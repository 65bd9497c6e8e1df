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


def purity(D_map, labels, k):
    """Share of the k map neighbours in the sample's class: 0 as by chance, 1 all of them."""
    n, labels = len(D_map), np.asarray(labels)
    share = np.mean([membership(D_map, i, k) @ (labels == labels[i]) / k for i in range(n)])
    counts = np.unique(labels, return_counts=True)[1]
    chance = np.sum(counts * (counts - 1)) / (n * (n - 1))
    return (share - chance) / (1 - chance)


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
