"""Bounds of distances -> the candidates of a row: all that may be among its nearest.

The k smallest upper bounds are kept in a heap, the largest first. Pairs whose lower bound exceeds
it are dropped.
"""

from __future__ import annotations

import numpy as np

from unprior.kernels._jit import njit

#: An upper bound of the relative error of rounding to single precision.
ROUNDED = 2.0**-23


@njit()
def _push(heap, value):  # type: ignore[no-untyped-def]
    """Replace the first entry, the largest, by a smaller one."""
    place, size = 0, len(heap)
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value


@njit()
def note(lower, upper, column, heap, lowers, columns, count):  # type: ignore[no-untyped-def]
    """Add a candidate and return the number of candidates; -1 if too many are equally near.

    If there is no room, candidates whose lower bound now exceeds the heap's largest are dropped.
    """
    if upper < heap[0]:
        _push(heap, upper)
    size = len(lowers)
    if count == size:
        count = 0
        for place in range(size):
            if lowers[place] <= heap[0]:
                lowers[count] = lowers[place]
                columns[count] = columns[place]
                count += 1
        if count > size - size // 4:
            return -1
    # Rounded down.
    lowers[count] = lower - ROUNDED * abs(lower)
    columns[count] = column
    return count + 1


@njit(inline=True)
def single(value):  # type: ignore[no-untyped-def]
    """Round a number up to single precision."""
    return np.float32(value + ROUNDED * abs(value))


@njit()
def tops_of(mirrored, n_columns, slack):  # type: ignore[no-untyped-def]
    """Return an upper bound of every column's k nearest so far; -inf for columns not searched."""
    heaps, _, _, counts = mirrored
    tops = np.full(n_columns, -np.inf, dtype=np.float32)
    for c in range(len(counts)):
        if counts[c] >= 0:
            tops[c] = single(heaps[c, 0] + slack)
    return tops


@njit()
def note_mirrored(lower, upper, row, c, mirrored):  # type: ignore[no-untyped-def]
    """Add a row to the candidates of column c; return the new upper bound of its k nearest."""
    heaps, all_lowers, all_rows, counts = mirrored
    if lower <= heaps[c, 0]:
        counts[c] = note(lower, upper, row, heaps[c], all_lowers[c], all_rows[c], counts[c])
    return heaps[c, 0] if counts[c] >= 0 else -np.inf


@njit(inline=True)
def higher(a, b):  # type: ignore[no-untyped-def]
    """Return the larger of two numbers that are not NaN."""
    return a if a > b else b
