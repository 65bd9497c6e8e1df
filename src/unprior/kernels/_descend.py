"""Value and gradient at a place -> the next place to look at: BFGS for a single sample.

An objective calls `begin` and then, with its value and gradient at the first ``dim`` entries of the
state, `advance` until that says that it is done; entries ``dim`` to ``2 dim`` then hold the best
place. So one descent serves every objective, and a sample is placed without a look at any other.
"""

from __future__ import annotations

import math

import numpy as np

from unprior.kernels._jit import njit

#: Entries of the state from its end: the best value, the step along the direction, looks taken.
VALUE, STEP, LOOKS = -3, -2, -1

#: Looks at most; length of the first step, and of any; the gradient and the step at which it ends.
MOST_LOOKS, FIRST_STEP, LONGEST, FLAT, SHORT = 60, 0.5, 5.0, 1e-4, 1e-4

#: A step must lower the value by this share of what the gradient promises.
ENOUGH = 1e-4


@njit()
def begin(place):  # type: ignore[no-untyped-def]
    """Return the state of a descent that starts at a place.

    After the place to look at come the best one, its gradient, the direction, the inverse Hessian
    and three numbers.
    """
    dim = place.size
    state = np.zeros(4 * dim + dim * dim + 3)
    state[:dim] = place
    state[VALUE] = math.inf
    return state


@njit()
def advance(state, value, gradient):  # type: ignore[no-untyped-def]
    """Take a look at a place into account; whether the descent is done."""
    dim = gradient.size
    place, best = state[:dim], state[dim : 2 * dim]
    slope, ahead = state[2 * dim : 3 * dim], state[3 * dim : 4 * dim]
    inverse = state[4 * dim : 4 * dim + dim * dim].reshape((dim, dim))
    first = state[LOOKS] == 0.0
    state[LOOKS] += 1.0
    promised = 0.0
    for c in range(dim):
        promised += ahead[c] * slope[c]
    if first or value <= state[VALUE] + ENOUGH * state[STEP] * promised:
        if not first:
            _learn(place, best, gradient, slope, inverse)
        state[VALUE] = value
        size = 0.0
        for c in range(dim):
            best[c], slope[c] = place[c], gradient[c]
            size += gradient[c] * gradient[c]
        size = math.sqrt(size)
        if size < FLAT:
            return True
        if first:
            _forget(inverse, size)
        state[STEP] = min(1.0, LONGEST / _aim(slope, ahead, inverse, size))
    else:
        state[STEP] *= 0.5
    length = 0.0
    for c in range(dim):
        move = state[STEP] * ahead[c]
        place[c] = best[c] + move
        length += move * move
    return math.sqrt(length) < SHORT or state[LOOKS] >= MOST_LOOKS


@njit()
def _forget(inverse, size):  # type: ignore[no-untyped-def]
    """Begin with a short step along the gradient."""
    inverse[:] = 0.0
    for c in range(len(inverse)):
        inverse[c, c] = min(1.0, FIRST_STEP / size)


@njit()
def _aim(slope, ahead, inverse, size):  # type: ignore[no-untyped-def]
    """Point the direction downhill, by the inverse Hessian; return its length."""
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
        _forget(inverse, size)  # rounding has spoilt it


@njit()
def _learn(place, best, gradient, slope, inverse):  # type: ignore[no-untyped-def]
    """Update the inverse Hessian by a step and the change of the gradient along it."""
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
