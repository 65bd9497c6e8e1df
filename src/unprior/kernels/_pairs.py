"""Forces of t-SNE and JEDI, summed over all pairs or over the edges of a graph.

Maps have three columns, unused ones zero: unrolled loops are faster than short ones. With
w = 1 / (1 + |y_i - y_j|²), each kernel returns the force on each sample and the sums of its value.
Each pair is visited once, for both samples; rows are distributed over a fixed number of lanes, each
with its own results, so that the bits do not depend on the threads. The caller adds up the lanes
(and doubles the sums, for ordered pairs): numba would do it in parallel, in varying order. The
inner loops have no branches and contiguous access, so that they are vectorised.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from unprior.kernels._fast_math import fast_log
from unprior.kernels._jit import njit

#: Number of independent results, which are distributed over threads.
LANES = 16


@njit(inline=True)
def kernel(Y, i, j):  # type: ignore[no-untyped-def]
    """Return the coordinate differences of two samples, and w."""
    a = Y[i, 0] - Y[j, 0]
    b = Y[i, 1] - Y[j, 1]
    c = Y[i, 2] - Y[j, 2]
    return a, b, c, 1.0 / (1.0 + a * a + b * b + c * c)


@njit(inline=True)
def prior_slope(r, q, odds, symmetry, skewness):  # type: ignore[no-untyped-def]
    """Return the slope s of pJSD at one pair, and the pair's term of the value; 0 if r is 0.

    Formulas in `unprior.objectives._divergences`; ``odds`` is skewness / (1 - skewness).
    """
    u = odds * r / q
    log_u = fast_log(1.0 + u)
    s = (1.0 - symmetry) * (u / (1.0 + u) - log_u)
    term = -(1.0 - symmetry) * q * log_u
    if symmetry > 0.0:
        share = r / (skewness * q + (1.0 - skewness) * r)
        s -= symmetry * skewness * share
        term += symmetry * r * fast_log(share)
    return s, term


@njit(parallel=True)
def repel(Y):  # type: ignore[no-untyped-def]
    """Return by lane Σ_j w² (y_i - y_j) as (3, n), and Σ w over pairs."""
    n = len(Y)
    y0, y1, y2 = Y[:, 0].copy(), Y[:, 1].copy(), Y[:, 2].copy()
    force, total = np.zeros((LANES, 3, n)), np.zeros(LANES)
    for lane in nb.prange(LANES):
        x0, x1, x2 = force[lane, 0], force[lane, 1], force[lane, 2]
        for i in range(lane, n, LANES):
            f0, f1, f2, sum_w = 0.0, 0.0, 0.0, 0.0
            for j in range(i):
                a, b, c = y0[i] - y0[j], y1[i] - y1[j], y2[i] - y2[j]
                w = 1.0 / (1.0 + a * a + b * b + c * c)
                size = w * w
                sum_w += w
                f0 += size * a
                f1 += size * b
                f2 += size * c
                x0[j] -= size * a
                x1[j] -= size * b
                x2[j] -= size * c
            x0[i] += f0
            x1[i] += f1
            x2[i] += f2
            total[lane] += sum_w
    return force, total


@njit(parallel=True)
def attract_dense(Y, P):  # type: ignore[no-untyped-def]
    """Return by lane, for symmetric P, Σ_j p w (y_i - y_j) as (3, n) and Σ p log w over pairs."""
    n = len(Y)
    y0, y1, y2 = Y[:, 0].copy(), Y[:, 1].copy(), Y[:, 2].copy()
    force, total = np.zeros((LANES, 3, n)), np.zeros(LANES)
    for lane in nb.prange(LANES):
        x0, x1, x2 = force[lane, 0], force[lane, 1], force[lane, 2]
        for i in range(lane, n, LANES):
            row = P[i]
            f0, f1, f2, sum_log = 0.0, 0.0, 0.0, 0.0
            for j in range(i):
                a, b, c = y0[i] - y0[j], y1[i] - y1[j], y2[i] - y2[j]
                d = 1.0 + a * a + b * b + c * c
                size = row[j] / d
                sum_log -= row[j] * fast_log(d)
                f0 += size * a
                f1 += size * b
                f2 += size * c
                x0[j] -= size * a
                x1[j] -= size * b
                x2[j] -= size * c
            x0[i] += f0
            x1[i] += f1
            x2[i] += f2
            total[lane] += sum_log
    return force, total


@njit(parallel=True)
def prior_forces(Y, R, normalizer, symmetry, skewness):  # type: ignore[no-untyped-def]
    """Return by lane the prior's part of JEDI for a symmetric matrix R.

    These are Σ_j s q w (y_i - y_j) as (3, n), and Σ q s and the sum of the value over pairs.
    """
    n = len(Y)
    y0, y1, y2 = Y[:, 0].copy(), Y[:, 1].copy(), Y[:, 2].copy()
    force, mean, value = np.zeros((LANES, 3, n)), np.zeros(LANES), np.zeros(LANES)
    odds = skewness / (1.0 - skewness)
    for lane in nb.prange(LANES):
        x0, x1, x2 = force[lane, 0], force[lane, 1], force[lane, 2]
        for i in range(lane, n, LANES):
            row = R[i]
            f0, f1, f2, sum_s, sum_term = 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(i):
                a, b, c = y0[i] - y0[j], y1[i] - y1[j], y2[i] - y2[j]
                w = 1.0 / (1.0 + a * a + b * b + c * c)
                q = w / normalizer
                s, term = prior_slope(row[j], q, odds, symmetry, skewness)
                size = s * q * w
                sum_s += s * q
                sum_term += term
                f0 += size * a
                f1 += size * b
                f2 += size * c
                x0[j] -= size * a
                x1[j] -= size * b
                x2[j] -= size * c
            x0[i] += f0
            x1[i] += f1
            x2[i] += f2
            mean[lane] += sum_s
            value[lane] += sum_term
    return force, mean, value


@njit(parallel=True)
def attract_edges(Y, indptr, indices, data):  # type: ignore[no-untyped-def]
    """Return by sample, for symmetric sparse P, Σ_j p w (y_i - y_j) and Σ_j p log w."""
    n = len(Y)
    force, total = np.empty((n, 3)), np.empty(n)
    for i in nb.prange(n):
        y0, y1, y2 = Y[i, 0], Y[i, 1], Y[i, 2]
        f0, f1, f2, sum_log = 0.0, 0.0, 0.0, 0.0
        # Unsigned, since signed indices would be checked for negative values.
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint32(indices[e])
            a, b, c = y0 - Y[j, 0], y1 - Y[j, 1], y2 - Y[j, 2]
            d = 1.0 + a * a + b * b + c * c
            size = data[e] / d
            sum_log -= data[e] * fast_log(d)
            f0 += size * a
            f1 += size * b
            f2 += size * c
        force[i, 0], force[i, 1], force[i, 2], total[i] = f0, f1, f2, sum_log
    return force, total


@njit(parallel=True)
def prior_edge_forces(Y, indptr, indices, data, normalizer, symmetry, skewness):  # type: ignore[no-untyped-def]
    """Return by sample the prior's part of JEDI for a symmetric sparse R."""
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


@njit(parallel=True)
def repel_within(Y, begin, end):  # type: ignore[no-untyped-def]
    """Return by sample Σ_j w² (y_i - y_j) and Σ_j w over the other rows of begin[i]:end[i]."""
    n = len(Y)
    force, total = np.zeros((n, 3)), np.zeros(n)
    for i in nb.prange(n):
        for j in range(begin[i], end[i]):
            if j != i:
                a, b, c, w = kernel(Y, i, j)
                total[i] += w
                force[i, 0] += w * w * a
                force[i, 1] += w * w * b
                force[i, 2] += w * w * c
    return force, total
