r"""Places of new samples on a fitted JEDI map, each by minimising its own objective.

.. math:: F(y) = \sum_j p_j \log(1 + d_j^2) + a (1 + \sum_m \eta_m \bar s_m) \sum_j w_j
          - n \sum_m \eta_m \sum_j t(q_j, r_{mj} / n), \qquad q_j = w_j / Z,

with t the term of a pair in pJSD and s its derivative by q; see `unprior.objectives._jedi`.

JEDI stops early, so fitted samples are not at minima of F. A new sample therefore starts at the
place of the fitted sample most like it, its twin, and minimises F minus a linear term, whose slope
is the gradient of F that is left at the twin. Far from the map this decreases without end, since F
grows only with the logarithm of the distance. A sample that leaves the map is placed by F alone.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._descend import advance, begin
from unprior.kernels._jit import njit
from unprior.kernels._pairs import prior_slope
from unprior.kernels._place_tsne import weighted_median


@njit()
def evaluate(y, places, affinities, prior_affinities, strengths, shape, gradient):  # type: ignore[no-untyped-def]
    """Return F at a place, and write its gradient."""
    normalizer, push, symmetry, skewness = shape
    n, value = places.shape[1], 0.0
    odds = skewness / (1.0 - skewness)
    gradient[:] = 0.0
    for j in range(n):
        a, b, c = y[0] - places[0, j], y[1] - places[1, j], y[2] - places[2, j]
        d = 1.0 + a * a + b * b + c * c
        w = 1.0 / d
        value += push * w
        size = affinities[j] - push * w
        if affinities[j] > 0.0:
            value += affinities[j] * math.log(d)
        for m in range(len(prior_affinities)):
            if prior_affinities[m, j] > 0.0:
                q = w / normalizer
                s, term = prior_slope(prior_affinities[m, j] / n, q, odds, symmetry, skewness)
                value -= n * strengths[m] * term
                size += n * strengths[m] * s * q
        size *= 2.0 * w
        gradient[0] += size * a
        gradient[1] += size * b
        gradient[2] += size * c
    return value


@njit()
def _descend(start, slope, places, affinities, prior_affinities, strengths, shape):  # type: ignore[no-untyped-def]
    """Return the minimum of F less a linear term that a descent from ``start`` reaches."""
    gradient, state, done = np.empty(3), begin(start), False
    while not done:
        value = evaluate(
            state[:3], places, affinities, prior_affinities, strengths, shape, gradient
        )
        for c in range(3):
            value -= slope[c] * state[c]
            gradient[c] -= slope[c]
        done = advance(state, value, gradient)
    return state[3:6]


@njit()
def _extent(places):  # type: ignore[no-untyped-def]
    """Return the centre of a map, and the squared distance of its farthest sample from there."""
    n, center, farthest = places.shape[1], np.zeros(3), 0.0
    for c in range(3):
        for j in range(n):
            center[c] += np.float64(places[c, j])
        center[c] /= n
    for j in range(n):
        farthest = max(farthest, _square(places[:, j], center))
    return center, farthest


@njit()
def _square(place, center):  # type: ignore[no-untyped-def]
    total = 0.0
    for c in range(3):
        gap = np.float64(place[c]) - center[c]
        total += gap * gap
    return total


@njit(parallel=True)
def place_jedi(places, near, pulls, twins, slopes, affinities, prior_affinities, strengths, shape):  # type: ignore[no-untyped-def]
    """Return the place of every new sample, and the median of its nearest ones.

    ``near`` are the nearest with affinities ``pulls``, and ``slopes`` those of all fitted samples;
    ``affinities`` and ``prior_affinities`` are those to all fitted samples, in the data and in each
    prior.
    """
    m = len(near)
    found, medians = np.empty((m, 3)), np.empty((m, 3))
    center, farthest = _extent(places)
    for i in nb.prange(m):
        start = np.empty(3)
        task = places, affinities[i], prior_affinities[i], strengths, shape
        weighted_median(places, near[i], pulls[i], medians[i])
        for c in range(3):
            start[c] = places[c, twins[i]]
        found[i] = _descend(start, slopes[twins[i]], *task)
        if _square(found[i], center) > farthest:
            found[i] = _descend(start, np.zeros(3), *task)
    return found, medians
