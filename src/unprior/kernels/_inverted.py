"""Points against the points of a bucket -> which may be nearest; against centres -> which are."""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._candidates import note, single
from unprior.kernels._hash import tie_order
from unprior.kernels._jit import njit

#: Columns that are looked at together, in tiles of at least as many columns as WIDE and in others.
MANY_IN_GROUP, WIDE, FEW_IN_GROUP = 16, 1024, 4


@njit()
def _length(one, other):  # type: ignore[no-untyped-def]
    """Length of the straight line between two points, in double precision."""
    total = 0.0
    for d in range(len(one)):
        # float() leaves a number in the precision it has.
        gap = np.float64(one[d]) - np.float64(other[d])
        total += gap * gap
    return math.sqrt(total)


@njit()
def _group_minima(line, errors, minima):  # type: ignore[no-untyped-def]
    """Smallest lower bound in each group of columns: group g is columns g, g + n_groups, ..."""
    n_groups, n_columns = len(minima), len(line)
    minima[:] = line[:n_groups] - errors[:n_groups]
    for start in range(n_groups, n_columns, n_groups):
        stop = min(start + n_groups, n_columns)
        # Slices and single elements, no sums of indices and no reduction: vectorised.
        values, wide, least = line[start:stop], errors[start:stop], minima[: stop - start]
        for g in range(stop - start):
            lower = values[g] - wide[g]
            least[g] = lower if lower < least[g] else least[g]


@njit()
def _kth_smallest(values, buffer):  # type: ignore[no-untyped-def]
    """The k-th smallest value, with k the length of the buffer; infinity if there are fewer."""
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
    """Add the candidates of a tile of squared distances to what was found.

    Row r of the tile is at ``places[r]`` of what was found; ``numbers`` are those of the columns.
    No square is off by more than the error of its row plus that of its column.

    Columns are looked at in groups first. k groups have a column each at or below the k-th
    smallest of the group minima, so no group whose minimum exceeds it has to be looked into.
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
        # From the lower bounds of groups to an upper bound of squares: once up, once down again.
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
def choose_nearest(here, there, ids, other_ids, found, nearest):  # type: ignore[no-untyped-def]
    """Fill in the nearest candidates of every point by true distances, equal ones by their hash.

    Returns which points have fewer candidates than are wanted, or too many to note.
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
            length = _length(here[i], there[j])
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
def fill_nearest_columns(tile, nearest):  # type: ignore[no-untyped-def]
    """Fill in the columns of the smallest entries of each row, the smallest and the first first."""
    n_rows, n_columns = tile.shape
    count = nearest.shape[1]
    values = np.empty(count, dtype=tile.dtype)
    for r in range(n_rows):
        line, columns, held = tile[r], nearest[r], 0
        for c in range(n_columns):
            value = line[c]
            if held == count and value >= values[count - 1]:
                continue
            place = held if held < count else count - 1
            while place > 0 and values[place - 1] > value:
                values[place], columns[place] = values[place - 1], columns[place - 1]
                place -= 1
            values[place], columns[place] = value, c
            held = min(held + 1, count)


@njit()
def measure(here, there, i, j):  # type: ignore[no-untyped-def]
    """Lengths of the straight lines from ``here[i]`` to ``there[j]``, in double precision."""
    lengths = np.empty(len(i))
    for pair in range(len(i)):
        lengths[pair] = _length(here[i[pair]], there[j[pair]])
    return lengths
