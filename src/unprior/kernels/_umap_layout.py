"""Edges of a fuzzy graph in rounds -> one epoch of UMAP's layout, the same on any threads.

umap-learn moves both ends of one edge after the other. Here samples are cut into parts, and edges
into buckets by the parts of their ends (`unprior.optimize._edge_rounds`). The buckets of a round
share no part: they run at the same time, each in its own order, and move nothing that another one
moves. Samples that repel stand where they were at the beginning of the sweep.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._fast_math import fast_power
from unprior.kernels._hash import scramble
from unprior.kernels._jit import njit

#: Largest step along one axis, before the learning rate, as in umap-learn.
LARGEST = np.float32(4.0)

#: What umap-learn adds to squared distances that repulsion is divided by.
SOFTENING = np.float32(0.001)

#: Steps of the sequences whose members are scrambled: odd, with bits all over.
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
    """Move a sample away from others, drawn among all."""
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
    # All draws from one place: they need not wait for each other.
    for d in range(len(axes)):
        Y[i, d] += step * push[d]


@njit()
def _visit(  # type: ignore[no-untyped-def]
    Y, before, low, high, heads, tails, often, axes, a, b, strength, rate, step, epoch, sweep, key
):
    """Go through the edges of one bucket, each as often as its weight says, as umap-learn does."""
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

    Bucket p * n_parts + q, p <= q, holds the edges from ``first[p * n_parts + q]`` on. ``axes`` is
    a tuple as long as the map has dimensions, which the compiler then knows, or any such array.
    ``before`` is room for a copy of the map.
    """
    n = len(Y)
    for sweep in range(2):
        key = scramble((np.uint64(seed) << np.uint64(32)) + np.uint64(2.0 * epoch + sweep))
        for p in nb.prange(n_parts):
            for i in range(p * n // n_parts, (p + 1) * n // n_parts):
                for d in range(len(axes)):
                    before[i, d] = Y[i, d]
        # A tournament: in each of the first rounds every part meets another, in the last itself.
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
