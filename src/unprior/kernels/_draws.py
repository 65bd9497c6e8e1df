"""Draw partners of each sample, and estimate the forces of data and prior from them.

Random numbers are hashes of seed, evaluation and sample, so that the result does not depend on the
number of threads.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._fast_math import fast_log
from unprior.kernels._hash import scramble
from unprior.kernels._jit import njit
from unprior.kernels._pairs import kernel, prior_slope


@njit()
def _fill(partners, weights, members, first, density, offset):  # type: ignore[no-untyped-def]
    """Fill a row with a systematic sample: draws at equal distances along a line of runs.

    Run r consists of ``members[first[r]:first[r + 1]]``, each with a length of ``density[r]``. The
    weights of a member sum to 1 on average, whatever the densities.
    """
    n_runs = len(density)
    total = 0.0
    for r in range(n_runs):
        total += density[r] * (first[r + 1] - first[r])
    step = total / len(partners)
    r, passed = 0, 0.0
    length = density[0] * (first[1] - first[0])
    for e in range(len(partners)):
        at = (e + offset) * step
        while r < n_runs - 1 and at >= passed + length:
            passed += length
            r += 1
            length = density[r] * (first[r + 1] - first[r])
        place = min(int((at - passed) / density[r]), first[r + 1] - first[r] - 1)
        partners[e] = members[first[r] + place]
        weights[e] = step / density[r]


@njit()
def _offset(i, seed, number):  # type: ignore[no-untyped-def]
    """Return a random number in [0, 1) for sample i and an evaluation."""
    key = scramble((np.uint64(seed) << np.uint64(32)) + np.uint64(number))
    bits = scramble(key + np.uint64(i) * np.uint64(0x9E3779B97F4A7C15))
    return float(bits >> np.uint64(32)) / 4294967296.0


@njit(parallel=True)
def draw_likely(of_sample, density, members, first, n_draws, seed, number):  # type: ignore[no-untyped-def]
    """Draw partners of each sample from strata, and return them with their weights.

    A sample of stratum a draws members of stratum b with a probability proportional to
    ``density[a, b]``.
    """
    n = len(of_sample)
    partners = np.empty((n, n_draws), dtype=np.int32)
    weights = np.empty((n, n_draws), dtype=np.float32)
    for i in nb.prange(n):
        _fill(
            partners[i], weights[i], members, first, density[of_sample[i]], _offset(i, seed, number)
        )
    return partners, weights


@njit(parallel=True)
def draw_near(Y, groups, group_runs, members, first, centers, spread, n_draws, seed, number):  # type: ignore[no-untyped-def]
    """Draw partners of each sample from its group, and return them with their weights.

    Group g has the runs ``group_runs[g]`` up to ``group_runs[g + 1]``, each with a centre and the
    mean squared distance from it. The density of draws decreases with the distance like w. Groups
    of at most ``n_draws`` samples are taken completely.
    """
    n = len(Y)
    partners = np.empty((n, n_draws), dtype=np.int32)
    weights = np.empty((n, n_draws), dtype=np.float32)
    for i in nb.prange(n):
        low, high = group_runs[groups[i]], group_runs[groups[i] + 1]
        start, stop = first[low], first[high]
        if stop - start <= n_draws:
            for e in range(n_draws):
                present = start + e < stop
                partners[i, e] = members[start + e] if present else i
                weights[i, e] = 1.0 if present else 0.0
        else:
            density = np.empty(high - low)
            for r in range(low, high):
                a, b, c = Y[i, 0] - centers[r, 0], Y[i, 1] - centers[r, 1], Y[i, 2] - centers[r, 2]
                density[r - low] = 1.0 / (1.0 + spread[r] + a * a + b * b + c * c)
            runs = first[low : high + 1]
            _fill(partners[i], weights[i], members, runs, density, _offset(i, seed, number))
    return partners, weights


@njit()
def _squared_distance(one, other, curve, unit):  # type: ignore[no-untyped-def]
    """Return the squared distance of two points (`unprior.geometry._points`)."""
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
    """Return the squared distances of each sample to its partners."""
    squared = np.empty(partners.shape)
    for i in nb.prange(len(partners)):
        for c in range(partners.shape[1]):
            squared[i, c] = _squared_distance(values[i], values[partners[i, c]], curve, unit)
    return squared


@njit(parallel=True)
def joint_affinities(squared, partners, precision, nearest, total):  # type: ignore[no-untyped-def]
    """Replace squared distances to partners by (p_{j|i} + p_{i|j}) / 2n.

    p_{j|i} = exp(-precision_i (d² - nearest_i)) / total_i. Distances below the nearest one of the
    calibration count as that one.
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
    """Return by sample Σ_j p w (y_i - y_j) and Σ_j p log w over weighted draws."""
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
    """Return by sample the prior's part of JEDI over weighted draws.

    The same sums as `unprior.kernels._pairs.prior_forces`, for ordered pairs: the force on each
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
