"""Balanced neighbours of new samples, from the potentials of the fitted ones.

The potentials of fitted samples are fixed; those of a new sample follow from them, group by group:
g(s) = ε (log share(s) − log Σ_{j in s} exp(−(d_j² − g_j) / ε)). With several priors they are
updated in turn. Each row is computed independently.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._balance import _round_shares
from unprior.kernels._jit import njit
from unprior.kernels._to_fitted import nearest_in, sift_down

#: Number of updates with several priors.
ROUNDS = 20


@njit(inline=True)
def _group(z, j, own, codes, classes, counts):  # type: ignore[no-untyped-def]
    """Return the group of fitted sample j as seen from a new one of class ``own``."""
    return counts[z] if own >= 0 and own == classes[z, j] else codes[z, j]


@njit()
def _group_sums(shifted, width, z, own, codes, classes, counts, most, sums):  # type: ignore[no-untyped-def]
    """Write, by group, the largest exponent and the sum of exponentials relative to it."""
    most[:], sums[:] = -math.inf, 0.0
    for j in range(shifted.size):
        group = _group(z, j, own, codes, classes, counts)
        most[group] = max(most[group], -shifted[j] / width)
    for j in range(shifted.size):
        group = _group(z, j, own, codes, classes, counts)
        sums[group] += math.exp(-shifted[j] / width - most[group])


@njit()
def _subtract_potentials(shifted, width, shares, own, codes, classes, counts):  # type: ignore[no-untyped-def]
    """Subtract a new sample's potentials of every prior from ``shifted``."""
    n_priors, n_groups = shares.shape
    most, sums, step = np.empty(n_groups), np.empty(n_groups), np.empty(n_groups)
    for _ in range(ROUNDS if n_priors > 1 else 1):
        for z in range(n_priors):
            _group_sums(shifted, width, z, own[z], codes, classes, counts, most, sums)
            for group in range(n_groups):
                step[group] = 0.0
                if sums[group] > 0.0 and shares[z, group] > 0.0:
                    step[group] = width * (
                        math.log(shares[z, group]) - most[group] - math.log(sums[group])
                    )
            for j in range(shifted.size):
                shifted[j] -= step[_group(z, j, own[z], codes, classes, counts)]


@njit()
def _nearest_by_shares(shifted, room, own, codes, classes, counts, indices, values):  # type: ignore[no-untyped-def]
    """Write the ``room[g]`` nearest samples of each group g; return how many there are.

    There are never more than fit into ``indices``, although shares that sum to more than 1, if only
    by rounding, give groups more places, and shares in a damaged file any number.
    """
    first = np.zeros(len(room) + 1, dtype=np.int64)
    for group in range(len(room)):
        fit = min(max(room[group], 0), len(indices) - first[group])
        first[group + 1] = first[group] + fit
    indices[:], values[:] = -1, np.inf
    for j in range(shifted.size):
        group = _group(0, j, own, codes, classes, counts)
        start, size = first[group], first[group + 1] - first[group]
        if size > 0 and shifted[j] < values[start]:
            values[start], indices[start] = shifted[j], j
            sift_down(values, indices, start, size)
    kept = 0
    for place in range(first[len(room)]):
        if indices[place] >= 0:
            indices[kept], values[kept] = indices[place], values[place]
            kept += 1
    return kept


@njit()
def _fill_up(shifted, kept, indices, values):  # type: ignore[no-untyped-def]
    """Fill the remaining places with the nearest of all."""
    k = len(indices)
    more, lengths = np.empty(k, dtype=np.int64), np.empty(k)
    nearest_in(shifted, k, more, lengths)
    for place in range(k):
        if kept == k:
            break
        present = False
        for other in range(kept):
            present = present or indices[other] == more[place]
        if not present:
            indices[kept], values[kept] = more[place], lengths[place]
            kept += 1


@njit(parallel=True)
def balanced_rows(squares, width, k, new_codes, new_classes, shares, strata, potentials):  # type: ignore[no-untyped-def]
    """Return the balanced neighbours of new samples, and squares minus potentials to them.

    Parameters
    ----------
    squares : ndarray of shape (n_new, n_fitted)
        Squared distances in the operator's unit.
    width : float
        ε.
    k : int
        Number of neighbours.
    new_codes, new_classes : ndarray of shape (n_new, n_priors)
        Stratum of each new sample, -1 if its class was not fitted; and its class if that shares a
        stratum with others, else -1.
    shares : ndarray of shape (n_new, n_priors, n_groups)
        The target share of every group among the neighbours.
    strata : tuple
        Stratum and class of every fitted sample by prior, and the number of strata of each prior.
    potentials : ndarray of shape (n_priors, n_fitted, n_groups)
    """
    codes, classes, counts = strata
    m, n = squares.shape
    indices, values = np.empty((m, k), dtype=np.int64), np.empty((m, k))
    for i in nb.prange(m):
        shifted = np.empty(n)
        for j in range(n):
            shifted[j] = squares[i, j]
            for z in range(len(counts)):
                own = new_classes[i, z]
                if new_codes[i, z] < 0:  # the mean over all strata
                    for group in range(counts[z]):
                        shifted[j] -= shares[i, z, group] * potentials[z, j, group]
                else:
                    back = counts[z] if own >= 0 and own == classes[z, j] else new_codes[i, z]
                    shifted[j] -= potentials[z, j, back]
        _subtract_potentials(shifted, width, shares[i], new_classes[i], codes, classes, counts)
        kept = 0
        if len(counts) == 1:  # exact shares of several priors are not always possible
            room = np.empty(shares.shape[2], dtype=np.int64)
            nearest = np.int64(np.argmin(squares[i]))
            _round_shares(nearest, shares[i, 0], k, room)
            kept = _nearest_by_shares(
                shifted, room, new_classes[i, 0], codes, classes, counts, indices[i], values[i]
            )
        _fill_up(shifted, kept, indices[i], values[i])
        order = np.argsort(values[i], kind="mergesort")
        indices[i], values[i] = indices[i][order], values[i][order]
    return indices, values
