"""Rows against columns of a prior -> a tile of what it does to every pair, in single precision."""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._jit import njit

#: Bits of a number that its key leaves out; nine of the 23 behind the point remain.
KEY_SHIFT = 14


@njit()
def fill_label_tile(row_codes, column_codes, tile):  # type: ignore[no-untyped-def]
    """Distances of labels: 0 within a class, 1 between classes."""
    for r in range(len(row_codes)):
        for c in range(len(column_codes)):
            tile[r, c] = np.float32(row_codes[r] != column_codes[c])


@njit()
def fill_squares(rows, columns, tile):  # type: ignore[no-untyped-def]
    """Squared straight lines between points, by differences; ``columns`` has a line per axis."""
    for r in range(len(rows)):
        for d in range(rows.shape[1]):
            own, others, line = rows[r, d], columns[d], tile[r]
            if d == 0:
                for c in range(len(line)):
                    line[c] = (own - others[c]) * (own - others[c])
            else:
                for c in range(len(line)):
                    line[c] += (own - others[c]) * (own - others[c])


@njit()
def bend(tile, curve, unit):  # type: ignore[no-untyped-def]
    """Turn squared straight lines into distances (`unprior.geometry._points.Curve`), in place."""
    for r in range(tile.shape[0]):
        line = tile[r]
        if curve == 0:
            for c in range(len(line)):
                line[c] = np.float32(unit) * math.sqrt(max(line[c], np.float32(0)))
        elif curve == 1:
            for c in range(len(line)):
                half = min(math.sqrt(max(line[c], np.float32(0))) / 2, 1.0)
                line[c] = unit * 2 * math.asin(half)
        else:
            for c in range(len(line)):
                line[c] = np.float32(unit) * max(line[c], np.float32(0))


@njit()
def add_shift(tile, scale, strength, shift):  # type: ignore[no-untyped-def]
    """Add to ``shift`` what linear ⊖ makes of a prior's distances."""
    factor, most = np.float32(0.5 * strength / scale), np.float32(0.5 * strength)
    for r in range(tile.shape[0]):
        line, sums = tile[r], shift[r]
        for c in range(len(line)):
            sums[c] += np.float32(strength) - min(factor * line[c], most)


@njit()
def fill_keys(tile, lowest, n_keys, keys):  # type: ignore[no-untyped-def]
    """Number distances by the leading bits of their single-precision form, from ``lowest`` on.

    Those bits ascend with the distance, and their steps are a fixed share of it.
    """
    bits = tile.view(np.int32)
    for r in range(tile.shape[0]):
        line, numbers = bits[r], keys[r]
        for c in range(len(line)):
            numbers[c] = min(max((line[c] >> KEY_SHIFT) - lowest, 0), n_keys - 1)
