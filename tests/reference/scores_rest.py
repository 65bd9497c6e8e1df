"""Slow, obvious reference of the rest's score: the ratio of two coherences in the residual."""

from __future__ import annotations

from scipy.spatial.distance import cdist

from reference.overlap import coherence
from reference.residual_smooth import smooth


def rest_kept(Y, X, weights, k):
    """Coherence of map neighbours in the rest over that of the rest's own neighbours."""
    rest = smooth(X, weights)
    D_rest = cdist(rest, rest)
    return coherence(cdist(Y, Y), D_rest, k) / coherence(D_rest, D_rest, k)
