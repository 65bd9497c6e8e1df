"""Points -> the two that are farthest apart, mostly without looking at all pairs."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from unprior._typing import Floats, Indices
from unprior.geometry._base import BLOCK_ENTRIES

#: Points from which all others are measured, at a time.
PROBES = 64


def farthest_pair(points: Floats) -> tuple[int, int]:
    """Return two points with the largest Euclidean distance, up to rounding."""
    if points.shape[1] == 1:
        return int(points.argmin()), int(points.argmax())
    among = outermost(points)
    rest = points[among] - points[among].mean(axis=0)
    norms = np.einsum("ij,ij->i", rest, rest)
    # From the outside in: two points within half the best distance of the centre cannot beat it.
    order = np.argsort(-norms, kind="stable")
    among, rest, norms = among[order], rest[order], norms[order]
    best, pair, start, step = -1.0, (0, 0), 0, max(1, BLOCK_ENTRIES // len(rest))
    while start < len(rest) and 4 * norms[start] > best:
        rows = slice(start, start + step)
        # Matrix products blur small distances, not the largest.
        squared = norms[rows, None] + norms[start:] - 2 * (rest[rows] @ rest[start:].T)
        i, j = divmod(int(squared.argmax()), squared.shape[1])
        if squared[i, j] > best:
            best, pair = squared[i, j], (start + i, start + j)
        start += step
    return int(among[pair[0]]), int(among[pair[1]])


def outermost(points: Floats) -> Indices:
    """Return some of the points, among which are two with the largest Euclidean distance.

    No point is farther from another than by way of a probe: d(i, j) ≤ d(i, p) + max_k d(p, k).
    Points for which this is no more than the largest distance found are dropped, for as long as
    it pays; in few dimensions that leaves a handful.
    """
    left, best, pair = np.arange(len(points)), -1.0, np.zeros(2, dtype=np.intp)
    radii = np.linalg.norm(points - points.mean(axis=0), axis=1)
    bounds, before = radii + radii.max(), np.inf
    while PROBES < len(left) <= 0.7 * before:
        before = len(left)
        every = -(-before // PROBES)
        probes = left[np.argsort(-bounds, kind="stable")[::every]]
        distances = cdist(points[probes], points[left])
        farthest = distances.max(axis=1)
        if farthest.max() > best:
            probe = int(farthest.argmax())
            best = farthest[probe]
            pair = np.array([probes[probe], left[distances[probe].argmax()]])
        bounds = np.minimum(bounds, (distances + farthest[:, None]).min(axis=0))
        left, bounds = left[bounds > best], bounds[bounds > best]
    return np.union1d(left, pair)
