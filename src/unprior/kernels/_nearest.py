"""Tiles of rounded distances -> candidates: the few pairs that may be nearest, despite rounding.

A tile holds data distances of rows to columns, or their squares if ``square``; the error of each is
at most the sum of its row's and its column's error. These and the prior give a lower and an upper
bound of the factored distance of each pair. The k smallest upper bounds of a row are kept in a
heap, the largest first: no neighbour is farther, so pairs whose lower bound exceeds it are
skipped, 64 at a time.

Each pair of a row can serve its column too: ``mirrored`` then holds the candidates of the columns
so far. It is empty if columns are not searched.
"""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._candidates import higher, note, note_mirrored, single, tops_of
from unprior.kernels._jit import njit

#: Columns compared at once. A fixed number lets the comparison be vectorised.
STRIDE = 64


@njit(inline=True)
def _bounds(value, error, square):  # type: ignore[no-untyped-def]
    """Return a lower and an upper bound of the data distance, given its rounded value."""
    low, high = max(value - error, 0.0), max(value + error, 0.0)
    if square:
        return math.sqrt(low), math.sqrt(high)
    return low, high


@njit(inline=True)
def _limit(distance, square):  # type: ignore[no-untyped-def]
    """Return a distance, squared if ``square``, with its sign."""
    return distance * abs(distance) if square else distance


@njit(inline=True)
def _any_fits(tile, error, errors, shift, top, tops, square):  # type: ignore[no-untyped-def]
    """Whether any of the next columns may be below its bound, after the prior's shift."""
    passed = np.int32(0)
    if square:
        for c in range(STRIDE):
            limit = _limit(higher(top, tops[c]) - shift[c], 1)
            passed |= np.int32(tile[c] - error - errors[c] <= limit)
    else:
        for c in range(STRIDE):
            limit = _limit(higher(top, tops[c]) - shift[c], 0)
            passed |= np.int32(tile[c] - error - errors[c] <= limit)
    return passed


@njit()
def scan_linear(tile, errors, square, shift, slack, pairs, found, mirrored):  # type: ignore[no-untyped-def]
    """Find candidates under the linear ⊖: distances plus ``shift``, with errors up to ``slack``."""
    row_error, column_error = errors
    row_ids, column_ids = pairs
    heaps, all_lowers, all_columns, counts = found
    n_rows, n_columns = tile.shape
    both, tops = len(mirrored[0]) > 0, tops_of(mirrored, n_columns, slack)
    for r in range(n_rows):
        heap, lowers, columns, count = heaps[r], all_lowers[r], all_columns[r], counts[r]
        error = row_error[r]
        for start in range(0, n_columns, STRIDE):
            if count < 0 and not both:
                break
            stop = min(start + STRIDE, n_columns)
            top = single(heap[0] + slack) if count >= 0 else np.float32(-np.inf)
            if stop - start == STRIDE and not _any_fits(
                tile[r, start:stop],
                error,
                column_error[start:stop],
                shift[r, start:stop],
                top,
                tops[start:stop],
                square,
            ):
                continue
            for c in range(start, stop):
                limit = _limit(higher(top, tops[c]) - shift[r, c], square)
                if tile[r, c] - error - column_error[c] > limit or column_ids[c] == row_ids[r]:
                    continue
                low, high = _bounds(tile[r, c], error + column_error[c], square)
                lower, upper = low + shift[r, c] - slack, high + shift[r, c] + slack
                if count >= 0 and lower <= heap[0]:
                    count = note(lower, upper, column_ids[c], heap, lowers, columns, count)
                if tops[c] > -np.inf:
                    tops[c] = single(note_mirrored(lower, upper, row_ids[r], c, mirrored) + slack)
        counts[r] = count


@njit(inline=True)
def _any_within(tile, error, errors, keys, reach, level, levels):  # type: ignore[no-untyped-def]
    """Whether any of the next columns is within its key's reach, at the row's or its own level."""
    passed = np.int32(0)
    for c in range(STRIDE):
        limit = reach[higher(level, levels[c]), keys[c]]
        passed |= np.int32(tile[c] - error - errors[c] <= limit)
    return passed


@njit()
def _on_curve(distance, values, mapped, start, stop):  # type: ignore[no-untyped-def]
    """Interpolate linearly between the nodes ``start`` to ``stop`` of a curve, flat outside."""
    if distance <= values[start]:
        return mapped[start]
    if distance >= values[stop - 1]:
        return mapped[stop - 1]
    low, high = start, stop - 1
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] <= distance:
            low = middle
        else:
            high = middle
    share = (distance - values[low]) / (values[high] - values[low])
    return mapped[low] + share * (mapped[high] - mapped[low])


@njit()
def scan_curves(tile, errors, square, keys, curves, slack, pairs, found, mirrored):  # type: ignore[no-untyped-def]
    """Find candidates in a tile under an operator that maps distances by a curve for each bin.

    A pair with a given key is in one of the bins ``first[key]`` to ``last[key]``. The curve of bin
    b has the nodes ``starts[b]`` to ``starts[b + 1]``. ``reach[l, key]`` is the largest value in
    the tile at which the factored distance can be at most ``levels[l]``; it is infinite for the
    last l, beyond all levels.
    """
    first, last, starts, values, mapped, slope, levels, reach = curves
    row_error, column_error = errors
    row_ids, column_ids = pairs
    heaps, all_lowers, all_columns, counts = found
    n_rows, n_columns = tile.shape
    both, tops = len(mirrored[0]) > 0, tops_of(mirrored, n_columns, slack)
    # Columns that are not searched get the first level, whose reach includes hardly anything.
    column_levels = np.searchsorted(levels, tops)
    for r in range(n_rows):
        heap, lowers, columns, count = heaps[r], all_lowers[r], all_columns[r], counts[r]
        error, top = row_error[r], math.inf
        level = len(levels) if count >= 0 else 0
        for start in range(0, n_columns, STRIDE):
            if count < 0 and not both:
                break
            stop = min(start + STRIDE, n_columns)
            if count < 0:
                level = 0
            elif heap[0] < top:
                top, level = heap[0], np.searchsorted(levels, heap[0] + slack)
            if stop - start == STRIDE and not _any_within(
                tile[r, start:stop],
                error,
                column_error[start:stop],
                keys[r, start:stop],
                reach,
                level,
                column_levels[start:stop],
            ):
                continue
            for c in range(start, stop):
                least = tile[r, c] - error - column_error[c]
                out_of_reach = least > reach[higher(level, column_levels[c]), keys[r, c]]
                if out_of_reach or column_ids[c] == row_ids[r]:
                    continue
                low, high = _bounds(tile[r, c], error + column_error[c], square)
                lower, upper = math.inf, -math.inf
                for number in range(first[keys[r, c]], last[keys[r, c]] + 1):
                    at, end = starts[number], starts[number + 1]
                    lower = min(lower, _on_curve(low, values, mapped, at, end))
                    upper = max(upper, _on_curve(high, values, mapped, at, end))
                lower += slope * low - slack
                upper += slope * high + slack
                if count >= 0 and lower <= heap[0]:
                    count = note(lower, upper, column_ids[c], heap, lowers, columns, count)
                if tops[c] > -np.inf:
                    tops[c] = single(note_mirrored(lower, upper, row_ids[r], c, mirrored) + slack)
                    column_levels[c] = np.searchsorted(levels, tops[c])
        counts[r] = count
