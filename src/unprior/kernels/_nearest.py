"""Tiles of rounded distances -> the few pairs that may be nearest, whatever the rounding did.

A tile holds rows against columns. ``lines`` are data distances, squared if ``square`` says so, each
known up to the sum of its row's and its column's error. From them and from what the prior says of a
pair follow a lower and an upper bound of its factored distance. The k smallest upper bounds of a
row are kept in a heap, the largest first: no neighbour can lie above it, so that pairs whose lower
bound does are passed over, 64 at a time.

A pair that is looked at for its row can be looked at for its column as well: ``mirrored`` is then
what was found of the columns so far. It is empty where columns are not asked.
"""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._candidates import higher, note, note_mirrored, single, tops_of
from unprior.kernels._jit import njit

#: Columns compared at once. A fixed number lets the comparison be vectorised.
STRIDE = 64


@njit(inline=True)
def _ends(line, error, square):  # type: ignore[no-untyped-def]
    """Least and greatest data distance that a rounded one stands for."""
    low, high = max(line - error, 0.0), max(line + error, 0.0)
    if square:
        return math.sqrt(low), math.sqrt(high)
    return low, high


@njit(inline=True)
def _limit(room, square):  # type: ignore[no-untyped-def]
    """Longest line within some room; where that is negative, so is its square."""
    return room * abs(room) if square else room


@njit(inline=True)
def _any_fits(lines, error, errors, shift, top, tops, square):  # type: ignore[no-untyped-def]
    """Whether any of the next columns may lie below a top, after the prior's shift."""
    passed = np.int32(0)
    if square:
        for c in range(STRIDE):
            limit = _limit(higher(top, tops[c]) - shift[c], 1)
            passed |= np.int32(lines[c] - error - errors[c] <= limit)
    else:
        for c in range(STRIDE):
            limit = _limit(higher(top, tops[c]) - shift[c], 0)
            passed |= np.int32(lines[c] - error - errors[c] <= limit)
    return passed


@njit()
def scan_linear(lines, errors, square, shift, slack, pairs, found, mirrored):  # type: ignore[no-untyped-def]
    """Look through a tile under the linear ⊖: data distance plus ``shift``, up to ``slack``."""
    row_error, column_error = errors
    row_ids, column_ids = pairs
    heaps, all_lowers, all_columns, counts = found
    n_rows, n_columns = lines.shape
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
                lines[r, start:stop],
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
                if lines[r, c] - error - column_error[c] > limit or column_ids[c] == row_ids[r]:
                    continue
                low, high = _ends(lines[r, c], error + column_error[c], square)
                lower, upper = low + shift[r, c] - slack, high + shift[r, c] + slack
                if count >= 0 and lower <= heap[0]:
                    count = note(lower, upper, column_ids[c], heap, lowers, columns, count)
                if tops[c] > -np.inf:
                    tops[c] = single(note_mirrored(lower, upper, row_ids[r], c, mirrored) + slack)
        counts[r] = count


@njit(inline=True)
def _any_within(lines, error, errors, keys, reach, level, levels):  # type: ignore[no-untyped-def]
    """Whether any of the next columns is within the reach of its key, at the row's level or its."""
    passed = np.int32(0)
    for c in range(STRIDE):
        limit = reach[higher(level, levels[c]), keys[c]]
        passed |= np.int32(lines[c] - error - errors[c] <= limit)
    return passed


@njit()
def _on_curve(distance, values, mapped, start, stop):  # type: ignore[no-untyped-def]
    """Value of a curve that is straight between its nodes ``start`` to ``stop``, flat outside."""
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
def scan_curves(lines, errors, square, keys, curves, slack, pairs, found, mirrored):  # type: ignore[no-untyped-def]
    """Look through a tile under an operator that bends data distances by a curve for each bin.

    ``keys`` say of each pair in which bins it can lie: from ``first[key]`` to ``last[key]``. Bin
    number c has the nodes ``starts[c]`` to ``starts[c + 1]``. ``reach[l, key]`` is the largest line
    that a pair of that key can have if its factored distance is at most ``levels[l]``; none is too
    large for the last l, beyond all levels.
    """
    first, last, starts, values, mapped, slope, levels, reach = curves
    row_error, column_error = errors
    row_ids, column_ids = pairs
    heaps, all_lowers, all_columns, counts = found
    n_rows, n_columns = lines.shape
    both, tops = len(mirrored[0]) > 0, tops_of(mirrored, n_columns, slack)
    # The first level, within whose reach is hardly anything, stands for those that do not ask.
    rungs = np.searchsorted(levels, tops)
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
                lines[r, start:stop],
                error,
                column_error[start:stop],
                keys[r, start:stop],
                reach,
                level,
                rungs[start:stop],
            ):
                continue
            for c in range(start, stop):
                line = lines[r, c] - error - column_error[c]
                out_of_reach = line > reach[higher(level, rungs[c]), keys[r, c]]
                if out_of_reach or column_ids[c] == row_ids[r]:
                    continue
                low, high = _ends(lines[r, c], error + column_error[c], square)
                lower, upper = math.inf, -math.inf
                for cell in range(first[keys[r, c]], last[keys[r, c]] + 1):
                    at, end = starts[cell], starts[cell + 1]
                    lower = min(lower, _on_curve(low, values, mapped, at, end))
                    upper = max(upper, _on_curve(high, values, mapped, at, end))
                lower += slope * low - slack
                upper += slope * high + slack
                if count >= 0 and lower <= heap[0]:
                    count = note(lower, upper, column_ids[c], heap, lowers, columns, count)
                if tops[c] > -np.inf:
                    tops[c] = single(note_mirrored(lower, upper, row_ids[r], c, mirrored) + slack)
                    rungs[c] = np.searchsorted(levels, tops[c])
        counts[r] = count
