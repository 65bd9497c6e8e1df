"""Sums over near pairs of a map, weighted by their similarity in a prior.

Soft neighbours have the weight w², w = 1 / (1 + d²), which decreases as d⁻⁴, so pairs beyond a
cutoff of a few units are negligible, and a grid of boxes (a cell list) finds the others. A single
box gives all pairs. Each sample has its own row of results, so that the bits do not depend on the
threads.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from unprior.kernels._jit import njit


@njit()
def find_boxes(Y, axes, low, side, shape):  # type: ignore[no-untyped-def]
    """Return the box number of each sample; boxes along the last axis are contiguous."""
    box = np.empty(len(Y), dtype=np.int64)
    for i in range(len(Y)):
        number = 0
        for d in range(3):
            place = int((np.float64(Y[i, axes[d]]) - low[d]) / side)
            number = number * shape[d] + min(place, shape[d] - 1)
        box[i] = number
    return box


@njit()
def sort_boxes(box, n_boxes, visited):  # type: ignore[no-untyped-def]
    """Return the samples box by box, in the order ``visited``, and where each box begins."""
    first = np.zeros(n_boxes + 1, dtype=np.int64)
    for i in range(len(box)):
        first[box[i] + 1] += 1
    for number in range(n_boxes):
        first[number + 1] += first[number]
    order, filled = np.empty(len(box), dtype=np.int64), first[:-1].copy()
    for i in visited:
        order[filled[box[i]]] = i
        filled[box[i]] += 1
    return order, first


#: Consecutive samples form blocks, which are distributed over lanes, so that all threads share
#: dense parts of a map.
BLOCK, LANES = 64, 32


@njit(parallel=True)
def near_sums(Y, box, first, shape, span, cutoff, step, strata, table, classes, same_class):  # type: ignore[no-untyped-def]
    """Sum over partners within the cutoff, for samples sorted by box.

    Box number (a * shape[1] + b) * shape[2] + c contains the samples from ``first[number]`` up to
    ``first[number + 1]``. Partners are in the boxes within ``span`` along each axis; samples of the
    box visit every ``step[number]``-th of them, with that weight.

    Returns by sample Σ k̃ w³ (y_i − y_j), Σ w³ (y_i − y_j), Σ k̃ w² and Σ w² as 3 + 3 + 2 columns.
    """
    n = len(Y)
    sums = np.empty((n, 8), dtype=np.float32)
    farthest = np.float32(cutoff * cutoff)
    for lane in nb.prange(LANES):
        # The partners of a box are copied to contiguous arrays, so that the loop is vectorised.
        places, kinds = np.empty((3, n), dtype=np.float32), np.empty((3, n), dtype=np.int32)
        for start in range(lane * BLOCK, n, LANES * BLOCK):
            gathered, m = -1, 0
            for i in range(start, min(start + BLOCK, n)):
                if box[i] != gathered:
                    gathered = box[i]
                    m = _gather(
                        Y, strata, classes, gathered, first, shape, span, step, places, kinds
                    )
                own = classes[i]
                _add_up(
                    Y[i],
                    i,
                    table[strata[i]],
                    own,
                    same_class[own],
                    farthest,
                    places,
                    kinds,
                    m,
                    sums[i],
                )
                for column in range(8):
                    sums[i, column] *= step[gathered]
    return sums


@njit()
def _gather(Y, strata, classes, number, first, shape, span, step, places, kinds):  # type: ignore[no-untyped-def]
    """Copy places, strata, classes and numbers of the partners of a box; return their number."""
    c = number % shape[2]
    b = (number // shape[2]) % shape[1]
    a = number // (shape[2] * shape[1])
    from_c, to_c = max(c - span, 0), min(c + span + 1, shape[2])
    m = 0
    for aa in range(max(a - span, 0), min(a + span + 1, shape[0])):
        for bb in range(max(b - span, 0), min(b + span + 1, shape[1])):
            base = (aa * shape[1] + bb) * shape[2]
            # Boxes along the last axis are contiguous.
            for j in range(first[base + from_c], first[base + to_c], step[number]):
                places[0, m], places[1, m], places[2, m] = Y[j, 0], Y[j, 1], Y[j, 2]
                kinds[0, m], kinds[1, m], kinds[2, m] = strata[j], classes[j], j
                m += 1
    return m


@njit()
def _add_up(own_place, i, row, own, bonus, farthest, places, kinds, m, sums):  # type: ignore[no-untyped-def]
    """Compute one row of the sums."""
    one, zero = np.float32(1.0), np.float32(0.0)
    x, y, z = own_place[0], own_place[1], own_place[2]
    xs, ys, zs = places[0], places[1], places[2]
    strata, classes, numbers = kinds[0], kinds[1], kinds[2]
    i = np.int32(i)
    kx, ky, kz, px, py, pz = zero, zero, zero, zero, zero, zero
    similar, plain = zero, zero
    for p in range(np.uint64(m)):  # unsigned indices are not checked for negative values
        dx, dy, dz = x - xs[p], y - ys[p], z - zs[p]
        squared = dx * dx + dy * dy + dz * dz
        w = one / (one + squared)
        w = w if squared < farthest and numbers[p] != i else zero
        k = row[np.uint32(strata[p])] + (bonus if classes[p] == own else zero)
        w2 = w * w
        w3 = w2 * w
        px += w3 * dx
        py += w3 * dy
        pz += w3 * dz
        kx += k * w3 * dx
        ky += k * w3 * dy
        kz += k * w3 * dz
        plain += w2
        similar += k * w2
    sums[0], sums[1], sums[2], sums[3], sums[4], sums[5] = kx, ky, kz, px, py, pz
    sums[6], sums[7] = similar, plain
