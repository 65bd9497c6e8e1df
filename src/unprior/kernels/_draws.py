"""Fresh random partners for every sample -> the prior's forces, estimated.

Random numbers are hashes of (key, sample, draw): any sample's draws can be made anywhere, so the
result does not depend on the number of threads, and every step has a key of its own.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._jit import njit
from unprior.kernels._log import fast_log
from unprior.kernels._pairs import kernel, prior_slope


@njit()
def _hash(x):  # type: ignore[no-untyped-def]
    """Scramble 64 bits (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(parallel=True)
def draw_partners(cells, accept, alias, scale, members, first, n_draws, key):  # type: ignore[no-untyped-def]
    """For every sample, partners drawn from cells, and how many samples each draw stands for.

    A sample of cell a draws a cell b from row a of an alias table (b uniformly; kept with
    ``accept[a, b]``, else ``alias[a, b]``), then a member of it uniformly; ``members`` lists the
    samples cell by cell, cell b from ``first[b]`` up to ``first[b + 1]``. ``scale[a, b]`` is the
    size of b over the probability that a draws it.
    """
    n, n_cells = len(cells), len(accept)
    partners = np.empty((n, n_draws), dtype=np.int32)
    weights = np.empty((n, n_draws), dtype=np.float32)
    unit = 1.0 / 4294967296.0
    for i in nb.prange(n):
        a = cells[i]
        start = _hash(key + np.uint64(i) * np.uint64(0x9E3779B97F4A7C15))
        for c in range(n_draws):
            bits = _hash(start + np.uint64(c) * np.uint64(0xD1342543DE82EF95))
            # The upper half of the bits chooses the cell, the lower one its member.
            at = float(bits >> np.uint64(32)) * unit * n_cells
            b = int(at)
            if at - b >= accept[a, b]:
                b = alias[a, b]
            size = first[b + 1] - first[b]
            partners[i, c] = members[
                first[b] + int(float(bits & np.uint64(0xFFFFFFFF)) * unit * size)
            ]
            weights[i, c] = scale[a, b] / n_draws
    return partners, weights


@njit()
def _squared_distance(one, other, curve, unit):  # type: ignore[no-untyped-def]
    """Squared distance of two samples given as points (`unprior.priors._points`)."""
    squared = 0.0
    for d in range(one.size):
        gap = float(one[d]) - float(other[d])
        squared += gap * gap
    if curve == 1:
        squared = (2.0 * math.asin(min(math.sqrt(squared) / 2.0, 1.0))) ** 2
    elif curve == 2:
        squared = squared * squared
    return unit * unit * squared


@njit(parallel=True)
def point_distances(values, curve, unit, partners):  # type: ignore[no-untyped-def]
    """Squared distances of every sample to its partners."""
    squared = np.empty(partners.shape)
    for i in nb.prange(len(partners)):
        for c in range(partners.shape[1]):
            squared[i, c] = _squared_distance(values[i], values[partners[i, c]], curve, unit)
    return squared


@njit(parallel=True)
def joint_affinities(squared, partners, precision, nearest, total):  # type: ignore[no-untyped-def]
    """(p_{j|i} + p_{i|j}) / 2n of every sample and its partners, in place of squared distances.

    p_{j|i} = exp(-precision_i (d² - nearest_i)) / total_i. A distance below the nearest that the
    calibration saw counts as that one.
    """
    n = len(partners)
    for i in nb.prange(n):
        for c in range(partners.shape[1]):
            j = partners[i, c]
            d2 = squared[i, c]
            one = math.exp(-precision[i] * max(d2 - nearest[i], 0.0)) / total[i]
            other = math.exp(-precision[j] * max(d2 - nearest[j], 0.0)) / total[j]
            squared[i, c] = (one + other) / (2.0 * n)


@njit(parallel=True)
def drawn_attraction(Y, partners, P, weights):  # type: ignore[no-untyped-def]
    """By samples, Σ_j p w (y_i - y_j) and Σ_j p log w over drawn pairs, each for its weight."""
    n = len(Y)
    force, total = np.zeros((n, 3)), np.zeros(n)
    for i in nb.prange(n):
        for e in range(partners.shape[1]):
            j = partners[i, e]
            if j != i:
                a, b, c, w = kernel(Y, i, j)
                p = weights[i, e] * P[i, e]
                total[i] += p * fast_log(w)
                force[i, 0] += p * w * a
                force[i, 1] += p * w * b
                force[i, 2] += p * w * c
    return force, total


@njit(parallel=True)
def drawn_forces(Y, partners, R, weights, normalizer, symmetry, skewness):  # type: ignore[no-untyped-def]
    """By samples, the prior's part of JEDI over drawn pairs, each standing for its weight.

    The same sums as `unprior.kernels._pairs.prior_forces`, for ordered pairs: the force on every
    sample, Σ_j q s, and the terms of the value.
    """
    n = len(Y)
    force, mean, value = np.zeros((n, 3)), np.zeros(n), np.zeros(n)
    odds = skewness / (1.0 - skewness)
    for i in nb.prange(n):
        for e in range(partners.shape[1]):
            j, r = partners[i, e], R[i, e]
            if r > 0.0 and j != i:
                a, b, c, w = kernel(Y, i, j)
                q = w / normalizer
                s, term = prior_slope(r, q, odds, symmetry, skewness)
                push = weights[i, e] * s * q
                mean[i] += push
                value[i] += weights[i, e] * term
                force[i, 0] += push * w * a
                force[i, 1] += push * w * b
                force[i, 2] += push * w * c
    return force, mean, value
