"""Fresh random partners for every sample -> the forces of data and prior, estimated.

Random numbers are hashes of seed, evaluation and sample: any sample's draws can be made on any
thread, and the result does not depend on how many there are.
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
    """Fill a row with draws at equal distances along runs of members, as long as their density.

    Run r holds ``members[first[r]:first[r + 1]]``. The draws are a systematic sample: whatever the
    densities, the weights of a member add up to one on average.
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
    """A random number in [0, 1) for sample i, another one for every evaluation."""
    key = scramble((np.uint64(seed) << np.uint64(32)) + np.uint64(number))
    bits = scramble(key + np.uint64(i) * np.uint64(0x9E3779B97F4A7C15))
    return float(bits >> np.uint64(32)) / 4294967296.0


@njit(parallel=True)
def draw_likely(of_sample, density, members, first, n_draws, seed, number):  # type: ignore[no-untyped-def]
    """For every sample, partners from strata, and how many samples each of them stands for.

    A sample of stratum a draws members of stratum b with a probability in proportion to
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
    """For every sample, partners of its group, near ones first, and what each of them stands for.

    Group g has the runs ``group_runs[g]`` up to ``group_runs[g + 1]``, each with a center and the
    mean squared distance from it. The density of draws falls with the distance as w does. A group
    of no more than ``n_draws`` samples is taken whole.
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
    """Squared distance of two samples given as points (`unprior.geometry._points`)."""
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
