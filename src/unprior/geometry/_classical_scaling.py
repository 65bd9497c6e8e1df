"""Distances -> coordinates whose Euclidean distances they are, or nearly: classical scaling."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.geometry._landmarks import draw_landmarks

#: Axes are found from at most this many samples; all others are placed by their distances to them.
LANDMARKS = 2000

#: Axes with a smaller share of the largest eigenvalue are rounding.
ROUNDING = 1e-12

#: Distances to landmarks that are held in memory at a time (32 MB of float64).
BLOCK_ENTRIES = 4_000_000


def principal_coordinates(
    distances: PairwiseDistances, *, share: float = 1.0, most: int | None = None
) -> Floats:
    """Place samples so that their distances are met as well as a few axes can.

    Axes of negative eigenvalues, which only distances that no points have bring about, are left
    out. Beyond 2000 samples the axes are those of 2000 landmarks, the same draw every time, and
    the others are placed by their distances to these: no n × n array is made.

    Parameters
    ----------
    distances : PairwiseDistances
        Anything that tells distances.
    share : float, default=1.0
        Take as many axes as hold this share of the sum of all positive eigenvalues.
    most : int, optional
        Take no more axes than this.

    Returns
    -------
    coordinates : ndarray of shape (n_samples, n_axes)
        The axis of the largest variance first; of each, the largest entry is positive.

    Examples
    --------
    >>> from unprior.priors import distances
    >>> principal_coordinates(distances([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]]))
    array([[-1.33333333],
           [ 1.66666667],
           [-0.33333333]])
    """
    landmarks = draw_landmarks(distances.n_samples, LANDMARKS)
    squared = distances.block(landmarks, landmarks) ** 2
    values, axes = positive_axes(squared)
    wanted = 1 + np.searchsorted(np.cumsum(values), share * values.sum() * (1 - ROUNDING))
    count = min(wanted, len(values), most or len(values))
    return _place(distances, landmarks, squared.mean(axis=0), values[:count], axes[:, :count])


def positive_axes(squared: Floats) -> tuple[Floats, Floats]:
    """Return positive eigenvalues of the centred Gram matrix, the largest first, and vectors."""
    gram = -squared / 2
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1, keepdims=True)
    values, axes = np.linalg.eigh((gram + gram.T) / 2)
    positive = values > ROUNDING * max(values[-1], -values[0])
    values, axes = values[positive][::-1], axes[:, positive][:, ::-1]
    largest = np.abs(axes).argmax(axis=0)
    return values, axes * np.sign(axes[largest, np.arange(axes.shape[1])])


def _place(
    distances: PairwiseDistances, landmarks: Indices, mean: Floats, values: Floats, axes: Floats
) -> Floats:
    """Place every sample by its distances to the landmarks; landmarks come out on their axes."""
    n, step = distances.n_samples, max(1, BLOCK_ENTRIES // len(landmarks))
    placed = np.empty((n, len(values)))
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        placed[rows] = (mean - distances.block(rows, landmarks) ** 2) @ axes / (2 * np.sqrt(values))
    return placed
