"""Tiles of rounded distances -> the few pairs that may be nearest, whatever the rounding did.

A tile holds rows against columns. ``lines`` are data distances, squared if ``square`` says so, each
known up to the sum of its row's and its column's error. From them and from what the prior says of a
pair follow a lower and an upper bound of its factored distance. The k smallest upper bounds of a
row are kept in a heap, the largest first: no neighbour can lie above it, so that pairs whose lower
bound does are passed over, 64 at a time.
"""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._jit import njit

#: Columns compared at once. A fixed number lets the comparison be vectorised.
STRIDE = 64


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
def _note(lower, upper, column, heap, lowers, columns, count):  # type: ignore[no-untyped-def]
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
    lowers[count] = lower
    columns[count] = column
    return count + 1


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
def _any_fits(lines, error, errors, shift, top, square):  # type: ignore[no-untyped-def]
    """Whether any of the next columns may lie below the top, after the prior's shift."""
    passed = np.int32(0)
    if square:
        for c in range(STRIDE):
            passed |= np.int32(lines[c] - error - errors[c] <= _limit(top - shift[c], 1))
    else:
        for c in range(STRIDE):
            passed |= np.int32(lines[c] - error - errors[c] <= _limit(top - shift[c], 0))
    return passed


@njit()
def scan_linear(lines, row_error, column_error, square, shift, slack, pairs, found):  # type: ignore[no-untyped-def]
    """Look through a tile under the linear ⊖: data distance plus ``shift``, up to ``slack``."""
    row_ids, column_ids = pairs
    heaps, all_lowers, all_columns, counts = found
    n_rows, n_columns = lines.shape
    for r in range(n_rows):
        heap, lowers, columns, count = heaps[r], all_lowers[r], all_columns[r], counts[r]
        error = row_error[r]
        for start in range(0, n_columns, STRIDE):
            if count < 0:
                break
            stop, top = min(start + STRIDE, n_columns), np.float32(heap[0] + slack)
            if stop - start == STRIDE and not _any_fits(
                lines[r, start:stop],
                error,
                column_error[start:stop],
                shift[r, start:stop],
                top,
                square,
            ):
                continue
            for c in range(start, stop):
                if lines[r, c] - error - column_error[c] > _limit(top - shift[r, c], square):
                    continue
                low, high = _ends(lines[r, c], error + column_error[c], square)
                lower = low + shift[r, c] - slack
                if lower <= heap[0] and column_ids[c] != row_ids[r] and count >= 0:
                    upper = high + shift[r, c] + slack
                    count = _note(lower, upper, column_ids[c], heap, lowers, columns, count)
        counts[r] = count


@njit(inline=True)
def _any_below(lines, shift, top):  # type: ignore[no-untyped-def]
    """Whether any of the next columns lies below the top, after a shift of each."""
    passed = np.int32(0)
    for c in range(STRIDE):
        passed |= np.int32(lines[c] + shift[c] <= top)
    return passed


@njit(inline=True)
def _any_below_mixed(lines, shift, own, cells, top):  # type: ignore[no-untyped-def]
    """As `_any_below`, with a second shift that goes by the columns' cells."""
    passed = np.int32(0)
    for c in range(STRIDE):
        passed |= np.int32(lines[c] + shift[c] + own[cells[c]] <= top)
    return passed


