"""Points against the points of a bucket -> which may be nearest; against centres -> which are."""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._candidates import note, single
from unprior.kernels._jit import njit
from unprior.kernels._nearest import STRIDE


@njit(inline=True)
def _any_below(lines, errors, top):  # type: ignore[no-untyped-def]
    """Whether any of the next columns may lie below a top."""
    passed = np.int32(0)
    for c in range(STRIDE):
        passed |= np.int32(lines[c] - errors[c] <= top)
    return passed


@njit()
def scan_bucket(squares, errors, places, numbers, found):  # type: ignore[no-untyped-def]
    """Add the candidates of a tile of squared distances to what was found.

    Row r of the tile is at ``places[r]`` of what was found; ``numbers`` are those of the columns.
    No square is off by more than the error of its row plus that of its column.
    """
    row_error, column_error = errors
    heaps, all_lowers, all_columns, counts = found
    n_columns = squares.shape[1]
    for r in range(len(places)):
        place, error = places[r], row_error[r]
        heap, lowers, columns = heaps[place], all_lowers[place], all_columns[place]
        count = counts[place]
        for start in range(0, n_columns, STRIDE):
            if count < 0:
                break
            stop = min(start + STRIDE, n_columns)
            top = single(heap[0] + error)
            if stop - start == STRIDE and not _any_below(
                squares[r, start:stop], column_error[start:stop], top
            ):
                continue
            for c in range(start, stop):
                wide = np.float64(error) + np.float64(column_error[c])
                square = np.float64(squares[r, c])
                lower = max(square - wide, 0.0)
                if lower <= heap[0]:
                    count = note(lower, square + wide, numbers[c], heap, lowers, columns, count)
                    if count < 0:
                        break
        counts[place] = count


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
        one, other, total = here[i[pair]], there[j[pair]], 0.0
        for d in range(len(one)):
            # float() leaves a number in the precision it has.
            gap = np.float64(one[d]) - np.float64(other[d])
            total += gap * gap
        lengths[pair] = math.sqrt(total)
    return lengths
