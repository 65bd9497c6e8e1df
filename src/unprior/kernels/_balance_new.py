"""Balanced neighbours of new samples, from the potentials of the fitted ones.

The potentials of fitted samples are fixed; those of a new sample follow from them, group by group:
g(s) = ε (log share(s) − log Σ_{j in s} exp(−(d_j² − g_j) / ε)). With several priors they are
updated in turn. Each row is computed by itself.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._balance import _round_shares
from unprior.kernels._jit import njit
from unprior.kernels._to_fitted import nearest_in, sift_down

#: Number of updates with several priors.
TURNS = 20


@njit(inline=True)
def _group(z, j, own, codes, classes, counts):  # type: ignore[no-untyped-def]
    """Return the stratum of fitted sample j as seen from a new one of class ``own``."""
    return counts[z] if own >= 0 and own == classes[z, j] else codes[z, j]


@njit()
def _nearness(rest, width, z, own, codes, classes, counts, most, sums):  # type: ignore[no-untyped-def]
    """Write, by group, the largest exponent and the sum of exponentials relative to it."""
    most[:], sums[:] = -math.inf, 0.0
    for j in range(rest.size):
        group = _group(z, j, own, codes, classes, counts)
        most[group] = max(most[group], -rest[j] / width)
    for j in range(rest.size):
        group = _group(z, j, own, codes, classes, counts)
        sums[group] += math.exp(-rest[j] / width - most[group])


@njit()
def _potentials(rest, width, shares, mine, codes, classes, counts, found):  # type: ignore[no-untyped-def]
    """Write a new sample's potentials of every prior, and subtract them from ``rest``."""
    n_priors, n_groups = shares.shape
    most, sums, step = np.empty(n_groups), np.empty(n_groups), np.empty(n_groups)
    for _ in range(TURNS if n_priors > 1 else 1):
        for z in range(n_priors):
            _nearness(rest, width, z, mine[z], codes, classes, counts, most, sums)
            for group in range(n_groups):
                step[group] = 0.0
                if sums[group] > 0.0 and shares[z, group] > 0.0:
                    step[group] = width * (
                        math.log(shares[z, group]) - most[group] - math.log(sums[group])
                    )
                found[z, group] += step[group]
            for j in range(rest.size):
                rest[j] -= step[_group(z, j, mine[z], codes, classes, counts)]


@njit()
def _nearest_by_shares(rest, room, own, codes, classes, counts, names, values):  # type: ignore[no-untyped-def]
    """Write the ``room[g]`` nearest samples of each group g; return how many there are."""
    first = np.zeros(len(room) + 1, dtype=np.int64)
    for group in range(len(room)):
        first[group + 1] = first[group] + room[group]
    names[:], values[:] = -1, np.inf
    for j in range(rest.size):
        group = _group(0, j, own, codes, classes, counts)
        start, size = first[group], room[group]
        if size > 0 and rest[j] < values[start]:
            values[start], names[start] = rest[j], j
            sift_down(values, names, start, size)
    kept = 0
    for place in range(first[len(room)]):
        if names[place] >= 0:
            names[kept], values[kept] = names[place], values[place]
            kept += 1
    return kept


@njit()
def _fill_up(rest, kept, names, values):  # type: ignore[no-untyped-def]
    """Fill the remaining places with the nearest of all."""
    k = len(names)
    more, lengths = np.empty(k, dtype=np.int64), np.empty(k)
    nearest_in(rest, k, more, lengths)
    for place in range(k):
        if kept == k:
            break
        known = False
        for other in range(kept):
            known = known or names[other] == more[place]
        if not known:
            names[kept], values[kept] = more[place], lengths[place]
            kept += 1


@njit(parallel=True)
def balanced_rows(squares, width, k, mine, mates, shares, strata, potentials):  # type: ignore[no-untyped-def]
    """Return the balanced neighbours of new samples, and what is left of the squares to them.

    Parameters
    ----------
    squares : ndarray of shape (n_new, n_fitted)
        Squared distances in the operator's unit.
    width : float
        ε.
    k : int
        Number of neighbours.
    mine, mates : ndarray of shape (n_new, n_priors)
        Stratum of each new sample, -1 if it is of a class that was not fitted; and its class if
        that shares a stratum with others, else -1.
    shares : ndarray of shape (n_new, n_priors, n_groups)
        The share of every group among the neighbours.
    strata : tuple
        Stratum and class of every fitted sample by prior, and strata of each prior.
    potentials : ndarray of shape (n_priors, n_fitted, n_groups)
    """
    codes, classes, counts = strata
    m, n = squares.shape
    indices, left = np.empty((m, k), dtype=np.int64), np.empty((m, k))
    for i in nb.prange(m):
        rest = np.empty(n)
        for j in range(n):
            rest[j] = squares[i, j]
            for z in range(len(counts)):
                own = mates[i, z]
                if mine[i, z] < 0:  # as if of any stratum
                    for group in range(counts[z]):
                        rest[j] -= shares[i, z, group] * potentials[z, j, group]
                else:
                    back = counts[z] if own >= 0 and own == classes[z, j] else mine[i, z]
                    rest[j] -= potentials[z, j, back]
        found = np.zeros(shares[i].shape)
        _potentials(rest, width, shares[i], mates[i], codes, classes, counts, found)
        kept = 0
        if len(counts) == 1:  # several priors cannot all have their shares
            room = np.empty(shares.shape[2], dtype=np.int64)
            nearest = np.int64(np.argmin(squares[i]))
            _round_shares(nearest, shares[i, 0], k, room)
            kept = _nearest_by_shares(
                rest, room, mates[i, 0], codes, classes, counts, indices[i], left[i]
            )
        _fill_up(rest, kept, indices[i], left[i])
        order = np.argsort(left[i], kind="mergesort")
        indices[i], left[i] = indices[i][order], left[i][order]
    return indices, left
