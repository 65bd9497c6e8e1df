r"""Places of new samples on a fitted t-SNE map, each by minimising its own objective.

.. math:: F(y) = \sum_j p_j \log(1 + d_j^2) + a \sum_j w_j + \sum_j c_j v_j^2, \qquad
          w_j = 1 / (1 + d_j^2), \quad v_j = 1 / (1 + d_j^2 / s^2), \quad d_j = |y - y_j|

The first sum is over neighbours, the others over all fitted samples. With a = n / Z the first two
are a sample's part of t-SNE's objective. c holds the constraints of priors, up to a cutoff
distance. All pairs are visited.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._descend import advance, begin
from unprior.kernels._jit import njit

#: Number of terms that are summed in single precision before they are added to the total.
BLOCK = 1024


@njit()
def attract(y, places, near, affinities, gradient):  # type: ignore[no-untyped-def]
    """Return Σ p log(1 + d²), and add to the gradient."""
    value = 0.0
    for e in range(near.size):
        j = near[e]
        a, b, c = y[0] - places[0, j], y[1] - places[1, j], y[2] - places[2, j]
        d = 1.0 + a * a + b * b + c * c
        pull = 2.0 * affinities[e] / d
        value += affinities[e] * math.log(d)
        gradient[0] += pull * a
        gradient[1] += pull * b
        gradient[2] += pull * c
    return value


@njit()
def _repel(y, places, start, stop, push, forces, inverse, cutoff, sums):  # type: ignore[no-untyped-def]
    """Add value and gradient of the other two sums over a block of fitted samples."""
    one, two, four, zero = np.float32(1.0), np.float32(2.0), np.float32(4.0), np.float32(0.0)
    x0, x1, x2 = np.float32(y[0]), np.float32(y[1]), np.float32(y[2])
    y0, y1, y2 = places[0], places[1], places[2]
    value, g0, g1, g2 = zero, zero, zero, zero
    for j in range(np.uint64(start), np.uint64(stop)):
        a, b, c = x0 - y0[j], x1 - y1[j], x2 - y2[j]
        squared = a * a + b * b + c * c
        w = one / (one + squared)
        v = one / (one + squared * inverse)
        own = forces[j] * v * v if squared < cutoff else zero
        value += push * w + own
        size = two * push * w * w + four * inverse * own * v
        g0 -= size * a
        g1 -= size * b
        g2 -= size * c
    sums[0] += value
    sums[1] += g0
    sums[2] += g1
    sums[3] += g2


@njit(parallel=True)
def add_constraint(forces, alike, strata, table, classes, same_class, level, gain):  # type: ignore[no-untyped-def]
    """Add gain (k̃ − level) to c; ``alike`` are the most similar fitted samples, or -1."""
    for i in nb.prange(len(alike)):
        own = alike[i]
        if own >= 0:
            row, bonus = table[strata[own]], same_class[classes[own]]
            for j in range(len(strata)):
                k = row[strata[j]] - level
                if classes[j] == classes[own]:
                    k += bonus
                forces[i, j] += gain * k


@njit()
def evaluate(y, places, near, affinities, push, forces, inverse, cutoff, gradient):  # type: ignore[no-untyped-def]
    """Return F at a place, and write its gradient."""
    gradient[:] = 0.0
    value = attract(y, places, near, affinities, gradient)
    sums, n = np.zeros(4), places.shape[1]
    for start in range(0, n, BLOCK):
        _repel(y, places, start, min(n, start + BLOCK), push, forces, inverse, cutoff, sums)
    gradient += sums[1:]
    return value + sums[0]


@njit()
def weighted_median(places, near, affinities, middle):  # type: ignore[no-untyped-def]
    """Write the weighted median of the neighbours' places, axis by axis."""
    values = np.empty(near.size, dtype=np.float32)
    for axis in range(len(places)):
        for e in range(near.size):
            values[e] = places[axis, near[e]]
        order = np.argsort(values, kind="mergesort")
        total, half = 0.0, 0.5 * affinities.sum()
        for e in order:
            total += affinities[e]
            middle[axis] = values[e]
            if total >= half:
                break


@njit()
def best_neighbor(places, near, affinities, start):  # type: ignore[no-untyped-def]
    """Write the place of the neighbour at which the attraction is least."""
    least, place, unused = math.inf, np.empty(3), np.zeros(3)
    for e in range(near.size):
        if affinities[e] <= 0.0:
            continue
        for axis in range(3):
            place[axis] = places[axis, near[e]]
        value = attract(place, places, near, affinities, unused)
        if value < least:
            least = value
            start[:] = place


@njit(parallel=True)
def place_tsne(places, near, affinities, push, forces, inverse, cutoff):  # type: ignore[no-untyped-def]
    """Return the place of every new sample, and the median of its neighbours.

    ``forces`` has a row of c for each sample, and ``inverse`` is 1 / s². The descent starts at the
    median or at one of the neighbours, wherever F is less: neighbours may be in several regions of
    the map.
    """
    m = len(near)
    found, medians = np.empty((m, 3)), np.empty((m, 3))
    for i in nb.prange(m):
        gradient, start = np.empty(3), np.empty(3)
        task = places, near[i], affinities[i], push, forces[i], inverse, cutoff
        weighted_median(places, near[i], affinities[i], medians[i])
        best_neighbor(places, near[i], affinities[i], start)
        if not evaluate(start, *task, gradient) < evaluate(medians[i], *task, gradient):
            start[:] = medians[i]
        state, done = begin(start), False
        while not done:
            value = evaluate(state[:3], *task, gradient)
            done = advance(state, value, gradient)
        found[i] = state[3:6]
    return found, medians
