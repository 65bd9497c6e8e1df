"""Map -> sums over near pairs of samples, weighted by how alike these are in a prior.

Soft neighbours count by w², w = 1 / (1 + d²), which falls as d⁻⁴, so that pairs beyond a cutoff of
a few units hardly count and a grid of boxes (a cell list) finds the others. With a single box these
are all pairs. Every sample has its own row of results, so the bits do not depend on the threads.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from unprior.kernels._jit import njit


@njit(parallel=True)
def near_sums(Y, box, first, shape, span, cutoff, step, strata, table, classes, same_class):  # type: ignore[no-untyped-def]
    """Sum over partners nearer than the cutoff, for samples that are sorted by box.

    Box number (a * shape[1] + b) * shape[2] + c holds the samples from ``first[number]`` up to
    ``first[number + 1]``; those within ``span`` boxes along each axis are visited, in a box with
    ``step[number]`` above 1 only every so many-th of them, each counted as often.

    Returns, by sample, Σ k̃ w³ (y_i − y_j), Σ w³ (y_i − y_j), Σ k̃ w² and Σ w² as 3 + 3 + 2 columns.
    """
    n = len(Y)
    sums = np.empty((n, 8))
    farthest = np.float32(cutoff * cutoff)
    one, zero = np.float32(1.0), np.float32(0.0)
    for i in nb.prange(n):
        x, y, z = Y[i, 0], Y[i, 1], Y[i, 2]
        row, own, bonus = table[strata[i]], classes[i], same_class[classes[i]]
        c = box[i] % shape[2]
        b = (box[i] // shape[2]) % shape[1]
        a = box[i] // (shape[2] * shape[1])
        from_c, to_c = max(c - span, 0), min(c + span + 1, shape[2])
        every = step[box[i]]
        kx, ky, kz, px, py, pz = zero, zero, zero, zero, zero, zero
        known, plain = zero, zero
        for aa in range(max(a - span, 0), min(a + span + 1, shape[0])):
            for bb in range(max(b - span, 0), min(b + span + 1, shape[1])):
                base = (aa * shape[1] + bb) * shape[2]
                # Boxes along the last axis follow each other.
                for j in range(first[base + from_c], first[base + to_c], every):
                    dx, dy, dz = x - Y[j, 0], y - Y[j, 1], z - Y[j, 2]
                    squared = dx * dx + dy * dy + dz * dz
                    w = one / (one + squared)
                    w = w if squared < farthest and j != i else zero
                    k = row[strata[j]] + (bonus if classes[j] == own else zero)
                    w2 = w * w
                    w3 = w2 * w
                    px += w3 * dx
                    py += w3 * dy
                    pz += w3 * dz
                    kx += k * w3 * dx
                    ky += k * w3 * dy
                    kz += k * w3 * dz
                    plain += w2
                    known += k * w2
        sums[i, 0], sums[i, 1], sums[i, 2] = kx * every, ky * every, kz * every
        sums[i, 3], sums[i, 4], sums[i, 5] = px * every, py * every, pz * every
        sums[i, 6], sums[i, 7] = known * every, plain * every
    return sums
