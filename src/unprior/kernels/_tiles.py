"""Tiles of a prior: its distances, the linear shifts and the keys of pairs, in single precision."""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._jit import njit

#: Number of low bits that keys omit; nine of the 23 bits of the fraction remain.
KEY_SHIFT = 14


@njit()
def fill_label_tile(row_codes, column_codes, tile):  # type: ignore[no-untyped-def]
    """Write the distances of labels: 0 within a class, 1 between classes."""
    for r in range(len(row_codes)):
        for c in range(len(column_codes)):
            tile[r, c] = np.float32(row_codes[r] != column_codes[c])


@njit()
def fill_squares(rows, columns, tile):  # type: ignore[no-untyped-def]
    """Write squared Euclidean distances, by differences; ``columns`` has a row for each axis."""
    for r in range(len(rows)):
        for d in range(rows.shape[1]):
            x, others, row = rows[r, d], columns[d], tile[r]
            if d == 0:
                for c in range(len(row)):
                    row[c] = (x - others[c]) * (x - others[c])
            else:
                for c in range(len(row)):
                    row[c] += (x - others[c]) * (x - others[c])


@njit()
def apply_curve(tile, curve, unit):  # type: ignore[no-untyped-def]
    """Apply a `unprior.geometry._points.Curve` to squared Euclidean distances, in place."""
    for r in range(tile.shape[0]):
        row = tile[r]
        if curve == 0:
            for c in range(len(row)):
                row[c] = np.float32(unit) * math.sqrt(max(row[c], np.float32(0)))
        elif curve == 1:
            for c in range(len(row)):
                half = min(math.sqrt(max(row[c], np.float32(0))) / 2, 1.0)
                row[c] = unit * 2 * math.asin(half)
        else:
            for c in range(len(row)):
                row[c] = np.float32(unit) * max(row[c], np.float32(0))


@njit()
def add_shift(tile, scale, strength, shift):  # type: ignore[no-untyped-def]
    """Add the linear operator's term of a prior to ``shift``."""
    factor, most = np.float32(0.5 * strength / scale), np.float32(0.5 * strength)
    for r in range(tile.shape[0]):
        row, sums = tile[r], shift[r]
        for c in range(len(row)):
            sums[c] += np.float32(strength) - min(factor * row[c], most)


@njit()
def fill_keys(tile, lowest, n_keys, keys):  # type: ignore[no-untyped-def]
    """Write the keys of distances: the leading bits of their floating-point form minus ``lowest``.

    These bits increase with the distance, in steps of a fixed fraction of it.
    """
    bits = tile.view(np.int32)
    for r in range(tile.shape[0]):
        row, numbers = bits[r], keys[r]
        for c in range(len(row)):
            numbers[c] = min(max((row[c] >> KEY_SHIFT) - lowest, 0), n_keys - 1)
