"""Distances from new to fitted points, and the nearest; each row independently.

A row has the same bits in any batch: each entry is computed by the same loop, and nothing is summed
over rows.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._jit import njit

#: Number of fitted points that stay in a core's cache while all new ones are compared with them.
BLOCK = 64


@njit(parallel=True)
def euclidean_distances(new, fitted, distances):  # type: ignore[no-untyped-def]
    """Write the distance from every new point to every fitted one."""
    n = len(fitted)
    for block in nb.prange((n + BLOCK - 1) // BLOCK):
        for i in range(len(new)):
            for j in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
                distances[i, j] = math.sqrt(_square(new[i], fitted[j]))


@njit()
def _square(a, b):  # type: ignore[no-untyped-def]
    total = np.float32(0.0)
    for c in range(a.size):
        gap = a[c] - b[c]
        total += gap * gap
    return total


@njit(parallel=True)
def multiply_rows(rows, matrix):  # type: ignore[no-untyped-def]
    """Return rows times a matrix; BLAS would round a row depending on how many others there are."""
    n, d = rows.shape
    product = np.zeros((n, matrix.shape[1]))
    for i in nb.prange(n):
        for c in range(d):
            factor = rows[i, c]
            for column in range(matrix.shape[1]):
                product[i, column] += factor * matrix[c, column]
    return product


@njit()
def sift_down(values, names, first, size):  # type: ignore[no-untyped-def]
    """Restore a max-heap after its first entry was replaced."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            return
        if child + 1 < size and values[first + child + 1] > values[first + child]:
            child += 1
        if values[first + child] <= values[first + place]:
            return
        a, b = first + place, first + child
        values[a], values[b] = values[b], values[a]
        names[a], names[b] = names[b], names[a]
        place = child


@njit()
def nearest_in(row, k, names, values):  # type: ignore[no-untyped-def]
    """Write the k smallest entries of a row, in ascending order; the first of equal ones."""
    for place in range(k):
        names[place], values[place] = -1, np.inf
    for j in range(row.size):
        if row[j] < values[0]:
            values[0], names[0] = row[j], j
            sift_down(values, names, 0, k)
    order = np.argsort(values[:k], kind="mergesort")
    names[:k], values[:k] = names[:k][order], values[:k][order]


@njit(parallel=True)
def nearest_rows(distances, k):  # type: ignore[no-untyped-def]
    """Return the k nearest of every row, and their distances."""
    m = len(distances)
    indices, lengths = np.empty((m, k), dtype=np.int64), np.empty((m, k))
    for i in nb.prange(m):
        nearest_in(distances[i], k, indices[i], lengths[i])
    return indices, lengths
