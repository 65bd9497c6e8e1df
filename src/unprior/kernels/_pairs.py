"""Map -> sums over all pairs, or all edges, of the forces that t-SNE and JEDI share.

Maps come with three columns, missing ones zero: unrolled loops are quicker than short ones. With
w = 1 / (1 + |y_i - y_j|²), every kernel returns the force on each sample and the sums its value
needs. Over all pairs, each is visited once, for both samples; the rows are dealt to a fixed number
of lanes, each with results of its own, so that the bits do not depend on the threads. The caller
adds the lanes up (and doubles the sums, for ordered pairs): inside, numba would do it in parallel,
and not always in the same order.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._jit import njit

LANES = 16


@njit()
def kernel(Y, i, j):  # type: ignore[no-untyped-def]
    """Differences of two samples and their w."""
    a = Y[i, 0] - Y[j, 0]
    b = Y[i, 1] - Y[j, 1]
    c = Y[i, 2] - Y[j, 2]
    return a, b, c, 1.0 / (1.0 + a * a + b * b + c * c)


@njit()
def _push(force, i, j, size, a, b, c):  # type: ignore[no-untyped-def]
    """Add a force along the difference to sample i, and its reaction to sample j."""
    force[i, 0] += size * a
    force[i, 1] += size * b
    force[i, 2] += size * c
    force[j, 0] -= size * a
    force[j, 1] -= size * b
    force[j, 2] -= size * c


@njit(parallel=True)
def repel(Y):  # type: ignore[no-untyped-def]
    """By lanes: Σ_j w² (y_i - y_j), and Σ w over pairs."""
    n = len(Y)
    force, total = np.zeros((LANES, n, 3)), np.zeros(LANES)
    for lane in nb.prange(LANES):
        for i in range(lane, n, LANES):
            for j in range(i):
                a, b, c, w = kernel(Y, i, j)
                total[lane] += w
                _push(force[lane], i, j, w * w, a, b, c)
    return force, total


@njit(parallel=True)
def attract_dense(Y, P):  # type: ignore[no-untyped-def]
    """By lanes, for a symmetric matrix P: Σ_j p w (y_i - y_j), and Σ p log w over pairs."""
    n = len(Y)
    force, total = np.zeros((LANES, n, 3)), np.zeros(LANES)
    for lane in nb.prange(LANES):
        for i in range(lane, n, LANES):
            for j in range(i):
                p = P[i, j]
                if p > 0.0:
                    a, b, c, w = kernel(Y, i, j)
                    total[lane] += p * math.log(w)
                    _push(force[lane], i, j, p * w, a, b, c)
    return force, total


@njit(parallel=True)
def attract_edges(Y, indptr, indices, data):  # type: ignore[no-untyped-def]
    """By samples, for a symmetric sparse P: Σ_j p w (y_i - y_j), and Σ_j p log w."""
    n = len(Y)
    force, total = np.zeros((n, 3)), np.zeros(n)
    for i in nb.prange(n):
        for e in range(indptr[i], indptr[i + 1]):
            a, b, c, w = kernel(Y, i, indices[e])
            size = data[e] * w
            force[i, 0] += size * a
            force[i, 1] += size * b
            force[i, 2] += size * c
            total[i] += data[e] * math.log(w)
    return force, total


@njit()
def prior_slope(r, q, odds, symmetry, skewness):  # type: ignore[no-untyped-def]
    """The slope s of pJSD at one pair, and the pair's term in its value.

    Formulas in `unprior.objectives._jensen_shannon`; ``odds`` is skewness / (1 - skewness).
    """
    u = odds * r / q
    log_u = math.log1p(u)
    s = (1.0 - symmetry) * (u / (1.0 + u) - log_u)
    term = -(1.0 - symmetry) * q * log_u
    if symmetry > 0.0:
        mixture = skewness * q + (1.0 - skewness) * r
        s -= symmetry * skewness * r / mixture
        term += symmetry * r * math.log(r / mixture)
    return s, term


@njit(parallel=True)
def prior_forces(Y, R, normalizer, symmetry, skewness):  # type: ignore[no-untyped-def]
    """By lanes, the prior's part of JEDI.

    Returns Σ_j s q w (y_i - y_j), Σ q s, and the value's sum, both over pairs with R > 0.
    """
    n = len(Y)
    force, mean, value = np.zeros((LANES, n, 3)), np.zeros(LANES), np.zeros(LANES)
    odds = skewness / (1.0 - skewness)
    for lane in nb.prange(LANES):
        for i in range(lane, n, LANES):
            for j in range(i):
                r = R[i, j]
                if r > 0.0:
                    a, b, c, w = kernel(Y, i, j)
                    q = w / normalizer
                    s, term = prior_slope(r, q, odds, symmetry, skewness)
                    mean[lane] += q * s
                    value[lane] += term
                    _push(force[lane], i, j, s * q * w, a, b, c)
    return force, mean, value


@njit(parallel=True)
def prior_edge_forces(Y, indptr, indices, data, normalizer, symmetry, skewness):  # type: ignore[no-untyped-def]
    """By samples, the prior's part of JEDI for a symmetric sparse R."""
    n = len(Y)
    force, mean, value = np.zeros((n, 3)), np.zeros(n), np.zeros(n)
    odds = skewness / (1.0 - skewness)
    for i in nb.prange(n):
        for e in range(indptr[i], indptr[i + 1]):
            a, b, c, w = kernel(Y, i, indices[e])
            q = w / normalizer
            s, term = prior_slope(data[e], q, odds, symmetry, skewness)
            push = s * q * w
            force[i, 0] += push * a
            force[i, 1] += push * b
            force[i, 2] += push * c
            mean[i] += q * s
            value[i] += term
    return force, mean, value
