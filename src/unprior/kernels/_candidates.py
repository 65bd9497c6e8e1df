"""Bounds of distances -> the candidates of a row: all that may be among its nearest.

The k smallest upper bounds are kept in a heap, the largest first. Who has a lower bound above that
is no candidate any more.
"""

from __future__ import annotations

import numpy as np

from unprior.kernels._jit import njit

#: More than what one number loses when it is rounded to single precision.
ROUNDED = 2.0**-23


@njit()
def _push(heap, value):  # type: ignore[no-untyped-def]
    """Replace the largest entry, which stands first, by a smaller one."""
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
    """Add a candidate and return how many there are; -1 if too many are equally near.

    Where there is no room, those that have been overtaken since go first.
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
    # Rounded, but never up.
    lowers[count] = lower - ROUNDED * abs(lower)
    columns[count] = column
    return count + 1


@njit(inline=True)
def single(value):  # type: ignore[no-untyped-def]
    """Round a number to single precision, but never down."""
    return np.float32(value + ROUNDED * abs(value))


@njit()
def tops_of(mirrored, n_columns, slack):  # type: ignore[no-untyped-def]
    """What is above the nearest so far of every column; below all, where none is asked."""
    heaps, _, _, counts = mirrored
    tops = np.full(n_columns, -np.inf, dtype=np.float32)
    for c in range(len(counts)):
        if counts[c] >= 0:
            tops[c] = single(heaps[c, 0] + slack)
    return tops


@njit()
def note_mirrored(lower, upper, row, c, mirrored):  # type: ignore[no-untyped-def]
    """Add a row to the candidates of column number c; return what is above its nearest then."""
    heaps, all_lowers, all_rows, counts = mirrored
    if lower <= heaps[c, 0]:
        counts[c] = note(lower, upper, row, heaps[c], all_lowers[c], all_rows[c], counts[c])
    return heaps[c, 0] if counts[c] >= 0 else -np.inf


@njit(inline=True)
def higher(a, b):  # type: ignore[no-untyped-def]
    """Return the larger of two numbers, none of which is NaN."""
    return a if a > b else b