@njit()
def _common_cells(cells):  # type: ignore[no-untyped-def]
    """For every stride of columns their cell, if it is that of all of them; else -1."""
    common = np.empty(len(cells) // STRIDE + 1, dtype=np.intp)
    for number in range(len(common)):
        start = number * STRIDE
        common[number] = cells[start] if start + STRIDE <= len(cells) else -1
        for c in range(start, min(start + STRIDE, len(cells))):
            if cells[c] != cells[start]:
                common[number] = -1
    return common


@njit()
def scan_balanced(squares, errors, shares, shifts, cells, pairs, found):  # type: ignore[no-untyped-def]
    """Look through a tile under the balancing ⊖: squared data distance plus two shifts.

    ``shifts`` are those of the rows for the cells of columns, and of the columns for the cells of
    rows. All are as small as they can be: squares and shifts less ``shares`` of them, the shifts of
    the columns less their errors too. Where many columns in succession are of one cell, the first
    is a constant.
    """
    (row_error, column_error), (away, toward), (row_cells, column_cells) = errors, shifts, cells
    off_squares, off_shifts = shares
    row_ids, column_ids = pairs
    heaps, all_lowers, all_columns, counts = found
    n_rows, n_columns = squares.shape
    common = _common_cells(column_cells)
    for r in range(n_rows):
        heap, lowers, columns, count = heaps[r], all_lowers[r], all_columns[r], counts[r]
        own, others, error = away[r], toward[row_cells[r]], row_error[r]
        for start in range(0, n_columns, STRIDE):
            if count < 0:
                break
            stop, top = min(start + STRIDE, n_columns), np.float32(heap[0] + error)
            cell = common[start // STRIDE]
            if cell >= 0:
                if not _any_below(
                    squares[r, start:stop], others[start:stop], np.float32(top - own[cell])
                ):
                    continue
            elif stop - start == STRIDE and not _any_below_mixed(
                squares[r, start:stop], others[start:stop], own, column_cells[start:stop], top
            ):
                continue
            for c in range(start, stop):
                if squares[r, c] + others[c] + own[column_cells[c]] > top:
                    continue
                square, wide = float(squares[r, c]), float(error) + float(column_error[c])
                first, second = float(own[column_cells[c]]), others[c] + float(column_error[c])
                lower = max(square - wide, 0.0) + first + second
                if lower <= heap[0] and column_ids[c] != row_ids[r] and count >= 0:
                    spread = abs(first) + abs(second) + abs(others[c])
                    upper = (
                        square * (1 + 3 * off_squares)
                        + wide
                        + first
                        + second
                        + 3 * off_shifts * spread
                    )
                    count = _note(lower, upper, column_ids[c], heap, lowers, columns, count)
        counts[r] = count


@njit(inline=True)
def _any_within(lines, error, errors, keys, reach):  # type: ignore[no-untyped-def]
    """Whether any of the next columns is within the reach of its key."""
    passed = np.int32(0)
    for c in range(STRIDE):
        passed |= np.int32(lines[c] - error - errors[c] <= reach[keys[c]])
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
def scan_curves(lines, row_error, column_error, square, keys, curves, slack, pairs, found):  # type: ignore[no-untyped-def]
    """Look through a tile under an operator that bends data distances by a curve for each cell.

    ``keys`` say of each pair in which cells it can lie: from ``first[key]`` to ``last[key]``. Cell
    number c has the nodes ``starts[c]`` to ``starts[c + 1]``. ``reach[l, key]`` is the largest line
    that a pair of that key can have if its factored distance is at most ``levels[l]``.
    """
    first, last, starts, values, mapped, slope, levels, reach = curves
    row_ids, column_ids = pairs
    heaps, all_lowers, all_columns, counts = found
    n_rows, n_columns = lines.shape
    for r in range(n_rows):
        heap, lowers, columns, count = heaps[r], all_lowers[r], all_columns[r], counts[r]
        error, top, level = row_error[r], heap[0], np.searchsorted(levels, heap[0] + slack)
        for start in range(0, n_columns, STRIDE):
            if count < 0:
                break
            stop = min(start + STRIDE, n_columns)
            if heap[0] < top:
                top, level = heap[0], np.searchsorted(levels, heap[0] + slack)
            if (
                stop - start == STRIDE
                and level < len(levels)
                and not _any_within(
                    lines[r, start:stop],
                    error,
                    column_error[start:stop],
                    keys[r, start:stop],
                    reach[level],
                )
            ):
                continue
            for c in range(start, stop):
                line = lines[r, c] - error - column_error[c]
                if level < len(levels) and line > reach[level, keys[r, c]]:
                    continue
                low, high = _ends(lines[r, c], error + column_error[c], square)
                lower, upper = math.inf, -math.inf
                for cell in range(first[keys[r, c]], last[keys[r, c]] + 1):
                    at, end = starts[cell], starts[cell + 1]
                    lower = min(lower, _on_curve(low, values, mapped, at, end))
                    upper = max(upper, _on_curve(high, values, mapped, at, end))
                lower += slope * low - slack
                if lower <= heap[0] and column_ids[c] != row_ids[r] and count >= 0:
                    upper += slope * high + slack
                    count = _note(lower, upper, column_ids[c], heap, lowers, columns, count)
        counts[r] = count
