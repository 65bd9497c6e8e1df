"""Distances -> bandwidths, or conditional affinities, at a given perplexity, row by row."""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._jit import njit

MAX_STEPS = 200
TOLERANCE = 1e-6


@njit()
def _entropy(row, precision, low):  # type: ignore[no-untyped-def]
    """Return sum and entropy of exp(-precision (d² - low)) over a row, and variance of d²."""
    total, moment, square = 0.0, 0.0, 0.0
    for c in range(row.size):
        excess = row[c] - low
        if excess < math.inf:
            weight = math.exp(-precision * excess)
            total += weight
            moment += weight * excess
            square += weight * excess * excess
    mean = moment / total
    return total, math.log(total) + precision * mean, square / total - mean * mean


@njit()
def _precision(row, target):  # type: ignore[no-untyped-def]
    """Return the precision at which a row has entropy ``target``, or 0 or infinity if none."""
    low, mean, count = math.inf, 0.0, 0
    for c in range(row.size):
        if row[c] < math.inf:
            low = min(low, row[c])
            mean += row[c]
            count += 1
    nearest = 0
    for c in range(row.size):
        if row[c] == low:
            nearest += 1
    # The entropy decreases from log count (all neighbours equal) to log nearest (only the nearest,
    # tied ones); for a target outside this range, the nearer end is returned.
    if count == 0 or target >= math.log(count):
        return 0.0, low
    if target <= math.log(nearest):
        return math.inf, low
    precision = 1.0 / (mean / count - low)
    floor, ceiling = 0.0, math.inf
    for _ in range(MAX_STEPS):
        _, entropy, variance = _entropy(row, precision, low)
        gap = entropy - target
        if abs(gap) < TOLERANCE:
            break
        if gap > 0:
            floor = precision
        else:
            ceiling = precision
        # A Newton step in log precision, where the entropy is nearly linear; if it leaves the
        # bracket, bisect or, as long as the bracket is open, double.
        slope = precision * precision * variance
        precision *= math.exp(min(max(gap / slope, -5.0), 5.0)) if slope > 0 else 2.0
        if not floor < precision < ceiling:
            precision = 2 * floor if ceiling == math.inf else (floor + ceiling) / 2
    return precision, low


#: Replace precisions of 0 and infinity, whose products with infinity and 0 would be NaN:
#: exp(-EVEN * d²) is 1 for any real distance, exp(-TIED * d²) only for d = 0.
EVEN, TIED = 1e-300, 1e300


@njit(parallel=True)
def find_bandwidths(squared, target):  # type: ignore[no-untyped-def]
    """Return by row the precision for entropy ``target``, the smallest entry, and Σ exp(...).

    Infinite entries (the sample itself) are ignored.
    """
    n = len(squared)
    precision, nearest, total = np.empty(n), np.empty(n), np.empty(n)
    for i in nb.prange(n):
        found, nearest[i] = _precision(squared[i], target)
        precision[i] = min(max(found, EVEN), TIED)
        total[i] = _entropy(squared[i], precision[i], nearest[i])[0]
    return precision, nearest, total


@njit(parallel=True)
def conditional_rows(lengths, perplexity):  # type: ignore[no-untyped-def]
    """Return affinities that sum to 1 in each row; those of infinite lengths are 0.

    Rows are scaled one by one, so that they are independent of each other.
    """
    affinities = np.zeros(lengths.shape)
    target = math.log(perplexity)
    for i in nb.prange(len(lengths)):
        largest = 0.0
        for c in range(lengths.shape[1]):
            if lengths[i, c] < math.inf:
                largest = max(largest, lengths[i, c])
        unit = largest if largest > 0 else 1.0
        squared = np.empty(lengths.shape[1])
        for c in range(lengths.shape[1]):
            squared[c] = (lengths[i, c] / unit) ** 2
        found, low = _precision(squared, target)
        if low == math.inf:
            continue
        precision = min(max(found, EVEN), TIED)
        total = _entropy(squared, precision, low)[0]
        for c in range(lengths.shape[1]):
            affinities[i, c] = math.exp(-precision * (squared[c] - low)) / total
    return affinities


@njit(parallel=True)
def symmetrize(affinities, distances, precision, nearest, total):  # type: ignore[no-untyped-def]
    """Replace affinities of new to fitted samples by their mean with those of fitted to new ones.

    A fitted sample has p = exp(−precision (d² − nearest)) / total for a new one at distance d.
    """
    for i in nb.prange(len(affinities)):
        for j in range(affinities.shape[1]):
            squared = distances[i, j] * distances[i, j]
            back = math.exp(precision[j] * (nearest[j] - squared)) / total[j]
            affinities[i, j] = 0.5 * (affinities[i, j] + min(back, 1.0))
