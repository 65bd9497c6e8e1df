r"""Places of new samples on a fitted UMAP map, each by minimising its own objective.

.. math:: F(y) = \sum_j v_j \log(1 + a d_j^{2b})
          + \frac{\gamma m}{2 r} \sum_j v_j \sum_k \log\Big(1 + \frac{1}{a (d_k^2 + ε)^b}\Big)

is the mean over UMAP's random draws: v are the weights of neighbours, m is the negative sample
rate, and k goes over r fitted samples in place of the draws. The half is there because in UMAP's
layout both ends of an edge move.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._descend import advance, begin
from unprior.kernels._fast_math import fast_log, fast_power
from unprior.kernels._jit import njit
from unprior.kernels._place_tsne import weighted_median

#: umap-learn's guard against a division by zero.
EPSILON = 1e-3

#: Bisection steps for a width, and its minimum relative to the mean distance (umap-learn's).
HALVINGS, LEAST_WIDTH = 64, 1e-3


@njit(parallel=True)
def fuzzy_weights(lengths):  # type: ignore[no-untyped-def]
    """Return UMAP's weights of neighbours, which are sorted by distance."""
    weights = np.empty(lengths.shape)
    for i in nb.prange(len(lengths)):
        _weigh(lengths[i], weights[i])
    return weights


@njit()
def _weigh(lengths, weights):  # type: ignore[no-untyped-def]
    """Write the weights of one sample's neighbours."""
    nearest, mean = 0.0, lengths.mean()
    for length in lengths:
        if length > 0.0:
            nearest = length
            break
    # umap-learn counts the sample itself among its neighbours.
    target, low, high, width = math.log2(lengths.size + 1.0), 0.0, math.inf, 1.0
    for _ in range(HALVINGS):
        total = 0.0
        for length in lengths:
            total += math.exp(-max(0.0, length - nearest) / width)
        if total > target:
            high = width
            width = (low + high) / 2
        else:
            low = width
            width = 2 * width if high == math.inf else (low + high) / 2
    width = max(width, LEAST_WIDTH * mean, 1e-300)
    for e in range(lengths.size):
        weights[e] = math.exp(-max(0.0, lengths[e] - nearest) / width)


@njit(parallel=True)
def add_reverse(near, weights, distances, rhos, sigmas, reach, most):  # type: ignore[no-untyped-def]
    """Return the fuzzy union of neighbours with the edges from fitted to new samples.

    A fitted sample has such an edge to new samples that are nearer than its farthest neighbour. Up
    to ``most`` of them that are not neighbours already follow after these; free places have weight
    0.
    """
    m, k = near.shape
    indices, values = np.zeros((m, k + most), dtype=np.int64), np.zeros((m, k + most))
    for i in nb.prange(m):
        indices[i, :k], values[i, :k] = near[i], weights[i]
        found = k
        for j in range(len(reach)):
            if distances[i, j] > reach[j]:
                continue
            beyond = distances[i, j] - rhos[j]
            back = 1.0 if beyond <= 0.0 or sigmas[j] <= 0.0 else math.exp(-beyond / sigmas[j])
            place = -1
            for e in range(k):
                if near[i, e] == j:
                    place = e
            if place >= 0:
                values[i, place] += back - back * values[i, place]
                continue
            place = found
            if found < k + most:
                found += 1
            else:  # replaces the weakest
                place = k + np.argmin(values[i, k:])
                if values[i, place] >= back:
                    continue
            indices[i, place], values[i, place] = j, back
    return indices, values


@njit()
def evaluate(y, places, near, weights, others, push, a, b, gradient):  # type: ignore[no-untyped-def]
    """Return F at a place, and write its gradient."""
    dim, value = y.size, 0.0
    gradient[:] = 0.0
    for e in range(near.size):
        squared = 0.0
        for c in range(dim):
            squared += (y[c] - places[c, near[e]]) ** 2
        if squared > 0.0:
            power = a * squared**b
            value += weights[e] * math.log1p(power)
            size = 2.0 * weights[e] * b * power / (squared * (1.0 + power))
            for c in range(dim):
                gradient[c] += size * (y[c] - places[c, near[e]])
    return value + _repel(y, others, push, a, b, gradient)


@njit()
def _repel(y, others, push, a, b, gradient):  # type: ignore[no-untyped-def]
    """Return the second sum, and subtract from the gradient; loops over k are vectorised."""
    value, n = 0.0, others.shape[1]
    squared, size = np.full(n, EPSILON, dtype=np.float32), np.empty(n, dtype=np.float32)
    for c in range(y.size):
        place, axis = np.float32(y[c]), others[c]
        for k in range(n):
            gap = place - axis[k]
            squared[k] += gap * gap
    for k in range(n):
        power = a * fast_power(squared[k], b)
        value += fast_log(1.0 + 1.0 / power)
        size[k] = 2.0 * push * b / (squared[k] * (1.0 + power))
    for c in range(y.size):
        total, place, axis = 0.0, np.float32(y[c]), others[c]
        for k in range(n):
            total += size[k] * (place - axis[k])
        gradient[c] -= total
    return push * value


@njit(parallel=True)
def place_umap(places, near, weights, others, push, a, b):  # type: ignore[no-untyped-def]
    """Return the place of every new sample, and the median of its neighbours.

    ``others`` are the fitted samples that repel, each with ``push`` for a weight of one.
    """
    m, dim = len(near), len(places)
    found, medians = np.empty((m, dim)), np.empty((m, dim))
    for i in nb.prange(m):
        gradient, start = np.empty(dim), np.empty(dim)
        weighted_median(places, near[i], weights[i], medians[i])
        task = places, near[i], weights[i], others, push * weights[i].sum(), a, b
        least = math.inf
        for e in range(-1, near.shape[1]):
            place = medians[i].copy()
            if e >= 0 and weights[i, e] > 0.0:
                for c in range(dim):
                    place[c] = places[c, near[i, e]]
            # The start is where the attraction is least.
            value = evaluate(place, places, near[i], weights[i], others[:, :0], 0.0, a, b, gradient)
            if value < least:
                least = value
                start[:] = place
        state, done = begin(start), False
        while not done:
            value = evaluate(state[:dim], *task, gradient)
            done = advance(state, value, gradient)
        found[i] = state[dim : 2 * dim]
    return found, medians
