"""BFGS for the place of a single sample, driven by its objective.

The caller starts with `begin`. It then evaluates its objective at the first ``dim`` entries of the
state and calls `advance` with value and gradient, until that returns True; entries ``dim`` to
``2 dim`` then hold the best place. So one descent serves all objectives.
"""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._jit import njit

#: Last entries of the state: best value, step along the direction, number of evaluations.
VALUE, STEP, EVALUATIONS = -3, -2, -1

#: Largest number of evaluations; length of the first step, and of any; norm of the gradient, and
#: length of the step, at which the descent ends.
MOST_EVALUATIONS, FIRST_STEP, LONGEST, FLAT, SHORT = 60, 0.5, 5.0, 1e-4, 1e-4

#: A step must lower the value by this fraction of the linear prediction (Armijo).
ENOUGH = 1e-4


@njit()
def begin(place):  # type: ignore[no-untyped-def]
    """Return the state of a descent that starts at a place.

    It holds the next place, the best place, its gradient, the direction, the inverse Hessian and
    three numbers.
    """
    dim = place.size
    state = np.zeros(4 * dim + dim * dim + 3)
    state[:dim] = place
    state[VALUE] = math.inf
    return state


@njit()
def advance(state, value, gradient):  # type: ignore[no-untyped-def]
    """Update the state by an evaluation, and return whether the descent is done."""
    dim = gradient.size
    place, best = state[:dim], state[dim : 2 * dim]
    slope, ahead = state[2 * dim : 3 * dim], state[3 * dim : 4 * dim]
    inverse = state[4 * dim : 4 * dim + dim * dim].reshape((dim, dim))
    first = state[EVALUATIONS] == 0.0
    state[EVALUATIONS] += 1.0
    predicted = 0.0
    for c in range(dim):
        predicted += ahead[c] * slope[c]
    if first or value <= state[VALUE] + ENOUGH * state[STEP] * predicted:
        if not first:
            _update_hessian(place, best, gradient, slope, inverse)
        state[VALUE] = value
        size = 0.0
        for c in range(dim):
            best[c], slope[c] = place[c], gradient[c]
            size += gradient[c] * gradient[c]
        size = math.sqrt(size)
        if not FLAT <= size < math.inf:  # overflow, or NaN, has no direction
            return True
        if first:
            _reset(inverse, size)
        state[STEP] = min(1.0, LONGEST / _set_direction(slope, ahead, inverse, size))
    else:
        state[STEP] *= 0.5
    length = 0.0
    for c in range(dim):
        move = state[STEP] * ahead[c]
        place[c] = best[c] + move
        length += move * move
    return math.sqrt(length) < SHORT or state[EVALUATIONS] >= MOST_EVALUATIONS


@njit()
def _reset(inverse, size):  # type: ignore[no-untyped-def]
    """Reset the inverse Hessian, so that the next step is short and along the gradient."""
    inverse[:] = 0.0
    for c in range(len(inverse)):
        inverse[c, c] = min(1.0, FIRST_STEP / size)


@njit()
def _set_direction(slope, ahead, inverse, size):  # type: ignore[no-untyped-def]
    """Set the direction by the inverse Hessian, and return its length."""
    while True:
        downhill, length = 0.0, 0.0
        for a in range(slope.size):
            ahead[a] = 0.0
            for b in range(slope.size):
                ahead[a] -= inverse[a, b] * slope[b]
            downhill += ahead[a] * slope[a]
            length += ahead[a] * ahead[a]
        if downhill < 0.0:
            return math.sqrt(length)
        _reset(inverse, size)  # not positive definite, by rounding


@njit()
def _update_hessian(place, best, gradient, slope, inverse):  # type: ignore[no-untyped-def]
    """Update the inverse Hessian by a step and the change of the gradient."""
    dim = gradient.size
    step, change, turned = np.empty(dim), np.empty(dim), np.zeros(dim)
    along, total, curved = 0.0, 0.0, 0.0
    for c in range(dim):
        step[c] = place[c] - best[c]
        change[c] = gradient[c] - slope[c]
        along += step[c] * change[c]
        total += change[c] * change[c]
    if not along > 1e-10 * total:  # not convex here
        return
    for a in range(dim):
        for b in range(dim):
            turned[a] += inverse[a, b] * change[b]
        curved += turned[a] * change[a]
    for a in range(dim):
        for b in range(dim):
            inverse[a, b] += (1.0 + curved / along) * step[a] * step[b] / along
            inverse[a, b] -= (turned[a] * step[b] + step[a] * turned[b]) / along
