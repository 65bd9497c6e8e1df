"""Slow, obvious references of the neighbour search and of ⊖: one sample, one pair at a time."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from reference.ties import tie_order


def nearest(D, k):
    """The k nearest of each sample by (distance, hash of the pair), and their distances."""
    indices = [
        sorted((j for j in range(len(D)) if j != i), key=lambda j: (D[i, j], tie_order(i, j)))[:k]
        for i in range(len(D))
    ]
    return np.array(indices), np.array([D[i, row] for i, row in enumerate(indices)])


def symmetric_graph(indices, distances):
    """The matrix of edges, NaN where there is none."""
    G = np.full((len(indices), len(indices)), np.nan)
    for i in range(len(indices)):
        G[i, i] = 0
        for j, d in zip(indices[i], distances[i], strict=True):
            G[i, j] = G[j, i] = np.fmin(G[i, j], d)
    return G


def all_pairs(D):
    """Distances of all pairs i < j."""
    return np.array([D[i, j] for i in range(len(D)) for j in range(i + 1, len(D))])


def matrix_of(pairs, n):
    """The symmetric matrix with a zero diagonal and these distances of all pairs i < j."""
    D, values = np.zeros((n, n)), iter(pairs)
    for i in range(n):
        for j in range(i + 1, n):
            D[i, j] = D[j, i] = next(values)
    return D


def size_of(D, scale):
    return D.max() if scale == "max" else np.quantile(all_pairs(D), 0.99)


def linear(DX, priors, strengths, scale="max"):
    """Algorithm 1 of the paper, a pair at a time."""
    F = np.zeros_like(DX)
    data_size, sizes = size_of(DX, scale), [size_of(DZ, scale) for DZ in priors]
    for i, j in np.ndindex(F.shape):
        if i != j:
            F[i, j] = DX[i, j] / data_size
            for DZ, size, strength in zip(priors, sizes, strengths, strict=True):
                F[i, j] += strength - strength / 2 * min(DZ[i, j] / size, 1)
    return F


def bins_of(distances, n_bins):
    """The bin of each pair: as equal in number as ties allow, or one for each distance if few."""
    ordered = sorted(distances)
    gaps = [m for m in range(len(ordered) - 1) if ordered[m] < ordered[m + 1]]
    if len(gaps) >= n_bins:
        wanted = [b * len(ordered) // n_bins - 1 for b in range(1, n_bins)]
        gaps = {min(gaps, key=lambda g: abs(g - w)) for w in wanted}
    return np.array([sum(d > ordered[g] for g in gaps) for d in distances])


def conditional(data, cells):
    """Rank within the bin (ties share a rank), mapped back through the quantiles of all pairs.

    The ranks of each bin are shifted by a fraction of a rank, so that bins share no distances.
    """
    result = np.empty(len(data))
    for number, cell in enumerate(np.unique(cells), start=1):
        here = cells == cell
        part = number * (np.sqrt(5) - 1) / 2 % 1
        shares = (rankdata(data[here]) - 1 + part) / here.sum()
        result[here] = np.quantile(data, shares, method="hazen")
    return result


def quantile(DX, DZ, strength, n_bins):
    """The conditional ⊖ for one prior, divided by the largest data distance."""
    data = all_pairs(DX)
    blend = (1 - strength) * data + strength * conditional(data, bins_of(all_pairs(DZ), n_bins))
    return matrix_of(blend / DX.max(), len(DX))
