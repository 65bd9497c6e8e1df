r"""Places of new samples on a fitted JEDI map, each by minimising its own objective.

.. math:: F(y) = \sum_j p_j \log(1 + d_j^2) + a (1 + \sum_m \eta_m \bar s_m) \sum_j w_j
          - n \sum_m \eta_m \sum_j t(q_j, r_{mj} / n), \qquad q_j = w_j / Z,

with t the term of a pair in pJSD and s its derivative by q; see `unprior.objectives._jedi`.

JEDI stops early, so that fitted samples are not at minima of F. A new sample therefore starts at
the place of the fitted sample most like it, its twin, and minimises F less a linear term: the slope
of F that the twin was left with.

F grows like a logarithm, so that F less a linear term has no minimum if the slope is steep, as
after few steps. A sample that moves farther than the map is wide therefore minimises F alone.
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


@njit(parallel=True)
def place_jedi(places, near, pulls, twins, slopes, affinities, prior_affinities, strengths, shape):  # type: ignore[no-untyped-def]
    """Return the place of every new sample, and the median of its nearest ones.

    ``near`` are the nearest with affinities ``pulls``, and ``slopes`` those of all fitted samples;
    ``affinities`` and ``prior_affinities`` are those to all fitted samples, in the data and in each
    prior.
    """
    m, width = len(near), 0.0
    found, medians = np.empty((m, 3)), np.empty((m, 3))
    for c in range(3):
        width = max(width, places[c].max() - places[c].min())
    for i in nb.prange(m):
        gradient, start, slope = np.empty(3), np.empty(3), slopes[twins[i]].copy()
        task = places, affinities[i], prior_affinities[i], strengths, shape
        weighted_median(places, near[i], pulls[i], medians[i])
        for c in range(3):
            start[c] = places[c, twins[i]]
        for _ in range(2):
            state, done, moved = begin(start), False, 0.0
            while not done:
                value = evaluate(state[:3], *task, gradient)
                for c in range(3):
                    value -= slope[c] * state[c]
                    gradient[c] -= slope[c]
                done = advance(state, value, gradient)
            for c in range(3):
                moved += (state[3 + c] - start[c]) ** 2
            found[i] = state[3:6]
            if moved <= width * width:
                break
            slope[:] = 0.0
    return found, medians
