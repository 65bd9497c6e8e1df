"""Affinities of new samples to fitted ones, at a given perplexity; each row by itself."""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from unprior.kernels._jit import njit
from unprior.kernels._perplexity import EVEN, TIED, _entropy, _precision


@njit(parallel=True)
def conditional_rows(lengths, perplexity):  # type: ignore[no-untyped-def]
    """Return affinities that sum to one in every row; infinite lengths have none.

    Rows are scaled one by one, so that no row depends on the others.
    """
    affinities = np.zeros(lengths.shape)
    target = math.log(perplexity)
    for i in nb.prange(len(lengths)):
        largest = 0.0
        for c in range(lengths.shape[1]):
            if lengths[i, c] < math.inf:
                largest = max(largest, lengths[i, c])
        unit = largest if largest > 0 else 1.0
        squared = np.empty(lengths.shape[1])
        for c in range(lengths.shape[1]):
            squared[c] = (lengths[i, c] / unit) ** 2
        found, low = _precision(squared, target)
        if low == math.inf:
            continue
        precision = min(max(found, EVEN), TIED)
        total = _entropy(squared, precision, low)[0]
        for c in range(lengths.shape[1]):
            affinities[i, c] = math.exp(-precision * (squared[c] - low)) / total
    return affinities


@njit(parallel=True)
def symmetrize(affinities, distances, precision, nearest, total):  # type: ignore[no-untyped-def]
    """Replace affinities of new to fitted samples by their mean with those of fitted to new ones.

    A fitted sample has p = exp(−precision (d² − nearest)) / total for a new one at distance d.
    """
    for i in nb.prange(len(affinities)):
        for j in range(affinities.shape[1]):
            squared = distances[i, j] * distances[i, j]
            back = math.exp(precision[j] * (nearest[j] - squared)) / total[j]
            affinities[i, j] = 0.5 * (affinities[i, j] + min(back, 1.0))
