"""One epoch of UMAP's layout, with the same result on any number of threads.

umap-learn updates the ends of one edge after the other. Here samples are divided into parts, and
edges into buckets by the parts of their ends (`unprior.optimize._umap_layout`). The buckets of a
round have no part in common, so they run in parallel without moving each other's samples. Negative
samples are at their positions from the beginning of the sweep.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._fast_math import fast_power
from unprior.kernels._hash import scramble
from unprior.kernels._jit import njit

#: Largest gradient along one axis, as in umap-learn.
LARGEST = np.float32(4.0)

#: Added to the squared distance in the denominator of the repulsion, as in umap-learn.
SOFTENING = np.float32(0.001)

#: Increments of the sequences that are hashed: odd numbers with bits in all places.
GOLDEN, OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)


@njit(inline=True)
def _clip(x):  # type: ignore[no-untyped-def]
    return min(max(x, -LARGEST), LARGEST)


@njit(inline=True)
def _squared_distance(Y, i, Z, j, axes):  # type: ignore[no-untyped-def]
    squared = np.float32(0.0)
    for d in range(len(axes)):
        gap = Y[i, d] - Z[j, d]
        squared += gap * gap
    return squared


@njit(inline=True)
def _attract(Y, i, j, axes, a, b, step):  # type: ignore[no-untyped-def]
    """Move both ends of an edge down the gradient of log(1 + a d^2b)."""
    squared = _squared_distance(Y, i, Y, j, axes)
    if squared > np.float32(0.0):
        slope = np.float32(-2.0) * a * b / (squared * (a + fast_power(squared, -b)))
        for d in range(len(axes)):
            move = step * _clip(slope * (Y[i, d] - Y[j, d]))
            Y[i, d] += move
            Y[j, d] -= move


@njit(inline=True)
def _repel(Y, before, push, i, n_draws, key, axes, a, b, strength, step):  # type: ignore[no-untyped-def]
    """Move a sample away from negative samples drawn from all samples."""
    for d in range(len(axes)):
        push[d] = np.float32(0.0)
    for _ in range(n_draws):
        key += GOLDEN
        bits = scramble(key) >> np.uint64(32)
        j = np.int64((bits * np.uint64(len(Y))) >> np.uint64(32))
        squared = _squared_distance(Y, i, before, j, axes)
        if j != i and squared > np.float32(0.0):
            curve = a * fast_power(squared, b) + np.float32(1.0)
            slope = np.float32(2.0) * strength * b / ((SOFTENING + squared) * curve)
            for d in range(len(axes)):
                push[d] += _clip(slope * (Y[i, d] - before[j, d]))
    # All pushes act from the same position, so that they do not depend on each other.
    for d in range(len(axes)):
        Y[i, d] += step * push[d]


@njit()
def _visit(  # type: ignore[no-untyped-def]
    Y, before, low, high, heads, tails, often, axes, a, b, strength, rate, step, epoch, sweep, key
):
    """Visit the edges of one bucket, each as often as its weight says, as umap-learn does."""
    push = np.empty(len(axes), dtype=np.float32)
    for e in range(low, high):
        times = math.floor(epoch * often[e])
        if times > math.floor((epoch - 1.0) * often[e]):
            n_draws = int(math.floor(rate * times) - math.floor(rate * (times - 1.0)))
            i, j = heads[e], tails[e]
            _attract(Y, i, j, axes, a, b, step)
            mover = i if sweep == 0 else j
            own = scramble(key + np.uint64(e) * OTHER)
            _repel(Y, before, push, mover, n_draws, own, axes, a, b, strength, step)


@njit(parallel=True)
def lay_out_epoch(  # type: ignore[no-untyped-def]
    Y,
    before,
    heads,
    tails,
    often,
    first,
    n_parts,
    axes,
    a,
    b,
    strength,
    rate,
    step,
    epoch,
    seed,
):
    """Move ``Y`` by one epoch: every edge in both directions, one sweep for each.

    Bucket p * n_parts + q, p <= q, begins at edge ``first[p * n_parts + q]``. ``axes`` has one
    entry per dimension: a tuple, whose length is known to the compiler, or an array. ``before`` is
    a buffer for a copy of the map.
    """
    n = len(Y)
    for sweep in range(2):
        key = scramble((np.uint64(seed) << np.uint64(32)) + np.uint64(2.0 * epoch + sweep))
        for p in nb.prange(n_parts):
            for i in range(p * n // n_parts, (p + 1) * n // n_parts):
                for d in range(len(axes)):
                    before[i, d] = Y[i, d]
        # Round-robin: in each round every part is paired with another one, in the last with itself.
        for r in range(n_parts - 1):
            for k in nb.prange(n_parts // 2):
                one = n_parts - 1 if k == 0 else (r + k) % (n_parts - 1)
                other = (r - k) % (n_parts - 1)
                p = min(one, other) * n_parts + max(one, other)
                _visit(
                    Y, before, first[p], first[p + 1], heads, tails, often, axes, a, b, strength,
                    rate, step, epoch, sweep, key,
                )  # fmt: skip
        for k in nb.prange(n_parts):
            p = k * n_parts + k
            _visit(
                Y, before, first[p], first[p + 1], heads, tails, often, axes, a, b, strength,
                rate, step, epoch, sweep, key,
            )  # fmt: skip
