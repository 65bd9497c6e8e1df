"""Ranks with ties, and the expected overlap of two rankings at each neighbourhood size.

The order of tied samples is random. So the probability that sample j is in the neighbourhood of
size k rises linearly from 0 at k = low to 1 at k = high, where low others are nearer and high are
nearer or tied. Without ties high = low + 1 is the rank. Ties of the two rankings are broken
independently, so the expected overlap is the sum over j of the product of both probabilities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unprior.kernels._jit import njit

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices


@njit()
def climb_ranks(distances: Floats, order: Indices) -> tuple[Indices, Indices]:
    """Return low and high of each sample in each row.

    ``order`` sorts each row of ``distances``, with the sample itself first: it is not its own
    neighbour, so its low is beyond the last size, n - 1.
    """
    n_rows, n = distances.shape
    low = np.empty((n_rows, n), dtype=np.int32)
    high = np.empty((n_rows, n), dtype=np.int32)
    for row in range(n_rows):
        low[row, order[row, 0]] = n
        high[row, order[row, 0]] = n + 1
        first = 1
        while first < n:
            distance = distances[row, order[row, first]]
            last = first
            while last + 1 < n and distances[row, order[row, last + 1]] == distance:
                last += 1
            for place in range(first, last + 1):
                low[row, order[row, place]] = first - 1
                high[row, order[row, place]] = last
            first = last + 1
    return low, high


@njit()
def expected_overlap(
    low_a: Indices,
    high_a: Indices,
    low_b: Indices,
    high_b: Indices,
    row_divisor: Floats,
    size_divisor: Floats,
) -> tuple[Floats, Floats]:
    """Sum the growth of the overlap from size k - 1 to k over rows, and average it by row.

    Returns the growth over k = 0 ... n - 1 of the overlap divided by ``row_divisor``, and for each
    row the mean over k = 1 ... n - 1 of its overlap divided by both divisors.
    """
    n_rows, n = low_a.shape
    growth = np.zeros(n)
    means = np.empty(n_rows)
    # While one probability rises, the overlap grows by a constant; while both do, by a constant
    # plus slope * k. Each sample changes constant and slope where its probabilities begin and end
    # to rise. Without ties these are integers, hence exact.
    constant = np.empty(n + 3)
    slope = np.empty(n + 3)
    for row in range(n_rows):
        constant[:] = 0.0
        slope[:] = 0.0
        for j in range(n):
            begin = max(low_a[row, j], low_b[row, j])
            both_end = min(high_a[row, j], high_b[row, j])
            end = max(high_a[row, j], high_b[row, j])
            size_a = high_a[row, j] - low_a[row, j]
            size_b = high_b[row, j] - low_b[row, j]
            if begin < both_end:
                unit = 1.0 / (float(size_a) * size_b)
                offset = (1.0 + low_a[row, j] + low_b[row, j]) * unit
                constant[begin + 1] -= offset
                constant[both_end + 1] += offset
                slope[begin + 1] += 2.0 * unit
                slope[both_end + 1] -= 2.0 * unit
                begin = both_end
            if begin < end:
                unit = 1.0 / (size_a if high_a[row, j] > high_b[row, j] else size_b)
                constant[begin + 1] += unit
                constant[end + 1] -= unit
        overlap = constant_now = slope_now = total = 0.0
        for k in range(1, n):
            constant_now += constant[k]
            slope_now += slope[k]
            step = constant_now + slope_now * k
            overlap += step
            growth[k] += step / row_divisor[row]
            total += overlap / size_divisor[k]
        means[row] = total / row_divisor[row] / (n - 1)
    return growth, means
