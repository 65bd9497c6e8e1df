"""Classical scaling (principal coordinates): points whose distances approximate given ones."""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.geometry._base import BLOCK_ENTRIES, draw_landmarks, power_of_two

#: Most samples used to find the axes; all others are placed by their distances to these.
LANDMARKS = 2000

#: Eigenvalues below this fraction of the largest are rounding errors.
ROUNDING = 1e-12


def principal_coordinates(
    distances: PairwiseDistances, *, share: float = 1.0, most: int | None = None
) -> Floats:
    """Return coordinates whose Euclidean distances approximate the given distances.

    Axes of negative eigenvalues, which occur if the distances are not Euclidean, are dropped.
    Beyond 2000 samples the axes are those of 2000 landmarks, a fixed random draw, and the others
    are placed by their distances to these: no n × n array is made.

    Parameters
    ----------
    distances : PairwiseDistances
        The distances.
    share : float, default=1.0
        Take as many axes as explain this fraction of the sum of all positive eigenvalues.
    most : int, optional
        Largest number of axes.

    Returns
    -------
    coordinates : ndarray of shape (n_samples, n_axes)
        By decreasing variance; the largest entry of each axis is positive.

    Examples
    --------
    >>> from unprior.priors import distances
    >>> principal_coordinates(distances([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]]))
    array([[-1.33333333],
           [ 1.66666667],
           [-0.33333333]])
    """
    landmarks = draw_landmarks(distances.n_samples, LANDMARKS)
    block = distances.block(landmarks, landmarks)
    unit = power_of_two(block)
    squared = (block / unit) ** 2
    values, axes = positive_axes(squared)
    wanted = 1 + np.searchsorted(np.cumsum(values), share * values.sum() * (1 - ROUNDING))
    count = min(wanted, len(values), most or len(values))
    axes, mean = axes[:, :count], squared.mean(axis=0)
    return unit * _place(distances, landmarks, unit, mean, values[:count], axes)


def positive_axes(squared: Floats) -> tuple[Floats, Floats]:
    """Return the positive eigenvalues of the centred Gram matrix, descending, and eigenvectors."""
    gram = -squared / 2
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1, keepdims=True)
    values, axes = np.linalg.eigh((gram + gram.T) / 2)
    positive = values > ROUNDING * max(values[-1], -values[0])
    values, axes = values[positive][::-1], axes[:, positive][:, ::-1]
    largest = np.abs(axes).argmax(axis=0)
    return values, axes * np.sign(axes[largest, np.arange(axes.shape[1])])


def _place(
    distances: PairwiseDistances,
    landmarks: Indices,
    unit: float,
    mean: Floats,
    values: Floats,
    axes: Floats,
) -> Floats:
    """Place every sample by its distances to the landmarks, in a unit (exact for the landmarks)."""
    n, step = distances.n_samples, max(1, BLOCK_ENTRIES // len(landmarks))
    placed = np.empty((n, len(values)))
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        squared = (distances.block(rows, landmarks) / unit) ** 2
        placed[rows] = (mean - squared) @ axes / (2 * np.sqrt(values))
    return placed
