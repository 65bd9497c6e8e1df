"""Sinkhorn's iteration: candidates of every sample -> potentials that give each stratum its share.

Rows of candidates are stored one after another: those of row i from ``starts[i]`` to
``starts[i + 1]``. Every pair is in both rows.
"""

from __future__ import annotations

import numba
import numpy as np

from unprior.kernels._hash import tie_order
from unprior.kernels._jit import njit

#: Exponents this far below the largest one of their group do not change the sum.
NEGLIGIBLE = -40.0


@njit()
def count_pairs(indices):  # type: ignore[no-untyped-def]
    """Return the number of samples that list each sample or are listed by it, with repeats."""
    n, width = indices.shape
    counts = np.zeros(n, dtype=np.int64)
    for i in range(n):
        for place in range(width):
            if indices[i, place] >= 0:
                counts[i] += 1
                counts[indices[i, place]] += 1
    return counts


@njit()
def pair_both_ways(indices, lengths, starts, columns, values):  # type: ignore[no-untyped-def]
    """Write each pair into the rows of both samples; twice if each of them lists the other."""
    n, width = indices.shape
    filled = starts[:-1].copy()
    for i in range(n):
        for place in range(width):
            j = indices[i, place]
            if j >= 0:
                columns[filled[i]], values[filled[i]] = j, lengths[i, place]
                columns[filled[j]], values[filled[j]] = i, lengths[i, place]
                filled[i] += 1
                filled[j] += 1


@njit(parallel=True)
def sort_rows(starts, columns, values, counts):  # type: ignore[no-untyped-def]
    """Sort each row by column, drop duplicates, and write the number of remaining pairs."""
    for i in numba.prange(len(starts) - 1):
        first, stop = starts[i], starts[i + 1]
        order = np.argsort(columns[first:stop], kind="mergesort")
        row, row_values = columns[first:stop][order], values[first:stop][order]
        kept = 0
        for place in range(stop - first):
            if kept and columns[first + kept - 1] == row[place]:
                # The two directions may differ by rounding.
                shorter = min(values[first + kept - 1], row_values[place])
                values[first + kept - 1] = shorter
            else:
                columns[first + kept] = row[place]
                values[first + kept] = row_values[place]
                kept += 1
        counts[i] = kept


@njit(inline=True)
def _group(i, j, codes, classes, count):  # type: ignore[no-untyped-def]
    """Return the group of j as seen from i: its stratum, or ``count`` if in i's own small class."""
    return count if classes[i] >= 0 and classes[i] == classes[j] else codes[j]


@njit(parallel=True)
def start_potentials(pairs, strata, values):  # type: ignore[no-untyped-def]
    """Write half the smallest square of every group, so that no exponent is above 0."""
    starts, columns, squares = pairs
    codes, classes = strata
    count = values.shape[1] - 1
    for i in numba.prange(len(starts) - 1):
        values[i] = np.inf
        for e in range(starts[i], starts[i + 1]):
            group = _group(i, columns[e], codes, classes, count)
            values[i, group] = min(values[i, group], squares[e] / 2)
        for group in range(count + 1):
            if values[i, group] == np.inf:
                values[i, group] = 0


@njit(parallel=True)
def log_totals(pairs, strata, width, values, shifts, logs):  # type: ignore[no-untyped-def]
    """Write the logarithm of each sample's total affinity to every group; -inf if it is empty.

    ``shifts`` is what the potentials of other priors subtract from each square.
    """
    starts, columns, squares = pairs
    codes, classes = strata
    count = values.shape[1] - 1
    rate = np.float32(-1 / width)
    for i in numba.prange(len(starts) - 1):
        first, stop = starts[i], starts[i + 1]
        exponents = np.empty(stop - first, dtype=np.float32)
        groups = np.empty(stop - first, dtype=np.int32)
        # Read once: the compiler cannot know that writing `groups` does not change them.
        own, code, small = values[i], codes[i], classes[i]
        most = np.full(count + 1, np.float32(-np.inf))
        for e in range(first, stop):
            j = columns[e]
            alike = small >= 0 and small == classes[j]
            group = count if alike else codes[j]
            back = count if alike else code
            shifted = squares[e] - own[group] - values[j, back]
            if len(shifts):
                shifted -= shifts[e]
            exponent = rate * shifted
            exponents[e - first], groups[e - first] = exponent, group
            if exponent > most[group]:
                most[group] = exponent
        sums = np.zeros(count + 1)
        for place in range(stop - first):
            group = groups[place]
            below = exponents[place] - most[group]
            if below > NEGLIGIBLE:
                sums[group] += np.exp(below)
        for group in range(count + 1):
            logs[i, group] = most[group] + np.log(sums[group]) if sums[group] else -np.inf


@njit(parallel=True)
def add_potentials(starts, columns, strata, values, shifts):  # type: ignore[no-untyped-def]
    """Add the potentials of both samples of every pair to its shift."""
    codes, classes = strata
    count = values.shape[1] - 1
    for i in numba.prange(len(starts) - 1):
        for e in range(starts[i], starts[i + 1]):
            j = columns[e]
            group = _group(i, j, codes, classes, count)
            back = _group(j, i, codes, classes, count)
            shifts[e] += values[i, group] + values[j, back]


@njit()
def _sort_ties(i, row, columns, order):  # type: ignore[no-untyped-def]
    """Order ties by their hash."""
    place = 0
    while place < len(order):
        stop = place + 1
        while stop < len(order) and row[order[stop]] == row[order[place]]:
            stop += 1
        if stop > place + 1:
            equal = order[place:stop].copy()
            ties = np.empty(len(equal), dtype=np.uint64)
            for number in range(len(equal)):
                ties[number] = tie_order(i, columns[equal[number]])
            order[place:stop] = equal[np.argsort(ties)]
        place = stop


@njit()
def _round_shares(i, shares, k, room):  # type: ignore[no-untyped-def]
    """Round shares of k up or down at random, by the row's hash, to whole numbers.

    They sum to k if the shares sum to 1.
    """
    offset = np.float64(tie_order(i, i) >> np.uint64(11)) / 2.0**53
    total, before = offset, 0.0
    for group in range(len(room)):
        total += k * np.float64(shares[group])
        room[group] = np.int64(np.floor(total) - before)
        before = np.floor(total)


@njit(parallel=True)
def nearest_by_shares(pairs, strata, shares, lengths, indices, distances):  # type: ignore[no-untyped-def]
    """Write the nearest of every row: from each group its share, if it has that many candidates."""
    starts, columns, _ = pairs
    codes, classes = strata
    n, k = indices.shape
    count = shares.shape[1] - 1
    for i in numba.prange(n):
        row = lengths[starts[i] : starts[i + 1]]
        candidates = columns[starts[i] : starts[i + 1]]
        order = np.argsort(row, kind="mergesort")
        _sort_ties(i, row, candidates, order)
        room = np.empty(count + 1, dtype=np.int64)
        _round_shares(i, shares[i], k, room)
        taken, filled = np.zeros(len(order), dtype=np.bool_), 0
        for place in range(len(order)):
            group = _group(i, candidates[order[place]], codes, classes, count)
            if filled < k and room[group] > 0:
                room[group] -= 1
                taken[place] = True
                filled += 1
        for place in range(len(order)):  # where groups have too few candidates
            if filled < k and not taken[place]:
                taken[place] = True
                filled += 1
        filled = 0
        for place in range(len(order)):
            if taken[place]:
                indices[i, filled] = candidates[order[place]]
                distances[i, filled] = row[order[place]]
                filled += 1
