"""Loops of an inverted file: candidates in a bucket, and the nearest of them."""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._candidates import note, single
from unprior.kernels._hash import tie_order
from unprior.kernels._jit import njit

#: Size of groups of columns, in tiles of at least WIDE columns and in others.
MANY_IN_GROUP, WIDE, FEW_IN_GROUP = 16, 1024, 4


@njit()
def _length(one, other):  # type: ignore[no-untyped-def]
    """Return the Euclidean distance between two points, in double precision."""
    total = 0.0
    for d in range(len(one)):
        # float() would keep single precision.
        gap = np.float64(one[d]) - np.float64(other[d])
        total += gap * gap
    return math.sqrt(total)


@njit()
def _group_minima(row, errors, minima):  # type: ignore[no-untyped-def]
    """Write the smallest lower bound in each group g of columns g, g + n_groups, ..."""
    n_groups, n_columns = len(minima), len(row)
    minima[:] = row[:n_groups] - errors[:n_groups]
    for start in range(n_groups, n_columns, n_groups):
        stop = min(start + n_groups, n_columns)
        # Slices and single elements, no sums of indices and no reduction: vectorised.
        values, wide, least = row[start:stop], errors[start:stop], minima[: stop - start]
        for g in range(stop - start):
            lower = values[g] - wide[g]
            least[g] = lower if lower < least[g] else least[g]


@njit()
def _kth_smallest(values, buffer):  # type: ignore[no-untyped-def]
    """Return the k-th smallest value, k being the length of the buffer; inf if there is none."""
    buffer[:] = np.inf
    last = len(buffer) - 1
    for value in values:
        if value < buffer[last]:
            place = last
            while place > 0 and buffer[place - 1] > value:
                buffer[place] = buffer[place - 1]
                place -= 1
            buffer[place] = value
    return buffer[last]


@njit()
def scan_bucket(squares, errors, places, numbers, found):  # type: ignore[no-untyped-def]
    """Add the candidates in a tile of squared distances to ``found``.

    Row r of the tile belongs to row ``places[r]`` of ``found``, and column c to the point
    ``numbers[c]``. The error of a square is at most that of its row plus that of its column.

    Groups of columns are compared first. Each of the k groups with the smallest minima has a column
    at or below the k-th smallest minimum, so groups with a larger minimum can be skipped.
    """
    row_error, column_error = errors
    heaps, all_lowers, all_columns, counts = found
    n_columns, k = squares.shape[1], heaps.shape[1]
    minima = np.empty(max(1, n_columns // (MANY_IN_GROUP if n_columns >= WIDE else FEW_IN_GROUP)))
    minima, buffer = minima.astype(np.float32), np.empty(k, dtype=np.float32)
    n_groups, widest = len(minima), np.float64(column_error.max())
    for r in range(len(places)):
        place, error = places[r], np.float64(row_error[r])
        heap, lowers, columns = heaps[place], all_lowers[place], all_columns[place]
        count = counts[place]
        _group_minima(squares[r], column_error, minima)
        # From lower bounds of groups to an upper bound of squares: add both errors twice.
        kth = np.float64(_kth_smallest(minima, buffer)) + 2 * (error + widest)
        top = single(min(heap[0], kth) + error)
        for g in range(n_groups):
            if minima[g] > top or count < 0:
                continue
            for c in range(g, n_columns, n_groups):
                if squares[r, c] - column_error[c] > top:
                    continue
                wide = error + np.float64(column_error[c])
                square = np.float64(squares[r, c])
                lower = max(square - wide, 0.0)
                if lower <= heap[0]:
                    count = note(lower, square + wide, numbers[c], heap, lowers, columns, count)
                    if count < 0:
                        break
        counts[place] = count


@njit()
def choose_nearest(points, others, ids, other_ids, found, nearest):  # type: ignore[no-untyped-def]
    """Write the nearest candidates of every point by exact distances, ties broken by a hash.

    Returns a mask of points with fewer than k candidates, or more than there is room for.
    """
    heaps, all_lowers, all_columns, counts = found
    indices, distances = nearest
    n, k = indices.shape
    unclear = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        filled = 0
        for place in range(counts[i]):
            if all_lowers[i, place] > heaps[i, 0]:
                continue
            j = all_columns[i, place]
            length = _length(points[i], others[j])
            at = filled if filled < k else k
            while at > 0 and (
                length < distances[i, at - 1]
                or (
                    length == distances[i, at - 1]
                    and tie_order(ids[i], other_ids[j])
                    < tie_order(ids[i], other_ids[indices[i, at - 1]])
                )
            ):
                if at < k:
                    distances[i, at], indices[i, at] = distances[i, at - 1], indices[i, at - 1]
                at -= 1
            if at < k:
                distances[i, at], indices[i, at] = length, j
            filled = min(filled + 1, k)
        unclear[i] = filled < k
    return unclear


@njit()
def euclidean_pairs(points, others, i, j):  # type: ignore[no-untyped-def]
    """Return the Euclidean distances from ``points[i]`` to ``others[j]``, in double precision."""
    lengths = np.empty(len(i))
    for pair in range(len(i)):
        lengths[pair] = _length(points[i[pair]], others[j[pair]])
    return lengths
