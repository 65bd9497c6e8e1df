"""Squared distances -> the bandwidths of conditional affinities of a given perplexity, by rows."""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._jit import njit

MAX_STEPS = 200
TOLERANCE = 1e-6


@njit()
def _entropy(row, precision, low):  # type: ignore[no-untyped-def]
    """Of exp(-precision (d² - low)) over the row: sum, entropy, and variance of d²."""
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
    """Precision at which the row's entropy is ``target``; 0 or infinity where there is none."""
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
    # Between all neighbours alike (entropy log count) and only the nearest, tied ones (log nearest)
    # entropy falls steadily; outside, the end of the range is the closest there is.
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
        # Newton's step in the logarithm of the precision, where entropy is nearly straight; if it
        # leaves the bracket, halve that or, as long as it is open, double.
        slope = precision * precision * variance
        precision *= math.exp(min(max(gap / slope, -5.0), 5.0)) if slope > 0 else 2.0
        if not floor < precision < ceiling:
            precision = 2 * floor if ceiling == math.inf else (floor + ceiling) / 2
    return precision, low


#: Stand for a precision of zero and for an infinite one, and can be multiplied with infinity and
#: with zero: exp(-EVEN * d²) is one for any real distance, exp(-TIED * d²) for that of zero alone.
EVEN, TIED = 1e-300, 1e300


@njit(parallel=True)
def find_bandwidths(squared, target):  # type: ignore[no-untyped-def]
    """Per row of squared distances: precision for entropy ``target``, nearest, and Σ exp(...).

    Infinite entries (the sample itself) do not count.
    """
    n = len(squared)
    precision, nearest, total = np.empty(n), np.empty(n), np.empty(n)
    for i in nb.prange(n):
        found, nearest[i] = _precision(squared[i], target)
        precision[i] = min(max(found, EVEN), TIED)
        total[i] = _entropy(squared[i], precision[i], nearest[i])[0]
    return precision, nearest, total
