r"""Neighbours of new samples -> their places on a fitted UMAP map, one by one.

.. math:: F(y) = \sum_j v_j \log(1 + a d_j^{2b})
          + \frac{\gamma m}{2 r} \sum_j v_j \sum_k \log\Big(1 + \frac{1}{a (d_k^2 + ε)^b}\Big)

is what UMAP's layout lowers on average for one sample: v are its weights, k goes over r fitted
samples that stand for all in place of draws, m is the negative sample rate. The other end of an
edge moves as well in the layout, hence the half.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._descend import advance, begin
from unprior.kernels._jit import njit
from unprior.kernels._place_tsne import weighted_median

#: umap-learn's guard against a division by zero.
EPSILON = 1e-3

#: Halvings that find a width, and the least width as a share of the mean distance (umap-learn's).
HALVINGS, LEAST_WIDTH = 64, 1e-3


@njit()
def _weigh(lengths, weights):  # type: ignore[no-untyped-def]
    """Fill in UMAP's weights of a sample's neighbours, which are sorted."""
    nearest, mean = 0.0, lengths.mean()
    for length in lengths:
        if length > 0.0:
            nearest = length
            break
    target, low, high, width = math.log2(lengths.size), 0.0, math.inf, 1.0
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


@njit()
def look(y, places, near, weights, others, push, a, b, gradient):  # type: ignore[no-untyped-def]
    """Return F at a place, and fill in its gradient."""
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
    for k in range(others.shape[1]):
        squared = EPSILON
        for c in range(dim):
            squared += (y[c] - others[c, k]) ** 2
        power = a * squared**b
        value += push * math.log1p(1.0 / power)
        size = 2.0 * push * b / (squared * (1.0 + power))
        for c in range(dim):
            gradient[c] -= size * (y[c] - others[c, k])
    return value


@njit(parallel=True)
def place_umap(places, near, lengths, others, push, a, b):  # type: ignore[no-untyped-def]
    """Return the place of every new sample, and the median of its neighbours.

    ``others`` stand for all fitted samples, each of which counts ``push`` for a weight of one.
    """
    m, dim = len(near), len(places)
    found, medians = np.empty((m, dim)), np.empty((m, dim))
    for i in nb.prange(m):
        gradient, weights, start = np.empty(dim), np.empty(near.shape[1]), np.empty(dim)
        _weigh(lengths[i], weights)
        weighted_median(places, near[i], weights, medians[i])
        task = places, near[i], weights, others, push * weights.sum(), a, b
        least = math.inf
        for e in range(-1, near.shape[1]):
            place = medians[i].copy()
            if e >= 0:
                for c in range(dim):
                    place[c] = places[c, near[i, e]]
            # Pulls alone tell where to start.
            value = look(place, places, near[i], weights, others[:, :0], 0.0, a, b, gradient)
            if value < least:
                least = value
                start[:] = place
        state, done = begin(start), False
        while not done:
            value = look(state[:dim], *task, gradient)
            done = advance(state, value, gradient)
        found[i] = state[dim : 2 * dim]
    return found, medians
