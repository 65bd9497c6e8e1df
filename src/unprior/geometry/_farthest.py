"""The two points that are farthest apart, usually without computing all distances."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from unprior._typing import Floats, Indices
from unprior.geometry._base import BLOCK_ENTRIES

#: Landmarks whose distances to all points are computed at a time.
LANDMARKS = 64


def farthest_pair(points: Floats) -> tuple[int, int]:
    """Return two points with the largest Euclidean distance, up to rounding."""
    if points.shape[1] == 1:
        return int(points.argmin()), int(points.argmax())
    among = outermost(points)
    rest = points[among] - points[among].mean(axis=0)
    norms = np.einsum("ij,ij->i", rest, rest)
    # By decreasing norm: two points within half the best distance of the centre cannot exceed it.
    order = np.argsort(-norms, kind="stable")
    among, rest, norms = among[order], rest[order], norms[order]
    best, pair, start, step = -1.0, (0, 0), 0, max(1, BLOCK_ENTRIES // len(rest))
    while start < len(rest) and 4 * norms[start] > best:
        rows = slice(start, start + step)
        # Matrix products round small distances, but not the largest.
        squared = norms[rows, None] + norms[start:] - 2 * (rest[rows] @ rest[start:].T)
        i, j = divmod(int(squared.argmax()), squared.shape[1])
        if squared[i, j] > best:
            best, pair = squared[i, j], (start + i, start + j)
        start += step
    return int(among[pair[0]]), int(among[pair[1]])


def outermost(points: Floats) -> Indices:
    """Return a subset of the points that contains two with the largest Euclidean distance.

    By the triangle inequality, d(i, j) ≤ d(i, l) + max_k d(l, k) for any landmark l. Points whose
    bound does not exceed the largest distance found are dropped, as long as many are dropped; in
    few dimensions only a handful remain.
    """
    left, best, pair = np.arange(len(points)), -1.0, np.zeros(2, dtype=np.intp)
    radii = np.linalg.norm(points - points.mean(axis=0), axis=1)
    bounds, before = radii + radii.max(), np.inf
    while LANDMARKS < len(left) <= 0.7 * before:
        before = len(left)
        every = -(-before // LANDMARKS)
        landmarks = left[np.argsort(-bounds, kind="stable")[::every]]
        distances = cdist(points[landmarks], points[left])
        farthest = distances.max(axis=1)
        if farthest.max() > best:
            row = int(farthest.argmax())
            best = farthest[row]
            pair = np.array([landmarks[row], left[distances[row].argmax()]])
        bounds = np.minimum(bounds, (distances + farthest[:, None]).min(axis=0))
        left, bounds = left[bounds > best], bounds[bounds > best]
    return np.union1d(left, pair)
